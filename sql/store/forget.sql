-- What forgetting asks and keeps besides. Not for users.

-- name: forget_counts
-- How much there is of one person.
SELECT
    person.person,
    person.name,
    count(DISTINCT seen.video_id) AS videos,
    count(DISTINCT seen.track) AS tracks,
    coalesce(sum(seen.heads), 0)::BIGINT AS heads,
    coalesce(sum(seen.crops), 0)::BIGINT AS crops
FROM person
LEFT JOIN (
    SELECT
        track_identity.person,
        track_identity.video_id,
        {'video': track_identity.video_id, 'track': track_identity.track} AS track,
        (
            SELECT count(*)
            FROM head
            WHERE head.video_id = tracklet.video_id
                AND head.tracklet = tracklet.tracklet
        ) AS heads,
        (
            SELECT count(*)
            FROM crop_embedding
            WHERE crop_embedding.video_id = tracklet.video_id
                AND crop_embedding.tracklet = tracklet.tracklet
        ) AS crops
    FROM track_identity
    LEFT JOIN tracklet USING (video_id, track)
    WHERE track_identity.person = $person
) AS seen USING (person)
WHERE person.person = $person
GROUP BY
    person.person,
    person.name;

-- name: unclustered_tracks
-- Tracks that no clustering has seen yet.
SELECT
    count(*)
FROM (SELECT DISTINCT video_id, track FROM tracklet)
ANTI JOIN track_identity USING (video_id, track);

-- name: forgotten_boxes
-- The boxes marked by forget_person.sql, by content.
SELECT
    video_id,
    time_s,
    x1,
    y1,
    x2,
    y2
FROM forgotten_box
ORDER BY
    video_id,
    time_s,
    x1;

-- name: forgotten_counts
SELECT
    (SELECT coalesce(max(receipt), 0) + 1 FROM forgotten) AS receipt,
    (SELECT count(DISTINCT video_id) FROM forgotten_track) AS videos,
    (SELECT count(*) FROM forgotten_track) AS tracks,
    (SELECT count(*) FROM forgotten_box) AS heads,
    (SELECT count(*) FROM crop_embedding SEMI JOIN forgotten_tracklet USING (video_id, tracklet)) AS crops;

-- name: add_receipt
INSERT INTO forgotten BY NAME
SELECT
    $receipt AS receipt,
    $forgotten_at AS forgotten_at,
    $version AS version,
    $videos AS videos,
    $tracks AS tracks,
    $heads AS heads,
    $crops AS crops,
    $places AS places,
    $salt AS salt,
    $digest AS digest;

-- name: add_places
INSERT INTO forgotten_place BY NAME
SELECT
    *
FROM part_forgotten_place;

-- name: places_of_video
-- The salted places of one content, by receipt.
SELECT
    forgotten.salt,
    list(forgotten_place.place ORDER BY forgotten_place.place) AS places
FROM forgotten
JOIN forgotten_place USING (receipt)
WHERE forgotten_place.video_id = $video_id
GROUP BY
    forgotten.receipt,
    forgotten.salt
ORDER BY forgotten.receipt;
