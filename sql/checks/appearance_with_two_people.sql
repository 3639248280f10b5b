-- name: appearance_with_two_people
-- Looks that belong to more than one person.
SELECT
    appearance,
    list(DISTINCT person ORDER BY person) AS people
FROM track_identity
GROUP BY appearance
HAVING count(DISTINCT person) > 1
ORDER BY appearance;
