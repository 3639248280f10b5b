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
