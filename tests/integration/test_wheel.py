"""The wheel works outside the checkout: it carries its SQL, its metadata and its program."""

from __future__ import annotations

import email
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
CREATE_STORE = """
import pathlib, sys, headtrack
from headtrack.store.database import open_writer
with open_writer(pathlib.Path("people.duckdb")) as con:
    print(con.execute("SELECT count(*) FROM person_summary").fetchone()[0], headtrack.__file__)
"""


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, REPO, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Give the `bin` of a fresh environment with the wheel; the dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("env")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel, cwd=folder)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # What a .pth file names is searched last, and .pth files in there (an editable headtrack) are not read.
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


def test_the_wheel_carries_every_module_and_every_sql_file_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    modules = {str(p.relative_to(REPO)) for p in (REPO / "headtrack").rglob("*.py")}
    sql = {f"headtrack/{p.relative_to(REPO)}" for p in (REPO / "sql").rglob("*.sql")}
    assert sql
    assert modules | sql <= names
    assert {name for name in names if not name.endswith((".py", ".sql"))} <= {"headtrack/py.typed"}


def test_the_metadata_names_pythons_licence_and_program(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        fields = email.message_from_bytes(archive.read(metadata))
        assert (
            archive.read(metadata.replace("METADATA", "licenses/LICENSE")) == (REPO / "LICENSE").read_bytes()
        )
        entry = archive.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    assert set(fields["Requires-Python"].split(",")) == {">=3.11", "<3.14"}
    assert fields["License-Expression"] == "AGPL-3.0-or-later"
    assert "headtrack = headtrack.cli.main:main" in entry


def test_the_installed_program_runs_outside_the_checkout(installed, tmp_path):
    version = run(installed / "headtrack", "--version", cwd=tmp_path)
    assert (
        version.split()[-1] == run(sys.executable, "-m", "headtrack", "--version", cwd=tmp_path).split()[-1]
    )
    assert "detect.fps" in run(installed / "headtrack", "settings", cwd=tmp_path)


def test_the_installed_package_creates_a_database_from_its_own_sql(installed, tmp_path):
    people, source = run(installed / "python", "-c", CREATE_STORE, cwd=tmp_path).split(maxsplit=1)
    assert people == "0"
    assert Path(source.strip()).is_relative_to(installed.parent)


@pytest.mark.parametrize("minor", [11, 12, 13])
def test_every_file_compiles_without_a_warning_on_python(minor, tmp_path):
    name = f"python3.{minor}"
    python = sys.executable if sys.version_info[:2] == (3, minor) else name
    try:
        found = subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        found = False
    if not found:
        pytest.skip(f"{name} is not on the PATH")
    code = "import pathlib, sys\nfor p in sys.argv[1:]: compile(pathlib.Path(p).read_bytes(), p, 'exec')"
    files = sorted(p for folder in ("headtrack", "jobs") for p in (REPO / folder).rglob("*.py"))
    run(python, "-W", "error", "-c", code, *files, cwd=tmp_path)
