from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.video.crops import (
    COLOUR_BINS,
    clothing_region,
    colour_histogram,
    cut_head_crop,
    head_region,
    sharpness,
)
from headtrack.video.thumbnails import thumbnails

NAN4 = np.full(4, np.nan, np.float32)


def box(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def picture(height: int = 90, width: int = 160) -> np.ndarray:
    rng = np.random.default_rng(3)
    small = rng.integers(0, 255, (9, 16, 3), np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


@given(
    x=st.floats(-60, 200),
    y=st.floats(-60, 120),
    width=st.floats(1, 90),
    height=st.floats(1, 90),
)
def test_a_crop_is_square_small_enough_and_maps_the_head_to_its_middle(
    x: float, y: float, width: float, height: float
) -> None:
    head = box(x, y, x + width, y + height)
    crop = cut_head_crop(picture(), head, max_px=64)
    side = len(crop.rgb)
    middle = crop.to_crop((head[:2] + head[2:]) / 2)
    assert crop.rgb.shape == (side, side, 3)
    assert side <= 64
    assert 0 < crop.scale <= 1
    assert np.abs(middle - side / 2).max() <= 1.1


def test_a_crop_holds_the_pixels_that_its_mapping_says() -> None:
    frame = picture()
    crop = cut_head_crop(frame, box(60, 30, 80, 55))
    point = np.array([70, 40], np.float32)
    x, y = crop.to_crop(point).astype(int)
    np.testing.assert_array_equal(crop.rgb[y, x], frame[40, 70])


def test_beyond_the_frame_the_edge_is_repeated() -> None:
    frame = picture()
    crop = cut_head_crop(frame, box(-10, -10, 10, 10))
    np.testing.assert_array_equal(crop.rgb[0, 0], frame[0, 0])
    np.testing.assert_array_equal(crop.rgb[5, -1], frame[0, int(crop.origin[0]) + len(crop.rgb) - 1])


def test_a_crop_does_not_keep_its_frame_alive() -> None:
    crop = cut_head_crop(picture(), box(60, 30, 80, 55))
    assert crop.rgb.base is None or crop.rgb.base.nbytes <= crop.rgb.nbytes


def test_a_large_head_is_shrunk_and_a_small_one_is_left() -> None:
    frame = picture(900, 1600)
    assert cut_head_crop(frame, box(100, 100, 600, 700)).rgb.shape == (256, 256, 3)
    assert cut_head_crop(frame, box(100, 100, 110, 112)).rgb.shape == (19, 19, 3)


def test_the_head_region_is_the_head_box() -> None:
    frame = picture()
    head = box(60, 30, 80, 55)
    np.testing.assert_array_equal(head_region(cut_head_crop(frame, head), head), frame[30:55, 60:80])


def test_the_head_region_of_a_head_outside_of_the_frame_still_has_a_pixel() -> None:
    head = box(-50, -50, -49.5, -49.5)
    assert head_region(cut_head_crop(picture(), head), head).size >= 3


def test_sharpness_falls_with_blur_and_does_not_see_contrast() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (96, 96, 3), np.uint8)
    scores = [sharpness(cv2.GaussianBlur(noise, (0, 0), s) if s else noise) for s in (0, 1, 2, 4, 8)]
    faint = (noise * 0.5 + 60).astype(np.uint8)
    assert scores == sorted(scores, reverse=True)
    assert abs(sharpness(faint) - scores[0]) < 0.05
    assert 0 <= sharpness(np.full((20, 20, 3), 9, np.uint8)) < 0.05


@pytest.mark.parametrize("region", [(0, 0, 160, 90), (10, 10, 12, 13), (-20, -20, 5, 5), (150, 80, 300, 300)])
def test_a_histogram_has_unit_sum(region: tuple[int, ...]) -> None:
    histogram = colour_histogram(picture(), box(*region))
    assert histogram.shape == (COLOUR_BINS,)
    assert histogram.dtype == np.float32
    assert histogram.sum() == pytest.approx(1)
    assert histogram.min() >= 0


@pytest.mark.parametrize("region", [(5, 5, 5, 5), (-9, -9, -2, -2), (500, 5, 600, 9), (9, 9, 2, 2)])
def test_a_region_without_pixels_tells_nothing(region: tuple[int, ...]) -> None:
    np.testing.assert_allclose(colour_histogram(picture(), box(*region)), 1 / COLOUR_BINS, rtol=1e-6)


def test_like_colours_have_like_histograms() -> None:
    def histogram(*rgb: int) -> np.ndarray:
        return np.sqrt(colour_histogram(np.full((9, 9, 3), rgb, np.uint8), box(0, 0, 9, 9)))

    red, also_red, blue = histogram(180, 40, 40), histogram(175, 42, 41), histogram(40, 40, 180)
    assert red @ also_red > 0.9 > 0.5 > red @ blue


def test_clothes_are_below_the_head_and_inside_the_person() -> None:
    head = box(100, 50, 120, 80)
    assert clothing_region(head, NAN4).tolist() == pytest.approx([92, 89, 128, 128])
    assert clothing_region(head, box(95, 50, 125, 110)).tolist() == pytest.approx([95, 89, 125, 110])


def test_thumbnails_average_areas_and_take_no_frames() -> None:
    frames = np.zeros((2, 54, 96, 3), np.uint8)
    frames[:, ::2] = 200
    assert np.unique(thumbnails(frames)).tolist() == [100]
    assert thumbnails(frames[:0]).shape == (0, 27, 48, 3)
