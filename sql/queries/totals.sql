-- name: totals
-- How much the database holds.
SELECT
    (SELECT count(*) FROM video) AS videos,
    (SELECT count(*) FROM video WHERE status = 'partial') AS partial_videos,
    (SELECT count(*) FROM video_failure) AS failures,
    (SELECT coalesce(sum(duration_s), 0) FROM video) AS footage_s,
    (SELECT count(*) FROM shot) AS shots,
    (SELECT count(*) FROM head) AS heads,
    (SELECT count(*) FROM tracklet) AS tracklets,
    (SELECT count(*) FROM (SELECT DISTINCT video_id, track FROM tracklet)) AS tracks,
    (SELECT count(DISTINCT person) FROM track_identity) AS people,
    (SELECT sum(appearances)::BIGINT FROM person_summary) AS appearances,
    (SELECT max(clustered_at) FROM identity_run) AS clustered_at;
