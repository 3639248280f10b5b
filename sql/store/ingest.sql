-- What the committer asks besides deleting and inserting. Not for users.

-- name: remember_people
-- Keeps who stood where in a video that is about to be analysed anew.
CREATE OR REPLACE TEMP TABLE remembered_box AS
SELECT
    head.frame,
    head.x1,
    head.y1,
    head.x2,
    head.y2,
    tracklet.track,
    track_identity.person,
    track_identity.appearance,
    track_identity.strength
FROM head
JOIN tracklet USING (video_id, tracklet)
JOIN track_identity USING (video_id, track)
WHERE head.video_id = $video_id;

-- name: carry_people
-- Gives each new track the person of the remembered track whose boxes it covers best (IoU summed
-- over frames, from 0.5 a frame on), so that ids stay the same when a video is analysed anew.
INSERT INTO track_identity
WITH common AS (
    SELECT
        part_tracklet.track,
        new.frame,
        old.track AS old_track,
        old.person,
        old.appearance,
        old.strength,
        greatest(least(old.x2, new.x2) - greatest(old.x1, new.x1), 0)
        * greatest(least(old.y2, new.y2) - greatest(old.y1, new.y1), 0) AS common_px,
        (old.x2 - old.x1) * (old.y2 - old.y1) + (new.x2 - new.x1) * (new.y2 - new.y1) AS both_px
    FROM part_head AS new
    JOIN part_tracklet ON part_tracklet.tracklet = new.tracklet
    JOIN remembered_box AS old ON old.frame = new.frame
),
in_frame AS (
    SELECT
        * EXCLUDE (common_px, both_px),
        max(common_px / (both_px - common_px)) AS iou
    FROM common
    WHERE 3 * common_px >= both_px
        AND both_px > common_px
    GROUP BY ALL
),
cover AS (
    SELECT
        * EXCLUDE (frame, iou),
        sum(iou) AS summed_iou
    FROM in_frame
    GROUP BY ALL
)
SELECT
    $video_id,
    track,
    person,
    appearance,
    strength
FROM cover
QUALIFY row_number() OVER (
    PARTITION BY track
    ORDER BY
        summed_iou DESC,
        old_track = track DESC,
        old_track
) = 1;

-- name: known_video
SELECT
    1
FROM video
WHERE video_id = $video_id;

-- name: forget_path
DELETE FROM video_path
WHERE path = $path;

-- name: add_path
INSERT INTO video_path
VALUES ($video_id, $path);

-- name: pathless_videos
-- Contents that no path holds any more: the file was changed and analysed anew.
SELECT
    video_id
FROM video
ANTI JOIN video_path USING (video_id)
ORDER BY video_id;

-- name: forget_paths_of_video
DELETE FROM video_path
WHERE video_id = $video_id;

-- name: forget_failure
DELETE FROM video_failure
WHERE path = $path;

-- name: forget_failures_of_video
DELETE FROM video_failure
WHERE video_id = $video_id;

-- name: add_failure
INSERT INTO video_failure
VALUES ($path, $video_id, $step, $error, $message, $at);

-- name: forget_unnamed_people
-- People without a track, but for those a user named.
DELETE FROM person
WHERE name IS NULL
    AND person NOT IN (SELECT person FROM track_identity);

-- name: forget_people
-- People without a track, named or not.
DELETE FROM person
WHERE person NOT IN (SELECT person FROM track_identity);

-- name: clear_track_identities
DELETE FROM track_identity;

-- name: insert_track_identities
INSERT INTO track_identity BY NAME
SELECT
    *
FROM part_track_identity;

-- name: insert_people
INSERT INTO person
SELECT DISTINCT
    person,
    NULL
FROM track_identity
WHERE person NOT IN (SELECT person FROM person)
ORDER BY person;

-- name: add_identity_run
INSERT INTO identity_run
SELECT
    (SELECT coalesce(max(run), 0) + 1 FROM identity_run),
    $at,
    $method,
    $settings,
    $version,
    count(*),
    count(DISTINCT person),
    (
        SELECT count(DISTINCT appearance)
        FROM (
            SELECT appearance FROM part_track_identity
            UNION ALL
            SELECT appearance FROM part_track_look
        )
    )
FROM part_track_identity;

-- name: insert_crops
-- Puts a piece of the embeddings of one video's crops in.
INSERT INTO crop_embedding BY NAME
SELECT
    *
FROM part_crop_embedding;
