import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.ops.vectors import unit
from headtrack.settings import TrackSettings
from headtrack.tracking.associate import LiveTracklets, associate, match_cost
from headtrack.types import Heads

BINS = 6
FRAME_PX = (1000, 800)


def heads_at(xyxy: list[tuple[float, float, float, float]], score: list[float] | float = 0.9) -> Heads:
    n = len(xyxy)
    nan = np.full
    return Heads(
        np.zeros(n), np.array(xyxy).reshape(n, 4), np.full(n, score), np.zeros(n), nan(n, np.nan),
        nan(n, np.nan), nan((n, 4), np.nan), nan((n, 5, 2), np.nan), nan((n, 4), np.nan),
    )  # fmt: skip


def looks(*bins: int) -> np.ndarray:
    return np.eye(BINS, dtype=np.float32)[list(bins)].reshape(len(bins), BINS)


def run(frames: list[tuple], settings: TrackSettings | None = None) -> list[list[int]]:
    """Associate (time_s, boxes, colour bins, scores if not 0.9) frames and give the tracklet of each head."""
    live, following, out = LiveTracklets.none(BINS), 0, []
    for time_s, boxes, bins, *score in frames:
        step = associate(
            live, heads_at(boxes, *score), time_s=time_s, frame_px=FRAME_PX, descriptor=looks(*bins),
            next_tracklet=following, settings=settings or TrackSettings(),
        )  # fmt: skip
        live, following = step.live, step.next_tracklet
        out.append(step.tracklet.tolist())
    return out


def box(x: float, y: float = 100, side: float = 40) -> tuple[float, float, float, float]:
    return (x, y, x + side, y + side)


def test_a_head_that_moves_steadily_keeps_its_tracklet():
    ids = run([(0.2 * k, [box(100 + 20 * k)], [0]) for k in range(8)])
    assert ids == [[0]] * 8


def test_no_heads_at_all_is_normal():
    assert run([(0.0, [], []), (0.2, [], [])]) == [[], []]


def test_two_heads_that_cross_keep_their_tracklets():
    ids = run([(0.2 * k, [box(100 + 16 * k), box(260 - 16 * k)], [0, 1]) for k in range(11)])
    assert ids == [[0, 1]] * 11


def passing(score: list[float]) -> list[tuple]:
    """Let a head that came a moment ago hide one that stands still for a look; both look the same."""
    stays = [(0.2 * k, [box(100)], [0], [0.98]) for k in range(4)]
    comes = [(0.8, [box(100), box(180)], [0, 0], [0.98, 0.98]), (1.0, [box(100), box(135)], [0, 0], score)]
    return [*stays, *comes, (1.2, [box(111)], [0], [0.98]), (1.4, [box(100), box(85)], [0, 0], [0.98, 0.98])]


def test_of_two_heads_that_fit_the_one_left_the_clearly_seen_one_goes_on():
    ids = run(passing([0.69, 0.95]))
    assert ids[-2:] == [[1], [0, 1]]


def test_of_two_heads_seen_as_clearly_the_better_fit_goes_on():
    assert run(passing([0.95, 0.95]))[-2] == [0]
    assert run(passing([0.69, 0.69]))[-2] == [0]


@pytest.mark.parametrize("score", [0.05, 0.5, 1.0])
def test_a_head_alone_keeps_its_tracklet_whatever_its_score(score):
    assert run([(0.2 * k, [box(100 + 10 * k)], [0], [score]) for k in range(4)]) == [[0]] * 4


def test_a_high_score_does_not_reach_further_than_the_fit():
    assert run([(0.0, [box(100)], [0], [1.0]), (0.2, [box(600)], [0], [1.0])]) == [[0], [1]]


def test_appearance_decides_where_geometry_alone_would_swap():
    # The two heads change places between looks: only their colours tell.
    first = [box(100), box(125)]
    ids = run([(0.0, first, [0, 1]), (0.2, [box(123), box(102)], [0, 1])])
    assert ids == [[0, 1], [0, 1]]


def test_another_head_in_the_same_place_after_a_gap_starts_a_new_tracklet():
    ids = run([(0.0, [box(100)], [0]), (0.2, [box(100)], [0]), (1.2, [box(135, side=75)], [3])])
    assert ids[-1] == [1]


def test_a_tracklet_survives_an_occlusion_up_to_the_gap_and_no_longer():
    seen = [(0.2 * k, [box(100)], [0]) for k in range(5)]
    assert run([*seen, (1.6, [box(101)], [0])])[-1] == [0]
    assert run([*seen, (2.2, [box(101)], [0])])[-1] == [1]


def test_a_new_tracklet_starts_for_a_head_far_away():
    assert run([(0.0, [box(100)], [0]), (0.2, [box(600)], [0])]) == [[0], [1]]


def test_a_head_that_leaves_the_frame_keeps_its_tracklet_to_the_last_bit_seen():
    places = [600, 680, 760, 840, 920, 980]
    frames = [(0.2 * k, [(x, 300.0, min(x + 200.0, 1000.0), 500.0)], [0]) for k, x in enumerate(places)]
    assert run(frames) == [[0]] * len(places)


def test_a_small_head_at_the_edge_is_not_taken_for_a_large_one_elsewhere():
    ids = run([(0.0, [box(300, side=200)], [0]), (0.2, [box(305, side=200), box(970, side=30)], [0, 0])])
    assert ids == [[0], [0, 1]]


def test_cost_equals_a_naive_loop():
    rng = np.random.default_rng(0)
    live = LiveTracklets(
        np.arange(3, dtype=np.int32), rng.uniform(0, 200, (3, 2)), rng.uniform(2, 4, (3, 2)),
        rng.normal(0, 20, (3, 2)), np.array([0.0, 0.2, 0.4]), np.array([1, 2, 9], np.int32),
        unit(rng.uniform(0, 1, (3, BINS))), np.full(3, 0.9),
    )  # fmt: skip
    centre, sides = rng.uniform(0, 200, (3, 4, 2)), np.exp(rng.uniform(2, 4, (3, 4, 2)))
    xyxy = np.concatenate([centre - sides / 2, centre + sides / 2], axis=2)
    hist = unit(rng.uniform(0, 1, (4, BINS)))
    cost = match_cost(live, xyxy=xyxy, descriptor=hist, time_s=0.6)
    for a in range(3):
        gap = 0.6 - live.seen_s[a]
        trust = min(live.hits[a] - 1, 3) / 3
        for b in range(4):
            known, seen = live.log_sides[a].mean(), np.log(sides[a, b]).mean()
            size = np.exp((known + seen) / 2)
            off = np.linalg.norm(live.centre[a] + live.velocity[a] * gap * trust - centre[a, b]) / size
            place_spread, size_spread = 0.35 + 1.5 * gap * (1.5 - trust), 0.25 + 0.4 * gap
            growth = abs(known - seen) / size_spread
            like = live.descriptor[a] @ hist[b]
            vague = 2 * np.log(place_spread / 0.35) + np.log(size_spread / 0.25)
            expected = ((off / place_spread) ** 2 + growth**2) / 2 + min(42 * (1 - like), 6) + vague
            assert cost[a, b] == pytest.approx(expected, rel=1e-5)


@given(st.permutations(range(4)))
def test_the_order_of_heads_in_a_frame_does_not_matter(order):
    boxes = [box(100 * k) for k in range(4)]
    start = (0.0, boxes, [0, 1, 2, 3])
    moved = [boxes[k] for k in order]
    assert run([start, (0.2, moved, list(order))])[1] == list(order)
