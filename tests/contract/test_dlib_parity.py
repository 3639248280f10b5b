"""Our readers and numpy/torch versions against dlib itself, on real faces."""

import dlib
import numpy as np
import pytest

from headtrack.models.centerface import CenterFace
from headtrack.models.dlib_landmarks import ShapePredictor, face_chip
from headtrack.models.dlib_resnet import DlibFaceEmbedder
from headtrack.models.weights import weights_path
from tests.contract.photographs import astronaut, bus, people, zidane

pytestmark = pytest.mark.heavy

NETWORK, PREDICTOR = "dlib-face-resnet", "dlib-landmarks-5"


@pytest.fixture(scope="module")
def embedder():
    return DlibFaceEmbedder(weights_path(NETWORK), weights_path(PREDICTOR), device="cpu")


@pytest.fixture(scope="module")
def faces():
    """(image, dlib's rectangle, dlib's shape) of every frontal face in a few photographs."""
    detect = dlib.get_frontal_face_detector()
    predict = dlib.shape_predictor(str(weights_path(PREDICTOR)))
    images = [astronaut(), zidane(), bus(), *people(6)]
    found = [(image, rect, predict(image, rect)) for image in images for rect in detect(image, 0)]
    assert len(found) >= 4
    return found


@pytest.fixture(scope="module")
def chips(faces):
    return np.stack([dlib.get_face_chip(image, shape, 150, 0.25) for image, _, shape in faces])


def points(shape):
    return np.array([[part.x, part.y] for part in shape.parts()], float)


def test_raw_embeddings_equal_dlib_s(embedder, chips):
    network = dlib.face_recognition_model_v1(str(weights_path(NETWORK)))
    expected = np.array([network.compute_face_descriptor(chip) for chip in chips])
    assert np.abs(embedder.embed_raw(chips) - expected).max() <= 1e-4


def test_landmarks_equal_dlib_s_to_the_pixel(faces):
    predictor = ShapePredictor(weights_path(PREDICTOR))
    for image, rect, shape in faces:
        found = predictor.predict(
            image, np.array([[rect.left(), rect.top(), rect.right(), rect.bottom()]], float)
        )
        assert np.abs(np.floor(found[0] + 0.5) - points(shape)).max() <= 1


def test_faces_predicted_together_equal_faces_predicted_alone(faces):
    predictor = ShapePredictor(weights_path(PREDICTOR))
    image = faces[0][0]
    rects = np.array([[100.0, 50, 200, 150], [180, 60, 260, 140], [-20, -20, 60, 60]])
    alone = [predictor.predict(image, rects[i : i + 1]) for i in range(3)]
    np.testing.assert_array_equal(predictor.predict(image, rects), np.concatenate(alone))


def test_no_face_has_no_landmarks():
    assert ShapePredictor(weights_path(PREDICTOR)).predict(astronaut(), np.zeros((0, 4))).shape == (0, 5, 2)


def test_face_chips_equal_dlib_s(faces, chips):
    ours = np.stack([face_chip(image, points(shape)) for image, _, shape in faces])
    assert np.abs(ours.astype(int) - chips).mean() <= 0.5


def test_chips_aligned_from_centerface_landmarks_embed_as_dlib_s_own_do(embedder, faces, chips):
    centerface = CenterFace(weights_path("centerface"), threads=1, image_px=640, min_score=0.3, device="cpu")
    cosines = []
    for (image, rect, _), chip in zip(faces, chips, strict=True):
        found = centerface.detect_faces(image[None])[0]
        middle = np.array([(rect.left() + rect.right()) / 2, (rect.top() + rect.bottom()) / 2])
        distance = np.linalg.norm(found.landmarks.mean(axis=1) - middle, axis=1)
        if distance.min() > rect.width() / 4:
            continue  # dlib's detector took something else for a face
        ours = embedder.align(image, found.landmarks[distance.argmin()])
        a, b = embedder.embed(np.stack([ours, chip])).vector
        cosines.append(float(a @ b))
    assert len(cosines) >= 4
    assert min(cosines) >= 0.98
    assert np.mean(cosines) >= 0.99
