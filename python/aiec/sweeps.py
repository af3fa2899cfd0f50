"""Sweeps: a function, or designs, at many points; results on disk as they come."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, Union, cast

from .designs import Design, compile
from .executors import Executor, executor_of
from .findings import AiecError, SimulationError
from .progress import Progress
from .runs import Run
from .tables import Table

Point = dict[str, Any]
Row = dict[str, Any]
Grid = Union[Mapping[str, Sequence[Any]], Iterable[Mapping[str, Any]]]

SECONDS_BETWEEN_COMMITS = 0.5
COMPILE_OPTIONS = ("device", "device_name", "sequence", "jobs", "reconfigure", "prologue")
"""Names of a grid that are options of :func:`aiec.compile` where designs are swept; others are of
:meth:`aiec.Design.run`."""


def points_of(grid: Grid) -> Iterator[Point]:
    """The points of a grid: the product of the values by name, or the points themselves."""
    named = named_values(grid)
    if named is None:
        yield from (dict(point) for point in cast("Iterable[Mapping[str, Any]]", grid))
        return
    for values in itertools.product(*named.values()):
        yield dict(zip(named, values))


def named_values(grid: Grid) -> Mapping[str, Sequence[Any]] | None:
    """The values by name of a grid that is their product."""
    return cast("Mapping[str, Sequence[Any]]", grid) if isinstance(grid, Mapping) else None


def count_of(grid: Grid, designs: int = 1) -> int | None:
    """How many points a grid has, if that is known without making them."""
    named = named_values(grid)
    if named is not None:
        return math.prod((len(values) for values in named.values()), start=designs)
    return designs * len(grid) if isinstance(grid, Sized) else None


def key_of(point: Point) -> str:
    """What a point is known by on disk: the same in every process and session."""
    text = json.dumps(point, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def run_row(run: Run) -> Row:
    """What a table has of a run."""
    row: Row = {
        "status": run.status,
        "cycles": run.cycles,
        "config_cycles": run.config_cycles,
        "run_cycles": run.run_cycles,
        "races": len(run.races),
        "elf_bytes": len(run.design.elf),
    }
    if run.has_report:
        row |= run.stalls
    return row


def design_row(design: Design) -> Row:
    """What a table has of a design that was not run."""
    return {"status": "compiled", "elf_bytes": len(design.elf)}


def row_of(result: object) -> Row:
    """What a table has of what the function answered: a run, a design, a number, a dictionary, or
    several of them."""
    if isinstance(result, Run):
        return run_row(result)
    if isinstance(result, Design):
        return design_row(result)
    if isinstance(result, Mapping):
        return {"status": "completed", **result}
    if isinstance(result, tuple):
        row: Row = {}
        for part in result:
            row |= row_of(part)
        return row
    if result is None:
        return {"status": "completed"}
    return {"status": "completed", "value": result}


def evaluate(function: Callable[..., object], point: Point) -> Row:
    """The row of a point; a failure is a row too."""
    begin = time.perf_counter()
    row: Row
    try:
        row = row_of(function(**point))
    except SimulationError as error:
        row = {**run_row(error.run), "code": error.code, "error": error.rendered}
    except AiecError as error:
        row = {"status": "refused", "code": error.code, "error": error.rendered}
    except Exception as error:
        row = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    row["seconds"] = time.perf_counter() - begin
    return row


class RunDesign:
    """Compiles and runs the design of a point, with zeros in its arguments."""

    def __init__(self, designs: Mapping[str, object]) -> None:
        self.designs = designs

    def __call__(self, design: str, **options: Any) -> Run:
        compiling = {name: options.pop(name) for name in COMPILE_OPTIONS if name in options}
        compiled = compile(self.designs[design], **compiling)
        return compiled.run(*(a.zeros() for a in compiled.arguments), **options)


class Storage:
    """Rows in an SQLite file, one for each point; a point that has a row is never done again."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.connection = sqlite3.connect(os.fspath(path) if path else ":memory:")
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS rows"
            " (key TEXT PRIMARY KEY, point TEXT, status TEXT, cycles INTEGER, row TEXT)"
        )
        self._committed = time.monotonic()

    def has(self, key: str) -> bool:
        """Whether a point is done."""
        found = self.connection.execute("SELECT 1 FROM rows WHERE key = ?", (key,))
        return found.fetchone() is not None

    def add(self, key: str, point: Point, row: Row) -> bool:
        """Adds the row of a point unless it has one."""
        text = json.dumps(point, default=repr), json.dumps(row, default=_number)
        values = (key, text[0], row.get("status"), row.get("cycles"), text[1])
        done = self.connection.execute("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?, ?)", values)
        if time.monotonic() - self._committed > SECONDS_BETWEEN_COMMITS:
            self.commit()
        return done.rowcount == 1

    def commit(self) -> None:
        """Lets what was added outlast this process."""
        self.connection.commit()
        self._committed = time.monotonic()

    def __len__(self) -> int:
        (count,) = self.connection.execute("SELECT COUNT(*) FROM rows").fetchone()
        return int(count)

    def row(self, key: str) -> Row | None:
        """Point and results of a key."""
        found = self.connection.execute("SELECT point, row FROM rows WHERE key = ?", (key,))
        row = found.fetchone()
        return None if row is None else json.loads(row[0]) | json.loads(row[1])


def _number(value: Any) -> Any:
    """numpy's numbers as Python's; else the text."""
    return value.item() if hasattr(value, "item") else repr(value)


class Sweep(Table):
    """The results of a sweep: a row for each point, in the order of the grid."""

    @property
    def failures(self) -> Table:
        """The points that did not complete."""
        rows = (row for row in self.rows() if row["status"] not in ("completed", "compiled"))
        return Table.of_rows(list(rows))

    def best(self, name: str = "cycles") -> Row:
        """The completed row in which a column is least."""
        rows = [row for row in self.rows() if row["status"] == "completed"]
        return min(rows, key=lambda row: row[name])


def _named_designs(what: object) -> Mapping[str, object]:
    if isinstance(what, Mapping):
        return cast("Mapping[str, object]", what)
    several = [what] if isinstance(what, Design) else cast("Iterable[object]", what)
    return {str(number): design for number, design in enumerate(several)}


def sweep(
    what: Callable[..., object] | Mapping[str, object] | Iterable[object],
    grid: Grid,
    *,
    executor: str | Executor = "processes",
    workers: int | None = None,
    storage: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Evaluates a function, or designs, at each point of a grid.

    The function gets a point as keywords and answers a run, a design, a dictionary, or several of
    them. Designs (what :func:`aiec.compile` takes; a mapping names them) are compiled and run on
    zeros, with the names of the grid as options. A failure is a row with ``code`` and ``error``.

    ``storage`` is an SQLite file: points that it has are not done again, and what was done is in it
    when the sweep is interrupted. ``executor`` is ``"processes"``, ``"ray"``, ``"serial"``, or an
    :class:`aiec.executors.Executor`. ``progress`` shows a bar, by default on a terminal.
    """
    if callable(what) and not isinstance(what, Design):
        function: Callable[..., object] = what
        points, total = points_of(grid), count_of(grid)
    else:
        designs = _named_designs(what)
        function = RunDesign(designs)
        several = grid if isinstance(grid, Mapping) else list(grid)
        points = ({"design": name, **p} for name in designs for p in points_of(several))
        total = count_of(several, len(designs))
    store = Storage(storage)
    bar = Progress(total, progress)
    keys: list[str] = []
    under_way: dict[str, Point] = {}

    def open_points() -> Iterator[tuple[str, Point]]:
        for point in points:
            key = key_of(point)
            keys.append(key)
            if store.has(key) or key in under_way:
                bar.skip()
                continue
            under_way[key] = point
            yield key, point

    runner = executor_of(executor, workers)
    try:
        for key, row in runner.map(function, open_points()):
            point = under_way.pop(key, None)
            if point is not None and store.add(key, point, row):
                bar.step(row.get("status") in ("completed", "compiled"))
    finally:
        store.commit()
        bar.close()
    rows = (store.row(key) for key in dict.fromkeys(keys))
    return Sweep(Table.of_rows([row for row in rows if row is not None]).columns)
