-- name: timeline
-- When one person is on screen, and in which look. $person is an id or a given name.
SELECT
    appearance_timeline.*
FROM appearance_timeline
JOIN person USING (person)
WHERE person.person = $person
    OR person.name = $person
ORDER BY
    video,
    start_s,
    appearance;
