-- name: detection_malformed
-- Frames whose lists of what the detector gave do not fit its number of heads, or that the video does not have.
SELECT
    detection.video_id,
    detection.frame,
    detection.heads,
    video.frame_count
FROM detection
JOIN video USING (video_id)
WHERE detection.frame < 0
    OR detection.frame >= video.frame_count
    OR len(detection.score) <> detection.heads
    OR len(detection.view) <> detection.heads
    OR len(detection.tracklet) <> detection.heads
    OR len(detection.yaw_deg) <> detection.heads
    OR len(detection.face_score) <> detection.heads
    OR len(detection.xyxy) <> 4 * detection.heads
    OR len(detection.face_xyxy) <> 4 * detection.heads
    OR len(detection.body_xyxy) <> 4 * detection.heads
    OR len(detection.landmarks) <> 10 * detection.heads
ORDER BY
    detection.video_id,
    detection.frame;
