"""Reads dlib's `.dat` files: the face ResNet and the 5-point shape predictor.

Source: dlib/serialize.h, dlib/dnn/core.h, dlib/dnn/layers.h, dlib/image_processing/shape_predictor.h.
An integer is a control byte (high bit: sign; low 4 bits: count of bytes) and its bytes, little end
first; a float is two integers, mantissa and exponent of 2; a tensor is its version, four
dimensions and raw float32.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import ModelError

TENSOR_VERSION = 2
TREE_SPLITS = 15  # of a full binary tree of depth 4
TREE_LEAVES = TREE_SPLITS + 1
SHAPE_VALUES = 10  # 5 points
PACKED_INTEGER = re.compile(
    b"|".join(rb"[\x%02x\x%02x].{%d}" % (count, 0x80 | count, count) for count in range(1, 9)), re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ConvLayer:
    """One convolution with the affine layer behind it folded in.

    Attributes:
        weight: (O, I, kh, kw) float32.
        bias: (O,) float32.
        stride: in both directions.
        padding: in both directions.
    """

    weight: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    stride: int
    padding: int


@dataclass(frozen=True, slots=True)
class FaceResnetWeights:
    """The face ResNet as stored: 29 convolutions and one linear layer without bias.

    Attributes:
        mean_rgb: (3,) float32, taken off the pixels before they are divided by 256.
        convs: the stem, then two for each residual block.
        linear: (128, 256) float32.
    """

    mean_rgb: npt.NDArray[np.float32]
    convs: tuple[ConvLayer, ...]
    linear: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ShapePredictorWeights:
    """A cascade of C forests of T trees over P pixel positions each.

    Attributes:
        initial_shape: (5, 2) float32, in the unit square of the face rectangle.
        pixel_a: (C, T, 15) int32, the pixel whose value a split takes.
        pixel_b: (C, T, 15) int32, the pixel whose value it takes off.
        min_difference: (C, T, 15) float32; a greater difference goes left.
        leaves: (C, T, 16, 10) float32, added to the shape.
        anchor: (C, P) int32, the shape point that a pixel hangs on.
        offset: (C, P, 2) float32, from that point in the initial shape.
    """

    initial_shape: npt.NDArray[np.float32]
    pixel_a: npt.NDArray[np.int32]
    pixel_b: npt.NDArray[np.int32]
    min_difference: npt.NDArray[np.float32]
    leaves: npt.NDArray[np.float32]
    anchor: npt.NDArray[np.int32]
    offset: npt.NDArray[np.float32]


def read_face_resnet(path: Path) -> FaceResnetWeights:
    """Read `dlib_face_recognition_resnet_model_v1.dat`.

    Raises:
        ModelError: the file is not of this format.
    """
    stream = _Stream(path)
    try:
        return _read_face_resnet(stream)
    except (IndexError, ValueError, UnicodeDecodeError) as error:
        raise ModelError(
            f"model file {path} is not dlib's face ResNet, near byte {stream.position}: {error}"
        ) from error


def read_shape_predictor(path: Path) -> ShapePredictorWeights:
    """Read `shape_predictor_5_face_landmarks.dat`.

    Raises:
        ModelError: the file is not of this format.
    """
    try:
        return _read_shape_predictor(_Numbers(path))
    except (IndexError, ValueError) as error:
        raise ModelError(f"model file {path} is not dlib's 5-point shape predictor: {error}") from error


class _Stream:
    """Reads values one after the other."""

    def __init__(self, path: Path) -> None:
        self._bytes = path.read_bytes()
        self.position = 0

    def take(self, count: int) -> bytes:
        taken = self._bytes[self.position : self.position + count]
        if len(taken) != count:
            raise ValueError("the file ends early")
        self.position += count
        return taken

    def integer(self) -> int:
        control = self.take(1)[0]
        value = int.from_bytes(self.take(control & 0x0F), "little")
        return -value if control & 0x80 else value

    def integers(self, count: int) -> list[int]:
        return [self.integer() for _ in range(count)]

    def floating(self) -> float:
        mantissa = self.integer()
        return float(mantissa) * 2.0 ** self.integer()

    def text(self) -> str:
        return self.take(self.integer()).decode("ascii")

    def tensor(self) -> npt.NDArray[np.float32]:
        version, *shape = self.integers(5)
        if version != TENSOR_VERSION:
            raise ValueError(f"tensor of version {version}, expected {TENSOR_VERSION}")
        raw = self.take(4 * int(np.prod(shape)))
        return np.frombuffer(raw, "<f4").astype(np.float32).reshape(shape)

    def layer_end(self) -> None:
        """Skip what dlib's trainer keeps with each layer: three flags and three tensors."""
        self.take(3)
        for _ in range(3):
            self.tensor()


def _read_face_resnet(stream: _Stream) -> FaceResnetWeights:
    stream.integer()  # version of the loss layer
    _expect(stream, "loss_metric_2")
    stream.floating()  # margin
    stream.floating()  # distance below which two faces count as one person
    # Each layer writes its version, then the layers below it: the versions come first, all together.
    while stream.integer() != len("input_rgb_image_sized"):
        pass
    if stream.take(len("input_rgb_image_sized")) != b"input_rgb_image_sized":
        raise ValueError("no input layer")
    mean_rgb = np.array([stream.floating() for _ in range(3)], np.float32)
    stream.integers(2)  # height and width of the input

    convs: list[ConvLayer] = []
    while True:
        kind = stream.text()
        if kind == "con_4":
            convs.append(_read_conv(stream, first=not convs))
        elif kind in ("max_pool_2", "avg_pool_2"):
            stream.integers(6)  # window, stride, padding: fixed by the architecture
        elif kind == "fc_2":
            linear = _read_linear(stream)
            return FaceResnetWeights(mean_rgb, tuple(convs), linear)
        elif not kind.startswith(("relu_", "add_prev_")):
            raise ValueError(f"unexpected layer {kind!r}")
        stream.layer_end()


def _expect(stream: _Stream, name: str) -> None:
    found = stream.text()
    if found != name:
        raise ValueError(f"found {found!r}, expected {name!r}")


def _read_conv(stream: _Stream, *, first: bool) -> ConvLayer:
    """Read a convolution and fold in the affine layer that follows each one."""
    parameters = stream.tensor().ravel()
    filters, height, width, stride, _, padding, _ = stream.integers(7)
    stream.integers(10)  # where the filters and the biases lie in the parameters
    for _ in range(4):
        stream.floating()  # learning rates and weight decays
    stream.layer_end()
    if first:
        stream.integer()  # samples that the input layer makes of one image
    _expect(stream, "affine_")
    scale, shift = np.split(stream.tensor().ravel(), 2)
    stream.integers(11)  # where scale and shift lie in the parameters, and the mode
    weight = parameters[:-filters].reshape(filters, -1, height, width)
    bias = parameters[-filters:]
    return ConvLayer(weight * scale[:, None, None, None], bias * scale + shift, stride, padding)


def _read_linear(stream: _Stream) -> npt.NDArray[np.float32]:
    outputs, inputs = stream.integers(2)
    return np.ascontiguousarray(stream.tensor().reshape(inputs, outputs).T)


class _Numbers:
    """Reads a file that holds nothing but packed integers, all of them decoded at once."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        lengths = np.fromiter(map(len, PACKED_INTEGER.findall(raw)), np.int64)
        start = np.cumsum(lengths) - lengths
        if lengths.sum() != len(raw):
            raise ValueError("bytes that are no packed integer")
        octets = np.frombuffer(raw + bytes(9), np.uint8)
        control = octets[start]
        following = np.lib.stride_tricks.sliding_window_view(octets, 8)[start + 1]
        values = np.ascontiguousarray(following).view("<i8")[:, 0]
        values &= (np.int64(1) << (8 * (control & 0x0F).astype(np.int64))) - 1
        self._values = np.where(control & 0x80, -values, values)
        self.position = 0

    def take(self, *shape: int) -> npt.NDArray[np.int64]:
        count = int(np.prod(shape))
        taken = self._values[self.position : self.position + count]
        self.position += count
        return taken.reshape(shape)  # raises ValueError where the file ends early

    def expect(self, *values: int) -> None:
        found = self.take(len(values)).tolist()
        if found != list(values):
            raise ValueError(f"found {found}, expected {list(values)}")


def _floats(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Give (...,) float32 of (..., 2) mantissas and exponents."""
    return np.ldexp(pairs[..., 0].astype(np.float64), pairs[..., 1].astype(np.int32)).astype(np.float32)


def _read_shape_predictor(numbers: _Numbers) -> ShapePredictorWeights:
    numbers.expect(1, -SHAPE_VALUES, -1)  # version; a matrix writes its sides negated
    initial_shape = _floats(numbers.take(SHAPE_VALUES, 2)).reshape(-1, 2)
    (cascades,) = numbers.take(1)
    per_tree = 1 + TREE_SPLITS * 4 + 1 + TREE_LEAVES * (2 + SHAPE_VALUES * 2)
    forests = []
    for _ in range(cascades):
        (trees,) = numbers.take(1)
        forests.append(numbers.take(int(trees), per_tree))
    forest = np.stack(forests)  # (C, T, per_tree)
    splits = forest[:, :, 1 : 1 + TREE_SPLITS * 4].reshape(*forest.shape[:2], TREE_SPLITS, 4)
    leaves = forest[:, :, 2 + TREE_SPLITS * 4 :].reshape(*forest.shape[:2], TREE_LEAVES, -1)
    if np.any(forest[:, :, 0] != TREE_SPLITS) or np.any(leaves[..., 0] != -SHAPE_VALUES):
        raise ValueError("trees of another size")

    numbers.expect(cascades)
    anchor = np.stack([_read_list(numbers, 1)[:, 0] for _ in range(cascades)])
    numbers.expect(cascades)
    offset = np.stack([_read_list(numbers, 4) for _ in range(cascades)])
    return ShapePredictorWeights(
        initial_shape=initial_shape,
        pixel_a=splits[..., 0].astype(np.int32),
        pixel_b=splits[..., 1].astype(np.int32),
        min_difference=_floats(splits[..., 2:]),
        leaves=_floats(leaves[..., 2:].reshape(*leaves.shape[:3], SHAPE_VALUES, 2)),
        anchor=anchor.astype(np.int32),
        offset=_floats(offset.reshape(*offset.shape[:2], 2, 2)),
    )


def _read_list(numbers: _Numbers, width: int) -> npt.NDArray[np.int64]:
    (count,) = numbers.take(1)
    return numbers.take(int(count), width)
