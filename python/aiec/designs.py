"""Designs: from text to what a run needs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _aiec
from .elements import dtypes
from .findings import (
    ArgumentShapeError,
    ArgumentTypeError,
    CompileError,
    Finding,
    MissingArgumentError,
    converted,
    findings_of,
)
from .kernel_language import KernelFunction, with_kernels
from .kernels import KernelLike, kernel_rows
from .pages import design_page
from .runs import Run, checked

UNNAMED = "design.mlir"
"""Name in diagnostics of a design without a file."""


@dataclass(frozen=True)
class Argument:
    """An argument of the runtime sequence."""

    index: int
    name: str
    bytes: int
    element: str | None
    """Type of its elements in MLIR, if known."""
    shape: tuple[int, ...] | None

    @property
    def dtype(self) -> np.dtype[Any]:
        """numpy's type of its elements; of bytes, if they aren't known."""
        return dtypes(self.element)[0] if self.element else np.dtype(np.uint8)

    def zeros(self) -> npt.NDArray[Any]:
        """An array of zeros for it."""
        shape = (self.bytes,) if self.shape is None else self.shape
        return np.zeros(shape, self.dtype)

    def check(self, array: npt.ArrayLike) -> npt.NDArray[Any]:
        """The array, if it fits.

        Raises:
            ArgumentTypeError: it holds elements of another type.
            ArgumentShapeError: it has another shape.
        """
        given = np.asarray(array)
        if self.element is None:
            return given
        allowed = dtypes(self.element)
        if not any(given.dtype == dtype for dtype in allowed):
            names = " or ".join(str(dtype) for dtype in allowed)
            raise ArgumentTypeError(
                f"argument {self.index} '{self.name}' takes elements of {names}"
                f" ({self.element}), and the array has {given.dtype}:"
                f" convert it with .astype({str(allowed[0])!r})"
            )
        if self.shape is not None and given.shape != self.shape:
            count = int(np.prod(self.shape))
            way = f": .reshape{self.shape}" if given.size == count else ""
            raise ArgumentShapeError(
                f"argument {self.index} '{self.name}' has the shape {self.shape},"
                f" and the array has {given.shape}{way}"
            )
        return given

    def of_bytes(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """An array of its type on bytes; of bytes, if there are more or fewer."""
        if self.shape is None or data.size != self.bytes:
            return data
        return data.view(self.dtype).reshape(self.shape)


def _switch(value: bool | str) -> str | None:
    """The value of an option that is on by default; words are those of the command line."""
    if isinstance(value, str):
        return value
    return None if value else "off"


def _options(**options: Any) -> list[str]:
    """Options as the command line spells them."""
    line: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            line.append(flag)
        elif isinstance(value, Mapping):
            line.extend(f"{flag}={key}={item}" for key, item in value.items())
        elif isinstance(value, (list, tuple)):
            line.extend(f"{flag}={item}" for item in value)
        else:
            line.append(f"{flag}={value}")
    return line


def _read(design: object, name: str | os.PathLike[str] | None) -> tuple[str, bytes]:
    """Name and text of what :func:`compile` takes."""
    is_path = isinstance(design, os.PathLike) or (
        isinstance(design, str) and "\n" not in design and design.endswith(".mlir")
    )
    if not is_path:
        text = design if isinstance(design, bytes) else str(design).encode()
        return os.fspath(name or UNNAMED), text
    path = Path(design)  # type: ignore[arg-type]
    return os.fspath(name or path), path.read_bytes()


def compile(
    design: object,
    *,
    name: str | os.PathLike[str] | None = None,
    device: str | None = None,
    device_name: str | None = None,
    sequence: str | None = None,
    scalars: Mapping[int, int] | None = None,
    jobs: str | None = None,
    reconfigure: str | None = None,
    prologue: str | None = None,
    arbiters: int | None = None,
    link: Iterable[str | os.PathLike[str]] = (),
    verify_each: bool = False,
    kernels: Iterable[KernelFunction] = (),
) -> Design:
    """Compiles a design.

    ``design`` is the path of a file (a path object, or a string that ends in ``.mlir``), a text, or
    anything whose ``str()`` is MLIR, such as a module of mlir-aie or IRON. ``name`` is what
    diagnostics call it. ``kernels`` are functions that it declares and :func:`aiec.kernel` made. The other
    options are those of the command line.

    Raises:
        CompileError: the design is wrong.
        OptionError: an option is.
    """
    name, text = _read(design, name)
    text = with_kernels(text, list(kernels))
    options = _options(
        device=device,
        device_name=device_name,
        sequence=sequence,
        scalar=scalars,
        jobs=jobs,
        reconfigure=reconfigure,
        prologue=prologue,
        arbiters=arbiters,
        link=[os.fspath(path) for path in link],
        verify_each=verify_each,
    )
    return Design(name, text, options)


class Design:
    """A compiled design; :func:`compile` makes it."""

    def __init__(self, name: str, text: bytes, options: list[str]) -> None:
        self.name = name
        self._options = options
        try:
            self._native = _aiec.compile(name, text, options)
        except _aiec.NativeFailure as failure:
            raise converted(failure) from None
        self.text = text.decode()

    def __reduce__(self) -> tuple[Any, ...]:
        return Design, (self.name, self.text.encode(), self._options)

    def __repr__(self) -> str:
        return f"<aiec.Design {self.name}: {len(self.elf)} bytes of control code>"

    def _repr_html_(self) -> str:
        return design_page(self)

    @cached_property
    def elf(self) -> bytes:
        """The control code that the micro-controllers load."""
        return self._native.elf()

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the runtime sequence."""
        rows = self._native.arguments()
        return tuple(
            Argument(index, name, size, ty and ty[0], tuple(ty[1]) if ty else None)
            for index, name, size, ty in rows
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings and notes about it."""
        return findings_of(self._native.findings())

    def emit(self, kind: str) -> bytes | dict[str, bytes]:
        """What ``aiec --emit=KIND`` writes; a dictionary by name where that is several files."""
        try:
            return self._native.emit(kind)
        except _aiec.NativeFailure as failure:
            raise converted(failure) from None

    def _text(self, kind: str) -> str:
        content = self.emit(kind)
        assert isinstance(content, bytes)
        return content.decode()

    def asm(self) -> str:
        """The control code as assembly."""
        return self._text("ctrl-asm")

    def mlir(self, *, generic: bool = False) -> str:
        """The module after all passes."""
        return self._text("mlir-generic" if generic else "mlir")

    @cached_property
    def report(self) -> dict[str, Any]:
        """What of each tile's resources is used."""
        report: dict[str, Any] = json.loads(self._text("report-json"))
        return report

    @cached_property
    def routing(self) -> dict[str, Any]:
        """The routed array: tiles, connections, flows."""
        routing: dict[str, Any] = json.loads(self._text("routing-json"))
        return routing

    def routing_svg(self) -> str:
        """A picture of the routed array."""
        return self._text("routing-svg")

    def routing_html(self) -> str:
        """The routed array as a page to look around in, which needs no network."""
        return self._text("routing-html")

    def memory_map(self) -> str:
        """Where each buffer lies."""
        return self._text("memory-map")

    def _argument(self, key: str | int) -> Argument:
        for argument in self.arguments:
            if key in (argument.name, argument.index):
                return argument
        names = ", ".join(f"{a.index} '{a.name}'" for a in self.arguments)
        raise MissingArgumentError(f"the runtime sequence has no argument {key!r}, only {names}")

    def _given(
        self,
        arrays: Sequence[npt.ArrayLike | None],
        out: npt.NDArray[Any] | Sequence[Any] | Mapping[Any, Any] | None,
    ) -> tuple[dict[int, npt.NDArray[Any]], dict[int, npt.NDArray[Any]]]:
        """The arrays of a run by argument, and those that get results."""
        if len(arrays) > len(self.arguments):
            raise MissingArgumentError(
                f"{len(arrays)} arrays are given, and the runtime sequence has"
                f" {len(self.arguments)} arguments"
            )
        given: dict[int, npt.NDArray[Any]] = {}
        for argument, array in zip(self.arguments, arrays):
            if array is not None:
                given[argument.index] = argument.check(array)
        if out is None:
            return given, {}
        if isinstance(out, Mapping):
            results = {self._argument(key): array for key, array in out.items()}
        else:
            several = [out] if isinstance(out, np.ndarray) else list(out)
            free = [a for a in self.arguments if a.index not in given]
            if len(several) > len(free):
                raise MissingArgumentError(
                    f"{len(several)} arrays for results, and {len(free)} arguments left"
                )
            results = dict(zip(free, several))
        places = {}
        for argument, array in results.items():
            if not isinstance(array, np.ndarray) or not array.flags.writeable:
                raise ArgumentTypeError("what gets results is a numpy array that can be written")
            places[argument.index] = argument.check(array)
        return places | given, places

    def run(
        self,
        *arrays: npt.ArrayLike | None,
        out: npt.NDArray[Any] | Sequence[Any] | Mapping[Any, Any] | None = None,
        kernels: Mapping[str, KernelLike] | None = None,
        timing: bool | str = True,
        jitter: int | None = None,
        races: bool | str = True,
        trace: bool = False,
        trace_from: int = 0,
        report: bool = True,
        max_cycles: int | None = None,
        until: int | None = None,
        core_cycles: Mapping[str, int] | None = None,
        core_strict: bool = False,
        preempt: Sequence[int] = (),
        critical_path: bool = False,
        check: bool = True,
    ) -> Run:
        """Runs the design on a model of the array.

        ``arrays`` are the arguments of the runtime sequence in order; ``None`` and those that are
        left out start as zeros, for results. ``out`` gets results too: an array, or several, for the
        arguments that are left; or a dictionary by name or number. ``kernels`` are the functions
        that cores call (:class:`aiec.Kernel`, a function, or the path of a shared library).
        ``races`` looks for races (``"error"``: they raise), ``trace`` records what happens,
        ``report`` counts it, and ``critical_path`` adds the chain of causes that makes its time.
        The others are those of ``aiec sim``. Without ``check`` a run that
        deadlocks, stops at a fault or at a limit is answered like any other.

        Raises:
            ArgumentError: an array doesn't fit, or an argument that the run reads is missing.
            SimulationError: the run didn't complete.
        """
        given, places = self._given(arrays, out)
        bound, libraries = kernel_rows(kernels or {})
        options = _options(
            timing=_switch(timing),
            jitter=jitter,
            races=None if races == "error" else _switch(races),
            max_cycles=max_cycles,
            until=until,
            core_cycles=core_cycles,
            core_strict=core_strict,
            preempt=list(preempt),
            critical_path=critical_path,
            kernel=libraries,
        )
        if trace and trace_from:
            options += ["--trace=run.txt", f"--trace-from={trace_from}"]
        buffers = [
            (index, np.ascontiguousarray(array).reshape(-1).view(np.uint8))
            for index, array in given.items()
        ]
        traces = ["txt", "html"] if trace else []
        try:
            result = self._native.run(buffers, bound, options, traces, report)
        except _aiec.NativeFailure as failure:
            raise converted(failure, CompileError) from None
        run = Run(self, result)
        for index, array in places.items():
            array[...] = run.outputs[index]
        missing = [i for i in result["read_arguments"] if i not in given]
        return checked(run, result["raised"], missing, races == "error") if check else run
