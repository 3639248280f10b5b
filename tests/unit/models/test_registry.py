import re

import pytest

from headtrack.errors import ModelError
from headtrack.models.registry import MODELS, model_id


@pytest.mark.parametrize("spec", MODELS.values(), ids=lambda spec: spec.name)
def test_every_model_is_pinned_hashed_and_described(spec):
    assert re.fullmatch(r"[a-z0-9.-]+==[0-9.]+", spec.package)
    assert re.fullmatch(r"[0-9a-f]{64}", spec.sha256)
    assert re.fullmatch(r"[0-9a-f]{64}", spec.package_sha256)
    assert spec.package_bytes > 0
    assert all((spec.role, spec.licence, spec.source, spec.input, spec.limits))


def test_no_two_models_share_a_file_name():
    assert len({spec.filename for spec in MODELS.values()}) == len(MODELS)


def test_models_of_one_package_agree_on_its_hash():
    assert len({(spec.package, spec.package_sha256) for spec in MODELS.values()}) == len(
        {spec.package for spec in MODELS.values()}
    )


def test_a_model_id_names_the_file_behind_it():
    assert model_id("transnetv2") == "transnetv2@a313d0b3bebf"


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(ModelError, match=r"unknown model 'arcface'; known models: .*centerface"):
        model_id("arcface")
