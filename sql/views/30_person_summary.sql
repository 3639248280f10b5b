CREATE OR REPLACE VIEW person_summary AS
WITH frame_once AS (
    SELECT
        video_id,
        frame,
        person,
        any_value(time_s) AS time_s,
        any_value(shown_s) AS shown_s,
        bool_and(is_rear) AS is_rear
    FROM person_frame
    GROUP BY
        video_id,
        frame,
        person
),
presence AS (
    SELECT
        frame_once.person,
        sum(frame_once.shown_s) AS screen_time_s,
        min({'video': video_label.video, 'time_s': frame_once.time_s}) AS first_seen,
        max({'video': video_label.video, 'time_s': frame_once.time_s}) AS last_seen,
        count(DISTINCT frame_once.video_id) AS videos,
        CASE
            WHEN sum(frame_once.shown_s) > 0
                THEN coalesce(sum(frame_once.shown_s) FILTER (frame_once.is_rear), 0)
                    / sum(frame_once.shown_s)
            ELSE avg(frame_once.is_rear::INTEGER)
        END AS rear_share
    FROM frame_once
    JOIN video_label USING (video_id)
    GROUP BY frame_once.person
),
looks AS (
    SELECT
        person,
        count(DISTINCT look.appearance) AS appearances,
        count(DISTINCT (video_id, track)) AS tracks
    FROM track_identity
    JOIN (
        SELECT video_id, track, appearance FROM track_identity
        UNION ALL
        SELECT video_id, track, appearance FROM track_look
    ) AS look USING (video_id, track)
    GROUP BY person
)
SELECT
    presence.person,
    person.name,
    presence.screen_time_s,
    presence.first_seen.video AS first_seen_video,
    presence.first_seen.time_s AS first_seen_s,
    presence.last_seen.video AS last_seen_video,
    presence.last_seen.time_s AS last_seen_s,
    presence.videos,
    looks.appearances,
    looks.tracks,
    presence.rear_share
FROM presence
JOIN looks USING (person)
LEFT JOIN person USING (person);

COMMENT ON VIEW person_summary IS 'One row a person: how long, where first and last, in how many videos and looks. The same content at two paths counts once. A still image, or a video of one frame, counts as seen for 0 s, for one frame alone says nothing of how long; order such people by videos and tracks.';
COMMENT ON COLUMN person_summary.person IS 'stable text id';
COMMENT ON COLUMN person_summary.name IS 'given by a user; NULL where nobody did';
COMMENT ON COLUMN person_summary.screen_time_s IS 'seconds on screen, by the frames'' own times; two boxes in one frame count once; 0 where seen in stills alone';
COMMENT ON COLUMN person_summary.first_seen_video IS 'first video, in alphabetical order of paths';
COMMENT ON COLUMN person_summary.first_seen_s IS 'time in it';
COMMENT ON COLUMN person_summary.last_seen_video IS 'last video, in alphabetical order of paths';
COMMENT ON COLUMN person_summary.last_seen_s IS 'time in it of the last frame with the person';
COMMENT ON COLUMN person_summary.videos IS 'contents with the person, still images among them';
COMMENT ON COLUMN person_summary.appearances IS 'looks';
COMMENT ON COLUMN person_summary.tracks IS 'tracks';
COMMENT ON COLUMN person_summary.rear_share IS 'share of the screen time seen from behind, 0 to 1; over stills alone, share of frames';
