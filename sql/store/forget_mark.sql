-- Marks, in this order, what forget_erase.sql takes out; $person is the id. Not for users.

-- name: mark_forgotten_person
CREATE OR REPLACE TEMP TABLE forgotten_person AS
SELECT
    person,
    name
FROM person
WHERE person = $person;

-- name: mark_forgotten_tracks
CREATE OR REPLACE TEMP TABLE forgotten_track AS
SELECT
    video_id,
    track
FROM track_identity
WHERE person = $person;

-- name: mark_forgotten_tracklets
CREATE OR REPLACE TEMP TABLE forgotten_tracklet AS
SELECT
    video_id,
    tracklet
FROM tracklet
SEMI JOIN forgotten_track USING (video_id, track);

-- name: mark_forgotten_boxes
-- The person's heads, and detections that no tracklet keeps inside them.
CREATE OR REPLACE TEMP TABLE forgotten_box AS
WITH kept AS (
    SELECT
        head.*
    FROM head
    SEMI JOIN forgotten_tracklet USING (video_id, tracklet)
)
SELECT
    *
FROM kept
UNION ALL
SELECT
    head.*
FROM head
WHERE head.tracklet IS NULL
    AND EXISTS (
        SELECT
            1
        FROM kept
        WHERE kept.video_id = head.video_id
            AND kept.frame = head.frame
            AND (head.x1 + head.x2) / 2 BETWEEN kept.x1 AND kept.x2
            AND (head.y1 + head.y2) / 2 BETWEEN kept.y1 AND kept.y2
    );
