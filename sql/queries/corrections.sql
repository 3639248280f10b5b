-- name: corrections
-- Every correction, the last one first: how many tracks it spoke of, how many of them are met now, and
-- who has the corrected ones now: those of the first argument, of a split those that it names.
SELECT
    correction.number,
    correction.corrected_at,
    correction.kind,
    correction.what,
    correction.name,
    correction.undone_at,
    (
        SELECT count(DISTINCT entry)
        FROM correction_anchor
        WHERE correction_anchor.correction = correction.number
    ) AS tracks,
    count(correction_track.track) AS tracks_met,
    list(DISTINCT track_identity.person ORDER BY track_identity.person)
    FILTER (correction_track.side = 'a' AND track_identity.person IS NOT NULL) AS people
FROM correction
LEFT JOIN correction_track ON correction_track.correction = correction.number
LEFT JOIN track_identity USING (video_id, track)
GROUP BY ALL
ORDER BY correction.number DESC;
