from __future__ import annotations

import math

import numpy as np
import pytest

from headtrack.evaluation.evidence import Evidence, FoundLinks
from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.portraits import Portraits
from headtrack.evaluation.predictions import Found
from headtrack.evaluation.score_evidence import (
    NamedTracks,
    calibrate_identity,
    calibrate_links,
    largest_tracks,
    score_ordering,
    tracks_in_clip,
)
from headtrack.ops.face_evidence import FaceScale
from headtrack.types import TrackGallery

CUT = np.zeros(0, np.int64)
SCALE = FaceScale(intercept=-3.0, per_cosine=6.0)


def evidence(faces: list[int | None], looks: list[int]) -> Evidence:
    """Give one still a track, numbered from 0; a face of None was not seen."""
    n = len(faces)
    face = np.array([np.full(4, np.nan) if f is None else np.eye(4)[f] for f in faces]).reshape(n, 4)
    seen = np.array([f is not None for f in faces], float)
    gallery = TrackGallery(["v"] * n, np.arange(n), face, seen, seen, np.eye(4)[looks].reshape(n, 4), [])
    return Evidence(gallery, SCALE, {(str(k), k): k for k in range(n)})


def tracks(*names: str) -> NamedTracks:
    return NamedTracks([str(k) for k in range(len(names))], np.arange(len(names)), np.array(names, str))


def test_each_pair_of_faces_is_held_against_the_labels():
    promise = calibrate_identity(tracks("A", "A", "B", "B"), evidence([0, 0, 1, None], [0] * 4), ())
    assert (promise.count.sum(), promise.right.sum()) == (3, 1)
    assert promise.right[9] == 1


def test_people_who_may_be_one_make_no_pair():
    known = evidence([0, 0, 1], [0] * 3)
    assert calibrate_identity(tracks("A", "B", "C"), known, [("B", "A")]).count.sum() == 2


def test_the_same_content_under_two_paths_is_one_track():
    known = evidence([0, 1], [0, 0])
    known.row["copy", 0] = 0
    twice = NamedTracks(["0", "copy", "1"], [0, 0, 1], ["A", "A", "B"])
    assert calibrate_identity(twice, known, ()).count.sum() == 1


def test_a_track_has_the_name_of_most_of_its_labelled_heads(make_labels, make_found):
    labels = make_labels(*[(f, 10, 10, 30, 30, p, "front") for f, p in ((0, "A"), (1, "B"), (2, "B"))])
    found = make_found(*[(f, 10, 10, 30, 30, "front", 7, "x") for f in range(3)])
    named = tracks_in_clip("clips/a.mp4", match_heads(labels, found), labels.person)
    assert (named.media.tolist(), named.track.tolist(), named.name.tolist()) == (["clips/a.mp4"], [7], ["B"])


@pytest.fixture
def linked(make_labels, make_found):
    """Give a clip of three tracklets in one track; the last shows another person."""
    labels = make_labels(*[(f, 10, 10, 30, 30, p, "front") for f, p in ((0, "A"), (5, "A"), (9, "B"))])
    found = make_found(*[(f, 10, 10, 30, 30, "front", 0, "x", "", t) for f, t in ((0, 0), (5, 1), (9, 2))])
    links = FoundLinks(np.arange(3), np.zeros(3), ["start", "occlusion", "shot_change"], [1.0, 0.95, 0.65])
    return match_heads(labels, found), links


def test_each_link_is_held_against_the_labels(linked):
    promise = calibrate_links(*linked, ())
    assert (promise.count.sum(), promise.right.sum()) == (2, 1)
    assert (promise.count[9], promise.right[9], promise.count[6], promise.right[6]) == (1, 1, 1, 0)


def test_a_link_between_people_who_may_be_one_does_not_count(linked):
    assert calibrate_links(*linked, [("B", "A")]).count.sum() == 1


def test_a_link_of_which_a_side_is_not_labelled_does_not_count(linked, make_found):
    match, links = linked
    only_last = match_heads(match.labels, match.found[match.found.frame == 9])
    assert calibrate_links(only_last, links, ()).count.sum() == 0


@pytest.fixture
def stills(make_found):
    """Give four stills: one look twice, another look, another person; and one of another folder."""
    media = [f"s/{k}" for k in range(4)] + ["elsewhere/4"]
    portraits = Portraits(media, ["A", "A", "A", "B", "B"], ["up", "up", "down", "", ""])
    found = {m: Found(make_found((0, 0, 0, 9, 9, "front", k, "x")), CUT) for k, m in enumerate(media)}
    return portraits, found


def with_paths(known: Evidence, portraits: Portraits) -> Evidence:
    known.row.update({(media, k): k for k, media in enumerate(portraits.media.tolist())})
    return known


def test_looks_in_order_score_one_and_another_folder_takes_no_part(stills):
    portraits, found = stills
    known = with_paths(evidence([0, 0, 0, 1, 0], [0, 0, 1, 0, 0]), portraits)
    score = score_ordering(portraits, found, known)
    assert (score.accuracy, score.anchors, score.triplets) == (1, 3, 8)


def test_a_look_mistaken_for_another_scores_less(stills):
    portraits, found = stills
    known = with_paths(evidence([0, 0, 0, 1, 0], [0, 1, 0, 0, 0]), portraits)
    assert score_ordering(portraits, found, known).look[:2].tolist() == [0, 0.0]


def test_a_still_without_a_head_takes_no_part(stills):
    portraits, found = stills
    del found["s/1"]
    assert largest_tracks(portraits, found).tolist() == [0, -1, 2, 3, 4]
    known = with_paths(evidence([0, 0, 0, 1, 0], [0, 0, 1, 0, 0]), portraits)
    assert score_ordering(portraits, found, known).anchors == 2


def test_nothing_gives_unknown_figures():
    none = Evidence.none()
    assert calibrate_identity(tracks(), none, ()).count.sum() == 0
    assert math.isnan(score_ordering(Portraits.empty(), {}, none).accuracy)
