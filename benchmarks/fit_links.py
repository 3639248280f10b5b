"""Fits and judges the probability of a link on scenes in which it is known who goes on where.

    python benchmarks/fit_links.py --labels DATA/labels/heads.csv DB [DB ...]

The scenes are those of `benchmarks/link_scenes.py`, over occlusions and over shot changes; the videos that
are cut need two people at once, or labels, and all others lend theirs as somebody else. Each possible link
is judged by the sum of its evidence alone; by `contested_probability`; and by that of the sum scaled and
shifted, where scale and shift are those of the lowest log loss on the scenes without anybody of the video
that is judged. Videos weigh the same. Links with and without a rival are told apart.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from link_scenes import Scene, labelled_boxes, read_followed, scenes
from sklearn.metrics import roc_auc_score

from headtrack.linking.competition import contested_probability
from headtrack.linking.link import place_log_odds
from headtrack.metrics.calibration import reliability
from headtrack.ops.face_evidence import FACE_SCALES, same_person_log_odds
from headtrack.ops.look_evidence import same_colour_log_odds, same_look_log_odds
from headtrack.settings import LinkSettings

DRAWS = 12  # moments a video and gap
DIVISORS = (1.0, 1.5, 2.0, 3.0, 4.0)  # of the sum
SHIFTS = (-1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
AS_IT_IS = (1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Links:
    """The possible links of one scene.

    Attributes:
        host: the video that was cut.
        videos: whose heads are in it.
        end: (K,) row of the part before.
        start: (K,) row of the part after.
        odds: (K,) sum of the evidence.
        same: (K,) bool, the truth.
    """

    host: str
    videos: frozenset[str]
    end: np.ndarray
    start: np.ndarray
    odds: np.ndarray
    same: np.ndarray

    def probability(self, divisor: float, shift: float) -> np.ndarray:
        """Give the probability of each, among its rivals."""
        return contested_probability(shift + self.odds / divisor, self.end, self.start)

    @property
    def is_alone(self) -> np.ndarray:
        """(K,) bool: nothing else has that end or that start."""
        return (np.bincount(self.end)[self.end] == 1) & (np.bincount(self.start)[self.start] == 1)


def possible_links(scene: Scene, *, places: bool) -> Links:
    """Weigh each possible link of a scene as `headtrack/linking` does."""
    e = scene.evidence
    gap_s = e.first_s[None] - e.last_s[:, None]
    possible = (gap_s > 0) & (gap_s <= LinkSettings().max_gap_s) if places else e.shot[:, None] < e.shot[None]
    a, b = np.nonzero(possible)
    root = np.sqrt(e.colour)
    odds = np.nan_to_num(same_look_log_odds(e.look @ e.look.T)) + same_colour_log_odds(root @ root.T)
    odds += np.nan_to_num(same_person_log_odds(e.face, e.face_recognisability, FACE_SCALES["sface"]))
    place = place_log_odds(e.last_xyxy[a], e.first_xyxy[b], gap_s[a, b]) if places else 0
    return Links(scene.host, scene.videos, a, b, odds[a, b] + place, scene.person[a] == scene.person[b])


def log_loss(probability: np.ndarray, same: np.ndarray) -> float:
    """Give the mean log loss; unlike scikit-learn's, of one kind of answer too."""
    right = np.where(same, probability, 1 - probability)
    return float(-np.log(np.maximum(right, 1e-6)).mean())


def best_fit(cases: list[Links]) -> tuple[float, float]:
    """Find divisor and shift of the lowest log loss; each video weighs the same."""
    of_host = defaultdict(list)
    for case in cases:
        of_host[case.host].append(case)

    def loss(fit: tuple[float, float]) -> float:
        return float(
            np.mean(
                [np.mean([log_loss(c.probability(*fit), c.same) for c in own]) for own in of_host.values()]
            )
        )

    return min(product(DIVISORS, SHIFTS), key=loss)


def show(name: str, probability: list[np.ndarray], cases: list[Links]) -> None:
    """Print how well probabilities tell links and how far they can be believed."""
    p, same = np.concatenate(probability), np.concatenate([c.same for c in cases])
    promise = reliability(p, same)
    bins = zip(promise.count, promise.mean_score, promise.share_right, strict=True)
    alone = np.concatenate([c.is_alone for c in cases])
    print(
        f"{name}: AUC {roc_auc_score(same, p):.3f}, log loss {log_loss(p, same):.3f}, expected calibration "
        f"error {promise.expected_error:.3f}; without a rival {p[alone].mean():.2f} promised, "
        f"{same[alone].mean():.2f} right of {alone.sum()}\n  promised, right, links: "
        + "; ".join(f"{mean:.2f} {right:.2f} {n}" for n, mean, right in bins if n)
    )


def judge(name: str, cases: list[Links]) -> None:
    """Print the figures of one reason of links."""
    print(f"{name}: {len(cases)} scenes, " + str(dict(Counter(Path(c.host).name for c in cases))))
    total, same = (sum(len(c.same) for c in cases), sum(int(c.same.sum()) for c in cases))
    print(f"  {total} possible links, {same} of them right")
    show("the sum alone", [1 / (1 + np.exp(-c.odds)) for c in cases], cases)
    show("beside its rivals", [c.probability(*AS_IT_IS) for c in cases], cases)
    fits = {}
    for host in sorted({c.host for c in cases}):
        fits[host] = best_fit([c for c in cases if host not in c.videos])
        print(f"  without {Path(host).name}: divisor and shift {fits[host]}")
    show("scaled, held-out videos", [c.probability(*fits[c.host]) for c in cases], cases)
    print(f"  all videos: divisor and shift {best_fit(cases)}")


def main() -> None:
    """Cut, weigh, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", type=Path, nargs="+")
    parser.add_argument("--labels", type=Path, required=True)
    args = parser.parse_args()
    labels = labelled_boxes(args.labels)
    followed = [one for db in args.db for one in read_followed(db, labels)]
    for name, places in (("over occlusions", True), ("over shot changes", False)):
        made = scenes(followed, np.random.default_rng(0), draws=DRAWS, places=places)
        cases = [possible_links(s, places=places) for s in made]
        several = {one.video for one in followed if one.named}
        several |= {c.host for c in cases if len(c.videos) == 1 and len(c.same) > 1}
        judge(name, [c for c in cases if c.host in several and len(c.same)])


if __name__ == "__main__":
    main()
