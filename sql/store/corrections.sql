-- What correcting asks of the store. Not for users.

-- name: video_named
-- Contents that a user means by an id, a path or a file name.
SELECT DISTINCT
    video_path.video_id
FROM video_path
WHERE video_path.video_id = $video
    OR video_path.path = $video
    OR parse_filename(video_path.path) = $video
ORDER BY ALL;

-- name: track_known
-- Whose one track is.
SELECT
    track_identity.person
FROM track_identity
WHERE video_id = $video_id
    AND track = $track;

-- name: tracks_of_video
SELECT DISTINCT
    track
FROM track_identity
WHERE video_id = $video_id
ORDER BY track;

-- name: tracks_of_person
SELECT
    video_id,
    track
FROM track_identity
WHERE person = $person
ORDER BY
    video_id,
    track;

-- name: label_of_video
SELECT
    parse_filename(video) AS label
FROM video_label
WHERE video_id = $video_id;

-- name: shared_frame
-- The first frame in which two of the registered tracks were both detected: two people.
WITH seen AS (
    SELECT DISTINCT
        head.video_id,
        head.frame,
        head.time_s,
        tracklet.track
    FROM head
    JOIN tracklet USING (video_id, tracklet)
    SEMI JOIN part_together USING (video_id, track)
    WHERE NOT head.interpolated
)
SELECT
    video_label.video,
    seen.frame,
    seen.time_s,
    list(seen.track ORDER BY seen.track) AS tracks
FROM seen
JOIN video_label USING (video_id)
GROUP BY ALL
HAVING count(*) > 1
ORDER BY
    video_label.video,
    seen.frame
LIMIT 1;

-- name: add_correction
INSERT INTO correction
SELECT
    coalesce(max(number), 0) + 1,
    $at,
    $kind,
    $what,
    $name,
    NULL
FROM correction;

-- name: last_correction
SELECT
    max(number) AS number
FROM correction;

-- name: last_correction_in_force
SELECT
    max(number) AS number
FROM correction
WHERE undone_at IS NULL;

-- name: add_anchors
-- Three detected heads of each registered track: from the middle of each third of its detections.
INSERT INTO correction_anchor
WITH seen AS (
    SELECT
        part_member.side,
        part_member.entry,
        head.video_id,
        head.time_s,
        head.x1,
        head.y1,
        head.x2,
        head.y2,
        row_number() OVER (PARTITION BY part_member.entry ORDER BY head.frame, head.x1) - 1 AS place,
        count(*) OVER (PARTITION BY part_member.entry) AS heads
    FROM part_member
    JOIN tracklet USING (video_id, track)
    JOIN head USING (video_id, tracklet)
    WHERE NOT head.interpolated
)
SELECT
    $number,
    * EXCLUDE (place, heads)
FROM seen
WHERE place IN (heads // 6, heads // 2, 5 * heads // 6)
ORDER BY
    entry,
    place;

-- name: correction_state
SELECT
    undone_at
FROM correction
WHERE number = $number;

-- name: set_undone
-- $at NULL puts it in force again.
UPDATE correction
SET undone_at = $at
WHERE number = $number;

-- name: drop_correction
DELETE FROM correction
WHERE number = $number;

-- name: drop_anchors
DELETE FROM correction_anchor
WHERE correction = $number;

-- name: corrections_in_force
-- But for names, which say nothing of who is one person.
SELECT
    number,
    kind,
    what
FROM correction
WHERE undone_at IS NULL
    AND kind <> 'name'
ORDER BY number;

-- name: corrected_tracks
-- Tracks that those speak of now.
SELECT DISTINCT
    correction_track.correction,
    correction_track.side,
    correction_track.video_id,
    correction_track.track
FROM correction_track
JOIN correction ON correction.number = correction_track.correction
WHERE correction.undone_at IS NULL
    AND correction.kind <> 'name'
ORDER BY ALL;

-- name: tracks_of_correction
SELECT DISTINCT
    video_id,
    track
FROM correction_track
WHERE correction = $number
ORDER BY ALL;

-- name: people_after_correction
-- Who holds the tracks of one correction now, and who else was changed by the last clustering.
WITH last_change AS (
    SELECT
        *
    FROM identity_change
    WHERE run = (SELECT max(run) FROM identity_run)
),
concerned AS (
    SELECT track_identity.person
    FROM track_identity
    JOIN correction_track USING (video_id, track)
    WHERE correction_track.correction = $number
    UNION
    SELECT person_from FROM last_change
    UNION
    SELECT person_to FROM last_change
)
SELECT
    $number::INTEGER AS correction,
    person.person,
    person.name,
    (SELECT count(*) FROM track_identity WHERE track_identity.person = person.person) AS tracks,
    list(last_change.person_from ORDER BY last_change.person_from)
    FILTER (last_change.person_from IS NOT NULL) AS came_from,
    coalesce(sum(last_change.tracks), 0)::INTEGER AS tracks_moved
FROM person
SEMI JOIN concerned USING (person)
LEFT JOIN last_change ON last_change.person_to = person.person
GROUP BY ALL
ORDER BY
    tracks DESC,
    person.person;

-- name: find_name_holders
-- Who holds most of the tracks that each given name speaks of.
CREATE OR REPLACE TEMP TABLE name_holder AS
SELECT
    correction_track.correction,
    track_identity.person
FROM correction_track
JOIN correction ON correction.number = correction_track.correction
JOIN track_identity USING (video_id, track)
WHERE correction.kind = 'name'
    AND correction.undone_at IS NULL
GROUP BY
    correction_track.correction,
    track_identity.person
QUALIFY row_number() OVER (
    PARTITION BY correction_track.correction
    ORDER BY
        count(*) DESC,
        track_identity.person
) = 1;

-- name: clear_given_names
-- Names go to their holders anew; one whose heads are not met now stays where it was.
UPDATE person
SET name = NULL
WHERE name IN (
    SELECT name
    FROM correction
    WHERE kind = 'name'
        AND name IS NOT NULL
        AND (undone_at IS NOT NULL OR number IN (SELECT correction FROM name_holder))
);

-- name: give_names
-- Of several names of one person, the one given last stands.
UPDATE person
SET name = given.name
FROM (
    SELECT
        name_holder.person,
        correction.name
    FROM name_holder
    JOIN correction ON correction.number = name_holder.correction
    QUALIFY row_number() OVER (PARTITION BY name_holder.person ORDER BY correction.number DESC) = 1
) AS given
WHERE person.person = given.person;

-- name: add_changes
-- Who came from whom: the people before against those of the clustering that takes their place.
INSERT INTO identity_change
WITH moved AS (
    SELECT
        old.person AS person_from,
        new.person AS person_to,
        count(*) AS tracks
    FROM track_identity AS old
    JOIN part_track_identity AS new USING (video_id, track)
    WHERE old.person <> new.person
    GROUP BY ALL
),
concerned AS (
    SELECT person
    FROM track_identity
    SEMI JOIN part_concerned USING (video_id, track)
    UNION
    SELECT person
    FROM part_track_identity
    SEMI JOIN part_concerned USING (video_id, track)
)
SELECT
    (SELECT coalesce(max(run), 0) + 1 FROM identity_run),
    $at,
    CASE
        WHEN person_from NOT IN (SELECT person FROM part_track_identity) THEN 'merged'
        WHEN person_to NOT IN (SELECT person FROM track_identity) THEN 'split'
        ELSE 'moved'
    END,
    person_from,
    person_to,
    tracks,
    if(
        person_from IN (SELECT person FROM concerned) OR person_to IN (SELECT person FROM concerned),
        $reason,
        'new evidence'
    )
FROM moved
ORDER BY
    person_from,
    person_to;
