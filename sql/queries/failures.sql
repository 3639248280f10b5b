-- name: failures
-- Files that gave nothing at the last try, and files of which only the beginning could be read.
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
ANTI JOIN video_failure ON video_failure.path = video_path.path
WHERE video.status = 'partial'
ORDER BY path;
