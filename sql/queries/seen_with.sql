-- name: seen_with
-- With whom one person is in one frame, and for how long: by time to the microsecond, then by number
-- of videos and images, then by id. $person is an id or a given name.
SELECT
    if(person_a = $person, person_b, person_a) AS person,
    sum(seconds) AS seconds,
    count(*) AS videos
FROM co_occurrence
WHERE $person IN (person_a, person_b)
GROUP BY ALL
ORDER BY
    round(sum(seconds), 6) DESC,
    videos DESC,
    person;
