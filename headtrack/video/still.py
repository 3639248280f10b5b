"""A still image, read as a video of one frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Video

# What shows through a transparent picture: middle grey, against which dark and light hair both stand out.
BACKGROUND_LEVEL = 128


class StillDecoder:
    """Gives an image as one frame at time 0."""

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield the one frame.

        Raises:
            VideoError: the image cannot be read.
        """
        yield FrameBatch(read_still(Path(video.path))[None], np.zeros(1, np.int32), np.zeros(1))


def read_still(path: Path) -> npt.NDArray[np.uint8]:
    """Read an image upright (EXIF orientation applied) as RGB.

    Grey, palette and 16-bit images become 8-bit RGB; transparent parts are laid over middle grey (on
    an image with both transparency and an EXIF orientation, the latter is ignored).

    Args:
        path: JPEG, PNG, WebP (of an animated one the first picture), BMP or TIFF.

    Returns:
        (H, W, 3) uint8.

    Raises:
        VideoError: the file cannot be read or is not an image.
    """
    try:
        content = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise VideoError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    try:
        raw = cv2.imdecode(content, cv2.IMREAD_UNCHANGED)
        if raw is not None and raw.ndim == 3 and raw.shape[2] == 4:
            return _flatten(raw)
        bgr = cv2.imdecode(content, cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise VideoError(
            f"{path} cannot be read as an image ({error.err}); convert it to JPEG or PNG"
        ) from error
    if bgr is None:
        raise VideoError(f"{path} is not an image that can be read; convert it to JPEG or PNG")
    return np.asarray(bgr, np.uint8)[..., ::-1].copy()


def _flatten(bgra: npt.NDArray) -> npt.NDArray[np.uint8]:
    full = np.iinfo(bgra.dtype).max if np.issubdtype(bgra.dtype, np.integer) else 1.0
    colour = bgra[..., 2::-1].astype(np.float32) / full
    opacity = bgra[..., 3:].astype(np.float32) / full
    return np.rint(colour * opacity * 255 + BACKGROUND_LEVEL * (1 - opacity)).astype(np.uint8)
