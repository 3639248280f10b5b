"""Embeddings of a video's crops in a temporary file: a long film has more than memory should hold."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from headtrack.errors import StoreError
from headtrack.types import HeadEmbeddings

BLOCK_ROWS = 1024  # about 6 MB of vectors


class NamelessFile:
    """A temporary file without a name: it goes when nobody refers to it any more, or with the process."""

    def __init__(self) -> None:
        with _said_clearly(), tempfile.TemporaryFile(prefix="headtrack-") as file:
            self.fd = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.fd)


@dataclass(frozen=True, slots=True)
class SpilledEmbeddings:
    """Embeddings sorted by tracklet, then head row, whose vectors lie in a file.

    Attributes:
        file: of rows of float32, identity then appearance.
        numbers: (C,) all but the vectors, whose width is 0.
        place: (C,) int64 row of each crop's vectors in the file.
        none: embeddings of no crop; they know the widths.
    """

    file: NamelessFile
    numbers: HeadEmbeddings
    place: npt.NDArray[np.int64]
    none: HeadEmbeddings

    def __len__(self) -> int:
        return len(self.numbers)

    def blocks(self) -> Iterator[HeadEmbeddings]:
        """Read them piece by piece; a piece ends where a tracklet does."""
        if not len(self):
            yield self.none
        start, tracklet = 0, self.numbers.tracklet
        while start < len(self):
            last = tracklet[min(start + BLOCK_ROWS, len(self)) - 1]
            stop = int(np.searchsorted(tracklet, last, side="right"))
            yield self._read(slice(start, stop))
            start = stop

    def _read(self, rows: slice) -> HeadEmbeddings:
        width = self.none.identity.shape[1]
        place = self.place[rows].tolist()
        vectors = np.empty((len(place), width + self.none.appearance.shape[1]), np.float32)
        for vector, row in zip(vectors, place, strict=True):
            os.preadv(self.file.fd, [vector.data], row * vector.nbytes)
        return replace(self.numbers[rows], identity=vectors[:, :width], appearance=vectors[:, width:])


@dataclass(slots=True)
class Spill:
    """Takes embeddings in, in any order.

    Attributes:
        none: embeddings of no crop; they know the widths of the vectors.
    """

    none: HeadEmbeddings
    _file: NamelessFile = field(default_factory=NamelessFile)
    _numbers: list[HeadEmbeddings] = field(default_factory=list)

    def add(self, embeddings: HeadEmbeddings) -> None:
        """Take some in.

        Raises:
            StoreError: the folder for temporary files is full.
        """
        rows = memoryview(np.concatenate([embeddings.identity, embeddings.appearance], axis=1).tobytes())
        with _said_clearly():
            while len(rows):
                rows = rows[os.write(self._file.fd, rows) :]
        self._numbers.append(_without_vectors(embeddings))

    def numbered(self, final: npt.NDArray[np.int32]) -> SpilledEmbeddings:
        """Give all of them under the final numbers of their tracklets.

        Args:
            final: (R,) int32 new number of each tracklet, -1 where it is dropped with its crops.
        """
        numbers = HeadEmbeddings.join(self._numbers, _without_vectors(self.none))
        numbers = replace(numbers, tracklet=final[numbers.tracklet])
        order = np.lexsort((numbers.head_row, numbers.tracklet))
        order = order[numbers.tracklet[order] >= 0]
        return SpilledEmbeddings(self._file, numbers[order], order, self.none)


def _without_vectors(embeddings: HeadEmbeddings) -> HeadEmbeddings:
    none = np.zeros((len(embeddings), 0), np.float32)
    return replace(embeddings, identity=none, appearance=none)


@contextmanager
def _said_clearly() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the folder for temporary files, {tempfile.gettempdir()}, cannot be written ({error.strerror}); "
            "free some space there, or set TMPDIR to a folder on another disk"
        ) from error
