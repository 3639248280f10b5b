-- name: heads_in_file
-- Every head of one file, frame by frame. $path is absolute.
SELECT
    head_by_frame.* EXCLUDE (path)
FROM head_by_frame
WHERE path = $path
ORDER BY
    frame,
    x1,
    tracklet;

-- name: shots_in_file
-- Every shot of one file, in order. $path is absolute.
SELECT
    shot,
    start_frame,
    end_frame
FROM shot_by_video
WHERE path = $path
ORDER BY shot;
