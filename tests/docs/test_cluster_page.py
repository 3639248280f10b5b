"""`docs/cluster.md` says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from headtrack.cluster.session import OBJECT_STORE_BYTES
from headtrack.pipeline.commit import COMMIT_WAIT_S
from headtrack.pipeline.gathering import EMBED_BATCH
from headtrack.settings import Settings, setting_rows
from headtrack.video.batching import MAX_BATCH_BYTES
from headtrack.video.decode_worker import SLOTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "cluster.md").read_text()


def test_the_bounds_of_memory_are_those_of_the_code() -> None:
    said = dict(re.findall(r"`([A-Z_]+)` = (\d+(?: MiB)?)", PAGE))
    assert said == {
        "SLOTS": str(SLOTS),
        "MAX_BATCH_BYTES": f"{MAX_BATCH_BYTES // 2**20} MiB",
        "EMBED_BATCH": str(EMBED_BATCH),
        "OBJECT_STORE_BYTES": f"{OBJECT_STORE_BYTES // 2**20} MiB",
    }
    assert COMMIT_WAIT_S == 600  # "up to ten minutes"


def test_the_settings_and_files_that_it_names_exist() -> None:
    sections = "decode|detect|embed|run"
    named = set(re.findall(rf"`((?:{sections})\.\w+)", PAGE))
    assert named <= {row.name for row in setting_rows(Settings())}
    files = re.findall(r"`((?:benchmarks|tests|jobs)/[\w/.]+\.(?:py|sh))", PAGE)
    assert len(files) >= 4
    for file in files:
        assert (ROOT / file).is_file(), file
