"""The main job on a running Ray cluster.

ray job submit --working-dir . -- python jobs/process_archive.py PATH... --db people.duckdb

Takes what `headtrack run` takes; its exit codes and messages are the same.
"""

import sys

from headtrack.cli.main import main

if __name__ == "__main__":
    main(["run", "--ray", "auto", *sys.argv[1:]])
