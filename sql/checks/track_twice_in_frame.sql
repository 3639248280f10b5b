-- name: track_twice_in_frame
-- Tracks detected twice in one frame, by different tracklets.
SELECT
    head.video_id,
    tracklet.track,
    list(DISTINCT tracklet.tracklet ORDER BY tracklet.tracklet) AS tracklets,
    head.frame
FROM head
JOIN tracklet USING (video_id, tracklet)
WHERE NOT head.interpolated
GROUP BY
    head.video_id,
    tracklet.track,
    head.frame
HAVING count(DISTINCT tracklet.tracklet) > 1
ORDER BY ALL;
