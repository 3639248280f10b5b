"""Every setting, once, with its unit, its range and its meaning.

Settings come from `headtrack.toml` (or `--config FILE`), then from `--set section.key=value`;
later ones win. `headtrack settings` prints this file's content as it is in force.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any


def _setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "choices": choices})


# The first is the default.
IDENTITY_MODELS = ("sface", "dlib-face-resnet")


@dataclass(frozen=True, slots=True)
class DecodeSettings:
    """How frames are read."""

    backend: str = _setting(
        "auto",
        "decoder to use; auto takes decord where a probe finds it right",
        choices=("auto", "decord", "pyav"),
    )
    batch_frames: int = _setting(16, "frames decoded and held at once", low=1, high=256)
    stall_s: float = _setting(60.0, "seconds without a frame after which a decode counts as hung", low=1.0)
    cache_dir: str = _setting(
        "",
        "folder for copies of files that URLs name, as an absolute path; empty takes headtrack/videos in the "
        "user's cache folder",
    )
    cache_gb: float = _setting(
        20.0, "10^9 bytes that these copies have together at most; the least recently used go first", low=1e-6
    )


@dataclass(frozen=True, slots=True)
class ShotSettings:
    """Where shots begin."""

    min_candidate: float = _setting(
        0.28, "change of the picture over 8 frames (0..1) from which TransNetV2 is asked", low=0.0, high=1.0
    )
    min_p_cut: float = _setting(
        0.5, "TransNetV2 probability from which a transition counts", low=0.0, high=1.0
    )
    min_shot_frames: int = _setting(5, "a shot shorter than this joins its neighbour", low=1)


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """Where heads are."""

    detector: str = _setting(
        "",
        "file that finds heads: an ultralytics model (.pt, .onnx, .engine) with the class head, or a Python "
        "file (.py) with `make_detector`; empty takes the built-in networks",
    )
    fps: float = _setting(5.0, "frames a second in which heads are looked for; 0 means every frame", low=0.0)
    image_px: int = _setting(640, "longest side at which the networks see a frame", low=160, high=2560)
    min_score: float = _setting(0.3, "lowest score of a head that is kept", low=0.0, high=1.0)
    min_head_px: float = _setting(8.0, "smallest side of a head that is kept, in pixels", low=1.0)


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """How heads of one shot become tracklets."""

    max_gap_s: float = _setting(1.0, "longest time unseen inside one tracklet", low=0.0)
    min_detections: int = _setting(
        2, "tracklets with fewer detections are dropped, unless no look was near enough to show more", low=1
    )
    # Half of the best F1 is where a calibrated score is best cut (Lipton et al., arXiv 1402.1892); on
    # held-out pictures with few people that F1 is 0.90 (`benchmarks/fit_head_box.py`).
    min_score: float = _setting(0.45, "lowest mean score of a tracklet that is kept", low=0.0, high=1.0)


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Which crops are embedded, and by which network."""

    identity_model: str = _setting(IDENTITY_MODELS[0], "network that embeds faces", choices=IDENTITY_MODELS)
    best_crops: int = _setting(5, "crops of best quality a tracklet, spread over views", low=1)
    every_s: float = _setting(
        0.5, "seconds of video of which each tracklet gives one further crop; 0 takes every head", low=0.0
    )
    min_face_px: float = _setting(
        12.0, "smallest face width that gets an identity embedding, in pixels", low=1.0
    )


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How tracklets of one video become tracks."""

    max_gap_s: float = _setting(10.0, "longest occlusion inside a shot that continuity may bridge", low=0.0)
    min_probability: float = _setting(
        0.5,
        "lowest probability by their own evidence, without rivals, that joins two tracklets",
        low=0.0,
        high=1.0,
    )


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """How tracks of all videos become people, and people's looks."""

    method: str = _setting(
        "average", "clustering of tracks into identities", choices=("average", "hdbscan", "fast-hdbscan")
    )
    min_probability: float = _setting(
        0.5, "lowest probability of the same person that joins two clusters", low=0.0, high=1.0
    )
    min_look_probability: float = _setting(
        0.5, "lowest probability of the same look that joins two clusters of one person", low=0.0, high=1.0
    )
    min_change_probability: float = _setting(
        0.9, "lowest probability of another look that cuts a track in two", low=0.0, high=1.0
    )


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """How `headtrack train detector` trains."""

    epochs: int = _setting(10, "times that every picture is learnt from", low=1, high=1000)
    image_px: int = _setting(
        320, "longest side at which the network learns; small ones are quick on a CPU", low=64, high=1280
    )
    batch: int = _setting(16, "pictures learnt from at once", low=1, high=1024)
    learning_rate: float = _setting(0.0015, "step of the first epochs", low=1e-6, high=1.0)
    seed: int = _setting(0, "start of the random numbers", low=0)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How the work is spread."""

    workers: int = _setting(1, "Ray actors that analyse videos; used with --ray", low=1, high=1024)
    span_s: float = _setting(
        60.0, "seconds of a long video that one of several workers watches at once; 0 cuts no video", low=0.0
    )
    threads: int = _setting(
        0, "CPU threads a process, of networks and of clustering; 0 means all of its share", low=0, high=1024
    )
    device: str = _setting("auto", "where the networks run", choices=("auto", "cpu", "cuda"))
    gpu_share: float = _setting(
        0.0,
        "part of a GPU that each worker asks for: at 0.5 two share one; 0 means a whole one on a running "
        "cluster, which may grow, and an equal part of those there are without one",
        low=0.0,
        high=1.0,
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; each section goes to the step that bears its name."""

    decode: DecodeSettings = field(default_factory=DecodeSettings)
    shots: ShotSettings = field(default_factory=ShotSettings)
    detect: DetectSettings = field(default_factory=DetectSettings)
    track: TrackSettings = field(default_factory=TrackSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    link: LinkSettings = field(default_factory=LinkSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    run: RunSettings = field(default_factory=RunSettings)
    train: TrainSettings = field(default_factory=TrainSettings)


# Sections that change what is found in one video; `identity` acts over all videos, `run`
# changes no result, and `train` makes a model file.
VIDEO_SECTIONS = ("decode", "shots", "detect", "track", "embed", "link")
# Of these, the sections that change what the detector gives, and those that change tracklets and embeddings.
DETECTION_SECTIONS = ("decode", "detect")
TRACKLET_SECTIONS = ("decode", "shots", "detect", "track", "embed")


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as shown to the user."""

    name: str
    value: Any
    default: Any
    allowed: str
    doc: str


def video_settings_hash(settings: Settings, *, sections: tuple[str, ...] = VIDEO_SECTIONS) -> str:
    """Give 16 hex digits that change where a setting of some sections changes a video's result.

    Args:
        settings: all sections.
        sections: `decode` and `detect` among them.
    """
    relevant = {name: asdict(getattr(settings, name)) for name in sections}
    # Where files lie changes nothing; the model ids hold the detector's content.
    del relevant["detect"]["detector"], relevant["decode"]["cache_dir"], relevant["decode"]["cache_gb"]
    return hashlib.sha256(json.dumps(relevant, sort_keys=True).encode()).hexdigest()[:16]


def setting_rows(settings: Settings) -> list[SettingRow]:
    """List every setting with its value, default, allowed values and meaning."""
    rows = []
    for section in fields(settings):
        values = getattr(settings, section.name)
        rows += [
            SettingRow(
                f"{section.name}.{f.name}",
                getattr(values, f.name),
                f.default,
                allowed_text(f.metadata),
                f.metadata["doc"],
            )
            for f in fields(values)
        ]
    return rows


def allowed_text(metadata: Any) -> str:
    """Write out which values a setting may have."""
    low, high, choices = metadata["low"], metadata["high"], metadata["choices"]
    if choices:
        return " | ".join(choices)
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else ""
