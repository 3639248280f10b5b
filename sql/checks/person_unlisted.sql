-- name: person_unlisted
-- People of tracks that are missing in the table of people, and unnamed people without a track.
SELECT DISTINCT 'missing in person' AS fault, person
FROM track_identity ANTI JOIN person USING (person)
UNION ALL
SELECT 'without a track', person
FROM person ANTI JOIN track_identity USING (person)
WHERE name IS NULL
ORDER BY ALL;
