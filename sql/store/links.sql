-- What linking stored tracklets anew reads and writes. Not for users.

-- name: relinkable_videos
-- Contents whose tracklets and embeddings would be the same today, and are there in full.
SELECT
    video_id
FROM video
SEMI JOIN detection USING (video_id)
ANTI JOIN (SELECT video_id FROM tracklet WHERE colour IS NULL) USING (video_id)
WHERE tracklet_hash = $tracklet_hash
ORDER BY video_id;

-- name: stored_detections
SELECT
    *
FROM detection
WHERE video_id = $video_id
ORDER BY frame;

-- name: stored_times
SELECT
    frame,
    any_value(time_s) AS time_s
FROM head
WHERE video_id = $video_id
GROUP BY frame;

-- name: stored_tracklets
-- With how many crops each has.
SELECT
    tracklet,
    shot,
    colour,
    (
        SELECT count(*)
        FROM crop_embedding
        WHERE crop_embedding.video_id = tracklet.video_id
            AND crop_embedding.tracklet = tracklet.tracklet
    ) AS crops
FROM tracklet
WHERE video_id = $video_id
ORDER BY tracklet;

-- name: stored_crops
-- The crops of some tracklets of a video, as they were made.
SELECT
    tracklet,
    quality,
    identity,
    appearance,
    recognisability
FROM crop_embedding
WHERE video_id = $video_id
    AND tracklet BETWEEN $first AND $last
ORDER BY
    tracklet,
    frame,
    rowid;

-- name: stored_boxes
-- As the committer sees the heads of a part.
SELECT
    frame,
    x1,
    y1,
    x2,
    y2,
    tracklet
FROM head
WHERE video_id = $video_id;

-- name: set_tracks
UPDATE tracklet
SET
    track = part_tracklet.track,
    link_reason = part_tracklet.link_reason,
    link_score = part_tracklet.link_score
FROM part_tracklet
WHERE tracklet.video_id = $video_id
    AND tracklet.tracklet = part_tracklet.tracklet;

-- name: set_provenance
UPDATE video
SET
    settings_hash = $settings_hash,
    models = $models,
    version = $version,
    analysed_at = $analysed_at
WHERE video_id = $video_id;
