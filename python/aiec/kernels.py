"""Functions of cores that are written in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from .elements import view

Cycles = Union[int, Callable[..., int], None]


@dataclass(frozen=True)
class Kernel:
    """A function that cores call, and what a call costs.

    The function gets an array for each buffer, which it reads and writes in place, and a number for
    each scalar; what it answers is the result, if the function has one. ``cycles`` is a number, or a
    function of the same arguments; by default a call costs what moving its buffers would.
    """

    function: Callable[..., Any]
    cycles: Cycles = None


KernelLike = Union[Kernel, Callable[..., Any], str, "os.PathLike[str]"]


@dataclass(frozen=True)
class KernelRow:
    """A kernel as the extension module takes it."""

    name: str
    function: Callable[..., Any]
    cycles: Cycles
    view: Callable[..., Any]


def kernel_rows(kernels: Mapping[str, KernelLike]) -> tuple[list[KernelRow], dict[str, str]]:
    """Kernels in Python, and the paths of the others."""
    rows: list[KernelRow] = []
    libraries: dict[str, str] = {}
    for name, kernel in kernels.items():
        if isinstance(kernel, (str, os.PathLike)):
            libraries[name] = os.fspath(kernel)
            continue
        if not isinstance(kernel, Kernel):
            kernel = Kernel(kernel)
        if not callable(kernel.function):
            raise TypeError(f"kernel {name!r} isn't a function")
        rows.append(KernelRow(name, kernel.function, kernel.cycles, view))
    return rows, libraries
