-- name: status
-- Every file once, with its newest state: complete, partial (only its beginning could be read) or failed;
-- and why. Of a file that failed, what an earlier run found at its path stays in the views.
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
ANTI JOIN video_failure ON video_failure.path = video_path.path
GROUP BY ALL
UNION ALL
SELECT
    path,
    'failed',
    replace(message, path, parse_filename(path)),
    NULL,
    NULL,
    failed_at
FROM video_failure
ORDER BY path;
