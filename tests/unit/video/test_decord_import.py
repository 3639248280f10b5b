from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import headtrack.video.decode
import torch
x = torch.ones(2, 64, 64)
print(float(torch.bmm(x, x).sum()))
print(any("libnvblas" in line for line in open("/proc/self/maps")))
"""


def test_torch_computes_after_decord_was_imported() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert run.stdout.split() == [str(float(2 * 64**3)), "False"], run.stderr
