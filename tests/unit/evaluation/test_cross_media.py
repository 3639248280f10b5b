from __future__ import annotations

from headtrack.evaluation.cross_media import CrossMediaRow, score_cross_media
from headtrack.evaluation.evaluate import match_clips
from headtrack.evaluation.labels import clip_media
from headtrack.evaluation.predictions import FoundHeads


def _score(labels, found, stills):
    matches = {clip_media(clip): match for clip, match in match_clips(labels, found).items()}
    return score_cross_media(labels.sightings, matches, stills)


def test_a_person_is_found_when_clip_and_stills_name_the_same_one(labels, perfect):
    score = _score(labels, perfect, {m: f.heads for m, f in perfect.items()})
    assert [row.is_found for row in score.rows] == [True, True]
    assert (score.found, score.found_at_most_heads, score.confused) == (2, 2, 0)


def test_the_largest_head_of_a_still_is_the_person_meant(labels, perfect):
    score = _score(labels, perfect, {m: f.heads for m, f in perfect.items()})
    assert score.rows[0].persons == {"clips/a.mp4": ("p1",), "stills/one.png": ("p1",)}


def test_a_still_of_somebody_else_is_not_found_and_confuses_two_people(labels, perfect, make_found):
    stills = {
        "stills/one.png": make_found((0, 0, 0, 9, 9, "front", 0, "p3")),
        "stills/two.png": FoundHeads.empty(),
    }
    score = _score(labels, perfect, stills)
    assert [row.is_found for row in score.rows] == [False, False]
    assert score.confused == 1


def test_a_person_found_at_fewer_than_most_heads_is_found_but_not_at_most_heads():
    row = CrossMediaRow("A", {"clip": ("p2", "p1"), "still": ("p1",)})
    assert (row.is_found, row.is_found_at_most_heads) == (True, False)
    assert not CrossMediaRow("A", {"clip": ("p2",), "still": ("p1",)}).is_found
    nobody = CrossMediaRow("A", {"clip": ("p1",), "still": ()})
    assert (nobody.is_found, nobody.is_found_at_most_heads) == (False, False)


def test_without_an_analysed_clip_nobody_is_found(labels):
    score = _score(labels, {}, {})
    assert (score.found, score.confused, len(score.rows)) == (0, 0, 2)


def test_without_sightings_there_are_no_rows():
    assert score_cross_media((), {}, {}).rows == ()
