CREATE OR REPLACE VIEW video_label AS
SELECT
    video_id,
    min(path) AS video
FROM video_path
GROUP BY video_id;

COMMENT ON VIEW video_label IS 'One path for each content, so that the same content at two paths is counted once.';
COMMENT ON COLUMN video_label.video_id IS 'of video';
COMMENT ON COLUMN video_label.video IS 'its first path in alphabetical order';
