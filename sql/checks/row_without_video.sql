-- name: row_without_video
-- Rows whose video is gone.
WITH row_of_video AS (
    SELECT 'video_path' AS in_table, video_id FROM video_path
    UNION
    SELECT 'shot', video_id FROM shot
    UNION
    SELECT 'head', video_id FROM head
    UNION
    SELECT 'detection', video_id FROM detection
    UNION
    SELECT 'tracklet', video_id FROM tracklet
    UNION
    SELECT 'crop_embedding', video_id FROM crop_embedding
    UNION
    SELECT 'track_identity', video_id FROM track_identity
)
SELECT
    in_table,
    video_id
FROM row_of_video
ANTI JOIN video USING (video_id)
ORDER BY ALL;
