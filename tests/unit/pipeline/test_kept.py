from __future__ import annotations

import numpy as np
import pytest

from headtrack.pipeline.kept import KeptDetector, KeptError
from headtrack.types import Detections, FrameBatch
from tests.factories import Seen, make_result

RESULT = make_result([Seen(0, 9, 0, every=1), Seen(4, 8, 1, x=100, every=1)], loose_frames=(4,))
DETECTOR = KeptDetector(Detections(RESULT.looked_at, RESULT.heads), ("head@1",))


def frames(*numbers: int) -> FrameBatch:
    n = len(numbers)
    return FrameBatch(np.zeros((n, 2, 2, 3), np.uint8), np.array(numbers, np.int32), np.zeros(n))


def test_kept_heads_are_given_by_number_of_frame_wherever_the_batches_are_cut() -> None:
    whole = DETECTOR.detect(frames(*range(20)))
    np.testing.assert_array_equal(whole.xyxy, RESULT.heads.xyxy)
    for cut in (1, 4, 7):
        parts = [DETECTOR.detect(frames(*range(first, min(first + cut, 20)))) for first in range(0, 20, cut)]
        np.testing.assert_array_equal(np.concatenate([part.xyxy for part in parts]), RESULT.heads.xyxy)


def test_of_the_frames_asked_for_none_other_is_answered() -> None:
    assert DETECTOR.detect(frames(2, 5, 15)).frame.tolist() == [2, 5, 5]
    assert len(DETECTOR.detect(frames(19))) == 0
    assert len(DETECTOR.detect(frames())) == 0
    assert DETECTOR.model_ids == ("head@1",)


def test_a_frame_that_was_not_looked_at_is_told() -> None:
    with pytest.raises(KeptError, match="frame 20 was not looked at"):
        DETECTOR.detect(frames(19, 20))
