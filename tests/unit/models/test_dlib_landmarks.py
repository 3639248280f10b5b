import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.models.dlib_landmarks import CHIP_PADDING, CHIP_PX, MEAN_FACE, _halved, carried, face_chip
from headtrack.models.face_alignment import LANDMARKS_IN_FACE, LANDMARKS_IN_RECT, face_rect

CHIP_POINTS = (CHIP_PADDING + MEAN_FACE) / (2 * CHIP_PADDING + 1) * CHIP_PX


def noise(*shape):
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


@given(st.floats(0.1, 50), st.floats(-3, 3), st.floats(-500, 500), st.floats(-500, 500))
def test_points_are_carried_by_exactly_the_similarity_between_two_shapes(scale, angle, x, y):
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    turn, shift = np.array([[cos, sin], [-sin, cos]]), np.array([x, y])
    points = np.array([[3.0, 4.0], [-1.0, 0.0]])
    np.testing.assert_allclose(
        carried(points, MEAN_FACE, MEAN_FACE @ turn + shift), points @ turn + shift, atol=1e-8
    )


def test_halving_agrees_with_a_naive_loop_over_pixels():
    image = noise(13, 16, 3)
    taps = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1])
    expected = np.zeros(((13 - 3) // 2, (16 - 3) // 2, 3), int)
    for row in range(expected.shape[0]):
        for column in range(expected.shape[1]):
            patch = image[2 * row : 2 * row + 5, 2 * column : 2 * column + 5].astype(int)
            expected[row, column] = (patch * taps[:, :, None]).sum(axis=(0, 1)) // 256
    assert _halved(image).tolist() == expected.tolist()


def test_a_face_that_already_lies_as_in_the_chip_is_copied_out():
    image = noise(300, 300, 3)
    chip = face_chip(image, CHIP_POINTS + np.array([40, 60]))
    # dlib spans 149 px over the chip's 150 positions; whole shifts therefore land between pixels.
    inner = chip[5:-5, 5:-5].astype(int)
    assert abs(inner.mean() - image[65:205, 45:185].mean()) < 2


def test_a_face_outside_the_image_gives_a_black_chip():
    assert not face_chip(noise(50, 50, 3), CHIP_POINTS + 1000).any()


def test_a_huge_face_is_averaged_down_not_picked_apart():
    chip = face_chip(noise(1500, 1500, 3), CHIP_POINTS * 8 + 100)
    assert chip[40:110, 40:110].std() < 30  # single pixels of the noise have 74


def test_the_rectangle_of_a_face_is_where_dlib_s_detector_would_frame_it():
    corner, side = np.array([100.0, 50.0]), 80.0
    np.testing.assert_allclose(face_rect(LANDMARKS_IN_RECT * side + corner), [100, 50, 180, 130], atol=1e-9)


def test_the_rectangle_of_a_tilted_face_keeps_its_middle_and_size():
    centred = (LANDMARKS_IN_RECT - 0.5) * 80
    tilted = centred @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + [140, 90]
    np.testing.assert_allclose(face_rect(tilted), [100, 50, 180, 130], atol=1e-9)


def test_both_tables_of_landmarks_are_symmetric():
    for table, axis in ((LANDMARKS_IN_RECT, 0.5), (LANDMARKS_IN_FACE, 0.4901)):
        mirrored = np.stack([2 * axis - table[:, 0], table[:, 1]], axis=1)[[1, 0, 2, 4, 3]]
        np.testing.assert_allclose(mirrored, table, atol=2e-4)


@pytest.mark.parametrize("shape", [(1, 1, 3), (9, 200, 3)])
def test_a_sliver_of_an_image_still_gives_a_chip(shape):
    assert face_chip(noise(*shape), CHIP_POINTS * 4).shape == (150, 150, 3)
