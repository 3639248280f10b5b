-- name: video_without_path
-- Contents that no path leads to.
SELECT
    video_id
FROM video
ANTI JOIN video_path USING (video_id)
ORDER BY video_id;
