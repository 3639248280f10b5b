"""Measures the main job on labelled footage, as a job on a cluster.

ray job submit --working-dir . -- python jobs/evaluate.py --data DIR --format json

Takes what `headtrack eval` takes; its exit codes and messages are the same.
"""

import sys

from headtrack.cli.main import main

if __name__ == "__main__":
    main(["eval", *sys.argv[1:]])
