-- name: head_outside_frames
-- Heads in frames that the video does not have, or that their tracklet does not span.
SELECT
    head.video_id,
    head.frame,
    head.tracklet,
    video.frame_count
FROM head
JOIN video USING (video_id)
LEFT JOIN tracklet USING (video_id, tracklet)
WHERE head.frame < 0
    OR head.frame >= video.frame_count
    OR head.frame < tracklet.first_frame
    OR head.frame > tracklet.last_frame
ORDER BY
    head.video_id,
    head.frame;
