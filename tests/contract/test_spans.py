"""Frames decoded span by span are those of the whole video, in files of every kind."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, Span, Video
from headtrack.video import spans
from headtrack.video.decode import decode, decode_span
from headtrack.video.probe import probe
from headtrack.video.spans import split
from tests.contract.made_clips import RECIPES, Recipe, make

SETTINGS = DecodeSettings(backend="pyav", batch_frames=7)
SPAN_S = 0.5
# Kinds that archives are full of must be cut; of others it is enough that no span is silently wrong.
CUT = {"b_frames.mp4", "open_gop.mp4", "open_gop.mkv", "open_gop_hevc.mp4", "4_2_2.mov", "b_frames.avi"}


def copied(batches) -> FrameBatch:
    """Join all batches into one of their own memory."""
    parts = [(b.rgb.copy(), b.frame, b.time_s) for b in batches]
    return FrameBatch(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def decoded(video: Video, span: Span) -> FrameBatch | None:
    try:
        return copied(decode_span(video, span, SETTINGS))
    except VideoError:
        return None


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.name)
def test_spans_give_the_frames_of_the_whole_or_show_that_they_cannot(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "ENTRY_S", 0.2)
    video = probe(make(recipe, tmp_path), SETTINGS)
    cut = split(video, SPAN_S)
    whole = copied(decode(video, SETTINGS))
    parts = [decoded(video, span) for span in cut]
    seams = [
        a is not None and b is not None and (a.rgb[-1] == b.rgb[0]).all()
        for a, b in itertools.pairwise(parts)
    ]
    if recipe.name in CUT:
        assert len(cut) > 1
        assert all(seams), seams
    if not cut or not all(seams):
        return
    for span, part, following in zip(cut, parts, [*parts[1:], None], strict=True):
        assert part is not None
        count = len(part.frame) - (following is not None)
        rows = slice(span.first, span.first + count)
        np.testing.assert_array_equal(part.frame[:count], whole.frame[rows])
        np.testing.assert_array_equal(part.time_s[:count], whole.time_s[rows])
        np.testing.assert_array_equal(part.rgb[:count], whole.rgb[rows])
    assert span.first + count == len(whole.frame)


def test_spans_follow_one_another_and_have_at_least_the_length_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(spans, "ENTRY_S", 0.2)
    (recipe,) = [r for r in RECIPES if r.name == "b_frames.mp4"]
    video = probe(make(recipe, tmp_path), SETTINGS)
    for span_s in (0.1, 0.4, 0.9):
        cut = split(video, span_s)
        assert [s.stop for s in cut[:-1]] == [s.first for s in cut[1:]]
        assert (cut[0].first, cut[-1].stop) == (0, None)
        assert all((b.first - a.first) / 25 >= span_s for a, b in itertools.pairwise(cut))
    assert split(video, 0) == split(video, 30) == ()
