"""Element types of MLIR as numpy's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

_DTYPES: dict[str, tuple[type[np.generic], ...]] = {
    "i1": (np.bool_, np.int8, np.uint8),
    "i8": (np.int8, np.uint8),
    "si8": (np.int8,),
    "ui8": (np.uint8,),
    "i16": (np.int16, np.uint16),
    "si16": (np.int16,),
    "ui16": (np.uint16,),
    "i32": (np.int32, np.uint32),
    "si32": (np.int32,),
    "ui32": (np.uint32,),
    "i64": (np.int64, np.uint64),
    "si64": (np.int64,),
    "ui64": (np.uint64,),
    "index": (np.int64,),
    "f16": (np.float16,),
    "f32": (np.float32,),
    "f64": (np.float64,),
}
"""The types that may hold elements; results have the first."""


@cache
def dtypes(element: str) -> tuple[np.dtype[Any], ...]:
    """The types that may hold elements of an MLIR type; results have the first.

    bf16 is that of ``ml_dtypes`` if it is installed, and else the bits as ``uint16``.
    """
    if element == "bf16":
        bits = (np.dtype(np.uint16), np.dtype("V2"))
        try:
            import ml_dtypes
        except ImportError:
            return bits
        return (np.dtype(ml_dtypes.bfloat16), *bits)
    kinds = _DTYPES.get(element)
    if kinds is None:
        raise TypeError(f"numpy has no type for elements of {element}")
    return tuple(np.dtype(kind).newbyteorder("<") for kind in kinds)


def view(
    data: npt.NDArray[np.uint8], offset: int, element: str, shape: Sequence[int]
) -> npt.NDArray[Any]:
    """Bytes as an array of elements, without a copy."""
    dtype = dtypes(element)[0]
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    return data[offset : offset + size].view(dtype).reshape(tuple(shape))
