-- Which look a track shows when. Not for users.

-- name: look_tracks
-- First and one past the last frame of every track of some videos, in the order of the gallery.
SELECT
    min(first_frame) AS start_frame,
    max(last_frame) + 1 AS end_frame
FROM tracklet
WHERE video_id BETWEEN $first AND $last
GROUP BY
    video_id,
    track
ORDER BY
    video_id,
    track;

-- name: look_crops
-- Embedded crops of some videos with the number of their track among theirs, in the order of time.
WITH gallery AS (
    SELECT
        video_id,
        track,
        row_number() OVER (ORDER BY video_id, track) - 1 AS gallery_row
    FROM (SELECT DISTINCT video_id, track FROM tracklet WHERE video_id BETWEEN $first AND $last)
)
SELECT
    gallery.gallery_row,
    crop_embedding.tracklet,
    tracklet.first_frame,
    crop_embedding.frame,
    crop_embedding.frame * video.duration_s / greatest(video.frame_count, 1) AS time_s,
    crop_embedding.view,
    crop_embedding.quality,
    crop_embedding.appearance
FROM crop_embedding
JOIN tracklet USING (video_id, tracklet)
JOIN gallery USING (video_id, track)
JOIN video USING (video_id)
WHERE crop_embedding.video_id BETWEEN $first AND $last
ORDER BY
    gallery.gallery_row,
    crop_embedding.frame,
    crop_embedding.tracklet;

-- name: clear_track_looks
DELETE FROM track_look;

-- name: insert_track_looks
INSERT INTO track_look BY NAME
SELECT
    *
FROM part_track_look;

-- name: previous_looks
-- Which look each part of a changing track showed, before everybody is clustered again.
SELECT
    video_id,
    track,
    start_frame,
    appearance
FROM track_look
ORDER BY ALL;
