import numpy as np
import pytest

from headtrack.errors import SettingsError
from headtrack.identity import methods
from headtrack.identity.evidence import FaceEvidence
from headtrack.identity.looks import look_labels
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.ops.vectors import unit

NONE = np.zeros((0, 2), np.int32)


def evidence(rows: int, most_exact_rows: int) -> FaceEvidence:
    rng = np.random.default_rng(0)
    face = unit(rng.normal(size=(8, 32))[np.arange(rows) % 8] + rng.normal(0, 0.5, (rows, 32)))
    return FaceEvidence(
        face, np.ones(rows), FACE_SCALES["sface"], cannot_link=NONE, most_exact_rows=most_exact_rows
    )


@pytest.mark.parametrize("probability", [0.3, 0.5, 0.9, 1.0])
def test_many_rows_are_clustered_as_few_are_at_any_limit(probability):
    labels = [methods.average_linkage(evidence(80, most), probability) for most in (80, 0)]
    np.testing.assert_array_equal(*labels)


@pytest.mark.parametrize("method", ["hdbscan", "fast-hdbscan"])
def test_density_methods_refuse_more_rows_than_memory_holds_and_name_the_other(method, monkeypatch):
    monkeypatch.setattr(methods, "MOST_DENSITY_ROWS", 10)
    with pytest.raises(SettingsError, match=r"11 tracks .* 10 at most; --set identity.method=average"):
        methods.METHODS[method](evidence(11, 100), 0.5)


def test_many_looks_are_grouped_as_few_are_and_an_unknown_one_is_alone():
    rng = np.random.default_rng(1)
    look = unit(np.eye(8)[np.arange(60) % 4] + rng.normal(0, 0.05, (60, 8)))
    look[3] = np.nan
    labels = [look_labels(look, 0.0, most_exact_rows=most) for most in (60, 0)]
    np.testing.assert_array_equal(*labels)
    assert (labels[0] == labels[0][3]).sum() == 1
