"""What every test module may rely on."""

import os
import sys

import hypothesis
import pytest

# A test asserts no times: on a busy machine the deadline of 0.2 s fails tests that are right. And the same
# code passes or fails the same way every time; `HYPOTHESIS_PROFILE=search` looks for examples not tried yet.
hypothesis.settings.register_profile("headtrack", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, derandomize=False, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "headtrack"))


@pytest.fixture(autouse=True, scope="module")
def _denormals_are_back_after_each_module():
    """Undo `set_threads`: flushed denormals belong to the process, and hypothesis rightly minds them."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
