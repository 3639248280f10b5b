"""Fitted numbers of the head boxes and scores; made by `benchmarks/fit_head_box.py`, not by hand.

Fitted on the whole-head boxes of SCUT-HEAD (Peng et al., arXiv 1803.09256).
"""

from __future__ import annotations

from headtrack.ops.head_boxes import FaceFit, PoseFit
from headtrack.ops.head_union import HeadFits

HEAD_FITS = HeadFits(
    facing=PoseFit(
        rough=(1.754, 0.814, 0.083),
        height=(1.051, 0.278, 0.125, 0.535),
        up=(0.48, 0.318, -0.134, -0.121, 0.078, 0.169),
        down=(0.426, -0.175, 0.151, 0.128, -0.06, -0.224),
        width=(0.88, -0.107, -0.009, 0.036, 0.253, -0.133),
        shift=(-0.5, -0.021),
    ),
    rear=PoseFit(
        rough=(1.065, 0.282, 0.609),
        height=(0.771, 0.08, 0.226, 0.63),
        up=(0.609, 0.262, -0.218, 0.011, 0.038, -0.012),
        down=(0.262, -0.132, 0.257, -0.009, 0.051, -0.22),
        width=(0.897, -0.041, -0.175, 0.391, 0.205, 0.004),
        shift=(-0.309, 0.148),
    ),
    face=FaceFit(
        up=(0.21, 0.278, 0.342, 0.157),
        down=(0.18, -0.073, 0.016, -0.158),
        width=(1.216, 0.149, 0.448, -0.012),
        shift=(-1.182,),
    ),
    face_share=(0.072, 0.011, 0.072, 0.323),
    pose_score=(-7.253, 0.361, -1.122, 0.856, 5.301, 1.948, 3.96, 0.155, 4.473),
    face_score=(-4.389, 3.055, -2.062),
)
