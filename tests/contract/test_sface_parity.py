"""SFace read into torch against onnxruntime on the same file, and its alignment against OpenCV's."""

import cv2
import numpy as np
import onnxruntime
import pytest

from headtrack.models.sface import CHIP_LANDMARKS, SFaceEmbedder
from headtrack.models.weights import weights_path
from tests.contract.photographs import astronaut

pytestmark = pytest.mark.heavy

LANDMARKS = np.array([[203, 100], [249, 103], [225, 124], [203, 142], [243, 144]], np.float32)


@pytest.fixture(scope="module")
def sface():
    return SFaceEmbedder(weights_path("sface"), device="cpu")


def test_raw_embeddings_equal_onnxruntime_s(sface):
    session = onnxruntime.InferenceSession(str(weights_path("sface")), providers=["CPUExecutionProvider"])
    image = astronaut()
    chips = np.stack([sface.align(image, LANDMARKS), image[:112, :112], image[200:312, 100:212]])
    planes = chips.transpose(0, 3, 1, 2).astype(np.float32)
    expected = np.concatenate([session.run(None, {"data": plane[None]})[0] for plane in planes])
    assert np.abs(sface.embed_raw(chips) - expected).max() <= 1e-4 * np.abs(expected).max()


def test_chips_are_cut_as_opencv_s_face_recogniser_cuts_them(sface):
    image = np.ascontiguousarray(astronaut()[:, :, ::-1])  # OpenCV wants BGR
    recogniser = cv2.FaceRecognizerSF.create(str(weights_path("sface")), "")
    face = np.concatenate([[180, 70, 90, 110], LANDMARKS.ravel(), [0.9]]).astype(np.float32)
    expected = recogniser.alignCrop(image, face)[:, :, ::-1]
    found = sface.align(astronaut(), LANDMARKS)
    assert np.abs(found.astype(int) - expected).mean() < 1


def test_landmarks_in_the_template_s_place_leave_the_picture_as_it_is(sface):
    image = astronaut()[:112, :112]
    np.testing.assert_array_equal(sface.align(image, CHIP_LANDMARKS.astype(np.float32)), image)
