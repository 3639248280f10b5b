"""Fitted numbers of the head boxes and scores; made by `benchmarks/fit_head_box.py`, not by hand.

Fitted on the whole-head boxes of SCUT-HEAD (Peng et al., arXiv 1803.09256).
"""

from __future__ import annotations

from headtrack.ops.head_boxes import FaceFit, PoseFit
from headtrack.ops.head_union import HeadFits

HEAD_FITS = HeadFits(
    facing=PoseFit(
        rough=(1.719, 0.809, 0.099),
        height=(1.026, 0.277, 0.127, 0.542),
        up=(0.471, 0.316, -0.118, -0.121, 0.075, 0.173),
        down=(0.442, -0.192, 0.15, 0.115, -0.08, -0.202),
        width=(0.873, -0.119, 0.014, 0.045, 0.233, -0.135),
        shift=(-0.496, -0.013),
    ),
    rear=PoseFit(
        rough=(1.078, 0.289, 0.599),
        height=(0.765, 0.076, 0.22, 0.639),
        up=(0.603, 0.246, -0.211, 0.038, 0.058, 0.009),
        down=(0.28, -0.123, 0.241, -0.028, 0.02, -0.156),
        width=(0.912, -0.067, -0.174, 0.378, 0.22, 0.047),
        shift=(-0.313, 0.142),
    ),
    face=FaceFit(
        up=(0.252, 0.227, 0.314, 0.161),
        down=(0.164, -0.068, 0.014, -0.15),
        width=(1.246, 0.102, 0.423, -0.006),
        shift=(-1.196,),
    ),
    face_share=(0.071, 0.005, 0.071, 0.306),
    pose_score=(-7.35, 0.39, -0.829, 4.945, 1.511, 4.132, 4.37),
    face_score=(0.329, 2.063),
)
