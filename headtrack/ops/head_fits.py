"""Fitted numbers of the head boxes and scores; made by `benchmarks/fit_head_box.py`, not by hand.

Fitted on the whole-head boxes of SCUT-HEAD (Peng et al., arXiv 1803.09256).
"""

from __future__ import annotations

from headtrack.ops.head_boxes import FaceFit, PoseFit
from headtrack.ops.head_union import HeadFits

HEAD_FITS = HeadFits(
    facing=PoseFit(
        rough=(1.736, 0.806, 0.096),
        height=(1.057, 0.288, 0.125, 0.527),
        up=(0.468, 0.318, -0.117, -0.118, 0.073, 0.182),
        down=(0.442, -0.184, 0.145, 0.114, -0.076, -0.215),
        width=(0.875, -0.112, 0.005, 0.032, 0.248, -0.125),
        shift=(-0.505, -0.023),
    ),
    rear=PoseFit(
        rough=(1.051, 0.287, 0.61),
        height=(0.755, 0.07, 0.216, 0.652),
        up=(0.607, 0.23, -0.21, 0.044, 0.066, -0.0),
        down=(0.266, -0.121, 0.241, 0.004, 0.036, -0.187),
        width=(0.883, -0.058, -0.157, 0.408, 0.222, 0.052),
        shift=(-0.303, 0.156),
    ),
    face=FaceFit(
        up=(0.2, 0.302, 0.325, 0.16),
        down=(0.163, -0.054, 0.027, -0.143),
        width=(1.198, 0.179, 0.442, 0.002),
        shift=(-1.187,),
    ),
    face_share=(0.072, 0.006, 0.072, 0.322),
    pose_score=(-7.318, 0.462, -0.282, 4.941, 1.555, 3.694, 4.584),
    face_score=(0.394, 1.636),
)
