from __future__ import annotations

import numpy as np
import pytest

from headtrack.models.letterbox import Letterbox


@pytest.mark.parametrize(
    ("width", "height", "padded"),
    [(1920, 1080, (640, 384)), (1080, 1920, (384, 640)), (426, 240, (640, 384)), (9, 900, (32, 640))],
)
def test_the_networks_input_has_sides_that_are_multiples_of_32(width, height, padded):
    assert Letterbox.of(width, height, image_px=640).padded == padded


def test_a_point_of_the_image_comes_back_from_the_network():
    view = Letterbox.of(300, 200, image_px=640)
    image = np.zeros((200, 300, 3), np.uint8)
    image[148:153, 98:103] = 255
    row, column = (axis.mean() for axis in np.nonzero(view.apply(image)[..., 0] > 200))
    np.testing.assert_allclose(view.to_image(np.array([column, row]) + 0.5), [100.5, 150.5], atol=0.5)


@pytest.mark.parametrize(("width", "height"), [(300, 200), (200, 300), (9, 900)])
def test_a_fixed_input_takes_the_whole_image_and_gives_its_points_back(width, height):
    view = Letterbox.within(width, height, padded=(640, 416))
    assert view.apply(np.zeros((height, width, 3), np.uint8)).shape == (416, 640, 3)
    corner = np.array(view.pad) + np.array(view.size)
    assert (corner <= [640, 416]).all()
    np.testing.assert_allclose(view.to_image(corner), [width, height], atol=1)
