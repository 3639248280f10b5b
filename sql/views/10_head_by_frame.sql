CREATE OR REPLACE VIEW head_by_frame AS
SELECT
    video_path.path,
    head.frame,
    head.time_s,
    head.x1,
    head.y1,
    head.x2,
    head.y2,
    head.score,
    head.view,
    head.interpolated,
    head.tracklet,
    tracklet.track,
    track_identity.person,
    coalesce(track_look.appearance, track_identity.appearance) AS appearance
FROM head
JOIN video_path USING (video_id)
JOIN tracklet USING (video_id, tracklet)
LEFT JOIN track_identity USING (video_id, track)
LEFT JOIN track_look
    ON track_look.video_id = head.video_id
    AND track_look.track = tracklet.track
    AND head.frame >= track_look.start_frame
    AND head.frame < track_look.end_frame;

COMMENT ON VIEW head_by_frame IS 'Every head in every frame, detected or interpolated. Stable: outside programs rely on these columns. The same content at two paths is listed under both.';
COMMENT ON COLUMN head_by_frame.path IS 'of the video, absolute, or its URL';
COMMENT ON COLUMN head_by_frame.frame IS 'from 0, in decode order';
COMMENT ON COLUMN head_by_frame.time_s IS 'time of the frame by its pts, seconds from the video''s first frame';
COMMENT ON COLUMN head_by_frame.x1 IS 'left edge in coded pixels';
COMMENT ON COLUMN head_by_frame.y1 IS 'top edge: hair or hat';
COMMENT ON COLUMN head_by_frame.x2 IS 'right edge';
COMMENT ON COLUMN head_by_frame.y2 IS 'bottom edge: chin, or nape from behind';
COMMENT ON COLUMN head_by_frame.score IS 'detection score, 0 to 1';
COMMENT ON COLUMN head_by_frame.view IS 'front, threequarter, profile or rear';
COMMENT ON COLUMN head_by_frame.interpolated IS 'true between two detected frames';
COMMENT ON COLUMN head_by_frame.tracklet IS 'number inside the video: unbroken, inside one shot';
COMMENT ON COLUMN head_by_frame.track IS 'number inside the video: linked tracklets';
COMMENT ON COLUMN head_by_frame.person IS 'stable text id; NULL until tracks were clustered';
COMMENT ON COLUMN head_by_frame.appearance IS 'stable text id of one look of that person; NULL until tracks were clustered';
