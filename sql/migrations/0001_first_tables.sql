-- The first tables. No FOREIGN KEYs and no primary keys on what is deleted and inserted again:
-- sql/checks must return nothing instead. All times are UTC.

CREATE TABLE video (
    video_id         VARCHAR NOT NULL,
    width            INTEGER NOT NULL,
    height           INTEGER NOT NULL,
    frame_count      INTEGER NOT NULL,
    duration_s       DOUBLE NOT NULL,
    fps              DOUBLE NOT NULL,
    rotation_deg     INTEGER NOT NULL,
    sample_aspect    DOUBLE NOT NULL,
    codec            VARCHAR NOT NULL,
    decoder          VARCHAR NOT NULL,
    decoder_reason   VARCHAR NOT NULL,
    status           VARCHAR NOT NULL,
    broken_at        INTEGER,
    broken_reason    VARCHAR,
    settings_hash    VARCHAR NOT NULL,
    models           VARCHAR[] NOT NULL,
    version          VARCHAR NOT NULL,
    analysed_at      TIMESTAMP NOT NULL
);
COMMENT ON TABLE video IS 'One row a content: a video or still image that was analysed, under however many paths.';
COMMENT ON COLUMN video.video_id IS 'first 16 hex digits of the SHA-256 of the file''s bytes';
COMMENT ON COLUMN video.width IS 'pixels of a decoded frame, rotation applied, sample aspect not';
COMMENT ON COLUMN video.height IS 'the same';
COMMENT ON COLUMN video.frame_count IS 'frames that were decoded';
COMMENT ON COLUMN video.duration_s IS 'seconds from the first decoded frame to the end of the last; 0 for a still image';
COMMENT ON COLUMN video.fps IS 'average frame rate as the container claims; 0 where it does not say';
COMMENT ON COLUMN video.rotation_deg IS 'clockwise rotation that was applied: 0, 90, 180 or 270';
COMMENT ON COLUMN video.sample_aspect IS 'width to height of one pixel';
COMMENT ON COLUMN video.codec IS 'name of the codec, as FFmpeg has it';
COMMENT ON COLUMN video.decoder IS 'decoder that read it, decord or pyav';
COMMENT ON COLUMN video.decoder_reason IS 'why it was chosen';
COMMENT ON COLUMN video.status IS 'complete, or partial where decoding broke off and the frames before were kept';
COMMENT ON COLUMN video.broken_at IS 'frame after which decoding failed; NULL where all was decoded';
COMMENT ON COLUMN video.broken_reason IS 'why decoding failed; NULL where all was decoded';
COMMENT ON COLUMN video.settings_hash IS 'changes with every setting that changes a video''s result';
COMMENT ON COLUMN video.models IS 'name@sha256-prefix of each model used, sorted';
COMMENT ON COLUMN video.version IS 'version of headtrack that analysed it';
COMMENT ON COLUMN video.analysed_at IS 'when the analysis ended, UTC';

CREATE TABLE video_path (
    video_id         VARCHAR NOT NULL,
    path             VARCHAR NOT NULL
);
COMMENT ON TABLE video_path IS 'Where each content was found; the same content at two paths has two rows.';
COMMENT ON COLUMN video_path.video_id IS 'of video';
COMMENT ON COLUMN video_path.path IS 'absolute; each path once';

CREATE TABLE video_failure (
    path             VARCHAR NOT NULL,
    video_id         VARCHAR,
    step             VARCHAR NOT NULL,
    error            VARCHAR NOT NULL,
    message          VARCHAR NOT NULL,
    failed_at        TIMESTAMP NOT NULL
);
COMMENT ON TABLE video_failure IS 'Files that gave nothing at the last try; a later success removes the row.';
COMMENT ON COLUMN video_failure.path IS 'absolute; each path once';
COMMENT ON COLUMN video_failure.video_id IS 'NULL where the file could not even be read';
COMMENT ON COLUMN video_failure.step IS 'what failed: probe, decode, detect, ...';
COMMENT ON COLUMN video_failure.error IS 'class name of the error';
COMMENT ON COLUMN video_failure.message IS 'what happened and what to do';
COMMENT ON COLUMN video_failure.failed_at IS 'when, UTC';

CREATE TABLE shot (
    video_id         VARCHAR NOT NULL,
    shot             INTEGER NOT NULL,
    start_frame      INTEGER NOT NULL,
    end_frame        INTEGER NOT NULL,
    start_s          DOUBLE NOT NULL,
    end_s            DOUBLE NOT NULL,
    p_cut            FLOAT NOT NULL
);
COMMENT ON TABLE shot IS 'Frames between two transitions; together the shots of a video cover every frame once.';
COMMENT ON COLUMN shot.video_id IS 'of video';
COMMENT ON COLUMN shot.shot IS 'number inside the video, from 0';
COMMENT ON COLUMN shot.start_frame IS 'first frame';
COMMENT ON COLUMN shot.end_frame IS 'one past the last frame';
COMMENT ON COLUMN shot.start_s IS 'time of the first frame, seconds from the video''s first frame';
COMMENT ON COLUMN shot.end_s IS 'time at which the last frame ends';
COMMENT ON COLUMN shot.p_cut IS 'probability of the transition that opens the shot; 1 for the first';

CREATE TABLE head (
    video_id         VARCHAR NOT NULL,
    frame            INTEGER NOT NULL,
    time_s           DOUBLE NOT NULL,
    shown_s          DOUBLE NOT NULL,
    x1               FLOAT NOT NULL,
    y1               FLOAT NOT NULL,
    x2               FLOAT NOT NULL,
    y2               FLOAT NOT NULL,
    score            FLOAT NOT NULL,
    view             VARCHAR NOT NULL,
    yaw_deg          FLOAT,
    interpolated     BOOLEAN NOT NULL,
    tracklet         INTEGER
);
COMMENT ON TABLE head IS 'One row for one head in one frame, detected or interpolated.';
COMMENT ON COLUMN head.video_id IS 'of video';
COMMENT ON COLUMN head.frame IS 'from 0, in decode order';
COMMENT ON COLUMN head.time_s IS 'time of the frame by its pts, seconds from the video''s first frame';
COMMENT ON COLUMN head.shown_s IS 'seconds until the next frame; 0 in a still image';
COMMENT ON COLUMN head.x1 IS 'left edge in coded pixels';
COMMENT ON COLUMN head.y1 IS 'top edge: hair or hat';
COMMENT ON COLUMN head.x2 IS 'right edge';
COMMENT ON COLUMN head.y2 IS 'bottom edge: chin, or nape from behind';
COMMENT ON COLUMN head.score IS 'detection score, 0 to 1; of an interpolated box the lower of its two neighbours';
COMMENT ON COLUMN head.view IS 'side from which the head is seen: front, threequarter, profile, rear';
COMMENT ON COLUMN head.yaw_deg IS 'degrees, positive turns to the image''s right; NULL where unknown';
COMMENT ON COLUMN head.interpolated IS 'true between two detected frames';
COMMENT ON COLUMN head.tracklet IS 'of tracklet; NULL for a detection that no tracklet keeps (no view shows those)';

CREATE TABLE tracklet (
    video_id         VARCHAR NOT NULL,
    tracklet         INTEGER NOT NULL,
    shot             INTEGER NOT NULL,
    track            INTEGER NOT NULL,
    first_frame      INTEGER NOT NULL,
    last_frame       INTEGER NOT NULL,
    link_reason      VARCHAR NOT NULL,
    link_score       FLOAT NOT NULL
);
COMMENT ON TABLE tracklet IS 'One head followed without a break inside one shot; linked tracklets share a track.';
COMMENT ON COLUMN tracklet.video_id IS 'of video';
COMMENT ON COLUMN tracklet.tracklet IS 'number inside the video, by first frame, then left edge';
COMMENT ON COLUMN tracklet.shot IS 'of shot';
COMMENT ON COLUMN tracklet.track IS 'number inside the video, by first frame';
COMMENT ON COLUMN tracklet.first_frame IS 'first frame with a box';
COMMENT ON COLUMN tracklet.last_frame IS 'last frame with a box, inclusive';
COMMENT ON COLUMN tracklet.link_reason IS 'how it joined the earlier part of its track: start, occlusion, shot_change';
COMMENT ON COLUMN tracklet.link_score IS 'strength of that link, 0 to 1; 1 for the first of a track';

CREATE TABLE crop_embedding (
    video_id         VARCHAR NOT NULL,
    tracklet         INTEGER NOT NULL,
    frame            INTEGER NOT NULL,
    quality          FLOAT NOT NULL,
    view             VARCHAR NOT NULL,
    identity         FLOAT[],
    appearance       FLOAT[] NOT NULL
);
COMMENT ON TABLE crop_embedding IS 'Embeddings of the chosen crops of each tracklet; never of every frame. Lists, because their width is the model''s; one width in the whole database.';
COMMENT ON COLUMN crop_embedding.video_id IS 'of video';
COMMENT ON COLUMN crop_embedding.tracklet IS 'of tracklet';
COMMENT ON COLUMN crop_embedding.frame IS 'frame the crop was cut from';
COMMENT ON COLUMN crop_embedding.quality IS '0 to 1: size, sharpness, frontality, not cut by the frame';
COMMENT ON COLUMN crop_embedding.view IS 'as in head';
COMMENT ON COLUMN crop_embedding.identity IS 'unit vector of the face; NULL where the crop has no usable face';
COMMENT ON COLUMN crop_embedding.appearance IS 'unit vector of the whole head';

CREATE TABLE identity_run (
    run              INTEGER NOT NULL,
    clustered_at     TIMESTAMP NOT NULL,
    method           VARCHAR NOT NULL,
    settings         VARCHAR NOT NULL,
    version          VARCHAR NOT NULL,
    tracks           INTEGER NOT NULL,
    people           INTEGER NOT NULL,
    appearances      INTEGER NOT NULL
);
COMMENT ON TABLE identity_run IS 'Each clustering of all tracks into people and their looks; the last one is in force.';
COMMENT ON COLUMN identity_run.run IS 'from 1';
COMMENT ON COLUMN identity_run.clustered_at IS 'when, UTC';
COMMENT ON COLUMN identity_run.method IS 'clustering method';
COMMENT ON COLUMN identity_run.settings IS 'its settings, as JSON';
COMMENT ON COLUMN identity_run.version IS 'version of headtrack';
COMMENT ON COLUMN identity_run.tracks IS 'tracks clustered';
COMMENT ON COLUMN identity_run.people IS 'people found';
COMMENT ON COLUMN identity_run.appearances IS 'appearances found';

CREATE TABLE track_identity (
    video_id         VARCHAR NOT NULL,
    track            INTEGER NOT NULL,
    person           VARCHAR NOT NULL,
    appearance       VARCHAR NOT NULL,
    strength         FLOAT NOT NULL
);
COMMENT ON TABLE track_identity IS 'Who each track is, and in which look, by the identity run in force.';
COMMENT ON COLUMN track_identity.video_id IS 'of video';
COMMENT ON COLUMN track_identity.track IS 'of tracklet';
COMMENT ON COLUMN track_identity.person IS 'of person';
COMMENT ON COLUMN track_identity.appearance IS 'stable text id of one look; belongs to one person';
COMMENT ON COLUMN track_identity.strength IS 'how well the track fits its person, 0 to 1';

CREATE TABLE person (
    person           VARCHAR NOT NULL,
    name             VARCHAR
);
COMMENT ON TABLE person IS 'People. The id stays the same when everybody is clustered again; so does the name a user gave.';
COMMENT ON COLUMN person.person IS 'stable text id';
COMMENT ON COLUMN person.name IS 'given by a user; NULL where nobody did';
