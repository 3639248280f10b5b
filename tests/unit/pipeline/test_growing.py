import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.pipeline.embed import HeldCrop
from headtrack.pipeline.growing import Growing, Look
from headtrack.settings import EmbedSettings, Settings
from headtrack.tracking.associate import LiveTracklets
from headtrack.types import Heads
from headtrack.video.crops import HeadCrop

SETTINGS = Settings(embed=EmbedSettings(best_crops=2, every_s=0.5))


def look(frame: int, columns: list[int], *, score: float = 0.9) -> Look:
    """Build a look with a head of 40 px in each of the given columns of a wide frame."""
    n, nan = len(columns), np.full
    xyxy = np.array([(300 * c, 100, 300 * c + 40, 140) for c in columns], np.float32).reshape(n, 4)
    heads = Heads(
        nan(n, frame), xyxy, nan(n, score), np.zeros(n), nan(n, np.nan), nan(n, np.nan), nan((n, 4), np.nan),
        nan((n, 5, 2), np.nan), nan((n, 4), np.nan),
    )  # fmt: skip
    crop = HeadCrop(np.zeros((8, 8, 3), np.uint8), np.zeros(2, np.float32), 1.0)
    held = [HeldCrop(crop, box, np.full((5, 2), np.nan, np.float32), 0.5) for box in xyxy]
    descriptor = np.eye(6, dtype=np.float32)[columns].reshape(n, 6)
    return Look(frame, frame / 10, (640, 360), heads, held, descriptor, descriptor)


def grow(looks: list[Look], shots: list[int]) -> tuple[Growing, list[tuple[int, int]]]:
    growing, taken = Growing(SETTINGS, LiveTracklets.none(6)), []
    for item, shot in zip(looks, shots, strict=True):
        taken += [(tracklet, row) for tracklet, row, _ in growing.add(item, shot=shot)]
    taken += [(tracklet, row) for tracklet, row, _ in growing.finish()]
    return growing, taken


@given(st.lists(st.sets(st.integers(0, 3)), max_size=15), st.integers(0, 15))
def test_each_tracklet_gives_crops_of_its_own_heads_once_and_stays_inside_its_shot(columns, cut):
    looks = [look(2 * k, sorted(c)) for k, c in enumerate(columns)]
    shots = [int(k >= cut) for k in range(len(looks))]
    growing, taken = grow(looks, shots)
    raw = np.concatenate([np.zeros(0, np.int32), *growing.raw])
    assert len(raw) == sum(len(c) for c in columns)
    assert len(set(taken)) == len(taken)
    assert all(raw[row] == tracklet for tracklet, row in taken)
    assert {tracklet for tracklet, _ in taken} == set(raw.tolist())
    shot_of_row = np.repeat(shots, [len(c) for c in columns]) if columns else np.zeros(0)
    assert all(len(set(shot_of_row[raw == t].tolist())) == 1 for t in set(raw.tolist()))


def test_a_long_tracklet_gives_one_crop_every_half_second_and_its_best_few():
    _, taken = grow([look(2 * k, [0]) for k in range(20)], [0] * 20)
    assert len(taken) == 8 + SETTINGS.embed.best_crops  # from 0 to 3.8 s: eight stretches of 0.5 s


def test_pixels_of_crops_that_lose_are_let_go_at_once():
    growing = Growing(SETTINGS, LiveTracklets.none(6))
    for k in range(30):
        growing.add(look(2 * k, [0, 1]), shot=0)
    assert len(growing._crop) <= 2 * SETTINGS.embed.best_crops
