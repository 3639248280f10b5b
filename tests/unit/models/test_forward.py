from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from headtrack.errors import ModelError
from headtrack.models.forward import cpu_forward, in_halves
from headtrack.models.weights import FOLDER_VARIABLE, weights_path
from headtrack.models.yolo_pose import EXPORT, load_pose_network


def _memory_for(most: int):
    sizes: list[int] = []

    def run(items: np.ndarray) -> list[int]:
        if len(items) > most:
            raise torch.OutOfMemoryError("tried to allocate too much")
        sizes.append(len(items))
        return items[:, 0].tolist()

    return run, sizes


def test_a_batch_that_the_memory_does_not_hold_goes_in_halves_and_in_order():
    run, sizes = _memory_for(5)
    items = np.arange(17)[:, None]
    assert [i for part in in_halves(run, items) for i in part] == list(range(17))
    assert max(sizes) == 4
    assert len(sizes) == 5


def test_no_items_ask_for_no_run():
    run, sizes = _memory_for(5)
    assert list(in_halves(run, np.zeros((0, 3)))) == []
    assert sizes == []


def test_one_item_that_does_not_fit_is_said_with_the_remedy():
    run, _ = _memory_for(0)
    with pytest.raises(ModelError, match=r"detect\.image_px"):
        list(in_halves(run, np.zeros((2, 3))))


@pytest.fixture(scope="module")
def pose_file() -> Path:
    return weights_path("yolo11n-pose")


@pytest.mark.heavy
class TestExport:
    planes = np.random.default_rng(0).random((2, 3, 96, 160), np.float32)

    def test_it_gives_what_torch_gives_at_any_size(self, pose_file: Path):
        network = load_pose_network(pose_file)
        forward = cpu_forward(lambda: network, pose_file, EXPORT, threads=1)
        for planes in (self.planes, self.planes.transpose(0, 1, 3, 2).copy(), self.planes[:1, :, :32]):
            with torch.inference_mode():
                expected = network(torch.from_numpy(planes))[0].numpy()
            np.testing.assert_allclose(forward(planes), expected, atol=0.02)

    def test_it_is_kept_and_read_again(self, pose_file: Path, tmp_path, monkeypatch):
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
        network = load_pose_network(pose_file)
        first = cpu_forward(lambda: network, pose_file, EXPORT, threads=1)(self.planes)
        (kept,) = tmp_path.rglob("*.onnx")
        written = kept.stat().st_mtime_ns
        np.testing.assert_array_equal(
            cpu_forward(lambda: network, pose_file, EXPORT, threads=1)(self.planes), first
        )
        assert kept.stat().st_mtime_ns == written

    def test_a_damaged_one_is_made_again(self, pose_file: Path, tmp_path, monkeypatch):
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
        network = load_pose_network(pose_file)
        first = cpu_forward(lambda: network, pose_file, EXPORT, threads=1)(self.planes)
        (kept,) = tmp_path.rglob("*.onnx")
        kept.write_bytes(kept.read_bytes()[:1000])
        np.testing.assert_array_equal(
            cpu_forward(lambda: network, pose_file, EXPORT, threads=1)(self.planes), first
        )
        assert kept.stat().st_size > 1_000_000

    def test_it_needs_no_place_to_be_kept(self, pose_file: Path, tmp_path, monkeypatch):
        occupied = tmp_path / "file"
        occupied.write_text("")
        monkeypatch.setenv(FOLDER_VARIABLE, str(occupied))
        network = load_pose_network(pose_file)
        assert cpu_forward(lambda: network, pose_file, EXPORT, threads=1)(self.planes).shape[:2] == (2, 56)
