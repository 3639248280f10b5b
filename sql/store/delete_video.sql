-- Takes every row of one video out, table by table. Not for users.

-- name: delete_heads
DELETE FROM head
WHERE video_id = $video_id;

-- name: delete_embeddings
DELETE FROM crop_embedding
WHERE video_id = $video_id;

-- name: delete_tracklets
DELETE FROM tracklet
WHERE video_id = $video_id;

-- name: delete_detections
DELETE FROM detection
WHERE video_id = $video_id;

-- name: delete_shots
DELETE FROM shot
WHERE video_id = $video_id;

-- name: delete_track_identities
DELETE FROM track_identity
WHERE video_id = $video_id;

-- name: delete_track_looks
DELETE FROM track_look
WHERE video_id = $video_id;

-- name: delete_video
DELETE FROM video
WHERE video_id = $video_id;
