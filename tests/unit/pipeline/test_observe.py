import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.pipeline.observe import _frames_due
from headtrack.settings import DetectSettings


@given(
    st.lists(st.floats(0.001, 0.4), min_size=1, max_size=60),
    st.floats(0.5, 30),
    st.lists(st.integers(1, 9), min_size=1, max_size=60),
)
def test_frames_due_do_not_depend_on_the_batches(steps, fps, sizes):
    time_s = np.cumsum(steps) - steps[0]
    settings = DetectSettings(fps=fps)
    whole, _ = _frames_due(time_s, -math.inf, settings)
    pieces, due_s, start = [], -math.inf, 0
    for size in sizes * 60:
        part = time_s[start : start + size]
        if not len(part):
            break
        picked, due_s = _frames_due(part, due_s, settings)
        pieces += [start + k for k in picked]
        start += size
    assert pieces == whole
    assert whole[0] == 0
    gaps = np.diff(time_s[whole])
    assert (gaps <= 1 / fps + max(steps) + 1e-5).all()


def test_a_rate_of_zero_looks_at_every_frame():
    assert _frames_due(np.arange(5) / 25, 0.0, DetectSettings(fps=0))[0] == [0, 1, 2, 3, 4]


def test_footage_slower_than_the_rate_is_looked_at_whole():
    assert _frames_due(np.arange(4.0), -math.inf, DetectSettings(fps=5))[0] == [0, 1, 2, 3]
