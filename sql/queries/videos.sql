-- name: videos
-- Every path with what is known of its content, and how many people are in it.
SELECT
    video_path.path,
    video.video_id,
    video.status,
    video.broken_at,
    video.broken_reason,
    video.width,
    video.height,
    video.frame_count,
    video.duration_s,
    video.codec,
    video.decoder,
    video.decoder_reason,
    count(DISTINCT track_identity.person) AS people,
    video.analysed_at
FROM video_path
JOIN video USING (video_id)
LEFT JOIN track_identity USING (video_id)
GROUP BY ALL
ORDER BY video_path.path;
