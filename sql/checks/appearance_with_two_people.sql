-- name: appearance_with_two_people
-- Looks that belong to more than one person.
SELECT
    appearance,
    list(DISTINCT person ORDER BY person) AS people
FROM (
    SELECT appearance, person FROM track_identity
    UNION ALL
    SELECT track_look.appearance, track_identity.person
    FROM track_look JOIN track_identity USING (video_id, track)
)
GROUP BY appearance
HAVING count(DISTINCT person) > 1
ORDER BY appearance;
