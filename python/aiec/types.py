"""Types of kernels that are written in Python: ``i32`` is a number, ``i32[64, 64]`` an array of them.

A type converts, as numpy's do: ``i32(x)``; and it is a ``dtype`` for numpy: ``x.astype(i32)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .elements import dtypes

_FLOATS = ("bf16", "f16", "f32", "f64")


@dataclass(frozen=True)
class Number:
    """A type of numbers, by its name in MLIR."""

    name: str

    @property
    def is_float(self) -> bool:
        """Whether it has fractions."""
        return self.name in _FLOATS

    @property
    def bits(self) -> int:
        """Its width."""
        return 16 if self.name == "bf16" else int(self.name[1:])

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type in numpy; of bf16 that of ``ml_dtypes``, which must be installed."""
        found = dtypes(self.name)[0]
        if self.name == "bf16" and found == np.uint16:
            raise TypeError("numpy computes with bf16 if ml_dtypes is installed: pip install ml_dtypes")
        return found

    def __getitem__(self, shape: int | tuple[int, ...]) -> Array:
        sizes = shape if isinstance(shape, tuple) else (shape,)
        return Array(self, sizes)

    def __call__(self, value: Any) -> Any:
        converted = np.asarray(value).astype(self.dtype)
        return converted if converted.ndim else converted[()]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Array:
    """A type of arrays of a fixed shape."""

    element: Number
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(isinstance(size, int) and size > 0 for size in self.shape):
            raise TypeError(f"the sizes of an array are whole numbers above 0, not {self.shape}")

    def __str__(self) -> str:
        sizes = "".join(f"{size}x" for size in self.shape)
        return f"memref<{sizes}{self.element}>"


i1 = Number("i1")
i8 = Number("i8")
i16 = Number("i16")
i32 = Number("i32")
i64 = Number("i64")
bf16 = Number("bf16")
f16 = Number("f16")
f32 = Number("f32")
f64 = Number("f64")

NUMBERS = (i1, i8, i16, i32, i64, bf16, f16, f32, f64)
"""All of them."""


def number_of(value: object) -> Number | None:
    """The type that an object of numpy or of this module names."""
    if isinstance(value, Number):
        return value
    if value is int:
        return i64
    if value is float:
        return f64
    if not isinstance(value, (type, np.dtype)):
        return None
    try:
        dtype = np.dtype(value)
    except TypeError:
        return None
    if dtype.name == "bfloat16":
        return bf16
    known = (number for number in NUMBERS if number is not bf16)
    return next((number for number in known if number.dtype == dtype), None)
