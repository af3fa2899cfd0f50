"""Runs: what a simulation gave."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .findings import (
    CycleLimitError,
    DeadlockError,
    FaultError,
    MissingArgumentError,
    RaceError,
    SimulationError,
    findings_of,
)
from .pages import run_page
from .tables import Table, events_of

if TYPE_CHECKING:
    from ._aiec import RunResult
    from .designs import Design
    from .report_types import CriticalPathReport, DiagnosisReport, SimReport

RACE = "sim::race"
"""The code of findings about races."""

ENDINGS: dict[str, type[SimulationError]] = {
    "deadlock": DeadlockError,
    "fault": FaultError,
    "limit": CycleLimitError,
}


class Outputs(Mapping[str, "npt.NDArray[Any]"]):
    """All arguments as they were at the end, by name or number."""

    def __init__(self, arrays: Mapping[int, npt.NDArray[Any]], names: Sequence[str]) -> None:
        self._arrays = arrays
        self._names = dict(zip(names, arrays))

    def __getitem__(self, key: str | int) -> npt.NDArray[Any]:
        return self._arrays[key if isinstance(key, int) else self._names[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"Outputs({dict(self.items())!r})"


class Run:
    """What a run gave; :meth:`aiec.Design.run` makes it."""

    def __init__(self, design: Design, result: RunResult) -> None:
        self.design = design
        self.status = result["status"]
        """``completed``, ``deadlock``, ``fault``, ``limit`` or ``stopped``."""
        self.cycles = result["cycles"]
        """Cycles from the first fetch to the end."""
        self.config_cycles = result["config_cycles"]
        """Cycles until the runtime sequence began."""
        self.findings = findings_of(result["findings"])
        """Hazards, races, what was left unfinished, and why it ended unless it completed."""
        self.prints = result["prints"]
        """What cores showed with ``aie.debug``."""
        self._report = result["report"]
        self._traces = result["traces"]
        arguments = {argument.index: argument for argument in design.arguments}
        arrays = {
            index: arguments[index].of_bytes(data) if index in arguments else data
            for index, data in result["outputs"]
        }
        names = [arguments[i].name if i in arguments else str(i) for i in arrays]
        self.outputs = Outputs(arrays, names)

    def __repr__(self) -> str:
        return f"<aiec.Run of {self.design.name}: {self.status} after {self.cycles} cycles>"

    def _repr_html_(self) -> str:
        return run_page(self)

    @property
    def run_cycles(self) -> int:
        """Cycles of the runtime sequence."""
        return self.cycles - self.config_cycles

    @cached_property
    def report(self) -> SimReport:
        """What each part has done, as ``aiec sim --report`` writes it."""
        if self._report is None:
            raise ValueError("run with report=True to have a report")
        report: SimReport = json.loads(self._report)
        return report

    @property
    def deadlock(self) -> DiagnosisReport | None:
        """The diagnosis of a deadlock: kind, mistake, cause, way out, story and chain of waits."""
        if self.status != "deadlock":
            return None
        return self.report.get("diagnosis")

    @property
    def critical_path(self) -> CriticalPathReport | None:
        """The chain of causes that makes the time of a completed run with ``critical_path=True``."""
        return self.report["critical_path"]

    @property
    def races(self) -> list[Any]:
        """Accesses that nothing but time puts in order."""
        return [finding for finding in self.findings if finding.code == RACE]

    @cached_property
    def events(self) -> Table:
        """What happened, in order of time; needs ``trace=True``."""
        return events_of(self._trace(0).decode())

    def timeline(self) -> str:
        """A page that shows what happened and needs no network; needs ``trace=True``."""
        return self._trace(1).decode()

    @property
    def has_report(self) -> bool:
        """Whether what each part did was counted."""
        return self._report is not None

    @property
    def has_trace(self) -> bool:
        """Whether what happened was recorded."""
        return bool(self._traces)

    def _trace(self, which: int) -> bytes:
        if not self._traces:
            raise ValueError("run with trace=True to have what happened")
        return self._traces[which]

    @property
    def stalls(self) -> dict[str, int]:
        """Cycles that cores and channels together spent in each state; needs a report."""
        totals: dict[str, int] = {}
        for tile in self.report["tiles"]:
            parts: list[tuple[str, Mapping[str, Any]]] = []
            parts += [("channel", channel) for channel in tile["channels"]]
            parts += [("core", tile["core"])] if tile["core"] else []
            for kind, part in parts:
                for state, count in part.items():
                    if state.endswith("_cycles"):
                        name = f"{kind}_{state}"
                        totals[name] = totals.get(name, 0) + count
        return totals


def checked(
    run: Run, raised: BaseException | None, missing: Sequence[int], no_races: bool
) -> Run:
    """The run, if it completed and read nothing that was not given."""
    if raised is not None and not isinstance(raised, Exception):
        raise raised
    errors = [finding for finding in run.findings if finding.severity == "error"]
    text = "\n".join(finding.rendered for finding in errors)
    ending = ENDINGS.get(run.status)
    if ending is not None:
        raise ending(text, run.findings, run) from raised
    if missing:
        names = ", ".join(f"{a.index} '{a.name}'" for a in run.design.arguments if a.index in missing)
        raise MissingArgumentError(f"the run read what was not given: argument {names}")
    if no_races and run.races:
        text = "\n".join(finding.rendered for finding in run.races)
        raise RaceError(text, run.findings, run)
    return run
