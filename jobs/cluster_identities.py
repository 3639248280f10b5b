"""Clusters the tracks of a database into people anew, as a job on a cluster.

ray job submit --working-dir . -- python jobs/cluster_identities.py --db people.duckdb

Takes what `headtrack cluster` takes; its exit codes and messages are the same.
"""

import sys

from headtrack.cli.main import main

if __name__ == "__main__":
    main(["cluster", *sys.argv[1:]])
