"""Tables with named columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

PICOSECONDS = 1000
"""Of a cycle, in text traces."""

SHOWN = 20
"""Rows that a notebook shows."""


class Table:
    """Columns of one length, by name."""

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self.columns = dict(columns)

    @staticmethod
    def of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
        """A table of rows; what a row lacks is ``None``."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        return Table({name: _column([row.get(name) for row in rows]) for name in names})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.columns[name]

    def __repr__(self) -> str:
        return f"<aiec.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        lists = {name: column.tolist() for name, column in self.columns.items()}
        for n in range(len(self)):
            yield {name: values[n] for name, values in lists.items()}

    def where(self, **wanted: Any) -> Table:
        """The rows that have these values."""
        keep = np.ones(len(self), bool)
        for name, value in wanted.items():
            keep &= self.columns[name] == value
        return Table({name: column[keep] for name, column in self.columns.items()})

    def to_pandas(self) -> Any:
        """As a data frame of pandas, if that is installed."""
        import pandas

        return pandas.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """As a data frame of polars, if that is installed."""
        import polars

        return polars.DataFrame({name: c.tolist() for name, c in self.columns.items()})

    def to_arrow(self) -> Any:
        """As a table of Arrow, if pyarrow is installed."""
        import pyarrow

        return pyarrow.table({name: c.tolist() for name, c in self.columns.items()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """What readers of Arrow's stream protocol call."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = ""
        for n, row in enumerate(self.rows()):
            if n == SHOWN:
                body += f"<tr><td>… {len(self)} rows</td></tr>"
                break
            cells = "".join(f"<td>{escape(str(value))}</td>" for value in row.values())
            body += f"<tr>{cells}</tr>"
        return f"<table><tr>{head}</tr>{body}</table>"


def _column(values: list[Any]) -> npt.NDArray[Any]:
    kinds = {type(value) for value in values}
    if kinds in ({int}, {float}, {bool}, {int, float}):
        return np.array(values)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def events_of(text: str) -> Table:
    """The table of a text trace: cycle, event, column and row of the tile, and what else there is."""
    rows: list[dict[str, Any]] = []
    for line in text.splitlines():
        row: dict[str, Any] = {}
        for item in line.split(","):
            name, _, value = item.partition("=")
            row[name] = int(value) if value.lstrip("-").isdigit() else value
        row = {"cycle": row.pop("time") // PICOSECONDS, **row}
        rows.append(row)
    return Table.of_rows(rows)
