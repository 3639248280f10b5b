"""A short multi-shot clip whose truth is known exactly, from photographs that packages carry.

Every shot pans or zooms over a real photograph, or plays real footage; a photograph that is
used in several shots makes the same people come back. Where each head is follows from boxes
drawn by eye on the sources and from the window of the shot. One photograph shows a person from
one side only, so the clip says nothing about rear views or about one person in two looks.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from PIL import Image

from headtrack.errors import DatasetError
from headtrack.evaluation.demo_sources import (
    PASSENGER,
    PASSENGER_BOXES,
    PASSENGER_PIXEL_ASPECT,
    SHOT_PLANS,
    STILLS,
    ShotPlan,
    Window,
)

WIDTH, HEIGHT, FPS = 640, 360, 25
# A head of which less than this share lies inside the frame is not scored.
MIN_VISIBLE = 0.5


@dataclass(frozen=True, slots=True)
class TrueShot:
    """One shot of the clip: half-open frames, and the people in it."""

    start: int
    stop: int
    source: str
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrueHead:
    """One head in one frame.

    Attributes:
        frame: 0-based.
        person: name in `demo_sources`.
        xyxy: box in pixels of the clip, cut at its border.
        scored: at least half of the head lies inside the frame.
    """

    frame: int
    person: str
    xyxy: tuple[float, float, float, float]
    scored: bool


@dataclass(frozen=True, slots=True)
class ClipTruth:
    """What the clip shows."""

    fps: int
    width: int
    height: int
    shots: tuple[TrueShot, ...]
    heads: tuple[TrueHead, ...]

    @property
    def people(self) -> tuple[str, ...]:
        """Name everybody in the clip, sorted."""
        return tuple(sorted({head.person for head in self.heads}))


def build_clip(passenger_video: Path, folder: Path) -> tuple[Path, ClipTruth]:
    """Write `demo.mp4` (H.264) and `truth.json`.

    Args:
        passenger_video: the sample footage of the model registry.
        folder: where to write; made if it is missing.

    Returns:
        The clip's path, and its truth.

    Raises:
        DatasetError: a package that carries a photograph is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    footage = _footage(passenger_video)
    shots, heads, path = [], [], folder / "demo.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "18", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.time_base = Fraction(1, FPS)
        frame = 0
        for plan in SHOT_PLANS:
            pictures = footage if plan.source == PASSENGER else [_photograph(plan.source)]
            start = frame
            for index in range(plan.frames):
                picture = pictures[min(plan.first + index, len(pictures) - 1)]
                window = window_at(plan, index, aspect=_window_aspect(plan.source))
                view = picture.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC, box=window)
                coded = av.VideoFrame.from_ndarray(np.asarray(view), format="rgb24")
                coded.pts = frame
                container.mux(stream.encode(coded))
                heads += heads_in(plan, index, window, frame)
                frame += 1
            people = sorted({head.person for head in heads if head.frame >= start})
            shots.append(TrueShot(start, frame, plan.source, tuple(people)))
        container.mux(stream.encode(None))
    truth = ClipTruth(FPS, WIDTH, HEIGHT, tuple(shots), tuple(heads))
    (folder / "truth.json").write_text(json.dumps(asdict(truth), indent=1))
    return path, truth


def window_at(plan: ShotPlan, index: int, *, aspect: float) -> Window:
    """Give the part of the source that a frame of a shot shows, eased in and out.

    Args:
        plan: the shot.
        index: frame inside the shot, 0-based.
        aspect: width to height of the window in source pixels.

    >>> plan = SHOT_PLANS[0]
    >>> window_at(plan, 0, aspect=2.0).x1 == plan.start[0]
    True
    """
    share = index / max(plan.frames - 1, 1)
    eased = share * share * (3 - 2 * share)
    x, y, width = (a + (b - a) * eased for a, b in zip(plan.start, plan.stop, strict=True))
    return Window(x, y, x + width, y + width / aspect)


def heads_in(plan: ShotPlan, index: int, window: Window, frame: int) -> list[TrueHead]:
    """Give the heads that one frame of a shot shows, from the boxes drawn on its source."""
    heads = []
    scale = np.array([WIDTH / (window.x2 - window.x1), HEIGHT / (window.y2 - window.y1)] * 2)
    for person, box in _source_heads(plan, index).items():
        whole = (box - np.array([window.x1, window.y1] * 2)) * scale
        cut = np.clip(whole, 0, [WIDTH, HEIGHT] * 2)
        share = float(np.prod(cut[2:] - cut[:2]) / np.prod(whole[2:] - whole[:2]))
        if share > 0:
            x1, y1, x2, y2 = (round(float(value), 2) for value in cut)
            heads.append(TrueHead(frame, person, (x1, y1, x2, y2), share >= MIN_VISIBLE))
    return heads


def _source_heads(plan: ShotPlan, index: int) -> dict[str, npt.NDArray[np.float64]]:
    if plan.source != PASSENGER:
        return {name: np.asarray(box, float) for name, box in STILLS[plan.source].heads.items()}
    labelled = np.array(list(PASSENGER_BOXES))
    boxes = np.array(list(PASSENGER_BOXES.values()), float)
    at = plan.first + index
    return {PASSENGER: np.array([np.interp(at, labelled, boxes[:, side]) for side in range(4)])}


def _window_aspect(source: str) -> float:
    return WIDTH / HEIGHT / (PASSENGER_PIXEL_ASPECT if source == PASSENGER else 1.0)


def _footage(path: Path) -> list[Image.Image]:
    with av.open(str(path)) as container:
        return [Image.fromarray(frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]


def _photograph(source: str) -> Image.Image:
    # The package is looked up, not imported: only its folder is wanted.
    still = STILLS[source]
    spec = find_spec(still.package)
    folders = list(spec.submodule_search_locations or []) if spec else []
    path = Path(folders[0]) / still.file if folders else None
    if path is None or not path.is_file():
        raise DatasetError(
            f"the demo's photograph {still.file} of package {still.distribution} is not installed; "
            f"`pip install -c constraints.txt -e '.[dev]'` brings it"
        )
    return Image.open(path).convert("RGB")
