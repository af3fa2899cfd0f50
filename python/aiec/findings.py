"""Findings of compiler and simulator, and the exceptions that carry them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _aiec

if TYPE_CHECKING:
    from .runs import Run


@dataclass(frozen=True)
class Span:
    """A place in a source; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Finding:
    """What compiler or simulator found."""

    severity: str
    """``error``, ``warning`` or ``note``."""
    code: str
    """What ``aiec explain`` explains."""
    message: str
    spans: tuple[Span, ...]
    help: str | None
    notes: tuple[str, ...]
    rendered: str
    """As a terminal shows it."""

    @property
    def span(self) -> Span | None:
        """The first place that it is about."""
        return self.spans[0] if self.spans else None

    def __str__(self) -> str:
        return self.rendered


def finding_of(text: str, rendered: str) -> Finding:
    """The finding of a JSON text."""
    value: dict[str, Any] = json.loads(text)
    spans = tuple(Span(**span) for span in value["spans"] if "file" in span)
    return Finding(
        severity=value["severity"],
        code=value["code"],
        message=value["message"],
        spans=spans,
        help=value["help"],
        notes=tuple(value["notes"]),
        rendered=rendered,
    )


def findings_of(rows: Sequence[tuple[str, str]]) -> tuple[Finding, ...]:
    """The findings of pairs of JSON and text."""
    return tuple(finding_of(text, rendered) for text, rendered in rows)


class AiecError(Exception):
    """Something that compiler, simulator or package refuse."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)

    @property
    def finding(self) -> Finding | None:
        """The first error among the findings."""
        errors = (f for f in self.findings if f.severity == "error")
        return next(errors, self.findings[0] if self.findings else None)

    @property
    def code(self) -> str | None:
        """The code of the first error."""
        return self.finding.code if self.finding else None

    @property
    def span(self) -> Span | None:
        """Where the first error is."""
        return self.finding.span if self.finding else None

    @property
    def help(self) -> str | None:
        """The way out of the first error."""
        return self.finding.help if self.finding else None

    @property
    def rendered(self) -> str:
        """All findings, as a terminal shows them."""
        return "\n".join(f.rendered for f in self.findings) or str(self)


class OptionError(AiecError, ValueError):
    """An option has a value that doesn't exist."""


class CompileError(AiecError):
    """A design, assembly or file is wrong."""


class ArgumentError(AiecError):
    """An array doesn't fit the argument of the runtime sequence."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An array has elements of another type."""


class ArgumentShapeError(ArgumentError, ValueError):
    """An array has another shape."""


class MissingArgumentError(ArgumentError, TypeError):
    """The run read an argument that was not given, or there are too many arrays."""


class SimulationError(AiecError):
    """A run that didn't complete; :attr:`run` has what it did."""

    def __init__(self, message: str, findings: Sequence[Finding], run: Run) -> None:
        super().__init__(message, findings)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return AiecError, (str(self), self.findings)


class DeadlockError(SimulationError):
    """Nothing could go on."""


class FaultError(SimulationError):
    """The array, a controller or a kernel stopped. What a kernel raised is the cause."""


class CycleLimitError(SimulationError):
    """The run took more cycles than it was allowed."""


class RaceError(SimulationError):
    """The run has accesses that nothing but time puts in order."""


def converted(failure: _aiec.NativeFailure, kind: type[AiecError] = CompileError) -> AiecError:
    """The exception for what the extension module raised."""
    option, rows = failure.args
    if option is not None:
        return OptionError(option)
    findings = findings_of(rows)
    return kind("\n".join(f.rendered for f in findings), findings)
