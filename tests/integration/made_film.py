"""A film of the sample that has cuts and many key frames."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from headtrack.errors import ModelError
from headtrack.models.weights import weights_path


def make_film(path: Path) -> Path:
    """Write the sample three times over, a key frame a second; in the middle the man looks the other way.

    Skips the test where the sample cannot be had.
    """
    try:
        source = weights_path("carphone")
    except ModelError as error:
        pytest.skip(f"the sample footage cannot be had: {error}")
    with av.open(str(source)) as whole:
        pictures = [frame.to_ndarray(format="rgb24") for frame in whole.decode(video=0)]
    turned = [np.ascontiguousarray(rgb[:, ::-1]) for rgb in pictures]
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=25, options={"g": "25", "bf": "2", "crf": "12"})
        stream.width, stream.height, stream.pix_fmt = 176, 144, "yuv420p"
        for number, rgb in enumerate([*pictures, *turned, *pictures]):
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path
