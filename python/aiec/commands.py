"""Assembler, disassembler, passes and devices: the commands of the driver, in this process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from . import _aiec
from .findings import CompileError, Finding, OptionError, Span

BAD_COMMAND_LINE = 2
"""The exit code of the driver for options that don't exist."""

Pass = Union[str, "tuple[str, Mapping[str, object]]"]


def _finding(value: dict[str, Any], rendered: str) -> Finding:
    spans = tuple(Span(**span) for span in value.pop("spans") if "file" in span)
    value.pop("file")
    notes = tuple(value.pop("notes"))
    return Finding(spans=spans, notes=notes, rendered=rendered, **value)


def _command(arguments: list[str], text: bytes) -> bytes:
    code, stdout, stderr = _aiec.command(arguments + ["--diagnostics=json"], text)
    if code == 0:
        return stdout
    if code == BAD_COMMAND_LINE:
        raise OptionError(stderr.decode().split("\n\n")[0].removeprefix("error: "))
    _, _, said = _aiec.command(arguments + ["--diagnostics=text"], text)
    lines = [line for line in stderr.decode().splitlines() if line.startswith("{")]
    rendered = said.decode()
    raise CompileError(rendered, [_finding(json.loads(line), rendered) for line in lines])


def asm(
    text: str | bytes, target: str | None = None, *, include: Iterable[str | os.PathLike[str]] = ()
) -> bytes:
    """Assembles control code (or, with such a target, machine code) to an ELF, as ``aiec asm``."""
    flags = [f"--target={target}"] if target else []
    flags += [f"--include={os.fspath(folder)}" for folder in include]
    data = text if isinstance(text, bytes) else text.encode()
    return _command(["asm", "-", "--output=-", *flags], data)


def dis(data: bytes, *options: str) -> str:
    """Disassembles an ELF or a file of Ryzen AI, as ``aiec dis`` with these options."""
    return _command(["dis", "-", *options], bytes(data)).decode()


def opt(text: object, passes: str | Iterable[Pass], *, device: str | None = None) -> str:
    """Runs passes on a design, as ``aiec opt``: names, or pairs of a name and its options."""
    flags = [f"--device={device}"] if device else []
    for item in [passes] if isinstance(passes, str) else passes:
        name, options = (item, {}) if isinstance(item, str) else item
        values = " ".join(f"{key}={value}" for key, value in options.items())
        flags.append("--" + name.removeprefix("--") + (f"={values}" if values else ""))
    data = text if isinstance(text, bytes) else str(text).encode()
    return _command(["opt", "-", *flags], data).decode()


def sequence_functions(
    design: object,
    *,
    device: str | None = None,
    device_name: str | None = None,
    sequence: str | None = None,
) -> dict[str, Callable[..., bytes]]:
    """Functions that write the transactions of runtime sequences for values of their scalar arguments.

    They are those of ``--emit=sequence-python``, by the names of the sequences. Each takes the scalar arguments in order and
    returns the transaction, or raises :class:`ValueError` if there is none for these values.
    """
    options = {"device": device, "device-name": device_name, "sequence": sequence}
    flags = [f"--{name}={value}" for name, value in options.items() if value]
    data = design if isinstance(design, bytes) else str(design).encode()
    text = _command(["-", "--emit=sequence-python", "--output=-", *flags], data)
    names: dict[str, Any] = {}
    exec(compile(text, "<sequences>", "exec"), names)
    start = "generate_txn_"
    return {name.removeprefix(start): names[name] for name in names if name.startswith(start)}


def devices() -> dict[str, dict[str, Any]]:
    """The devices by name, with what their tiles hold."""
    _, stdout, _ = _aiec.command(["devices", "--format=json"], b"")
    return {device["name"]: device for device in json.loads(stdout)["devices"]}
