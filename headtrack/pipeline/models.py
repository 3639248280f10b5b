"""The networks a worker holds, loaded once."""

from __future__ import annotations

from dataclasses import dataclass

from headtrack.protocols import AppearanceEmbedder, HeadDetector, IdentityEmbedder, ShotScorer


@dataclass(frozen=True, slots=True)
class Models:
    """The replaceable parts of the main job; any object that keeps the protocol will do."""

    detector: HeadDetector
    identity: IdentityEmbedder
    appearance: AppearanceEmbedder
    shots: ShotScorer

    @property
    def ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network, sorted."""
        others = (self.identity.model_id, self.appearance.model_id, self.shots.model_id)
        return tuple(sorted({*self.detector.model_ids, *others}))
