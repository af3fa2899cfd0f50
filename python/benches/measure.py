"""Measures what the package costs: `python benches/measure.py` with a release wheel, on an idle machine."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import aiec

TEXT = (Path(__file__).parents[2] / "examples/scale/design.mlir").read_text()
A = np.arange(256, dtype=np.int32)
CALLS = 4096
POINTS = 1000


def milliseconds(call: Callable[[], object], times: int = 200) -> float:
    """Median time of a call."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken) * 1e3


def imports() -> None:
    """Importing the package when numpy is there."""
    script = "import time, numpy; t = time.perf_counter(); import aiec; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(11)]
    print(f"import: {statistics.median(times) * 1e3:.1f} ms beyond numpy, best {min(times) * 1e3:.1f} ms")


def runs() -> None:
    """Runs of examples/scale: all of it, and what the extension module takes."""
    design = aiec.compile(TEXT)
    for report in (True, False):
        whole = milliseconds(lambda: design.run(A, report=report))
        buffers = [(0, A.view(np.uint8))]
        native = milliseconds(lambda: design._native.run(buffers, [], [], [], report))
        print(f"run, report={report}: {whole:.3f} ms, {whole - native:.3f} ms of it in Python")
    print(f"compile: {milliseconds(lambda: aiec.compile(TEXT), 50):.3f} ms")


def kernels() -> None:
    """A call of a kernel in numpy, against the same run with a kernel of the model's library."""
    count = 16 * CALLS
    body = re.sub(
        r"scf\.for %i .*?\n        }",
        "func.call @passThroughLine(%x, %y, %sixteen) : (memref<16xi32>, memref<16xi32>, i32) -> ()",
        TEXT,
        flags=re.DOTALL,
    )
    body = body.replace("%factor = arith.constant 3", "%sixteen = arith.constant 16")
    body = body.replace("256", str(count)).replace("64xi32", "16xi32")
    declared = "func.func private @passThroughLine(memref<16xi32>, memref<16xi32>, i32)\n"
    body = body.replace("    %core =", f"    {declared}    %core =")
    design = aiec.compile(body)
    data = np.arange(count, dtype=np.int32)

    def nothing(x: object, y: object, n: int) -> None:
        """What is measured is the way to it and back."""

    options = {"report": False, "races": False, "timing": False}
    builtin = milliseconds(lambda: design.run(data, **options), 5)
    numpy = milliseconds(lambda: design.run(data, kernels={"passThroughLine": nothing}, **options), 5)
    print(f"kernel: {(numpy - builtin) / CALLS * 1e3:.2f} us a call beyond a built-in one")


def point(jitter: int) -> aiec.Run:
    """A point of the sweep: compiled and run."""
    return aiec.compile(TEXT).run(A, jitter=jitter)


def sweeps() -> None:
    """A sweep of 1,000 points here and in two processes."""
    rates = {}
    for executor, workers in (("serial", 1), ("processes", 2)):
        begin = time.perf_counter()
        table = aiec.sweep(point, {"jitter": range(POINTS)}, executor=executor, workers=workers)
        seconds = time.perf_counter() - begin
        assert len(table) == POINTS and not len(table.failures)
        rates[executor] = POINTS / seconds
        print(f"sweep, {executor}: {rates[executor]:.0f} points a second, load {os.getloadavg()[0]:.1f}")
    alone = POINTS / sum(table["seconds"])
    ideal = rates["processes"] / (2 * rates["serial"])
    print(f"two processes: {ideal:.0%} of twice one, {rates['processes'] / (2 * alone):.0%} of the time in points")


if __name__ == "__main__":
    for measure in (imports, runs, kernels, sweeps):
        measure()
