-- name: status
-- Every file with its state: complete, partial (only its beginning could be read) or failed; and why.
SELECT
    video_path.path,
    video.status AS state,
    'decoding failed after frame ' || video.broken_at || ': ' || video.broken_reason AS reason,
    video.duration_s,
    count(DISTINCT track_identity.person) AS people,
    video.analysed_at AS recorded_at
FROM video_path
JOIN video USING (video_id)
LEFT JOIN track_identity USING (video_id)
GROUP BY ALL
UNION ALL
SELECT
    path,
    'failed',
    message,
    NULL,
    NULL,
    failed_at
FROM video_failure
ORDER BY
    path,
    recorded_at;
