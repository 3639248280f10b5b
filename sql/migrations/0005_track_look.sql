-- A look may change inside one track: a helmet put on splits the timeline, not the person.

CREATE TABLE track_look (
    video_id    VARCHAR NOT NULL,
    track       INTEGER NOT NULL,
    start_frame INTEGER NOT NULL,
    end_frame   INTEGER NOT NULL,
    appearance  VARCHAR NOT NULL
);
COMMENT ON TABLE track_look IS 'The looks of the tracks that show more than one, part by part; a track of one look is in track_identity alone.';
COMMENT ON COLUMN track_look.video_id IS 'of video';
COMMENT ON COLUMN track_look.track IS 'number inside the video';
COMMENT ON COLUMN track_look.start_frame IS 'first frame of the part';
COMMENT ON COLUMN track_look.end_frame IS 'one past its last frame';
COMMENT ON COLUMN track_look.appearance IS 'stable text id of the look';
COMMENT ON COLUMN track_identity.appearance IS 'stable text id of one look, of several the one that the track shows longest; belongs to one person';
