-- name: shot_gap_or_overlap
-- Shots that do not begin where the one before ends, or do not cover the video from end to end.
WITH neighbour AS (
    SELECT
        shot.*,
        lag(end_frame, 1, 0) OVER (PARTITION BY video_id ORDER BY start_frame, shot) AS before_end,
        lead(start_frame, 1, video.frame_count) OVER (
            PARTITION BY video_id
            ORDER BY start_frame, shot
        ) AS after_start
    FROM shot
    JOIN video USING (video_id)
)
SELECT
    video_id,
    shot,
    start_frame,
    end_frame,
    before_end,
    after_start
FROM neighbour
WHERE end_frame <= start_frame
    OR start_frame <> before_end
    OR end_frame <> after_start
ORDER BY
    video_id,
    shot;
