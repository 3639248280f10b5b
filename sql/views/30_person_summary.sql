-- Frames are counted by tracklet. Where two tracklets of a person share frames, as an interpolated box may with
-- another, that person's frames of that video are counted one by one, so that none counts twice.
CREATE OR REPLACE VIEW person_summary AS
WITH by_tracklet AS (
    SELECT
        video_id,
        tracklet,
        min(time_s) AS first_s,
        max(time_s) AS last_s,
        sum(shown_s) AS shown_s,
        coalesce(sum(shown_s) FILTER (view = 'rear'), 0) AS rear_s,
        count(*) AS frames,
        count(*) FILTER (view = 'rear') AS rear_frames
    FROM head
    GROUP BY
        video_id,
        tracklet
),
of_person AS (
    SELECT
        by_tracklet.*,
        track_identity.person,
        coalesce(
            max(tracklet.last_frame) OVER (
                PARTITION BY
                    by_tracklet.video_id,
                    track_identity.person
                ORDER BY
                    tracklet.first_frame,
                    by_tracklet.tracklet
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) >= tracklet.first_frame,
            false
        ) AS shares
    FROM by_tracklet
    JOIN tracklet USING (video_id, tracklet)
    JOIN track_identity USING (video_id, track)
),
crowded AS (
    SELECT DISTINCT
        video_id,
        person
    FROM of_person
    WHERE shares
),
frame_once AS (
    SELECT
        head.video_id,
        track_identity.person,
        head.frame,
        any_value(head.time_s) AS time_s,
        any_value(head.shown_s) AS shown_s,
        arg_max(head.view, head.score) = 'rear' AS is_rear
    FROM head
    JOIN tracklet USING (video_id, tracklet)
    JOIN track_identity USING (video_id, track)
    JOIN crowded USING (video_id, person)
    GROUP BY
        head.video_id,
        track_identity.person,
        head.frame
),
by_video AS (
    SELECT
        video_id,
        person,
        min(first_s) AS first_s,
        max(last_s) AS last_s,
        sum(shown_s) AS shown_s,
        sum(rear_s) AS rear_s,
        sum(frames) AS frames,
        sum(rear_frames) AS rear_frames
    FROM of_person
    ANTI JOIN crowded USING (video_id, person)
    GROUP BY
        video_id,
        person
    UNION ALL
    SELECT
        video_id,
        person,
        min(time_s),
        max(time_s),
        sum(shown_s),
        coalesce(sum(shown_s) FILTER (is_rear), 0),
        count(*),
        count(*) FILTER (is_rear)
    FROM frame_once
    GROUP BY
        video_id,
        person
),
presence AS (
    SELECT
        by_video.person,
        sum(by_video.shown_s) AS screen_time_s,
        min({'video': video_label.video, 'time_s': by_video.first_s}) AS first_seen,
        max({'video': video_label.video, 'time_s': by_video.last_s}) AS last_seen,
        count(*) AS videos,
        CASE
            WHEN sum(by_video.shown_s) > 0
                THEN sum(by_video.rear_s) / sum(by_video.shown_s)
            ELSE sum(by_video.rear_frames) / sum(by_video.frames)
        END AS rear_share
    FROM by_video
    JOIN video_label USING (video_id)
    GROUP BY by_video.person
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
