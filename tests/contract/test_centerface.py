import cv2
import numpy as np
import pytest

from headtrack.errors import ModelError
from headtrack.models.centerface import CenterFace
from headtrack.models.weights import weights_path
from tests.contract.photographs import astronaut, bus, zidane

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def centerface():
    return CenterFace(weights_path("centerface"), threads=1, image_px=640, min_score=0.3, device="cpu")


def test_the_face_of_the_astronaut_is_found_with_its_landmarks_in_order(centerface):
    (faces,) = centerface.detect_faces(astronaut()[None])
    assert faces.score[0] > 0.8
    eye_left, eye_right, nose, mouth_left, mouth_right = faces.landmarks[0]
    np.testing.assert_allclose(eye_left, [203, 100], atol=5)
    np.testing.assert_allclose(eye_right, [249, 103], atol=5)
    assert eye_left[0] < nose[0] < eye_right[0]
    assert mouth_left[0] < mouth_right[0]
    assert eye_left[1] < nose[1] < mouth_left[1]
    x1, y1, x2, y2 = faces.xyxy[0]
    assert (faces.landmarks[0] > [x1, y1]).all()
    assert (faces.landmarks[0] < [x2, y2]).all()


def test_both_men_of_a_wide_picture_and_people_by_a_bus_are_found(centerface):
    assert len(centerface.detect_faces(zidane()[None])[0]) == 2
    assert len(centerface.detect_faces(bus()[None])[0]) >= 2


@pytest.mark.parametrize("side", [48, 64, 96])
def test_a_small_face_is_found_in_place(centerface, side):
    """The whole 512 px picture shrunk: its face, 60 px wide, becomes 6 to 11 px."""
    small = np.asarray(cv2.resize(astronaut(), (side * 2, side * 2), interpolation=cv2.INTER_AREA))
    frame = np.full((360, 640, 3), 90, np.uint8)
    frame[100 : 100 + side * 2, 200 : 200 + side * 2] = small
    (faces,) = centerface.detect_faces(frame[None])
    expected = np.array([224, 128]) * (side * 2 / 512) + [200, 100]
    middle = (faces.xyxy[0, :2] + faces.xyxy[0, 2:]) / 2
    np.testing.assert_allclose(middle, expected, atol=4)


def test_frames_detected_together_equal_frames_detected_alone(centerface):
    image = astronaut()
    frames = np.stack([image, image[:, ::-1], np.zeros_like(image)] * 4)  # more than one batch
    together = centerface.detect_faces(frames)
    for i in range(3):
        (alone,) = centerface.detect_faces(frames[i : i + 1])
        for found in together[i::3]:
            assert len(found) == len(alone)
            np.testing.assert_allclose(found.xyxy, alone.xyxy, atol=0.05)
            np.testing.assert_allclose(found.landmarks, alone.landmarks, atol=0.05)


def test_a_blank_frame_and_no_frames_have_no_faces(centerface):
    (faces,) = centerface.detect_faces(np.zeros((1, 240, 320, 3), np.uint8))
    assert (len(faces), faces.xyxy.shape, faces.landmarks.shape) == (0, (0, 4), (0, 5, 2))
    assert centerface.detect_faces(np.zeros((0, 240, 320, 3), np.uint8)) == []


@pytest.mark.parametrize("shape", [(1, 1), (1, 700), (33, 17), (1080, 1920)])
def test_frames_of_odd_sizes_are_taken(centerface, shape):
    (faces,) = centerface.detect_faces(np.full((1, *shape, 3), 128, np.uint8))
    assert len(faces) == 0


def test_a_face_that_fills_a_small_picture_is_found(centerface):
    face = np.ascontiguousarray(astronaut()[60:180, 170:280])
    (faces,) = centerface.detect_faces(face[None])
    assert len(faces) == 1


def test_a_file_of_another_format_is_refused(tmp_path):
    path = tmp_path / "centerface.onnx"
    path.write_bytes(b"not a network")
    with pytest.raises(ModelError, match="is not an ONNX network"):
        CenterFace(path, threads=1, image_px=640, min_score=0.3, device="cpu")
