"""What is scored, how strictly and what is wanted: the whole protocol as data.

A data folder with other clips works as well: a list of clips stands for all labelled clips where
none of it is there.
"""

from __future__ import annotations

from collections.abc import Iterable

HEAD_MIN_IOU = 0.5
CUT_TOLERANCE_FRAMES = 2

SHOT_CLIPS = ("stage.mp4", "ship.mp4", "corridor.mp4", "silent.mp4", "spy_slides.mp4")
IDENTITY_CLIPS = ("stage.mp4", "ship.mp4", "silent.mp4")

# People of one clip that may or may not be the same; nothing is said about them.
PAIRS_NOT_SCORED = {"corridor.mp4": (("P2", "P4"),)}

# A clip made of the stills in `spy_stills.csv`, in that order, each shown this long; a scene is a shot.
SLIDES_CLIP = "spy_slides.mp4"
SLIDE_FRAMES = 12

# Folders of stills that hold one folder a person.
FOLDER_A_PERSON = ("stills/orl",)

FRONT, REAR = "front", "rear"

# The least that must be reached, by figure.
TARGETS = {
    "heads.recall": 0.95,
    "heads.precision": 0.92,
    "heads.rear_recall": 0.90,
    "heads.rear_view_recall": 0.90,
    "heads.front_not_called_rear": 0.95,
    "shots.f1": 0.95,
    "tracks.visits_unbroken_share": 1.0,
    "identity.bcubed_f1": 0.85,
    "identity.within_every_clip.bcubed_f1": 0.95,
    "portraits.pairwise_f1": 0.93,
    "appearance.bcubed_f1": 0.80,
    "spy.bcubed_f1": 0.80,
    "cross_media.found_share": 1.0,
    "oracle.equal_share": 1.0,
}


def present(wanted: Iterable[str], labelled: Iterable[str]) -> list[str]:
    """Give the wanted clips that are labelled, or all that are where none is wanted.

    >>> present(["a", "b"], ["b", "c"]), present(["a"], ["c", "b"])
    (['b'], ['b', 'c'])
    """
    labelled = sorted(labelled)
    return [clip for clip in wanted if clip in labelled] or labelled
