-- name: looks
-- The looks of one person, the most seen first: by screen time to the microsecond, then by number of
-- videos and images, of frames, then by id. $person is an id or a given name.
SELECT
    person_frame.person,
    person_frame.appearance,
    sum(person_frame.shown_s) AS screen_time_s,
    count(DISTINCT person_frame.video_id) AS videos
FROM person_frame
JOIN person USING (person)
WHERE person.person = $person
    OR person.name = $person
GROUP BY
    person_frame.person,
    person_frame.appearance
ORDER BY
    round(screen_time_s, 6) DESC,
    videos DESC,
    count(*) DESC,
    person_frame.appearance;
