"""Fitted numbers of the head boxes and scores; made by `benchmarks/fit_head_box.py`, not by hand.

Fitted on the whole-head boxes of SCUT-HEAD (Peng et al., arXiv 1803.09256).
"""

from __future__ import annotations

from headtrack.ops.head_boxes import FaceFit, PoseFit
from headtrack.ops.head_union import HeadFits

HEAD_FITS = HeadFits(
    facing=PoseFit(
        rough=(1.736, 0.798, 0.103),
        height=(1.033, 0.277, 0.128, 0.54),
        up=(0.486, 0.305, -0.129, -0.118, 0.068, 0.163),
        down=(0.445, -0.189, 0.132, 0.123, -0.039, -0.231),
        width=(0.847, -0.077, 0.034, 0.015, 0.213, -0.102),
        shift=(-0.507, -0.026),
    ),
    rear=PoseFit(
        rough=(1.062, 0.294, 0.595),
        height=(0.696, 0.059, 0.282, 0.607),
        up=(0.648, 0.241, -0.244, -0.002, 0.035, 0.005),
        down=(0.276, -0.127, 0.242, 0.008, 0.012, -0.218),
        width=(0.887, 0.009, -0.182, 0.364, 0.187, 0.062),
        shift=(-0.309, 0.141),
    ),
    face=FaceFit(
        up=(0.243, 0.258, 0.333, 0.161),
        down=(0.168, -0.069, 0.082, -0.148),
        width=(1.199, 0.18, 0.46, -0.012),
        shift=(-1.215,),
    ),
    face_share=(0.075, 0.016, 0.075, 0.324),
    pose_score=(-6.411, 0.447, 0.28, 4.926, 1.754, 3.161, 3.157),
    face_score=(0.577, 1.649),
)
