-- Files behind URLs are known again by what their store says of them, without being fetched.

CREATE TABLE remote_file (
    path             VARCHAR NOT NULL,
    stamp            VARCHAR NOT NULL,
    video_id         VARCHAR NOT NULL
);
COMMENT ON TABLE remote_file IS 'What lay behind each URL when it was last fetched.';
COMMENT ON COLUMN remote_file.path IS 'the URL; each once';
COMMENT ON COLUMN remote_file.stamp IS 'of its store: entity tag, or time of change, and size; another stamp is another content';
COMMENT ON COLUMN remote_file.video_id IS 'content; it need not be in video';
