"""Salted places: tells whether a head lies where another one was, without keeping where that is."""

from __future__ import annotations

import hmac
import struct

import numpy as np
import numpy.typing as npt

STEP_S = 0.2  # heads are looked for five times a second; the boxes between are interpolated
# A head is looked up on the grids of two sizes, so that a box an octave larger meets it on one of
# them; a cell of a grid is a quarter of the grid's size.
SIZES = 2
CELLS_A_SIZE = 4
AROUND = np.array([(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)])
CHUNK_BOXES = 4096


def salted_places(
    video_id: str, time_s: npt.NDArray[np.floating], xyxy: npt.NDArray[np.floating], *, salt: bytes
) -> npt.NDArray[np.uint64]:
    """Give what is kept of the places of heads.

    Args:
        video_id: of the content.
        time_s: (N,) of each box.
        xyxy: (N, 4) px.
        salt: secret or at least random bytes.

    Returns:
        (K,) uint64, sorted, each once.

    >>> len(salted_places("v", np.zeros(2), np.array([[0, 0, 20, 20.0]] * 2), salt=b"s"))
    2
    """
    cells = [_cells(time_s, xyxy, size) for size in range(SIZES)]
    digests = _digests(video_id, np.unique(np.concatenate(cells), axis=0), salt)
    return np.unique(digests)


def lie_at(
    places: npt.NDArray[np.uint64],
    video_id: str,
    time_s: npt.NDArray[np.floating],
    xyxy: npt.NDArray[np.floating],
    *,
    salt: bytes,
) -> npt.NDArray[np.bool_]:
    """Say which boxes lie at one of the places: surely within a quarter of a head, never beyond a whole one.

    Args:
        places: of `salted_places` with the same salt.
        video_id: of the content.
        time_s: (N,) of each box.
        xyxy: (N, 4) px.
        salt: as given to `salted_places`.

    Returns:
        (N,) bool.

    >>> box = np.array([[0, 0, 20, 20.0]])
    >>> places = salted_places("v", np.zeros(1), box, salt=b"s")
    >>> [bool(lie_at(places, "v", np.zeros(1), box + x, salt=b"s")[0]) for x in (0, 3, 40)]
    [True, True, False]
    """
    found = np.zeros(len(time_s), np.bool_)
    for start in range(0, len(time_s), CHUNK_BOXES):
        rows = slice(start, start + CHUNK_BOXES)
        count = len(time_s[rows])
        cells = np.stack([_cells(time_s[rows], xyxy[rows], size) for size in range(SIZES)], 1)  # (n, S, 4)
        around = np.repeat(cells[:, :, None], len(AROUND), axis=2)  # (n, S, 9, 4)
        around[..., 2:] += AROUND
        unique, which = np.unique(around.reshape(-1, 4), axis=0, return_inverse=True)
        hit = np.isin(_digests(video_id, unique, salt), places)
        found[rows] = hit[which.ravel()].reshape(count, -1).any(axis=1)
    return found


def _cells(
    time_s: npt.NDArray[np.floating], xyxy: npt.NDArray[np.floating], size: int
) -> npt.NDArray[np.int64]:
    """Give (N, 4): octave of the size, step of time, cell in x and in y."""
    box = np.asarray(xyxy, np.float64).reshape(-1, 4)
    side = np.sqrt(np.maximum(box[:, 2] - box[:, 0], 1) * np.maximum(box[:, 3] - box[:, 1], 1))
    octave = np.floor(np.log2(side)) + size
    cell = 2.0**octave / CELLS_A_SIZE
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    step = np.floor(np.asarray(time_s, np.float64) / STEP_S + 1e-6)
    return np.stack([octave, step, np.floor(x / cell), np.floor(y / cell)], 1).astype(np.int64)


def _digests(video_id: str, cells: npt.NDArray[np.int64], salt: bytes) -> npt.NDArray[np.uint64]:
    name = video_id.encode()
    digests = [hmac.digest(salt, name + struct.pack("<4q", *cell), "sha256")[:8] for cell in cells.tolist()]
    return np.frombuffer(b"".join(digests), np.dtype("<u8")).astype(np.uint64)
