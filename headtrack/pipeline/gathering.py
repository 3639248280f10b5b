"""What grows while the frames of a video go by: shots, tracklets and embeddings.

Heads are known before the shots are: a look waits, with its crops, until the frames up to it have
been judged, then its heads are associated. What is held at once is the looks that wait and a few crops a
live tracklet; of all that went by, 0.1 kB a head and 1 kB a tracklet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import numpy as np
import numpy.typing as npt

from headtrack.pipeline.growing import Crop, Due, Growing, Look
from headtrack.pipeline.looking import DESCRIPTOR_BINS, HEAD_AND_CLOTHES_BINS
from headtrack.pipeline.spill import Spill, SpilledEmbeddings
from headtrack.protocols import ShotScorer
from headtrack.settings import Settings
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.tracking.associate import LiveTracklets
from headtrack.tracking.number import number_tracklets
from headtrack.types import HeadEmbeddings, Heads, Shots, Tracklets

JOIN_LOOKS = 256
EMBED_BATCH = 32  # crops embedded at once: enough to fill a GPU, few enough to hold


@dataclass(frozen=True, slots=True)
class Observation:
    """What the frames of one video gave.

    Attributes:
        frame_time_s: (F,) float64.
        shots: of the video.
        heads: (N,) detections.
        colour: (T, B) float32 mean histogram of each tracklet's heads and their clothes.
        looked_at: (L,) int32 frames in which heads were looked for.
        tracklets: aligned with the heads.
        embeddings: of the chosen crops.
        broken_at: frame after which decoding failed, -1 if it did not.
        broken_reason: why.
        switched: which other decoder went on and why; empty where one did it all.
    """

    frame_time_s: npt.NDArray[np.float64]
    shots: Shots
    heads: Heads
    colour: npt.NDArray[np.float32]
    looked_at: npt.NDArray[np.int32]
    tracklets: Tracklets
    embeddings: SpilledEmbeddings
    broken_at: int
    broken_reason: str
    switched: str


class Gathering(Generic[Crop]):
    """Takes the frames of a video in order, as thumbnails and looks.

    Args:
        settings: of the run.
        scorer: judges shot transitions.
        embed: embeds crops of tracklets; those it cannot have are left out.
    """

    def __init__(
        self, settings: Settings, scorer: ShotScorer, embed: Callable[[list[Due[Crop]]], HeadEmbeddings]
    ) -> None:
        self._settings = settings
        self._scorer = scorer
        self._embed = embed
        self._shots = ShotState.start()
        self._growing = Growing[Crop](settings, LiveTracklets.none(DESCRIPTOR_BINS))
        self._embedded = Spill(embed([]))
        self._time_s: list[npt.NDArray[np.float64]] = []
        self._heads: list[Heads] = []
        self._looked_at: list[int] = []
        self._waiting: deque[Look[Crop]] = deque()
        self._due: list[Due[Crop]] = []

    def take(
        self,
        time_s: npt.NDArray[np.float64],
        thumbnails: npt.NDArray[np.uint8],
        looks: list[Look[Crop]],
    ) -> None:
        """Take in the next frames.

        Args:
            time_s: (N,) of the frames.
            thumbnails: (N, 27, 48, 3) of the frames.
            looks: at those that were looked at.
        """
        self._time_s.append(time_s)
        self._waiting += looks
        self._shots = push(self._shots, thumbnails, self._scorer, self._settings.shots)
        self._associate(self._shots.starts, self._shots.final_until)

    def add(self, embeddings: HeadEmbeddings) -> None:
        """Take in embeddings of crops that `embed` left out; before `finish`."""
        self._embedded.add(embeddings)

    def end(self) -> Shots:
        """End the last shot and every tracklet; no frame comes any more."""
        shots = finish(self._shots, self._scorer, self._settings.shots)
        self._associate(shots.start[1:], sum(len(part) for part in self._time_s))
        self._due += self._growing.finish()
        self._embed_due(at_least=1)
        return shots

    def heads(self) -> Heads:
        """Give all heads associated so far, in detection order."""
        return Heads.join(self._heads)

    def observation(self, shots: Shots, *, broken_reason: str = "", switched: str = "") -> Observation:
        """Put it all together after `end`; number the tracklets, keep the embeddings of those that stay.

        Args:
            shots: as `end` gave them.
            broken_reason: why decoding failed after the last frame; empty where it did not.
            switched: as in `Observation`.
        """
        growing = self._growing
        heads, frame_time_s = self.heads(), np.concatenate(self._time_s)
        raw = np.concatenate([np.zeros(0, np.int32), *growing.raw])
        looked_at = np.array(self._looked_at, np.int32)
        numbered = number_tracklets(
            heads,
            raw,
            shots=shots,
            looked_at=looked_at,
            look_time_s=frame_time_s[looked_at],
            settings=self._settings.track,
        )
        kept = np.flatnonzero(numbered.final >= 0)
        colour = np.empty((len(kept), HEAD_AND_CLOTHES_BINS), np.float32)
        for tracklet, hits in zip(kept.tolist(), np.bincount(raw, minlength=1)[kept].tolist(), strict=True):
            colour[numbered.final[tracklet]] = growing.colour[tracklet] / hits
        return Observation(
            frame_time_s=frame_time_s,
            shots=shots,
            heads=heads,
            colour=colour,
            looked_at=looked_at,
            tracklets=numbered.tracklets,
            embeddings=self._embedded.numbered(numbered.final),
            broken_at=len(frame_time_s) - 1 if broken_reason else -1,
            broken_reason=broken_reason,
            switched=switched,
        )

    def _associate(self, starts: npt.NDArray[np.int32], final_until: int) -> None:
        """Associate the looks whose shot is known: those before frame `final_until`."""
        while self._waiting and self._waiting[0].frame < final_until:
            look = self._waiting.popleft()
            shot = int(np.searchsorted(starts, look.frame, side="right"))
            self._due += self._growing.add(look, shot=shot)
            self._looked_at.append(look.frame)
            if len(look.heads):
                self._heads.append(look.heads)
        if len(self._heads) > JOIN_LOOKS:  # thousands of small arrays take far more than a few large ones
            self._heads = [Heads.join(self._heads)]
        self._embed_due(at_least=EMBED_BATCH)

    def _embed_due(self, *, at_least: int) -> None:
        """Embed the crops that are due, in full batches as long as there are that many."""
        while self._due and len(self._due) >= at_least:
            batch, self._due = self._due[:EMBED_BATCH], self._due[EMBED_BATCH:]
            self._embedded.add(self._embed(batch))
