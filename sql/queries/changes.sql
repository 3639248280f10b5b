-- name: changes
-- Who came from whom, when and why, each time everybody was clustered again; the last one first.
SELECT
    run,
    changed_at,
    kind,
    person_from,
    person_to,
    tracks,
    reason
FROM identity_change
ORDER BY
    run DESC,
    person_from,
    person_to;
