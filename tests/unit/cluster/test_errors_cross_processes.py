"""Every error and every failure survives the way from a worker's process."""

from __future__ import annotations

import pickle

import pytest

from headtrack import errors
from headtrack.types import VideoFailure

CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.HeadtrackError)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_error_keeps_its_class_message_and_exit_code(kind):
    copy = pickle.loads(pickle.dumps(kind("what happened; what to do")))
    assert type(copy) is kind
    assert (str(copy), copy.exit_code) == ("what happened; what to do", kind.exit_code)


def test_a_failure_is_equal_after_the_journey():
    failure = VideoFailure("/a.mp4", "0" * 16, "decode", "VideoError", "truncated at frame 7")
    assert pickle.loads(pickle.dumps(failure)) == failure
