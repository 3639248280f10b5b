-- name: looks
-- The looks of one person, the most seen first. $person is an id or a given name.
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
    screen_time_s DESC,
    person_frame.appearance;
