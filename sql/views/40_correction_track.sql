-- 0.25 s, IoU 0.3: another detector or another rate of looked-at frames still finds the head there.
CREATE OR REPLACE VIEW correction_track AS
WITH slot AS (
    SELECT
        *,
        unnest([floor(time_s / 0.25) - 1, floor(time_s / 0.25), floor(time_s / 0.25) + 1]) AS slot
    FROM correction_anchor
),
near AS (
    SELECT
        slot.correction,
        slot.side,
        slot.entry,
        slot.video_id,
        slot.time_s,
        tracklet.track,
        abs(head.time_s - slot.time_s) AS apart_s,
        greatest(least(slot.x2, head.x2) - greatest(slot.x1, head.x1), 0)
        * greatest(least(slot.y2, head.y2) - greatest(slot.y1, head.y1), 0) AS common_px,
        (slot.x2 - slot.x1) * (slot.y2 - slot.y1) + (head.x2 - head.x1) * (head.y2 - head.y1) AS both_px
    FROM slot
    JOIN head
        ON head.video_id = slot.video_id
        AND floor(head.time_s / 0.25) = slot.slot
        AND abs(head.time_s - slot.time_s) <= 0.25
    JOIN tracklet
        ON tracklet.video_id = head.video_id
        AND tracklet.tracklet = head.tracklet
),
met AS (
    SELECT
        *,
        common_px / (both_px - common_px) AS iou
    FROM near
    WHERE 1.3 * common_px >= 0.3 * both_px
        AND both_px > common_px
    QUALIFY row_number() OVER (
        PARTITION BY
            correction,
            side,
            entry,
            time_s
        ORDER BY
            iou DESC,
            apart_s,
            track
    ) = 1
)
SELECT
    correction,
    side,
    entry,
    video_id,
    track
FROM met
GROUP BY
    correction,
    side,
    entry,
    video_id,
    track
QUALIFY row_number() OVER (
    PARTITION BY
        correction,
        side,
        entry
    ORDER BY
        count(*) DESC,
        sum(iou) DESC,
        track
) = 1;

COMMENT ON VIEW correction_track IS 'Of which tracks each correction speaks now: those that most anchors of each former track meet (IoU 0.3 within 0.25 s). A former track that is met no more has no row.';
COMMENT ON COLUMN correction_track.correction IS 'of correction';
COMMENT ON COLUMN correction_track.side IS 'as in correction_anchor';
COMMENT ON COLUMN correction_track.entry IS 'as in correction_anchor';
COMMENT ON COLUMN correction_track.video_id IS 'of video';
COMMENT ON COLUMN correction_track.track IS 'number inside the video, as it is now';
