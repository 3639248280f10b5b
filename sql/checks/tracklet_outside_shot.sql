-- name: tracklet_outside_shot
-- Tracklets whose shot is missing, or that leave it.
SELECT
    tracklet.video_id,
    tracklet.tracklet,
    tracklet.shot,
    tracklet.first_frame,
    tracklet.last_frame,
    shot.start_frame,
    shot.end_frame
FROM tracklet
LEFT JOIN shot USING (video_id, shot)
WHERE shot.start_frame IS NULL
    OR tracklet.first_frame < shot.start_frame
    OR tracklet.last_frame >= shot.end_frame
    OR tracklet.last_frame < tracklet.first_frame
ORDER BY
    tracklet.video_id,
    tracklet.tracklet;
