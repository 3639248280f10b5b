"""Makes a data folder of short clips whose every head is known: labelled pictures seen by a moving camera.

    python benchmarks/moving_stills.py YOLO_DIR OUT [--clips 60]
    headtrack eval --data OUT
    python benchmarks/speed_table.py OUT --px --fps 5 0

Real footage has few labelled heads. Here are hundreds: each clip pans, zooms, turns, shakes, brightens and
darkens over one picture of few people, with motion blur, grain and H.264; heads come in and go out at the
edges. Of a head less than half in view nothing is asked. People themselves stand still: it is no measure of
how well people in motion are found.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from head_judge import MAX_SPARSE_HEADS
from yolo_labels import labelled_heads

from headtrack.evaluation.labels import HEAD_COLUMNS, NOBODY, SHOT_COLUMNS

LONGEST_PX = 640
MIN_PICTURE_PX = 500  # a smaller one shows no detail when zoomed into
FRAMES, FPS = 26, 25
MIN_VISIBLE = 0.5  # share of a head's box that lies in the frame


@dataclass(frozen=True)
class Camera:
    """A move over a picture: first and last state of each part, and a shake.

    Attributes:
        window: (2,) share of the picture that is seen.
        centre: (2, 2) px of the picture.
        turn_deg: (2,).
        light: (2,) factor of the brightness.
        shake_px: amplitude.
        phase: (2,) of the shake.
        grain: standard deviation.
    """

    window: np.ndarray
    centre: np.ndarray
    turn_deg: np.ndarray
    light: np.ndarray
    shake_px: float
    phase: np.ndarray
    grain: float

    @staticmethod
    def by_chance(size: np.ndarray, rng: np.random.Generator) -> Camera:
        """Choose a move over a picture of (2,) px width and height."""
        first = rng.uniform(0.55, 1)
        window = np.array([first, min(first * rng.uniform(0.8, 1.25), 1)])
        start = rng.uniform(first / 2, 1 - first / 2, 2)
        return Camera(
            window=window,
            centre=np.stack([start, start + rng.normal(0, 0.12, 2)]) * size,
            turn_deg=rng.normal(0, 2, 2),
            light=rng.uniform(0.8, 1.2, 2),
            shake_px=rng.uniform(0, 0.004) * size[0],
            phase=rng.uniform(0, 6, 2),
            grain=rng.uniform(1, 5),
        )

    def at(self, frame: int, size: np.ndarray, out: np.ndarray) -> tuple[np.ndarray, float]:
        """Give the (2, 3) map from picture to frame px, and the brightness."""
        t = frame / (FRAMES - 1)
        share = t * t * (3 - 2 * t)
        window, turn, light = (a + (b - a) * share for a, b in (self.window, self.turn_deg, self.light))
        centre = self.centre[0] + (self.centre[1] - self.centre[0]) * share
        centre = centre + self.shake_px * np.sin(self.phase + frame * np.array([0.7, 1.1]))
        centre = np.clip(centre, window * size / 2, size - window * size / 2)
        moved = cv2.getRotationMatrix2D(centre.tolist(), float(turn), float(out[0] / (window * size[0])))
        moved[:, 2] += out / 2 - centre
        return moved, float(light)


def film(
    bgr: np.ndarray, boxes: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give the frames as BGR, with the (N, 4) boxes of the picture's heads in px, uncut."""
    size = np.array([bgr.shape[1], bgr.shape[0]], float)
    out = (size * LONGEST_PX / size.max()).astype(int) // 2 * 2
    camera, before = Camera.by_chance(size, rng), None
    middles = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, np.ones((len(boxes), 1))], axis=1)
    for frame in range(FRAMES):
        moved, light = camera.at(frame, size, out)
        image = cv2.warpAffine(bgr, moved, out.tolist(), borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        if before is not None:
            image = _blurred(image, (moved - before) @ np.array([*size / 2, 1]))
        before = moved
        image = image * light + rng.normal(0, camera.grain, image.shape)
        middle = middles @ moved.T
        half = (boxes[:, 2:] - boxes[:, :2]) / 2 * np.hypot(*moved[0, :2])
        yield np.clip(image, 0, 255).astype(np.uint8), np.concatenate([middle - half, middle + half], axis=1)


def _blurred(image: np.ndarray, motion_px: np.ndarray) -> np.ndarray:
    """Blur along the half of a motion that the shutter is open for."""
    reach = int(np.hypot(*motion_px) / 4)
    if not reach:
        return image
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    step = motion_px / np.hypot(*motion_px) * reach
    ends = [tuple(np.round(reach + sign * step).astype(int).tolist()) for sign in (-1, 1)]
    cv2.line(kernel, *ends, 1.0)
    return cv2.filter2D(image, -1, kernel / kernel.sum())


def pictures(data: Path, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give pictures of few people as BGR with the (N, 4) boxes of their heads in px, in random order."""
    paths = sorted((data / "images").glob("*.jpg"))
    for k in rng.permutation(len(paths)):
        heads = labelled_heads(data, paths[k].stem)
        bgr = cv2.imread(str(paths[k]))
        if 0 < len(heads) <= MAX_SPARSE_HEADS and max(bgr.shape) >= MIN_PICTURE_PX:
            yield bgr, heads * ([bgr.shape[1], bgr.shape[0]] * 2)


def label_rows(clip: str, frame: int, boxes: np.ndarray, *, width: int, height: int) -> Iterator[tuple]:
    """Give the rows of `heads.csv` for one frame; heads mostly out of it are ignored where anything shows."""
    yield clip, frame, NOBODY, 0, 0, 0, 0, "", "", 1  # the frame is labelled, whatever shows
    for person, box in enumerate(boxes):
        cut = np.clip(box, 0, [width, height, width, height])
        share = np.prod(cut[2:] - cut[:2]) / np.prod(box[2:] - box[:2])
        if share > 0:
            yield clip, frame, f"P{person}", *cut.round(2).tolist(), "", "", int(share < MIN_VISIBLE)


def main() -> None:
    """Write clips and labels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--clips", type=int, default=60)
    args = parser.parse_args()
    rng = np.random.default_rng(7)
    for folder in ("clips", "labels"):
        (args.out / folder).mkdir(parents=True, exist_ok=True)
    heads, shots = [HEAD_COLUMNS], [SHOT_COLUMNS]
    for number, (bgr, boxes) in zip(range(args.clips), pictures(args.data, rng), strict=False):
        clip = f"moving{number:03d}.mp4"
        shots.append((clip, 1, 0, FRAMES - 1))
        with av.open(str(args.out / "clips" / clip), "w") as container:
            stream = container.add_stream("libx264", rate=FPS)
            stream.pix_fmt, stream.options = "yuv420p", {"crf": str(rng.integers(22, 32))}
            for frame, (image, seen) in enumerate(film(bgr, boxes, rng)):
                if not frame:
                    stream.height, stream.width = image.shape[:2]
                heads += label_rows(clip, frame, seen, width=image.shape[1], height=image.shape[0])
                container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
            container.mux(stream.encode())
    for name, rows in (("heads.csv", heads), ("shots.csv", shots)):
        with (args.out / "labels" / name).open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    print(f"{len(shots) - 1} clips in {args.out}")


if __name__ == "__main__":
    main()
