"""The decoders by name."""

from __future__ import annotations

from headtrack.protocols import Decoder
from headtrack.video.decord_decoder import DecordDecoder
from headtrack.video.pyav_decoder import PyAvDecoder
from headtrack.video.still import StillDecoder

DECODERS: dict[str, Decoder] = {
    "decord": DecordDecoder(),
    "pyav": PyAvDecoder(),
    "pyav-unthreaded": PyAvDecoder(threads=False),
    "still": StillDecoder(),
}
# Which goes on where another hung or crashed. PyAV tries again without FFmpeg's threads, whose timing a
# hang may depend on; decord is no help where the probe preferred PyAV.
SECOND = {"decord": "pyav", "pyav": "pyav-unthreaded"}
