"""The networks a worker holds, loaded once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headtrack.models.detectors import detector_ids, detector_models, load_detector, try_detector
from headtrack.models.device import torch_device
from headtrack.models.dlib_resnet import DlibFaceEmbedder
from headtrack.models.mobilenet import MobileNetEmbedder
from headtrack.models.registry import model_id
from headtrack.models.sface import SFaceEmbedder
from headtrack.models.threads import set_threads
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.protocols import AppearanceEmbedder, HeadDetector, IdentityEmbedder, ShotScorer
from headtrack.settings import Settings

APPEARANCE_MODEL, SHOT_MODEL = "mobilenetv2-imagenet", "transnetv2"

# Of each value of `embed.identity_model`: the files it takes, and what makes it from their paths.
IDENTITY_FILES = {"sface": ("sface",), "dlib-face-resnet": ("dlib-face-resnet", "dlib-landmarks-5")}
IDENTITY_EMBEDDERS: dict[str, Callable[..., IdentityEmbedder]] = {
    "sface": SFaceEmbedder,
    "dlib-face-resnet": DlibFaceEmbedder,
}


@dataclass(frozen=True, slots=True)
class Models:
    """The replaceable parts of the main job; any object that keeps the protocol will do.

    Attributes:
        detector: finds heads.
        identity: embeds faces.
        appearance: embeds whole heads.
        shots: judges transitions.
    """

    detector: HeadDetector
    identity: IdentityEmbedder
    appearance: AppearanceEmbedder
    shots: ShotScorer

    @property
    def ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network, sorted."""
        others = (self.identity.model_id, self.appearance.model_id, self.shots.model_id)
        return tuple(sorted({*self.detector.model_ids, *others}))


def model_ids(settings: Settings) -> tuple[str, ...]:
    """Give what `Models.ids` will be once the models are loaded, without loading them."""
    names = (settings.embed.identity_model, APPEARANCE_MODEL, SHOT_MODEL)
    return tuple(sorted({*detector_ids(settings.detect), *(model_id(name) for name in names)}))


def model_files(settings: Settings) -> list[str]:
    """Name the models that a run with these settings loads."""
    heads = detector_models(settings.detect)
    return [*heads, *IDENTITY_FILES[settings.embed.identity_model], APPEARANCE_MODEL, SHOT_MODEL]


def load_models(settings: Settings, *, on_progress: Callable[[str, int, int], None] | None = None) -> Models:
    """Load the models, fetching those that are not in the model folder yet.

    Args:
        settings: the `detect`, `embed` and `run` sections matter.
        on_progress: told name, bytes done and bytes expected while a model is fetched.

    Raises:
        ModelError: a model cannot be fetched, is altered, or the device is not there.
    """
    device = torch_device(settings.run.device)
    threads = set_threads(settings.run.threads)
    path = {name: weights_path(name, progress=on_progress) for name in model_files(settings)}
    identity = settings.embed.identity_model
    return Models(
        detector=load_detector(settings.detect, device=device, threads=threads),
        identity=IDENTITY_EMBEDDERS[identity](*(path[f] for f in IDENTITY_FILES[identity]), device=device),
        appearance=MobileNetEmbedder(path[APPEARANCE_MODEL], device=device, threads=threads),
        shots=TransNetScorer(path[SHOT_MODEL], device=device),
    )


def check_detector(settings: Settings) -> None:
    """Try the user's own detector, where the settings name one, before anything else is done.

    Raises:
        SettingsError: the file's name does not end as a detector's does.
        ModelError: the detector cannot be loaded, or is none.
    """
    if settings.detect.detector:
        threads = set_threads(settings.run.threads)
        try_detector(settings.detect, device=torch_device(settings.run.device), threads=threads)
