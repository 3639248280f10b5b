from __future__ import annotations

from headtrack.evaluation.labels import Labels
from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.predictions import FoundHeads


def test_only_finds_in_labelled_frames_outside_ignore_regions_count(labels: Labels, perfect):
    match = match_heads(labels.heads["a.mp4"], perfect["clips/a.mp4"].heads)
    assert match.found.frame.tolist() == [0, 0, 10]
    assert match.is_hit.all()
    assert not match.is_false.any()
    assert match.person_of_label.tolist() == ["p1", "p2", "p1"]


def test_the_order_of_the_finds_does_not_matter(labels: Labels, perfect):
    finds = perfect["clips/a.mp4"].heads
    match = match_heads(labels.heads["a.mp4"], finds[::-1])
    assert match.person_of_label.tolist() == ["p1", "p2", "p1"]


def test_every_find_in_a_frame_labelled_as_empty_is_false(labels: Labels, make_found):
    match = match_heads(labels.heads["a.mp4"], make_found((20, 10, 10, 30, 30, "front", 0, "p1")))
    assert match.is_false.tolist() == [True]
    assert not match.is_hit.any()


def test_without_finds_every_head_is_missed(labels: Labels):
    match = match_heads(labels.heads["a.mp4"], FoundHeads.empty())
    assert match.found_of_label.tolist() == [-1, -1, -1]
    assert match.person_of_label.tolist() == ["", "", ""]


def test_without_labels_nothing_counts(make_labels, make_found):
    match = match_heads(make_labels(), make_found((0, 0, 0, 9, 9, "front", 0, "p1")))
    assert (len(match.found), len(match.labels)) == (0, 0)
