CREATE OR REPLACE VIEW co_occurrence AS
WITH frame_once AS (
    SELECT
        video_id,
        frame,
        person,
        any_value(shown_s) AS shown_s
    FROM person_frame
    GROUP BY
        video_id,
        frame,
        person
)
SELECT
    a.person AS person_a,
    b.person AS person_b,
    video_label.video,
    sum(a.shown_s) AS seconds
FROM frame_once AS a
JOIN frame_once AS b
    ON a.video_id = b.video_id
    AND a.frame = b.frame
    AND a.person < b.person
JOIN video_label ON video_label.video_id = a.video_id
GROUP BY
    a.person,
    b.person,
    a.video_id,
    video_label.video;

COMMENT ON VIEW co_occurrence IS 'Which two people are in one frame, and for how long; each pair once. A still image gives 0 s.';
COMMENT ON COLUMN co_occurrence.person_a IS 'stable text id, the alphabetically lower of the two';
COMMENT ON COLUMN co_occurrence.person_b IS 'stable text id';
COMMENT ON COLUMN co_occurrence.video IS 'path; the first in alphabetical order where the content has several';
COMMENT ON COLUMN co_occurrence.seconds IS 'seconds in which both are on screen';
