"""What every embedder promises, whatever network is behind it."""

import numpy as np
import pytest

from headtrack.errors import ModelError
from headtrack.models.dlib_resnet import DlibFaceEmbedder
from headtrack.models.mobilenet import MobileNetEmbedder
from headtrack.models.sface import SFaceEmbedder
from headtrack.models.weights import weights_path
from headtrack.protocols import AppearanceEmbedder, IdentityEmbedder
from tests.contract.photographs import astronaut

pytestmark = pytest.mark.heavy

# The astronaut's face, as CenterFace gives it.
LANDMARKS = np.array([[203, 100], [249, 103], [225, 124], [203, 142], [243, 144]], np.float32)


def face_embedder(name):
    if name == "sface":
        return SFaceEmbedder(weights_path("sface"), device="cpu")
    return DlibFaceEmbedder(weights_path("dlib-face-resnet"), weights_path("dlib-landmarks-5"), device="cpu")


@pytest.fixture(scope="module", params=["sface", "dlib-face-resnet"])
def identity(request):
    return face_embedder(request.param)


@pytest.fixture(scope="module")
def appearance():
    return MobileNetEmbedder(weights_path("mobilenetv2-imagenet"), device="cpu")


@pytest.fixture(scope="module", params=["sface", "dlib-face-resnet", "appearance"])
def embed(request, appearance):
    """A function from crops of one size to embeddings."""
    if request.param == "appearance":
        return lambda crops: appearance.embed(list(crops))
    model = face_embedder(request.param)
    side = 112 if request.param == "sface" else 150
    return lambda crops: model.embed(crops[:, :side, :side]).vector


@pytest.fixture(scope="module")
def crops():
    image = astronaut()
    return np.stack([image[y : y + 150, x : x + 150] for x in (0, 160, 300) for y in (0, 60)])


def test_the_embedders_keep_their_protocols(identity, appearance):
    assert isinstance(identity, IdentityEmbedder)
    assert isinstance(appearance, AppearanceEmbedder)
    assert identity.model_id in {"sface@0ba9fbfa01b5", "dlib-face-resnet@55533b28a958"}
    assert appearance.model_id == "mobilenetv2-imagenet@2f518e773d44"


def test_embeddings_are_float32_of_unit_length(embed, crops):
    vectors = embed(crops)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_embedding_twice_gives_the_same(embed, crops):
    np.testing.assert_array_equal(embed(crops), embed(crops))


def test_an_embedding_does_not_depend_on_its_batch(embed, crops):
    alone = np.concatenate([embed(crops[i : i + 1]) for i in range(len(crops))])
    by_fives = np.concatenate([embed(crops[:5]), embed(crops[5:])])
    np.testing.assert_array_equal(embed(crops), alone)
    np.testing.assert_array_equal(embed(crops), by_fives)


def test_a_batch_that_runs_over_the_network_s_size_keeps_its_order(embed, crops):
    many = np.concatenate([crops] * 6)
    np.testing.assert_allclose(embed(many), np.tile(embed(crops), (6, 1)), atol=1e-5)


def test_read_only_crops_are_taken(embed, crops):
    crops = crops[:1].copy()
    crops.flags.writeable = False
    assert len(embed(crops)) == 1


def test_nothing_to_embed_gives_no_rows_of_the_right_width(identity, appearance):
    side = len(identity.align(astronaut(), LANDMARKS))
    none = identity.embed(np.zeros((0, side, side, 3), np.uint8))
    assert none.vector.shape == (0, identity.dim) == (0, 128)
    assert len(none.recognisability) == 0
    assert appearance.embed([]).shape == (0, 1280)


def test_head_crops_of_any_size_are_embedded_together(appearance):
    image = astronaut()
    vectors = appearance.embed([image[:1, :1], image[:40, :25], image[:400, :300]])
    assert vectors.shape == (3, 1280)
    assert np.isfinite(vectors).all()


def test_a_head_crop_without_pixels_is_refused(appearance):
    with pytest.raises(ValueError, match=r"shape \(0, 5, 3\)"):
        appearance.embed([np.zeros((0, 5, 3), np.uint8)])


def test_chips_of_another_size_are_refused(identity):
    with pytest.raises(ValueError, match="expected"):
        identity.embed(np.zeros((1, 99, 99, 3), np.uint8))


def test_a_face_looks_like_itself_after_it_was_shrunk_and_tilted(identity):
    import cv2

    image = astronaut()
    turn = cv2.getRotationMatrix2D((224.0, 130.0), 25, 0.6)
    turned = np.asarray(cv2.warpAffine(image, turn, (512, 512)), np.uint8)
    moved = (np.c_[LANDMARKS, np.ones(5)] @ turn.T).astype(np.float32)
    mirrored = np.ascontiguousarray(image[:, ::-1])
    chips = [identity.align(image, LANDMARKS), identity.align(turned, moved)]
    same, other = (
        identity.embed(np.stack([*chips, identity.align(mirrored, LANDMARKS)])).vector[1:]
        @ (identity.embed(chips[0][None]).vector[0])
    )
    assert same > 0.9
    assert other < same  # in the mirrored picture no face is where the landmarks say


def test_a_face_is_the_less_recognisable_the_more_it_is_blurred_and_a_grey_chip_is_not_at_all(identity):
    import cv2

    chip = identity.align(astronaut(), LANDMARKS)
    blurred = [cv2.GaussianBlur(chip, (0, 0), len(chip) * share) for share in (0.04, 0.15)]
    clear = identity.embed(np.stack([chip, *blurred, np.full_like(chip, 128)])).recognisability
    assert clear[0] > 0.9
    assert clear[0] >= clear[1] > clear[2]
    assert clear[3] == 0


@pytest.mark.parametrize("landmarks", [np.full((5, 2), np.nan), np.full((5, 2), 7.0)])
def test_landmarks_that_say_nothing_are_refused(identity, landmarks):
    with pytest.raises(ValueError, match="five different landmarks"):
        identity.align(astronaut(), landmarks.astype(np.float32))


def test_weights_of_another_network_are_refused():
    with pytest.raises(ModelError, match="does not hold MobileNetV2's weights"):
        MobileNetEmbedder(weights_path("transnetv2"), device="cpu")


def test_an_onnx_file_of_another_network_is_no_sface(tmp_path):
    (tmp_path / "x.onnx").write_bytes(b"nothing of the kind")
    for path in (tmp_path / "x.onnx", weights_path("centerface")):
        with pytest.raises(ModelError, match="is not SFace's ONNX network"):
            SFaceEmbedder(path, device="cpu")
