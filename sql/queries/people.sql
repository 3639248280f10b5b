-- name: people
-- Everybody, the most seen first: by screen time to the microsecond, then by number of videos and
-- images, of tracks, then by id. Who is seen in stills alone has a screen time of 0 and comes last.
SELECT
    *
FROM person_summary
ORDER BY
    round(screen_time_s, 6) DESC,
    videos DESC,
    tracks DESC,
    person;
