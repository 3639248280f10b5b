from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# Promised are two seconds; the rest is slack for a busy machine.
BOUND_S = 5.0

OBEDIENT = """
import sys
from headtrack.cli import main as program
def sleepy(args):
    import time
    try:
        print("ready", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        from headtrack.cli import interrupt
        return interrupt.exit_code()
program.exit_code_of = sleepy
program.main([])
"""

# Native code that holds the main thread looks like this from outside: the exception gets lost.
STUCK = """
import signal, time
from headtrack.cli.interrupt import watch_for_interrupt
watch_for_interrupt()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: None)
print("ready", flush=True)
time.sleep(60)
"""

# A thread that is no daemon keeps an interpreter from ending.
HANGS_AT_EXIT = OBEDIENT.replace(
    "import sys", "import sys, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"
)


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("script", [OBEDIENT, STUCK, HANGS_AT_EXIT], ids=["obedient", "stuck", "hangs"])
def test_a_signal_ends_the_program_in_time_with_one_line_and_its_exit_code(
    script: str, number: signal.Signals, exit_code: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(number)
        sent = time.monotonic()
        code = program.wait(timeout=60)
        took_s = time.monotonic() - sent
        message = program.stderr.read()
    assert code == exit_code
    assert message == "stopped; run the same command again to go on\n"
    assert took_s < BOUND_S
