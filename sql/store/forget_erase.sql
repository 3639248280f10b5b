-- Erases what forget_mark.sql marked: the tables forgotten_person (person, name), forgotten_track,
-- forgotten_tracklet and forgotten_box (rows of head). A new table with rows about people gets its
-- statement here, in any place. $person is the id. Not for users.

-- name: erase_crops
DELETE FROM crop_embedding
USING forgotten_tracklet AS gone
WHERE crop_embedding.video_id = gone.video_id
    AND crop_embedding.tracklet = gone.tracklet;

-- name: erase_heads
DELETE FROM head
USING forgotten_box AS gone
WHERE head.video_id = gone.video_id
    AND head.frame = gone.frame
    AND head.x1 = gone.x1
    AND head.y1 = gone.y1
    AND head.x2 = gone.x2
    AND head.y2 = gone.y2
    AND head.tracklet IS NOT DISTINCT FROM gone.tracklet;

-- name: erase_detections
-- All of each video in which the person is: which of them show the person is not certain.
DELETE FROM detection
WHERE video_id IN (SELECT video_id FROM forgotten_track);

-- name: erase_tracklets
DELETE FROM tracklet
USING forgotten_track AS gone
WHERE tracklet.video_id = gone.video_id
    AND tracklet.track = gone.track;

-- name: erase_track_identities
DELETE FROM track_identity
WHERE person = $person;

-- name: erase_person
DELETE FROM person
WHERE person = $person;

-- name: erase_anchors
-- Of corrections: boxes that lie where the person's did (as in the view correction_track).
DELETE FROM correction_anchor
WHERE EXISTS (
    SELECT 1
    FROM forgotten_box AS gone
    WHERE gone.video_id = correction_anchor.video_id
        AND abs(gone.time_s - correction_anchor.time_s) <= 0.25
        AND 1.3 * greatest(least(gone.x2, correction_anchor.x2) - greatest(gone.x1, correction_anchor.x1), 0)
        * greatest(least(gone.y2, correction_anchor.y2) - greatest(gone.y1, correction_anchor.y1), 0)
        >= 0.3 * (
            (gone.x2 - gone.x1) * (gone.y2 - gone.y1)
            + (correction_anchor.x2 - correction_anchor.x1) * (correction_anchor.y2 - correction_anchor.y1)
        )
);

-- name: erase_corrections
DELETE FROM correction
WHERE contains(what, $person)
    OR name IN (SELECT name FROM forgotten_person)
    OR number NOT IN (SELECT correction FROM correction_anchor WHERE side = 'a');

-- name: erase_lone_anchors
DELETE FROM correction_anchor
WHERE correction NOT IN (SELECT number FROM correction);

-- name: erase_identity_changes
DELETE FROM identity_change
WHERE $person IN (person_from, person_to);

-- name: erase_track_looks
DELETE FROM track_look
USING forgotten_track AS gone
WHERE track_look.video_id = gone.video_id
    AND track_look.track = gone.track;
