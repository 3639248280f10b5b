-- name: look_gap_or_overlap
-- Parts of a track of several looks that do not follow one another.
SELECT
    *
FROM (
    SELECT
        video_id,
        track,
        start_frame,
        end_frame,
        lag(end_frame) OVER (PARTITION BY video_id, track ORDER BY start_frame) AS end_before
    FROM track_look
)
WHERE end_frame <= start_frame
    OR end_before <> start_frame
ORDER BY ALL;
