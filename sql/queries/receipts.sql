-- name: receipts
-- Receipts of everybody who was erased, in order of erasing: counts, and the salted hash of the id.
SELECT
    receipt,
    forgotten_at,
    videos,
    tracks,
    heads,
    crops,
    digest
FROM forgotten
ORDER BY receipt;
