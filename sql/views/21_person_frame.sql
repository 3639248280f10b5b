CREATE OR REPLACE VIEW person_frame AS
SELECT
    head.video_id,
    head.frame,
    any_value(head.time_s) AS time_s,
    any_value(head.shown_s) AS shown_s,
    any_value(tracklet.shot) AS shot,
    track_identity.person,
    coalesce(track_look.appearance, track_identity.appearance) AS appearance,
    arg_max(head.view, head.score) = 'rear' AS is_rear
FROM head
JOIN tracklet USING (video_id, tracklet)
JOIN track_identity USING (video_id, track)
LEFT JOIN track_look
    ON track_look.video_id = head.video_id
    AND track_look.track = tracklet.track
    AND head.frame >= track_look.start_frame
    AND head.frame < track_look.end_frame
GROUP BY
    head.video_id,
    head.frame,
    track_identity.person,
    coalesce(track_look.appearance, track_identity.appearance);

COMMENT ON VIEW person_frame IS 'Who is on screen in each frame, in which look; one row however many boxes a frame has of that look.';
COMMENT ON COLUMN person_frame.video_id IS 'of video';
COMMENT ON COLUMN person_frame.frame IS 'from 0, in decode order';
COMMENT ON COLUMN person_frame.time_s IS 'time of the frame, seconds from the video''s first frame';
COMMENT ON COLUMN person_frame.shown_s IS 'seconds until the next frame; 0 in a still image or a video of one frame';
COMMENT ON COLUMN person_frame.shot IS 'of shot';
COMMENT ON COLUMN person_frame.person IS 'stable text id';
COMMENT ON COLUMN person_frame.appearance IS 'stable text id of the look';
COMMENT ON COLUMN person_frame.is_rear IS 'true where the head is seen from behind';
