-- What was behind URLs. Not for users.

-- name: known_remote
SELECT
    path,
    stamp,
    video_id
FROM remote_file;

-- name: forget_remote
DELETE FROM remote_file
WHERE path IN (SELECT path FROM part_remote_file);

-- name: insert_remote
INSERT INTO remote_file BY NAME
SELECT
    *
FROM part_remote_file;
