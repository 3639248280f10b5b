"""The networks a worker holds, loaded once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from headtrack.errors import ModelError
from headtrack.models.dlib_resnet import DlibFaceEmbedder
from headtrack.models.head_detector import PoseFaceDetector
from headtrack.models.mobilenet import MobileNetEmbedder
from headtrack.models.registry import model_id
from headtrack.models.threads import set_threads
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.ops.vectors import unit
from headtrack.protocols import AppearanceEmbedder, HeadDetector, IdentityEmbedder, ShotScorer
from headtrack.settings import Settings

IDENTITY_MODEL, LANDMARK_MODEL = "dlib-face-resnet", "dlib-landmarks-5"
APPEARANCE_MODEL, SHOT_MODEL = "mobilenetv2-imagenet", "transnetv2"
CHIP_PX = 150
BLANK_LEVELS = (10, 40, 80, 128, 180, 230)
DEFAULT_MODELS = (
    "yolo11n-pose", "centerface", IDENTITY_MODEL, LANDMARK_MODEL, APPEARANCE_MODEL, SHOT_MODEL
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Models:
    """The replaceable parts of the main job; any object that keeps the protocol will do.

    Attributes:
        detector: finds heads.
        identity: embeds faces.
        appearance: embeds whole heads.
        shots: judges transitions.
        blank_face: (Di,) float32 unit vector: what `identity` makes of a chip that shows nothing.
    """

    detector: HeadDetector
    identity: IdentityEmbedder
    appearance: AppearanceEmbedder
    shots: ShotScorer
    blank_face: npt.NDArray[np.float32]

    @property
    def ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network, sorted."""
        others = (self.identity.model_id, self.appearance.model_id, self.shots.model_id)
        return tuple(sorted({*self.detector.model_ids, *others}))


def default_model_ids() -> tuple[str, ...]:
    """Give what `Models.ids` will be once the default models are loaded, without loading them."""
    return tuple(sorted(model_id(name) for name in DEFAULT_MODELS if name != LANDMARK_MODEL))


def load_models(settings: Settings, *, on_progress: Callable[[str, int, int], None] | None = None) -> Models:
    """Load the default models, fetching those that are not in the model folder yet.

    Args:
        settings: the `detect` and `run` sections matter.
        on_progress: told name, bytes done and bytes expected while a model is fetched.

    Raises:
        ModelError: a model cannot be fetched, is altered, or the device is not there.
    """
    device = _device(settings.run.device)
    threads = set_threads(settings.run.threads)
    path = {name: weights_path(name, progress=on_progress) for name in DEFAULT_MODELS}
    identity = DlibFaceEmbedder(path[IDENTITY_MODEL], path[LANDMARK_MODEL], device=device)
    return Models(
        detector=PoseFaceDetector(settings.detect, device=device, threads=threads),
        identity=identity,
        appearance=MobileNetEmbedder(path[APPEARANCE_MODEL], device=device),
        shots=TransNetScorer(path[SHOT_MODEL], device=device),
        blank_face=blank_face(identity),
    )


def blank_face(identity: IdentityEmbedder) -> npt.NDArray[np.float32]:
    """Give the direction into which faces fall that show nothing.

    Blurred and dark faces of all people embed close to one another, and close to even grey chips.

    Source: the centre of unrecognizable identities of Deng et al., "Harnessing Unrecognizable
    Faces for Improving Face Recognition", WACV 2023; from grey chips instead of a clustering (ours).
    """
    chips = [np.full((CHIP_PX, CHIP_PX, 3), level, np.uint8) for level in BLANK_LEVELS]
    return unit(identity.embed(np.stack(chips)).mean(axis=0)[None])[0]


def _device(wanted: str) -> str:
    """Turn the setting into a torch device."""
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError("run.device is cuda, but torch finds no CUDA device; set run.device=cpu or auto")
    return wanted
