-- What the evaluation reads beside the stable views. Not for users.

-- name: gallery_paths
-- Row of each track in the gallery, under every path of its content.
WITH gallery AS (
    SELECT
        video_id,
        track,
        row_number() OVER (ORDER BY video_id, track) - 1 AS gallery_row
    FROM (SELECT DISTINCT video_id, track FROM tracklet)
)
SELECT
    path,
    track,
    gallery_row
FROM gallery
JOIN video_path USING (video_id)
ORDER BY
    path,
    track;

-- name: links_by_path
-- Every tracklet under every path of its content, and how it joined the earlier part of its track.
SELECT
    path,
    tracklet,
    track,
    link_reason,
    link_score
FROM tracklet
JOIN video_path USING (video_id)
ORDER BY
    path,
    tracklet;

-- name: detections_in_file
-- Every detected head of one file, kept by a tracklet or not, frame by frame. $path is absolute.
SELECT
    frame,
    x1,
    y1,
    x2,
    y2,
    score
FROM head
JOIN video_path USING (video_id)
WHERE path = $path
    AND NOT interpolated
ORDER BY
    frame,
    x1,
    y1;
