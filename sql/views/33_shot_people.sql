CREATE OR REPLACE VIEW shot_people AS
SELECT
    video_label.video,
    person_frame.shot,
    shot.start_s,
    shot.end_s,
    person_frame.person,
    person_frame.appearance,
    sum(person_frame.shown_s) AS seconds
FROM person_frame
JOIN shot
    ON shot.video_id = person_frame.video_id
    AND shot.shot = person_frame.shot
JOIN video_label ON video_label.video_id = person_frame.video_id
GROUP BY
    person_frame.video_id,
    video_label.video,
    person_frame.shot,
    shot.start_s,
    shot.end_s,
    person_frame.person,
    person_frame.appearance;

COMMENT ON VIEW shot_people IS 'Who is in each shot, in which look, for how long.';
COMMENT ON COLUMN shot_people.video IS 'path; the first in alphabetical order where the content has several';
COMMENT ON COLUMN shot_people.shot IS 'number inside the video, from 0';
COMMENT ON COLUMN shot_people.start_s IS 'time of the shot''s first frame, seconds from the video''s first frame';
COMMENT ON COLUMN shot_people.end_s IS 'time at which the shot''s last frame ends';
COMMENT ON COLUMN shot_people.person IS 'stable text id';
COMMENT ON COLUMN shot_people.appearance IS 'stable text id of the look';
COMMENT ON COLUMN shot_people.seconds IS 'seconds on screen in the shot';
