-- name: tracks
-- The tracks of one person, as `headtrack split` and `assign` take them. $person is an id or a given name.
SELECT
    track_identity.person,
    video_label.video,
    track_identity.track,
    min(head.time_s) AS start_s,
    max(head.time_s + head.shown_s) AS end_s,
    track_identity.appearance,
    track_identity.strength
FROM track_identity
JOIN person USING (person)
JOIN video_label USING (video_id)
JOIN tracklet USING (video_id, track)
JOIN head USING (video_id, tracklet)
WHERE person.person = $person
    OR person.name = $person
GROUP BY
    ALL
ORDER BY
    video,
    start_s,
    track_identity.track;
