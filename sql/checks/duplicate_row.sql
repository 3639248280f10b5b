-- name: duplicate_row
-- Rows that must be there once.
SELECT 'video' AS in_table, video_id AS key, count(*) AS copies
FROM video GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'video_path', path, count(*) AS copies
FROM video_path GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'video_failure', path, count(*) AS copies
FROM video_failure GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'shot', concat_ws('/', video_id, shot), count(*) AS copies
FROM shot GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'tracklet', concat_ws('/', video_id, tracklet), count(*) AS copies
FROM tracklet GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'head', concat_ws('/', video_id, tracklet, frame), count(*) AS copies
FROM head WHERE tracklet IS NOT NULL GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'detection', concat_ws('/', video_id, frame), count(*) AS copies
FROM detection GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'track_identity', concat_ws('/', video_id, track), count(*) AS copies
FROM track_identity GROUP BY ALL HAVING copies > 1
UNION ALL
SELECT 'person', person, count(*) AS copies
FROM person GROUP BY ALL HAVING copies > 1
ORDER BY ALL;
