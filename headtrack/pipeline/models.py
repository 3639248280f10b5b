"""The networks a worker holds, loaded once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from headtrack.errors import ModelError
from headtrack.models.dlib_resnet import DlibFaceEmbedder
from headtrack.models.head_detector import PoseFaceDetector
from headtrack.models.mobilenet import MobileNetEmbedder
from headtrack.models.registry import model_id
from headtrack.models.threads import set_threads
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.protocols import AppearanceEmbedder, HeadDetector, IdentityEmbedder, ShotScorer
from headtrack.settings import Settings

IDENTITY_MODEL, LANDMARK_MODEL = "dlib-face-resnet", "dlib-landmarks-5"
APPEARANCE_MODEL, SHOT_MODEL = "mobilenetv2-imagenet", "transnetv2"
DEFAULT_MODELS = (
    "yolo11n-pose", "centerface", IDENTITY_MODEL, LANDMARK_MODEL, APPEARANCE_MODEL, SHOT_MODEL
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Models:
    """The replaceable parts of the main job; any object that keeps the protocol will do."""

    detector: HeadDetector
    identity: IdentityEmbedder
    appearance: AppearanceEmbedder
    shots: ShotScorer

    @property
    def ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network, sorted."""
        others = (self.identity.model_id, self.appearance.model_id, self.shots.model_id)
        return tuple(sorted({*self.detector.model_ids, *others}))


def default_model_ids() -> tuple[str, ...]:
    """Give what `Models.ids` will be once the default models are loaded, without loading them."""
    return tuple(sorted(model_id(name) for name in DEFAULT_MODELS if name != LANDMARK_MODEL))


def load_models(
    settings: Settings, *, on_progress: Callable[[str, int, int], object] | None = None
) -> Models:
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
    return Models(
        detector=PoseFaceDetector(settings.detect, device=device, threads=threads),
        identity=DlibFaceEmbedder(path[IDENTITY_MODEL], path[LANDMARK_MODEL], device=device),
        appearance=MobileNetEmbedder(path[APPEARANCE_MODEL], device=device),
        shots=TransNetScorer(path[SHOT_MODEL], device=device),
    )


def _device(wanted: str) -> str:
    """Turn the setting into a torch device."""
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError("run.device is cuda, but torch finds no CUDA device; set run.device=cpu or auto")
    return wanted
