import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.pipeline.looking import frames_due
from headtrack.settings import DetectSettings


@given(
    st.lists(st.floats(0.001, 0.4), min_size=1, max_size=60),
    st.floats(0.5, 30),
    st.lists(st.integers(1, 9), min_size=1, max_size=60),
)
def test_frames_due_do_not_depend_on_the_batches(steps, fps, sizes):
    time_s = np.cumsum(steps) - steps[0]
    settings = DetectSettings(fps=fps)
    whole = frames_due(time_s, -math.inf, settings)
    pieces, before_s, start = [], -math.inf, 0
    for size in sizes * 60:
        part = time_s[start : start + size]
        if not len(part):
            break
        pieces += [start + k for k in frames_due(part, before_s, settings)]
        before_s = float(part[-1])
        start += size
    assert pieces == whole
    assert whole[0] == 0
    gaps = np.diff(time_s[whole])
    assert (gaps <= 1 / fps + max(steps) + 1e-5).all()


def test_a_rate_of_zero_looks_at_every_frame():
    assert frames_due(np.arange(5) / 25, 0.0, DetectSettings(fps=0)) == [0, 1, 2, 3, 4]


def test_footage_slower_than_the_rate_is_looked_at_whole():
    assert frames_due(np.arange(4.0), -math.inf, DetectSettings(fps=5)) == [0, 1, 2, 3]
