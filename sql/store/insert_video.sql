-- Puts the Arrow tables `part_*` of one analysed video in. Not for users.

-- name: insert_video
INSERT INTO video BY NAME
SELECT
    * EXCLUDE (path)
FROM part_video;

-- name: insert_shots
INSERT INTO shot BY NAME
SELECT
    *
FROM part_shot;

-- name: insert_heads
INSERT INTO head BY NAME
SELECT
    *
FROM part_head;

-- name: insert_tracklets
INSERT INTO tracklet BY NAME
SELECT
    *
FROM part_tracklet;

-- name: insert_detections
INSERT INTO detection BY NAME
SELECT
    *
FROM part_detection;
