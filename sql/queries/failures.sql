-- name: failures
-- Files that gave nothing, and files of which only the beginning could be read.
SELECT
    path,
    'failed' AS status,
    step,
    error,
    message,
    failed_at
FROM video_failure
UNION ALL
SELECT
    video_path.path,
    video.status,
    'decode',
    'VideoError',
    'decoding failed after frame ' || video.broken_at || ': ' || video.broken_reason,
    video.analysed_at
FROM video
JOIN video_path USING (video_id)
WHERE video.status = 'partial'
ORDER BY
    path,
    failed_at;
