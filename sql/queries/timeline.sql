-- name: timeline
-- When one person is on screen, and in which look. $person is an id or a given name.
SELECT
    *
FROM appearance_timeline
WHERE person = $person
ORDER BY
    video,
    start_s,
    appearance;
