-- What a run takes over from earlier ones. Not for users.

-- name: kept_detections
-- What the detector gave in a video, where it would give the same today; by frame.
SELECT
    detection.*
FROM detection
JOIN video USING (video_id)
WHERE video_id = $video_id
    AND detection_hash = $detection_hash
    AND decoder = $decoder
    AND decoder_reason = $decoder_reason
ORDER BY frame;
