-- name: row_without_tracklet
-- Heads, embeddings and identities whose tracklet or track is missing, and tracklets without a head.
SELECT DISTINCT 'head' AS in_table, video_id, tracklet AS number
FROM head ANTI JOIN tracklet USING (video_id, tracklet)
WHERE tracklet IS NOT NULL
UNION ALL
SELECT DISTINCT 'crop_embedding', video_id, tracklet
FROM crop_embedding ANTI JOIN tracklet USING (video_id, tracklet)
UNION ALL
SELECT 'track_identity', video_id, track
FROM track_identity ANTI JOIN tracklet USING (video_id, track)
UNION ALL
SELECT 'track_look', video_id, track
FROM track_look ANTI JOIN track_identity USING (video_id, track)
UNION ALL
SELECT 'tracklet', video_id, tracklet
FROM tracklet ANTI JOIN head USING (video_id, tracklet)
ORDER BY ALL;
