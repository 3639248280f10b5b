"""The only place that talks to Ray."""

import os

# Ray reads these when it is imported: nothing is reported to anybody, a surrounding `uv run` does
# not rebuild its environment in every worker, and a worker without a GPU keeps what it sees.
_OFF = ("RAY_USAGE_STATS_ENABLED", "RAY_ENABLE_UV_RUN_RUNTIME_ENV", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO")
for _name in _OFF:
    os.environ.setdefault(_name, "0")
