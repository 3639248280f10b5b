-- What the detector and the tracker gave, whole: where only later steps change, they need not run again.

CREATE TABLE detection (
    video_id         VARCHAR NOT NULL,
    frame            INTEGER NOT NULL,
    heads            INTEGER NOT NULL,
    score            FLOAT[] NOT NULL,
    view             TINYINT[] NOT NULL,
    yaw_deg          FLOAT[] NOT NULL,
    xyxy             FLOAT[] NOT NULL,
    face_score       FLOAT[] NOT NULL,
    face_xyxy        FLOAT[] NOT NULL,
    landmarks        FLOAT[] NOT NULL,
    body_xyxy        FLOAT[] NOT NULL,
    tracklet         INTEGER[] NOT NULL
);
COMMENT ON TABLE detection IS 'What the detector gave in each frame that was looked at, for runs with other settings or models of later steps. Lists with one entry or box a head, from left to right; NaN where unknown. None of a video in which a forgotten person was. Ask head and the views, not this.';
COMMENT ON COLUMN detection.video_id IS 'of video';
COMMENT ON COLUMN detection.frame IS 'from 0, in decode order';
COMMENT ON COLUMN detection.heads IS 'number of heads; 0 where none was found';
COMMENT ON COLUMN detection.score IS '0 to 1';
COMMENT ON COLUMN detection.view IS '0 front, 1 threequarter, 2 profile, 3 rear';
COMMENT ON COLUMN detection.yaw_deg IS 'degrees, positive turns to the image''s right';
COMMENT ON COLUMN detection.xyxy IS 'box of the head: 4 numbers each, pixels';
COMMENT ON COLUMN detection.face_score IS '0 to 1';
COMMENT ON COLUMN detection.face_xyxy IS 'box of the face: 4 numbers each, pixels';
COMMENT ON COLUMN detection.landmarks IS 'x and y of eyes, nose tip and corners of the mouth: 10 numbers each, pixels';
COMMENT ON COLUMN detection.body_xyxy IS 'box of the person: 4 numbers each, pixels';
COMMENT ON COLUMN detection.tracklet IS 'of tracklet; -1 where no tracklet keeps the head';

ALTER TABLE tracklet ADD COLUMN colour FLOAT[];
COMMENT ON COLUMN tracklet.colour IS 'mean histogram of its heads and their clothes, unit sum; NULL before schema 7';

ALTER TABLE video ADD COLUMN detection_hash VARCHAR;
COMMENT ON COLUMN video.detection_hash IS 'changes with every setting and model that changes what the detector gives; NULL before schema 7';

ALTER TABLE video ADD COLUMN tracklet_hash VARCHAR;
COMMENT ON COLUMN video.tracklet_hash IS 'changes with every setting and model that changes tracklets or embeddings; NULL before schema 7';
