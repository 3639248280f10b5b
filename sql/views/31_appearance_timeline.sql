-- 1.0 s: what is missing for less is taken as one stay (a head turned away, a missed detection).
CREATE OR REPLACE VIEW appearance_timeline AS
WITH step AS (
    SELECT
        *,
        coalesce(
            time_s - lag(time_s + shown_s) OVER (
                PARTITION BY
                    video_id,
                    person,
                    appearance
                ORDER BY frame
            ) >= 1.0,
            true
        ) AS opens
    FROM person_frame
),
numbered AS (
    SELECT
        *,
        count(*) FILTER (opens) OVER (
            PARTITION BY
                video_id,
                person,
                appearance
            ORDER BY frame
        ) AS stay
    FROM step
)
SELECT
    numbered.person,
    numbered.appearance,
    video_label.video,
    min(numbered.time_s) AS start_s,
    max(numbered.time_s + numbered.shown_s) AS end_s,
    CASE
        WHEN sum(numbered.shown_s) > 0
            THEN coalesce(sum(numbered.shown_s) FILTER (numbered.is_rear), 0) / sum(numbered.shown_s)
        ELSE avg(numbered.is_rear::INTEGER)
    END AS rear_share
FROM numbered
JOIN video_label USING (video_id)
GROUP BY
    numbered.video_id,
    numbered.person,
    numbered.appearance,
    numbered.stay,
    video_label.video;

COMMENT ON VIEW appearance_timeline IS 'When each look of each person is on screen; gaps below one second are closed. A still image gives a stay from 0 to 0.';
COMMENT ON COLUMN appearance_timeline.person IS 'stable text id';
COMMENT ON COLUMN appearance_timeline.appearance IS 'stable text id of the look';
COMMENT ON COLUMN appearance_timeline.video IS 'path; the first in alphabetical order where the content has several';
COMMENT ON COLUMN appearance_timeline.start_s IS 'time of the first frame of the stay, seconds from the video''s first frame';
COMMENT ON COLUMN appearance_timeline.end_s IS 'time at which its last frame ends';
COMMENT ON COLUMN appearance_timeline.rear_share IS 'share of the stay seen from behind, 0 to 1';
