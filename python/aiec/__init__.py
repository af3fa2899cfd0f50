"""Compiles AI Engine netlists and simulates them on numpy arrays.

>>> import aiec, numpy as np
>>> design = aiec.compile("design.mlir")
>>> run = design.run(np.arange(256, dtype=np.int32))
>>> run.outputs["b"], run.cycles
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._aiec import __version__
from .commands import asm, devices, dis, opt, sequence_functions
from .designs import Argument, Design, compile
from .findings import (
    AiecError,
    ArgumentError,
    ArgumentShapeError,
    ArgumentTypeError,
    CompileError,
    CycleLimitError,
    DeadlockError,
    FaultError,
    Finding,
    MissingArgumentError,
    OptionError,
    RaceError,
    SimulationError,
    Span,
)
from .kernel_language import KernelError, KernelFunction, kernel
from .kernels import Kernel
from .runs import Outputs, Run
from .tables import Table

if TYPE_CHECKING:
    from .sweeps import Sweep, sweep

__all__ = [
    "AiecError",
    "Argument",
    "ArgumentError",
    "ArgumentShapeError",
    "ArgumentTypeError",
    "CompileError",
    "CycleLimitError",
    "DeadlockError",
    "Design",
    "FaultError",
    "Finding",
    "Kernel",
    "KernelError",
    "KernelFunction",
    "MissingArgumentError",
    "OptionError",
    "Outputs",
    "RaceError",
    "Run",
    "SimulationError",
    "Span",
    "Sweep",
    "Table",
    "__version__",
    "asm",
    "compile",
    "devices",
    "dis",
    "kernel",
    "opt",
    "sequence_functions",
    "sweep",
]


def __getattr__(name: str) -> Any:
    # Few programs sweep: what that needs is imported when it is used.
    if name in ("sweep", "Sweep"):
        from . import sweeps

        return getattr(sweeps, name)
    raise AttributeError(f"module 'aiec' has no attribute {name!r}")
