"""People are the same whether ONNX Runtime or torch runs the pose network."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from headtrack.models.weights import weights_path
from headtrack.models.yolo_pose import YoloPose, load_pose_network
from headtrack.ops.boxes import iou_matrix
from tests.contract import photographs

pytestmark = pytest.mark.heavy
PHOTOGRAPHS = (photographs.bus, photographs.zidane, photographs.astronaut)


class Torch:
    """The network as torch runs it, in the place of the exported one."""

    def __init__(self) -> None:
        self._network = load_pose_network(weights_path("yolo11n-pose"))

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return self._network(torch.from_numpy(planes))[0].numpy()


@pytest.mark.parametrize("photograph", PHOTOGRAPHS)
def test_people_are_those_that_torch_finds(photograph):
    rgb = photograph()[None]
    exported = YoloPose(weights_path("yolo11n-pose"), image_px=640, min_score=0.1, device="cpu")
    found = exported.find(rgb)
    exported._forward = Torch()
    expected = exported.find(rgb)
    assert len(found) == len(expected) > 0
    iou = np.diag(iou_matrix(found.xyxy, expected.xyxy))
    assert iou.mean() >= 0.99
    assert iou.min() >= 0.98
    np.testing.assert_allclose(found.score, expected.score, atol=1e-3)
    np.testing.assert_allclose(found.keypoints[..., :2], expected.keypoints[..., :2], atol=0.5)
