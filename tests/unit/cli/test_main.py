from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from headtrack import __version__, errors
from headtrack.cli.main import describe, exit_code_of
from headtrack.store.database import open_writer

HEAVY = ("torch", "ray", "duckdb", "cv2", "av", "decord", "ultralytics", "scipy", "sklearn", "pyarrow")


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.parametrize(
    "words",
    [
        ["frobnicate"],
        [],
        ["run"],
        ["run", "--no-such-option", "x"],
        ["people", "--format", "yaml"],
        ["query", "SELECT 1", "--limit", "many"],
        ["models", "frobnicate"],
    ],
)
def test_a_wrong_word_gives_one_line_and_exit_code_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    assert "--help` shows what it takes" in err


def test_every_error_class_keeps_its_documented_exit_code() -> None:
    codes = {
        kind.__name__: describe(kind("what, which value, what to do"))[1]
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.HeadtrackError)
    }
    assert codes == {
        "HeadtrackError": 1,
        "SettingsError": 2,
        "VideoError": 3,
        "ModelError": 4,
        "StoreError": 5,
        "StoreLockedError": 5,
        "DatasetError": 6,
        "PartialRunError": 7,
    }


def test_a_full_disk_counts_as_a_store_error_and_says_what_to_do() -> None:
    message, code = describe(OSError(errno.ENOSPC, "No space left on device", "part.parquet"))
    assert code == 5
    assert "part.parquet" in message
    assert "free some space" in message


def test_an_unforeseen_error_is_one_line_that_asks_for_a_report() -> None:
    message, code = describe(ZeroDivisionError("division\nby zero"))
    assert code == 1
    assert "\n" not in message
    assert "internal error: ZeroDivisionError: division by zero; please report it" in message
    assert "-v shows the traceback" in message


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["settings"], ["--version"]])
def test_help_and_settings_load_no_heavy_library(words: list[str]) -> None:
    script = (
        "import json, sys\n"
        "from headtrack.cli.main import exit_code_of\n"
        f"code = exit_code_of({words!r})\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "print(json.dumps([code, heavy]), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr) == [0, []]


NETWORKS = ("torch", "torchvision", "onnxruntime", "ultralytics", "ray")
CLUSTERERS = ("faiss", "numba", "hdbscan", "fast_hdbscan", "sklearn")


@pytest.mark.parametrize(
    "words",
    [
        ["merge", "nobody", "somebody"],
        ["split", "nobody", "film.mp4:1"],
        ["assign", "film.mp4:1", "nobody"],
        ["reject", "nobody", "somebody"],
        ["name", "nobody", "Ada"],
        ["undo"],
        ["forget", "nobody"],
        ["timeline", "nobody"],
        ["query", "--name", "tracks", "--param", "person=nobody"],
        ["find", "picture.png"],
        ["merge", "nobody", "somebody", "--db", "none.duckdb"],
        ["cluster", "--db", "none.duckdb"],
        ["suggest", "--db", "none.duckdb"],
        ["suggest", "--set", "identity.min_probability=2"],
    ],
)
def test_a_mistake_is_told_before_networks_and_clusterers_load(tmp_path: Path, words: list[str]) -> None:
    with open_writer(tmp_path / "people.duckdb"):
        pass
    (tmp_path / "picture.png").write_bytes(b"no picture")
    script = (
        "import sys\n"
        "from headtrack.cli.main import exit_code_of\n"
        f"code = exit_code_of({words!r})\n"
        f"print([name for name in {NETWORKS + CLUSTERERS!r} if name in sys.modules])\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "[]\n"
    assert done.returncode in (2, 5)
    assert done.stderr.startswith("error: ")


def test_settings_come_as_json_with_the_overridden_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["settings", "--set", "detect.fps=7", "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["detect.fps"]["value"] == 7.0
    assert rows["detect.fps"]["default"] != 7.0
    assert all(row["meaning"] for row in rows.values())


@pytest.mark.parametrize(
    ("override", "named"),
    [("detect.fsp=5", "detect.fps"), ("detect.fps=fast", "fast"), ("detect.fps", "section.key=value")],
)
def test_a_wrong_setting_gives_exit_code_2_and_names_the_remedy(
    override: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(["settings", "--set", override]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert named in err


def test_a_settings_file_that_is_not_there_gives_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(["settings", "--config", str(tmp_path / "no.toml")]) == 2
    assert "no.toml" in capsys.readouterr().err


def test_output_that_cannot_be_written_is_said_in_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "headtrack", "settings"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode != 0
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
