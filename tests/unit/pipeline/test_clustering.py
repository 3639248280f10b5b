from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import faiss
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from headtrack.identity.methods import METHODS
from headtrack.pipeline.clustering import cluster_archive, limited_threads
from headtrack.settings import Settings
from tests.factories import Seen, make_result, store


def most_threads() -> int:
    return max(pool["num_threads"] for pool in threadpool_info())


def test_the_threads_of_faiss_and_of_matrix_products_are_bounded_and_given_back() -> None:
    with threadpool_limits(2):
        with limited_threads(1):
            assert (faiss.omp_get_max_threads(), most_threads()) == (1, 1)
        assert (faiss.omp_get_max_threads(), most_threads()) == (2, 2)
        with limited_threads(0):
            assert (faiss.omp_get_max_threads(), most_threads()) == (2, 2)


def test_threads_are_given_back_after_an_error() -> None:
    with threadpool_limits(2):
        with pytest.raises(ValueError, match="stop"), limited_threads(1):
            raise ValueError("stop")
        assert (faiss.omp_get_max_threads(), most_threads()) == (2, 2)


def test_clustering_takes_as_many_threads_as_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100.0, face=1)]))
    average, seen = METHODS["average"], []

    def watched(evidence, min_probability):
        seen.append(most_threads())
        return average(evidence, min_probability)

    monkeypatch.setitem(METHODS, "average", watched)
    settings = Settings()
    with threadpool_limits(2):
        for threads in (1, 2):
            cluster_archive(db, replace(settings, run=replace(settings.run, threads=threads)))
    assert set(seen[: len(seen) // 2]) == {1}
    assert set(seen[len(seen) // 2 :]) == {2}
