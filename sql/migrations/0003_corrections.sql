-- What people correct, and who became whom whenever everybody was clustered again.

CREATE TABLE correction (
    number           INTEGER NOT NULL,
    corrected_at     TIMESTAMP NOT NULL,
    kind             VARCHAR NOT NULL,
    what             VARCHAR NOT NULL,
    name             VARCHAR,
    undone_at        TIMESTAMP
);
COMMENT ON TABLE correction IS 'One row a correction by a person; every later clustering obeys those that are not undone, the later one where two say the opposite.';
COMMENT ON COLUMN correction.number IS 'from 1, in order of giving';
COMMENT ON COLUMN correction.corrected_at IS 'when, UTC';
COMMENT ON COLUMN correction.kind IS 'merge, split, assign, reject or name';
COMMENT ON COLUMN correction.what IS 'what was said, with the ids of that moment';
COMMENT ON COLUMN correction.name IS 'given name; NULL where the kind is not name, or where a name is taken away';
COMMENT ON COLUMN correction.undone_at IS 'when it was taken back, UTC; NULL while it is in force';

CREATE TABLE correction_anchor (
    correction       INTEGER NOT NULL,
    side             VARCHAR NOT NULL,
    entry            INTEGER NOT NULL,
    video_id         VARCHAR NOT NULL,
    time_s           DOUBLE NOT NULL,
    x1               FLOAT NOT NULL,
    y1               FLOAT NOT NULL,
    x2               FLOAT NOT NULL,
    y2               FLOAT NOT NULL
);
COMMENT ON TABLE correction_anchor IS 'Which heads a correction speaks of: up to three detected boxes of each track concerned. They outlive track numbers, models and the video''s rows.';
COMMENT ON COLUMN correction_anchor.correction IS 'of correction';
COMMENT ON COLUMN correction_anchor.side IS 'a: who is corrected. b: with whom (merge, assign) or apart from whom (split, reject). c: whose the track was before (assign)';
COMMENT ON COLUMN correction_anchor.entry IS 'number of the former track inside the correction, from 0';
COMMENT ON COLUMN correction_anchor.video_id IS 'of the content, which may be gone';
COMMENT ON COLUMN correction_anchor.time_s IS 'time of the frame, seconds from the video''s first frame';
COMMENT ON COLUMN correction_anchor.x1 IS 'left edge in coded pixels';
COMMENT ON COLUMN correction_anchor.y1 IS 'top edge';
COMMENT ON COLUMN correction_anchor.x2 IS 'right edge';
COMMENT ON COLUMN correction_anchor.y2 IS 'bottom edge';

CREATE TABLE identity_change (
    run              INTEGER NOT NULL,
    changed_at       TIMESTAMP NOT NULL,
    kind             VARCHAR NOT NULL,
    person_from      VARCHAR NOT NULL,
    person_to        VARCHAR NOT NULL,
    tracks           INTEGER NOT NULL,
    reason           VARCHAR NOT NULL
);
COMMENT ON TABLE identity_change IS 'Which tracks went from one person to another when everybody was clustered again.';
COMMENT ON COLUMN identity_change.run IS 'of identity_run';
COMMENT ON COLUMN identity_change.changed_at IS 'when, UTC';
COMMENT ON COLUMN identity_change.kind IS 'merged: person_from is no more. split: person_to is new. moved: both were there before and are after';
COMMENT ON COLUMN identity_change.person_from IS 'whose the tracks were';
COMMENT ON COLUMN identity_change.person_to IS 'whose they are since';
COMMENT ON COLUMN identity_change.tracks IS 'how many';
COMMENT ON COLUMN identity_change.reason IS 'correction N, undo of correction N, or new evidence';
