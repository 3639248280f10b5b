"""The model in `docs/cluster.md`, against sums by hand."""

import pytest

from benchmarks.extrapolate import CLUSTERED, DAY_S, extrapolate, grown

MEASURED = {
    "cpu_s_an_hour": {
        "decoding": 100.0,
        "a network": 3000.0,
        "another": 600.0,
        "rest_of_the_analysis": 400.0,
        "committing": 2.0,
    },
    "rows_an_hour": {"head": 100_000, "track": 10},
    "database_mb_an_hour": 5.0,
}


def test_each_stage_takes_its_share_of_the_nodes():
    found = extrapolate(MEASURED, hours=10_000, nodes=2, cores=10, gpu_speed=36.0, pixels=4.0)
    hour_of_a_node = 10_000 / 2 / DAY_S
    assert found["days"]["cores_of_a_node"] == pytest.approx(hour_of_a_node * (400 + 400) / 10, abs=0.01)
    assert found["days"]["gpu_of_a_node"] == pytest.approx(hour_of_a_node * 3600 / 36, abs=0.01)
    assert found["days"]["committing"] == pytest.approx(10_000 * 2 / DAY_S, abs=0.01)
    assert found["days"]["clustering"] == pytest.approx(609 / DAY_S, abs=0.01)
    assert found["longest"] == "gpu_of_a_node"
    assert found["gigabytes"]["database"] == 50
    assert found["millions"] == {"head_rows": 1000, "tracks": 0.1}
    assert found["cores_a_gpu_needs"] == pytest.approx(36 * 800 / 3600)


def test_clustering_grows_as_it_did_between_the_sizes_measured():
    few, many = CLUSTERED
    assert grown(few[0], 1) == pytest.approx(few[1])
    assert grown(many[0], 2) == pytest.approx(many[2])
    assert grown(5 * many[0], 1) == pytest.approx(many[1] * many[1] / few[1])
