-- What the store reads for the next step. Not for users.

-- name: done_videos
-- What each analysed content depends on.
SELECT
    video_id,
    settings_hash,
    models,
    version,
    detection_hash,
    tracklet_hash
FROM video
ORDER BY video_id;

-- name: partial_videos
-- What could not be decoded to its end.
SELECT video_id
FROM video
WHERE broken_at >= 0
ORDER BY video_id;

-- name: previous_people
-- Who each track is, before everybody is clustered again.
SELECT
    video_id,
    track,
    person,
    appearance
FROM track_identity
ORDER BY
    video_id,
    track;

-- name: gallery_tracks
-- Every track, numbered as clustering sees it.
SELECT DISTINCT
    video_id,
    track
FROM tracklet
ORDER BY
    video_id,
    track;

-- name: gallery_videos
-- How many heads each video with a track has, so that videos are read in parts.
SELECT
    video_id,
    count(*) AS heads
FROM head
WHERE video_id IN (SELECT video_id FROM tracklet)
GROUP BY video_id
ORDER BY video_id;

-- name: gallery_crops
-- Embedded crops of some videos with the number of their track among theirs, in an order that never changes.
WITH gallery AS (
    SELECT
        video_id,
        track,
        row_number() OVER (ORDER BY video_id, track) - 1 AS gallery_row
    FROM (SELECT DISTINCT video_id, track FROM tracklet WHERE video_id BETWEEN $first AND $last)
)
SELECT
    gallery_row,
    quality,
    coalesce(recognisability, 1) AS recognisability,
    identity,
    appearance
FROM crop_embedding
JOIN tracklet USING (video_id, tracklet)
JOIN gallery USING (video_id, track)
WHERE crop_embedding.video_id BETWEEN $first AND $last
ORDER BY
    gallery_row,
    tracklet,
    frame,
    quality;

-- name: embedding_widths
-- Width of each embedding, NULL where there is none; the committer keeps it one in all rows.
SELECT
    (SELECT len(identity) FROM crop_embedding WHERE identity IS NOT NULL LIMIT 1) AS identity_width,
    (SELECT len(appearance) FROM crop_embedding LIMIT 1) AS appearance_width;

-- name: model_sets
-- Each set of models that some video was analysed with.
SELECT
    models,
    count(*) AS videos
FROM video
GROUP BY models
ORDER BY
    videos DESC,
    models;

-- name: cannot_link
-- Pairs of tracks of some videos, numbered among theirs, that were detected in one frame; interpolated
-- boxes prove nothing.
WITH gallery AS (
    SELECT
        video_id,
        track,
        row_number() OVER (ORDER BY video_id, track) - 1 AS gallery_row
    FROM (SELECT DISTINCT video_id, track FROM tracklet WHERE video_id BETWEEN $first AND $last)
),
seen AS (
    SELECT
        head.video_id,
        head.frame,
        gallery.gallery_row
    FROM head
    JOIN tracklet USING (video_id, tracklet)
    JOIN gallery USING (video_id, track)
    WHERE head.video_id BETWEEN $first AND $last
        AND NOT head.interpolated
)
SELECT DISTINCT
    a.gallery_row AS row_a,
    b.gallery_row AS row_b
FROM seen AS a
JOIN seen AS b
    ON a.video_id = b.video_id
    AND a.frame = b.frame
    AND a.gallery_row < b.gallery_row
ORDER BY
    row_a,
    row_b;

-- name: find_person
-- Who is meant by an id or by a given name.
SELECT
    person
FROM person
WHERE person = $person
    OR name = $person
ORDER BY person;

-- name: merged_into
-- Who has the tracks of a person that is no more, and why.
SELECT
    person_to,
    reason
FROM identity_change
WHERE person_from = $person
    AND kind = 'merged'
ORDER BY run DESC
LIMIT 1;
