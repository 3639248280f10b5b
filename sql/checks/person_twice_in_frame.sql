-- name: person_twice_in_frame
-- People detected twice in one frame, by different tracks.
SELECT
    head.video_id,
    track_identity.person,
    list(DISTINCT tracklet.track ORDER BY tracklet.track) AS tracks,
    head.frame
FROM head
JOIN tracklet USING (video_id, tracklet)
JOIN track_identity USING (video_id, track)
WHERE NOT head.interpolated
GROUP BY
    head.video_id,
    track_identity.person,
    head.frame
HAVING count(DISTINCT tracklet.track) > 1
ORDER BY ALL;
