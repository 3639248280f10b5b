"""What every test module may rely on."""

import sys

import pytest


@pytest.fixture(autouse=True, scope="module")
def _denormals_are_back_after_each_module():
    """Undo `set_threads`: flushed denormals belong to the process, and hypothesis rightly minds them."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
