"""All examples, and random designs: the same bytes and cycles as by the binary."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import aiec

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/design.mlir"))
BINARY = Path(os.environ.get("AIEC", ROOT / "target/debug/aiec"))
DESIGNS = Path(os.environ.get("AIEC_DESIGNS", ROOT / "target/designs"))
LEAST_DESIGNS = 200


def numbered(folder: Path, pattern: str) -> dict[int, bytes]:
    """The contents of files by the number in their names."""
    files = sorted(folder.glob(pattern))
    return {int(re.findall(r"(\d+)\.bin$", f.name)[0]): f.read_bytes() for f in files}


def arrays(design: aiec.Design, contents: dict[int, bytes]) -> list[np.ndarray | None]:
    """Contents as the arguments of a design."""
    given: list[np.ndarray | None] = []
    for argument in design.arguments:
        content = contents.get(argument.index)
        data = None if content is None else np.frombuffer(content, np.uint8)
        given.append(None if data is None else argument.of_bytes(data))
    return given


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_give_what_the_binary_gives(name, examples, tmp_path):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built; AIEC names another")
    folder = examples / name
    link = [folder / "kernels.mlir"] if (folder / "kernels.mlir").exists() else []
    design = aiec.compile(folder / "design.mlir", link=link)
    inputs = numbered(folder, "arg*.bin")
    run = design.run(*arrays(design, inputs), check=False)

    elf, report = tmp_path / "design.elf", tmp_path / "report.json"
    flags = [f"--link={path}" for path in link]
    compiling = [BINARY, folder / "design.mlir", "-o", elf, *flags]
    subprocess.run(compiling, check=True, capture_output=True)
    assert elf.read_bytes() == design.elf
    given = [f"--arg={index}={folder}/arg{index}.bin" for index in inputs]
    outs = [f"--out={a.index}={tmp_path}/out{a.index}.bin" for a in design.arguments]
    simulating = [BINARY, "sim", elf, f"--report={report}", *given, *outs]
    subprocess.run(simulating, capture_output=True)
    by_binary = json.loads(report.read_text())
    assert (run.status, run.cycles) == (by_binary["status"], by_binary["cycles"])
    assert run.report == by_binary
    if run.status == "completed":
        for argument in design.arguments:
            out = (tmp_path / f"out{argument.index}.bin").read_bytes()
            assert run.outputs[argument.index].tobytes() == out
    for index, expected in numbered(folder, "expected*.bin").items():
        assert run.outputs[index].tobytes() == expected


def test_random_designs_compute_what_they_mean():
    files = sorted(DESIGNS.glob("*.mlir"))
    if not files:
        pytest.skip(f"no designs in {DESIGNS}: `cargo run -p aiec-test --bin export-designs` writes some")
    assert len(files) >= LEAST_DESIGNS
    for file in files:
        design = aiec.compile(file)
        given = numbered(DESIGNS, f"{file.stem}.arg*.bin")
        run = design.run(*arrays(design, given), report=False)
        for index, expected in numbered(DESIGNS, f"{file.stem}.expected*.bin").items():
            assert run.outputs[index].tobytes() == expected, f"{file.name}, argument {index}"
