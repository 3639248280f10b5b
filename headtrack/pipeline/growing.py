"""Tracklets while they grow, with the few crops each of them holds until they are embedded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from headtrack.settings import Settings
from headtrack.tracking.associate import LiveTracklets, associate
from headtrack.tracking.crop_choice import Candidate, CropChoice, offer
from headtrack.types import Heads


class Judged(Protocol):
    """What a crop must tell."""

    @property
    def quality(self) -> float:
        """0..1."""
        ...


Crop = TypeVar("Crop", bound=Judged)
Due = tuple[int, int, Crop]  # tracklet, head row, crop


@dataclass(frozen=True)
class Look(Generic[Crop]):
    """One looked-at frame: its heads and what was cut out around them.

    Attributes:
        frame: number of the frame.
        time_s: of the frame.
        frame_px: width and height of the frame.
        heads: (n,) of the frame.
        crops: one a head.
        colour: (n, B) float32 histogram of head and clothing, unit sum.
        descriptor: (n, D) float32 unit vector of colours and outlines.
    """

    frame: int
    time_s: float
    frame_px: tuple[int, int]
    heads: Heads
    crops: list[Crop]
    colour: npt.NDArray[np.float32]
    descriptor: npt.NDArray[np.float32]


@dataclass
class Growing(Generic[Crop]):
    """The tracklets of the current shot; `add` takes the looks in order, `ripe` gives the crops.

    Attributes:
        settings: of the run.
        live: tracklets that may go on.
        following: number of the next new tracklet.
        row: of the next head, in detection order.
        shot: of the last look.
        raw: tracklet of each head, look by look.
        colour: sum of the heads' histograms by tracklet, (B,) float64 each.
    """

    settings: Settings
    live: LiveTracklets
    following: int = 0
    row: int = 0
    shot: int = -1
    raw: list[npt.NDArray[np.int32]] = field(default_factory=list)
    colour: list[npt.NDArray[np.float64]] = field(default_factory=list)
    _choice: dict[int, CropChoice] = field(default_factory=dict)
    _crop: dict[int, Crop] = field(default_factory=dict)
    _hits: dict[int, int] = field(default_factory=dict)

    def add(self, look: Look[Crop], *, shot: int) -> list[Due[Crop]]:
        """Associate one look; give (tracklet, head row, crop) of those now due for embedding."""
        due: list[Due[Crop]] = []
        if shot != self.shot:
            due += self.finish()
            self.live, self.shot = self.live[:0], shot
        step = associate(
            self.live,
            look.heads,
            time_s=look.time_s,
            frame_px=look.frame_px,
            descriptor=look.descriptor,
            next_tracklet=self.following,
            settings=self.settings.track,
        )
        ended = set(self.live.tracklet.tolist()) - set(step.live.tracklet.tolist())
        for tracklet in sorted(ended):
            due += self._end(tracklet)
        self.live, self.following = step.live, step.next_tracklet
        self.raw.append(step.tracklet)
        for k, tracklet in enumerate(step.tracklet.tolist()):
            due += self._offer(tracklet, look, k)
            self.row += 1
            if tracklet == len(self.colour):  # a new one: they are numbered in turn
                self.colour.append(np.zeros(look.colour.shape[1]))
            self.colour[tracklet] += look.colour[k]
        return due

    def finish(self) -> list[Due[Crop]]:
        """End every live tracklet and give its crops."""
        return [item for tracklet in sorted(self._choice) for item in self._end(tracklet)]

    def _offer(self, tracklet: int, look: Look[Crop], k: int) -> list[Due[Crop]]:
        crop = look.crops[k]
        before = self._choice.get(tracklet, CropChoice())
        candidate = Candidate(self.row, crop.quality, int(look.heads.view[k]))
        after = offer(before, candidate, time_s=look.time_s, settings=self.settings.embed)
        self._choice[tracklet] = after
        self._crop[self.row] = crop
        self._hits[tracklet] = self._hits.get(tracklet, 0) + 1
        for row in (before.rows | {self.row}) - after.rows:
            del self._crop[row]
        # A tracklet of one head may be dropped later: its crops wait until a second head shows.
        if self._hits[tracklet] < self.settings.track.min_detections:
            return []
        ready = [(tracklet, c.row, self._crop.pop(c.row)) for c in after.sampled]
        self._choice[tracklet] = CropChoice(after.sampled_at, (), after.best)
        return ready

    def _end(self, tracklet: int) -> list[Due[Crop]]:
        choice = self._choice.pop(tracklet)
        del self._hits[tracklet]
        rows = sorted(choice.rows)
        return [(tracklet, row, self._crop.pop(row)) for row in rows]
