"""What notebooks show of designs and runs: HTML that needs no network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .designs import Design
    from .runs import Run

HEIGHT = 480
"""Height of a timeline, in pixels."""


def _rows(rows: list[tuple[str, str]]) -> str:
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{''.join(cells)}</table>"


def design_page(design: Design) -> str:
    """Name, arguments and routing of a design."""
    arguments = ", ".join(
        f"{a.name}: {a.element or 'bytes'}{list(a.shape or (a.bytes,))}" for a in design.arguments
    )
    rows = [
        ("design", design.name),
        ("control code", f"{len(design.elf)} bytes"),
        ("arguments", arguments or "none"),
    ]
    return _rows(rows) + design.routing_svg()


def run_page(run: Run) -> str:
    """Summary and timeline of a run."""
    rows = [
        ("design", run.design.name),
        ("status", run.status),
        ("cycles", f"{run.cycles} ({run.config_cycles} to configure, {run.run_cycles} to run)"),
    ]
    page = _rows(rows)
    for finding in run.findings:
        page += f"<pre>{escape(finding.rendered)}</pre>"
    if run.has_trace:
        source = escape(run.timeline(), quote=True)
        page += (
            f'<iframe srcdoc="{source}" sandbox="allow-scripts"'
            f' style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )
    return page
