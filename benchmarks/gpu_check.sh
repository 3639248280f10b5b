#!/bin/sh
# Checks headtrack on a GPU: what it finds against a CPU, and how fast each stage is; under five minutes.
#
#   benchmarks/gpu_check.sh [VIDEO]        VIDEO: the demo's footage where not given
#
# Prints JSON. Ends with 0 where all agrees, and where there is no GPU (skipped); with 1 where it does not.
set -eu
cd "$(dirname "$0")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3
exec "$python" benchmarks/gpu_check.py "$@"
