CREATE OR REPLACE VIEW shot_by_video AS
SELECT
    video_path.path,
    shot.shot,
    shot.start_frame,
    shot.end_frame
FROM shot
JOIN video_path USING (video_id);

COMMENT ON VIEW shot_by_video IS 'Every shot of every video. Stable: outside programs rely on these columns. The same content at two paths is listed under both.';
COMMENT ON COLUMN shot_by_video.path IS 'of the video, absolute, or its URL';
COMMENT ON COLUMN shot_by_video.shot IS 'number inside the video, from 0';
COMMENT ON COLUMN shot_by_video.start_frame IS 'first frame';
COMMENT ON COLUMN shot_by_video.end_frame IS 'one past the last frame';
