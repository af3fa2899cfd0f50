"""Designs of IRON and mlir-aie on the simulator, called as on hardware."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .designs import compile
from .runs import Run


def mlir(program: Any, parameters: Mapping[str, Any] | None = None) -> object:
    """What :func:`aiec.compile` takes of a program.

    A jitted function (``iron.jit``) is asked for its MLIR with these compile-time parameters, an
    ``iron.Program`` is resolved, a function that answers either is called; anything else is a
    module, a text or a path already.
    """
    if hasattr(program, "as_mlir"):
        return program.as_mlir(**(parameters or {}))
    if hasattr(program, "resolve_program"):
        return _resolved(program)
    if callable(program):
        return mlir(program(**(parameters or {})))
    return program


def _resolved(program: Any) -> object:
    """The module of a program; older releases need somebody who places it."""
    try:
        return program.resolve_program()
    except TypeError:
        from aie.iron.placers import SequentialPlacer

        return program.resolve_program(SequentialPlacer())


def _array(value: Any) -> npt.NDArray[Any]:
    """The array of a tensor of IRON, or of anything that numpy takes."""
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def run(
    program: Any,
    *arrays: Any,
    parameters: Mapping[str, Any] | None = None,
    device: str | None = None,
    **options: Any,
) -> Run:
    """Compiles a program and runs it on arrays, or tensors of IRON, which get the results in place.

    ``parameters`` are the compile-time parameters of a jitted function; ``options`` are those of
    :meth:`aiec.Design.run`.
    """
    design = compile(mlir(program, parameters), device=device)
    hosts = [_array(value) for value in arrays]
    places = {
        argument.index: host
        for argument, host in zip(design.arguments, hosts)
        if host.flags.writeable
    }
    return design.run(*hosts, out=places, **options)
