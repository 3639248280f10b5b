import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.linking.evidence import TrackletEvidence, gather_evidence, overlapping_pairs
from headtrack.linking.link import link_tracklets
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import LinkSettings
from headtrack.types import HeadEmbeddings, Heads, Tracklets
from headtrack.types.tracks import LINK_OCCLUSION, LINK_REASONS, LINK_SHOT_CHANGE, LINK_START

NONE = np.zeros((0, 2), np.int32)
AXES = np.eye(8, dtype=np.float32)


def evidence(rows: list[dict]) -> TrackletEvidence:
    """Build evidence from rows of shot, span, x, and optionally face, look, colour (axis numbers)."""
    n = len(rows)
    face = np.full((n, 8), np.nan, np.float32)
    for k, row in enumerate(rows):
        if "face" in row:
            face[k] = AXES[row["face"]]
    boxes = np.array([(r.get("x", 0), 0, r.get("x", 0) + 40, 40) for r in rows], np.float32).reshape(n, 4)
    return TrackletEvidence(
        shot=[r["shot"] for r in rows],
        first_s=[r["span"][0] for r in rows],
        last_s=[r["span"][1] for r in rows],
        first_xyxy=boxes,
        last_xyxy=boxes,
        face=face,
        face_weight=np.isfinite(face[:, 0]) * 3.0,
        face_recognisability=np.isfinite(face[:, 0]) * 1.0,
        look=AXES[[r.get("look", 0) for r in rows]].reshape(n, 8),
        colour=AXES[[r.get("look", 0) for r in rows]].reshape(n, 8),
    )


def link(rows: list[dict], cannot: np.ndarray = NONE):
    return link_tracklets(
        evidence(rows), cannot_link=cannot, face_scale=FACE_SCALES["sface"], settings=LinkSettings()
    )


def test_nothing_links_to_nothing():
    assert len(link([])) == 0


def test_a_head_that_comes_back_to_its_place_in_the_same_look_is_one_track():
    tracks = link([{"shot": 0, "span": (0, 3)}, {"shot": 0, "span": (4, 6)}])
    assert tracks.track.tolist() == [0, 0]
    assert tracks.link_reason.tolist() == [LINK_START, LINK_OCCLUSION]
    assert 0.5 <= tracks.link_score[1] <= 1


def test_a_link_is_less_sure_where_somebody_else_could_go_on_there():
    rows = [{"shot": 0, "span": (0, 3)}, {"shot": 0, "span": (4, 6)}]
    alone = link(rows)
    rival = {"shot": 0, "span": (4, 6), "x": 60}
    contested = link([*rows, rival], np.array([[1, 2]], np.int32))
    assert contested.track.tolist() == [0, 0, 1]
    assert contested.link_score[1] < alone.link_score[1]


def test_a_later_part_of_the_track_is_no_rival_of_its_links():
    rows = [{"shot": 0, "span": (0, 3)}, {"shot": 0, "span": (4, 6)}, {"shot": 0, "span": (7, 9)}]
    both, three = link(rows[:2]), link(rows)
    assert three.track.tolist() == [0, 0, 0]
    assert three.link_score[1] == both.link_score[1]


def test_a_link_over_a_shot_change_is_less_sure_where_another_looks_alike():
    rows = [
        {"shot": 0, "span": (0, 1), "face": 0},
        {"shot": 1, "span": (2, 3), "face": 0},
        {"shot": 1, "span": (2, 3), "face": 1, "look": 1, "x": 200},
    ]
    cannot = np.array([[1, 2]], np.int32)
    unlike = link(rows, cannot)
    alike = link([*rows[:2], {**rows[2], "look": 0}], cannot)
    assert unlike.track.tolist() == alike.track.tolist() == [0, 0, 1]
    assert alike.link_score[1] < unlike.link_score[1]


def test_another_look_in_the_same_place_is_another_track():
    tracks = link([{"shot": 0, "span": (0, 3)}, {"shot": 0, "span": (4, 6), "look": 1}])
    assert tracks.track.tolist() == [0, 1]


def test_a_gap_longer_than_allowed_is_not_bridged_by_place():
    tracks = link([{"shot": 0, "span": (0, 3)}, {"shot": 0, "span": (30, 36)}])
    assert tracks.track.tolist() == [0, 1]


def test_faces_join_over_a_shot_change_whatever_the_look():
    rows = [
        {"shot": 0, "span": (0, 1), "face": 0},
        {"shot": 1, "span": (2, 3), "face": 1, "look": 2},
        {"shot": 2, "span": (4, 5), "face": 0, "look": 3, "x": 300},
    ]
    tracks = link(rows)
    assert tracks.track.tolist() == [0, 1, 0]
    assert LINK_REASONS[tracks.link_reason[2]] == "shot_change"


def test_a_rear_view_joins_the_one_that_looks_the_same_in_the_next_shot():
    rows = [
        {"shot": 0, "span": (0, 1), "face": 0, "look": 0},
        {"shot": 0, "span": (0, 1), "face": 1, "look": 1, "x": 200},
        {"shot": 1, "span": (2, 3), "look": 1, "x": 90},
    ]
    tracks = link(rows, np.array([[0, 1]], np.int32))
    assert tracks.track.tolist() == [0, 1, 1]
    assert tracks.link_reason[2] == LINK_SHOT_CHANGE


def test_a_rear_view_stays_alone_where_two_look_alike():
    rows = [
        {"shot": 0, "span": (0, 1), "face": 0},
        {"shot": 0, "span": (0, 1), "face": 1, "x": 200},
        {"shot": 1, "span": (2, 3), "x": 90},
    ]
    assert link(rows, np.array([[0, 1]], np.int32)).track.tolist() == [0, 1, 2]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=6),
)
@settings(deadline=None)
def test_heads_of_one_frame_never_share_a_track(spec, pairs):
    rows = [
        {"shot": s, "span": (3.0 * k, 3.0 * k + 1), "look": look, **({"face": f} if f < 2 else {})}
        for k, (s, f, look) in enumerate(sorted(spec))
    ]
    cannot = np.array([(a, b) for a, b in pairs if a != b and max(a, b) < len(rows)], np.int32).reshape(-1, 2)
    tracks = link(rows, cannot)
    assert (tracks.track[cannot[:, 0]] != tracks.track[cannot[:, 1]]).all()
    for track in range(tracks.track.max() + 1):
        members = np.flatnonzero(tracks.track == track)
        assert tracks.link_reason[members[0]] == LINK_START
        assert (tracks.link_reason[members[1:]] != LINK_START).all()


def test_evidence_sums_up_heads_and_leaves_out_what_no_tracklet_keeps():
    nan = np.full
    heads = Heads(
        [0, 0, 5, 5], np.arange(16).reshape(4, 4), nan(4, 0.9), np.zeros(4), nan(4, np.nan), nan(4, np.nan),
        nan((4, 4), np.nan), nan((4, 5, 2), np.nan), nan((4, 4), np.nan),
    )  # fmt: skip
    tracklets = Tracklets([0, 1, 0, -1], [0, 0])
    crops = HeadEmbeddings([0, 2], [0, 0], [0.5, 0.5], [[1, 0], [np.nan, np.nan]], [[1, 0], [0, 1]], [0.6, 0])
    colour = np.array([[0.5, 0.5], [1, 0]], np.float32)
    got = gather_evidence(heads, tracklets, crops, colour=colour, frame_time_s=np.arange(6) / 10)
    assert got.last_s.tolist() == [0.5, 0.0]
    assert got.has_face.tolist() == [True, False]
    np.testing.assert_allclose(got.face_recognisability, [0.6, 0])
    np.testing.assert_allclose(got.colour, [[0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(got.look[0], np.sqrt([0.5, 0.5]))
    assert np.isnan(got.look[1]).all()
    assert overlapping_pairs(heads, tracklets).tolist() == [[0, 1]]
