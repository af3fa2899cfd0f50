"""``python -m aiec.iron SCRIPT.py …``: a program of IRON, or of XRT, on the simulator, as it is."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from .. import pyxrt
from . import install, toolchain


def _kernels(path: str) -> dict[str, Any]:
    """The functions of a file, by name."""
    names = runpy.run_path(path)
    return {name: value for name, value in names.items() if callable(value) and name[0] != "_"}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m aiec.iron",
        description="Runs a Python program for an NPU on the simulator: IRON's compiler driver is aiec's, and "
        "pyxrt runs what was compiled.",
    )
    parser.add_argument(
        "--npu",
        choices=sorted(pyxrt.DEVICE_NAMES),
        help="the NPU that this machine seems to have, where the program doesn't say (npu2)",
    )
    parser.add_argument(
        "--kernels",
        action="append",
        default=[],
        metavar="FILE.py",
        help="functions of this file run where cores call functions of their names",
    )
    parser.add_argument(
        "--sim",
        action="append",
        default=[],
        metavar="OPTION",
        help="an option of aiec sim for all runs, for instance --sim=--races=off",
    )
    parser.add_argument(
        "--cycles", action="store_true", help="print the cycles of each run at the end, to standard error"
    )
    parser.add_argument(
        "--env",
        action="store_true",
        help="print what a shell evaluates so that programs of its own run so, Makefiles and lit included",
    )
    parser.add_argument("script", nargs="?", metavar="SCRIPT.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    options = parser.parse_args()
    if options.env:
        for name, value in toolchain.environment(os.environ).items():
            print(f"export {name}='{value}'")
        return
    if options.script is None:
        parser.error("name a script")
    functions = {name: function for path in options.kernels for name, function in _kernels(path).items()}
    install(npu=options.npu, kernels=functions, sim_options=options.sim)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = str(Path(options.script).resolve().parent)
    try:
        runpy.run_path(options.script, run_name="__main__")
    finally:
        if options.cycles:
            for number, cycles in enumerate(pyxrt.cycles):
                print(f"run {number}: {cycles} cycles", file=sys.stderr)


if __name__ == "__main__":
    main()
