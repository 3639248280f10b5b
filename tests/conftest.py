"""What every test module may rely on."""

import sys

import hypothesis
import pytest

# A test asserts no times: on a busy machine the deadline of 0.2 s fails tests that are right.
hypothesis.settings.register_profile("headtrack", deadline=None)
hypothesis.settings.load_profile("headtrack")


@pytest.fixture(autouse=True, scope="module")
def _denormals_are_back_after_each_module():
    """Undo `set_threads`: flushed denormals belong to the process, and hypothesis rightly minds them."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
