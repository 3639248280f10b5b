from __future__ import annotations

from dataclasses import replace

from headtrack.pipeline.analyze import _as_decoded
from tests.factories import make_video


def test_the_reason_for_the_decoder_tells_where_another_one_went_on() -> None:
    video = replace(make_video(), decoder="decord", decoder_reason="agrees with PyAV")
    assert _as_decoded(video, "") == video
    after = _as_decoded(video, "pyav went on where decord stopped")
    assert after.decoder == "decord"
    assert after.decoder_reason == "agrees with PyAV; pyav went on where decord stopped"
