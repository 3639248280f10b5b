-- name: head_malformed
-- Boxes without an area, scores outside 0 to 1, unknown views, times that are none.
SELECT
    video_id,
    frame,
    tracklet,
    x1,
    y1,
    x2,
    y2,
    score,
    view,
    time_s,
    shown_s
FROM head
WHERE NOT (
    x2 > x1
    AND y2 > y1
    AND isfinite(x1)
    AND isfinite(y1)
    AND isfinite(x2)
    AND isfinite(y2)
    AND score BETWEEN 0 AND 1
    AND view IN ('front', 'threequarter', 'profile', 'rear')
    AND isfinite(time_s)
    AND isfinite(shown_s)
    AND shown_s >= 0
)
ORDER BY
    video_id,
    frame;
