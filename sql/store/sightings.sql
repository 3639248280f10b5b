-- Where each track is best looked at, and who it is. Not for users.

-- name: sightings
-- Every track in the order of clustering: its person and look, how long it is on screen, and the
-- place of its crop of best quality, or of its likeliest head where no crop was embedded.
WITH seen AS (
    SELECT
        tracklet.video_id,
        tracklet.track,
        sum(head.shown_s) AS shown_s,
        arg_max(
            {
                'time_s': head.time_s,
                'x': (head.x1 + head.x2) / 2,
                'y': (head.y1 + head.y2) / 2
            },
            (coalesce(crop.quality, -1), head.score, -head.frame)
        ) AS best
    FROM tracklet
    JOIN head USING (video_id, tracklet)
    LEFT JOIN (
        SELECT
            video_id,
            tracklet,
            frame,
            max(quality) AS quality
        FROM crop_embedding
        GROUP BY ALL
    ) AS crop
        ON crop.video_id = head.video_id
        AND crop.tracklet = head.tracklet
        AND crop.frame = head.frame
    GROUP BY
        tracklet.video_id,
        tracklet.track
)
SELECT
    coalesce(track_identity.person, '') AS person,
    coalesce(person.name, '') AS name,
    coalesce(track_identity.appearance, '') AS appearance,
    coalesce(video_label.video, '') AS video,
    coalesce(seen.best.time_s, 0) AS time_s,
    coalesce(seen.best.x, 0) AS x,
    coalesce(seen.best.y, 0) AS y,
    coalesce(seen.shown_s, 0) AS shown_s
FROM (SELECT DISTINCT video_id, track FROM tracklet) AS gallery
LEFT JOIN seen USING (video_id, track)
LEFT JOIN track_identity USING (video_id, track)
LEFT JOIN person ON person.person = track_identity.person
LEFT JOIN video_label USING (video_id)
ORDER BY
    gallery.video_id,
    gallery.track;
