-- name: identity_change_malformed
-- Changes of nobody into nobody else, of no known kind, or of a run that was not.
SELECT
    run,
    kind,
    person_from,
    person_to,
    tracks
FROM identity_change
WHERE person_from = person_to
    OR tracks < 1
    OR kind NOT IN ('merged', 'split', 'moved')
    OR run NOT IN (SELECT run FROM identity_run)
ORDER BY ALL;
