"""Designs of IRON and mlir-aie on the simulator, called as on hardware.

:func:`install` lets programs of IRON and XRT run as they are in this process; ``python -m aiec.iron SCRIPT.py``
does so for a program. :func:`run` takes a design and its arrays.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import pyxrt
from ..designs import compile
from ..kernels import KernelLike
from ..runs import Run
from . import toolchain


def install(
    *,
    npu: str | None = None,
    kernels: Mapping[str, KernelLike] | None = None,
    sim_options: Sequence[str] = (),
) -> None:
    """Lets IRON and programs of XRT in this process run on the simulator; call it before they are imported.

    ``npu`` is the NPU that this machine seems to have (``npu1``, ``npu2``), where a program doesn't say which
    it wants; ``kernels`` are functions of cores as for :meth:`aiec.Design.run`, ``sim_options`` options of
    ``aiec sim``.
    """
    pyxrt.install(device=npu, functions=dict(kernels or {}), sim_options=sim_options)
    os.environ[toolchain.OWN_KERNELS] = ",".join(pyxrt.kernels)
    toolchain.use()


def mlir(
    program: Any, parameters: Mapping[str, Any] | None = None, arguments: tuple[Any, ...] = ()
) -> object:
    """What :func:`aiec.compile` takes of a program.

    A jitted function (``iron.jit``, ``iron.compileconfig``) is asked for its MLIR with these compile-time
    parameters; one of a release in which it can't answer is unwrapped and gets ``arguments``, as it does on
    hardware. An ``iron.Program`` is resolved, a function that answers any of these is called; anything else
    is a module, a text or a path already.
    """
    parameters = parameters or {}
    if hasattr(program, "as_mlir"):
        return program.as_mlir(**parameters)
    if hasattr(program, "generate_mlir"):
        return (program.specialize(**parameters) if parameters else program).generate_mlir()
    if hasattr(program, "resolve_program"):
        return _resolved(program)
    function = _unwrapped(program)
    if function is not program:
        return mlir(function(*arguments, **parameters))
    if callable(program):
        return mlir(program(**parameters))
    return program


def _unwrapped(program: Any) -> Any:
    """The generator of a jitted function that compiles for hardware when it is called."""
    if getattr(program, "compilable", None) is not None:
        return _unwrapped(program.compilable)
    if not inspect.isroutine(program) and callable(getattr(program, "function", None)):
        return _unwrapped(program.function)
    return inspect.unwrap(program) if callable(program) else program


def _resolved(program: Any) -> object:
    """The module of a program; releases with placers need one, as not all programs name their tiles."""
    if "placer" in inspect.signature(program.resolve_program).parameters:
        try:
            from aie.iron.placers import SequentialPlacer
        except ImportError:
            pass
        else:
            return program.resolve_program(SequentialPlacer())
    return program.resolve_program()


def _array(value: Any) -> npt.NDArray[Any]:
    """The array of a tensor of IRON, or of anything that numpy takes."""
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return array.copy() if _is_coherent(value) else array


def _is_coherent(value: Any) -> bool:
    """Whether a tensor keeps account of who has written it: what is written beside it may be lost."""
    return hasattr(value, "overwrite")


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
    design = compile(mlir(program, parameters, arrays), device=device)
    hosts = [_array(value) for value in arrays]
    places = {
        argument.index: host
        for argument, host in zip(design.arguments, hosts)
        if host.flags.writeable
    }
    run = design.run(*hosts, out=places, **options)
    for value, host in zip(arrays, hosts):
        if _is_coherent(value):
            with value.overwrite() as array:
                array[...] = host
    return run
