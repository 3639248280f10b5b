-- name: people
-- Everybody, the most seen first.
SELECT
    *
FROM person_summary
ORDER BY
    screen_time_s DESC,
    person;
