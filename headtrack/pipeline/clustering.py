"""Clusters every track of a database into people and looks.

Nothing here brings a network: who corrects a database need not wait for torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from headtrack.errors import SettingsError
from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.ids import name_people
from headtrack.models.registry import model_id
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import IDENTITY_MODELS, Settings
from headtrack.store.corrections import corrected_gallery
from headtrack.store.database import LOCK_WAIT_S, Connection, open_writer
from headtrack.store.ingest import NEW_EVIDENCE, Cause, Clustering, ingest_identities
from headtrack.store.looks import load_look_spans, previous_looks
from headtrack.store.read import done_videos, previous_people
from headtrack.types import Provenance


def cluster_archive(db: Path, settings: Settings, *, wait_s: float = LOCK_WAIT_S) -> tuple[int, int]:
    """Cluster every track of the database anew; ids of people and looks stay where they fit.

    Args:
        db: the DuckDB file.
        settings: the sections `identity`, `run` and `embed` matter.
        wait_s: how long to wait for others to let go of the database.

    Returns:
        Number of people and of appearances.

    Raises:
        SettingsError: some videos' faces were embedded by another model than the settings name.
    """
    with open_writer(db, wait_s=wait_s) as con:
        return cluster_opened(con, settings, NEW_EVIDENCE)


def cluster_opened(con: Connection, settings: Settings, cause: Cause) -> tuple[int, int]:
    """Do the same on a database that is open for writing, for a reason that is recorded."""
    check_identity_model(done_videos(con).values(), settings)
    gallery = corrected_gallery(con)
    spans = load_look_spans(con, settings.identity, look_dim=gallery.look.shape[1])
    gallery = replace(gallery, spans=spans)
    with limited_threads(settings.run.threads):
        tree = build_hierarchy(gallery, FACE_SCALES[settings.embed.identity_model], settings.identity)
    ids = name_people(tree, gallery, previous_people(con), previous_looks(con))
    clustering = Clustering(settings.identity.method, asdict(settings.identity), cause)
    ingest_identities(con, gallery, tree, ids, clustering)
    return len(set(ids.person.tolist())), len(set(ids.span_appearance.tolist()))


@contextmanager
def limited_threads(threads: int) -> Iterator[None]:
    """Bound the CPU threads of matrix products and searches, and give back what they had before.

    Args:
        threads: as in `RunSettings.threads`; 0 leaves them as they are: OMP_NUM_THREADS, or every CPU that
            this process may use.
    """
    import faiss  # noqa: F401 (only the pools of loaded libraries are bounded; mistakes are told before)

    with threadpool_limits(threads or None):
        yield


def check_identity_model(known: Iterable[Provenance], settings: Settings) -> None:
    """Refuse to mix faces that different networks embedded: their vectors cannot be compared.

    Args:
        known: what the videos that stay in the database depend on.
        settings: `embed.identity_model` matters.

    Raises:
        SettingsError: some videos' faces were embedded by another model.
    """
    wanted = model_id(settings.embed.identity_model)
    others = [provenance.models for provenance in known if wanted not in provenance.models]
    if others:
        names = {name.partition("@")[0] for models in others for name in models}
        theirs = sorted(names & set(IDENTITY_MODELS)) or ["another model"]
        videos = "1 video" if len(others) == 1 else f"{len(others)} videos"
        raise SettingsError(
            f"the faces of {videos} in the database were embedded by {theirs[0]}, and those of this run "
            f"would be by {settings.embed.identity_model}: they cannot be compared; add --set "
            f"embed.identity_model={theirs[0]}, run all videos of the database again in one command, or "
            "take a new --db"
        )
