"""The main job over an archive: analyse what is new, commit it, cluster everybody.

Workers write Parquet parts; this process alone writes the database, one transaction a video.
What was interrupted is taken up again: finished parts of earlier runs are committed first, and
videos already in the database with the same content, settings and models are skipped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from headtrack.errors import StoreError
from headtrack.pipeline.clustering import check_identity_model, cluster_archive
from headtrack.pipeline.commit import (
    COMMIT_WAIT_S,
    commit_failure,
    commit_leftovers,
    commit_part,
    commit_paths,
    commit_remote,
)
from headtrack.pipeline.in_process import worker_here
from headtrack.pipeline.kept import keep_heads
from headtrack.pipeline.plan import Batch, Plan, batches
from headtrack.pipeline.progress import RunProgress, Workers, WorkerState, to_journal
from headtrack.pipeline.provenance import expected_provenance
from headtrack.pipeline.prune import prune_runs
from headtrack.pipeline.relink import relink
from headtrack.pipeline.status import JOURNAL
from headtrack.settings import Settings
from headtrack.store.database import open_writer
from headtrack.store.kept import drop_kept, remove_all_kept
from headtrack.store.links import relinkable_videos
from headtrack.store.read import done_videos, partial_videos
from headtrack.store.remote import known_remote
from headtrack.store.spool import run_folder
from headtrack.types import SpanDone, Video, VideoFailure
from headtrack.video.inputs import Input

Outcome = Path | VideoFailure | SpanDone | Workers
# Gets the videos to analyse, batch by batch (asking for one fetches its remote files), and the run folder;
# yields, as each is done, its part or its failure, before that what was done of it, and now and then what its
# processes do.
Worker = Callable[[Iterable[Batch], Path], Generator[Outcome, None, None]]
Listener = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        run_id: name of its folder.
        run_dir: its folder, with `progress.jsonl`.
        done: videos analysed and committed, partial ones included.
        partial: of these, videos that broke off before their end.
        heads_kept: of those done, videos in which no head was looked for, since an earlier run had.
        relinked: of those done, videos not decoded at all, whose stored tracklets were linked anew.
        skipped: inputs whose content was already in the database, or is that of another input.
        skipped_partial: of these, inputs that an earlier run analysed only up to where decoding failed.
        failures: one a failed video.
        people: in the database after the run.
        appearances: in the database after the run.
        wall_s: seconds the run took.
    """

    run_id: str
    run_dir: Path
    done: int
    partial: int
    heads_kept: int
    relinked: int
    skipped: int
    skipped_partial: int
    failures: tuple[VideoFailure, ...]
    people: int
    appearances: int
    wall_s: float


def run_archive(
    inputs: Sequence[Input],
    db: Path,
    settings: Settings,
    *,
    force: bool = False,
    worker: Worker | None = None,
    on_progress: Listener | None = None,
) -> RunReport:
    """Analyse every input that the database does not have yet, then cluster all its tracks.

    Remote files are fetched and analysed batch by batch, so that each is fetched once on this machine; those
    that the database knows by their stamps are not fetched at all.

    Args:
        inputs: videos and images, as `headtrack.video.inputs.find_inputs` gives them.
        db: DuckDB file, made where it does not exist.
        settings: all sections.
        force: analyse again what is already there.
        worker: where videos are analysed; None means in this process.
        on_progress: told how the run stands.

    Returns:
        What was done. Videos that failed are in it, not raised.

    Raises:
        StoreError: the database is locked, foreign or cannot be written.
        ModelError: a model is missing or altered.
        SettingsError: the database holds faces of another model than the settings name.
    """
    started = time.monotonic()
    commit_leftovers(db)
    expected = expected_provenance(settings)
    with open_writer(db) as con:  # fails early where the file is not ours
        known, cut_short, content = done_videos(con), partial_videos(con), known_remote(con)
        relinkable = relinkable_videos(con, expected.tracklet_hash)
    done = {} if force else known
    same = {video_id for video_id, provenance in done.items() if provenance == expected}
    relinkable &= done.keys() - same
    plan, (first, *further) = Plan(same | relinkable, content), batches(inputs, settings.decode)
    plan.extend(first, settings.decode)
    redone = {v.video_id for v in plan.videos}.union(plan.known_content(s) for b in further for s in b)
    kept = known.keys() - (redone - same)
    check_identity_model([known[k] for k in kept], settings)
    run_id = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    run_dir = run_folder(db, run_id)
    _make_folder(run_dir)
    tell = _listeners(to_journal(run_dir / JOURNAL), on_progress)

    state = RunProgress(
        videos_done=0,
        videos_skipped=0,
        videos_failed=0,
        videos_total=len(inputs),
        seconds_done=0.0,
        seconds_total=0.0,
        current="",
        workers=() if worker else (WorkerState.here(),),
    )
    left_s: dict[str, float] = {}  # of each video, what was not told of yet
    path_of: dict[str, str] = {}
    failures, partial, heads_kept = list[VideoFailure](), 0, 0
    relinked = set[str]()

    def on_seconds(video: Video, seconds: float) -> None:
        tell(replace(state, seconds_done=state.seconds_done + seconds, current=video.path))

    work = worker or worker_here(settings, on_seconds)

    def batch_by_batch() -> Iterator[Batch]:
        nonlocal state
        told, planned, noted = 0, 0, 0
        for number, batch in enumerate([[], *further]):  # the first is planned
            plan.extend(batch, settings.decode)
            new_failures, videos = plan.failures[told:], plan.videos[planned:]
            again = {video_id for video_id, _ in plan.also_at[noted:]} & relinkable - relinked
            told, planned, noted = len(plan.failures), len(plan.videos), len(plan.also_at)
            commit_remote(db, plan.take_fetched())
            for failure in new_failures:
                commit_failure(db, failure)
            failures.extend(new_failures)
            left_s.update({v.video_id: v.duration_s for v in videos})
            path_of.update({v.video_id: v.path for v in videos})
            state = replace(
                state,
                videos_skipped=len(plan.also_at) - len(relinked | again),
                videos_failed=state.videos_failed + len(new_failures),
                seconds_total=state.seconds_total + sum(v.duration_s for v in videos),
            )
            tell(state)
            for video_id in sorted(again):
                relink(db, video_id, settings, now=expected)
                relinked.add(video_id)
                state = replace(state, videos_done=state.videos_done + 1)
                tell(state)
            if videos:
                keep_heads(db, run_dir, videos, done=done, now=expected)
                yield Batch(videos, last=number == len(further))

    outcomes = work(batch_by_batch(), run_dir)
    try:
        for outcome in outcomes:
            if isinstance(outcome, tuple):
                state = replace(state, workers=outcome)
            elif isinstance(outcome, SpanDone):
                left_s[outcome.video_id] -= outcome.seconds
                seconds_done = state.seconds_done + outcome.seconds
                state = replace(state, seconds_done=seconds_done, current=outcome.path)
            elif isinstance(outcome, VideoFailure):
                commit_failure(db, outcome)
                failures.append(outcome)
                state = replace(
                    state,
                    videos_failed=state.videos_failed + 1,
                    seconds_done=state.seconds_done + left_s.get(outcome.video_id, 0.0),
                    current=outcome.path,
                )
            else:
                video_id = outcome.name
                partial += commit_part(db, outcome)
                heads_kept += drop_kept(run_dir, video_id)
                state = replace(
                    state,
                    videos_done=state.videos_done + 1,
                    seconds_done=state.seconds_done + left_s[video_id],
                    current=path_of[video_id],
                )
            tell(state)
    finally:
        outcomes.close()
        remove_all_kept(run_dir)
    copies = commit_paths(db, plan.also_at, failures)
    failures += copies
    people, appearances = cluster_archive(db, settings, wait_s=COMMIT_WAIT_S)
    prune_runs(db)
    return RunReport(
        run_id=run_id,
        run_dir=run_dir,
        done=state.videos_done,
        partial=partial + len(cut_short & relinked),
        heads_kept=heads_kept,
        relinked=len(relinked),
        skipped=len(plan.also_at) - len(copies) - len(relinked),
        skipped_partial=sum(video_id in cut_short & same for video_id, _ in plan.also_at),
        failures=tuple(failures),
        people=people,
        appearances=appearances,
        wall_s=time.monotonic() - started,
    )


def _make_folder(run_dir: Path) -> None:
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"run folder {run_dir} cannot be made ({error.strerror}); give --db a place that can be written"
        ) from error


def _listeners(*listeners: Listener | None) -> Listener:
    present = [listener for listener in listeners if listener is not None]

    def tell(progress: RunProgress) -> None:
        for listener in present:
            listener(progress)

    return tell
