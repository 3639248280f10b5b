"""What every decoder must do, on files of the kinds that the shared clips lack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.decoders import DECODERS
from headtrack.video.probe import probe
from tests.contract.decoding import difference, drained, plainly_decoded
from tests.contract.made_clips import FRAMES, RECIPES, Recipe, make, numbers, picture

SETTINGS = DecodeSettings()


@pytest.fixture(scope="module", params=RECIPES, ids=lambda r: r.name)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recipe, Path]:
    return request.param, make(request.param, tmp_path_factory.mktemp("made"))


def test_the_chosen_decoder_gives_what_plain_pyav_gives(made: tuple[Recipe, Path]) -> None:
    recipe, path = made
    video = probe(path, SETTINGS)
    got = drained(decode(video, SETTINGS))
    assert difference(got, plainly_decoded(path)) == ""
    assert got.error == ""
    assert (video.width, video.height) == (recipe.width, recipe.height)
    assert video.decoder_reason
    if not recipe.from_key:
        assert numbers(got.small) == list(range(FRAMES))


@pytest.mark.parametrize("name", ["pyav", "pyav-unthreaded", "decord"])
def test_every_adapter_gives_that_too_or_is_not_taken(made: tuple[Recipe, Path], name: str) -> None:
    recipe, path = made
    chosen = probe(path, SETTINGS)
    got = drained(DECODERS[name].batches(replace(chosen, decoder=name), batch_frames=7))
    wrong = difference(got, plainly_decoded(path)) or got.error
    assert not wrong or (name == "decord" and chosen.decoder == "pyav"), wrong
    assert chosen.decoder == "decord" or not recipe.fits_decord, chosen.decoder_reason


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tif"])
def test_a_still_image_is_one_frame_at_time_zero(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    rgb = picture(7, 51, 35)
    cv2.imwrite(str(path), rgb[..., ::-1])
    video = probe(path, SETTINGS)
    (pixels,) = [batch.rgb.copy() for batch in decode(video, SETTINGS)]
    assert (video.decoder, video.width, video.height) == ("still", 51, 35)
    assert np.abs(pixels[0].astype(int) - rgb).mean() < 12
