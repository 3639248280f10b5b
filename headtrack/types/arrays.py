"""How a value checks its arrays once, at construction."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

Value = TypeVar("Value")


def as_array(name: str, value: Any, dtype: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Check one array's shape and give it in the wanted dtype, C-contiguous and read-only.

    Args:
        name: what to call the array in the error.
        value: anything `np.asarray` takes.
        dtype: the dtype to convert to.
        shape: expected shape; None stands for any length.

    Returns:
        The array, not writeable.

    Raises:
        ValueError: the shape differs.
    """
    array = np.array(value, dtype=dtype, order="C", copy=None)
    if array.size == 0 and array.ndim != len(shape):
        array = array.reshape([0 if n is None else n for n in shape])
    if array.ndim != len(shape) or any(
        want is not None and got != want for got, want in zip(array.shape, shape, strict=True)
    ):
        raise ValueError(f"{name} has shape {array.shape}, expected {shape} (None: any length)")
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def select(value: Value, index: Any) -> Value:
    """Index every array of a struct-of-arrays value by the same mask, slice or index array."""
    return replace(value, **{f.name: getattr(value, f.name)[index] for f in fields(value)})  # type: ignore[type-var]


def concat(values: list[Value], empty: Value) -> Value:
    """Join struct-of-arrays values of one type row by row; `empty` where there are none."""
    if not values:
        return empty
    joined = {
        f.name: np.concatenate([getattr(v, f.name) for v in values])
        for f in fields(values[0])  # type: ignore[arg-type]
    }
    return replace(values[0], **joined)  # type: ignore[type-var]
