"""IRON's programs, and the fixture of pytest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aiec.iron

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "examples/scale/design.mlir").read_text()
A = np.arange(256, dtype=np.int32)


class Tensor:
    """As IRON's tensors: the host's view of a buffer."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def numpy(self) -> np.ndarray:
        return self.array


class Program:
    """As ``iron.Program``."""

    def resolve_program(self) -> str:
        return TEXT


class Jitted:
    """As what ``iron.jit`` answers."""

    def as_mlir(self, factor: int = 3) -> str:
        return TEXT.replace("constant 3", f"constant {factor}")


def test_tensors_get_results_in_place():
    a, b = Tensor(A.copy()), Tensor(np.zeros(256, np.int32))
    run = aiec.iron.run(Program(), a, b)
    assert run.status == "completed"
    np.testing.assert_array_equal(b.numpy(), 3 * A)
    np.testing.assert_array_equal(a.numpy(), A)


@pytest.mark.parametrize("program", [Jitted(), lambda: Program(), TEXT], ids=["jit", "function", "text"])
def test_programs_come_in_several_forms(program):
    run = aiec.iron.run(program, A, np.zeros(256, np.int32))
    np.testing.assert_array_equal(run.outputs[1], 3 * A)


def test_parameters_of_jitted_functions():
    run = aiec.iron.run(Jitted(), A, np.zeros(256, np.int32), parameters={"factor": 5})
    np.testing.assert_array_equal(run.outputs[1], 5 * A)


def test_the_fixture_compares(aie_run):
    aie_run(TEXT, A, np.zeros(256, np.int32), expected={1: 3 * A})
    with pytest.raises(AssertionError, match="argument 1"):
        aie_run(TEXT, A, np.zeros(256, np.int32), expected={1: 4 * A})


def test_the_fixture_is_there_for_other_suites(pytester):
    pytester.makepyfile(
        f"""
        import numpy as np
        def test_scale(aie_run):
            run = aie_run(open({str(ROOT / "examples/scale/design.mlir")!r}).read(),
                          np.arange(256, dtype=np.int32), rtol=0.1, expected={{1: 3 * np.arange(256)}})
            assert "xcve3858" in run.report["device"]
        def test_race(aie_run):
            path = {str(ROOT / "test/races/dma_core_input_early_bad.mlir")!r}
            arrays = np.zeros(64, np.int32), np.zeros(64, np.int32)
            aie_run(path, *arrays, device="npu2")
        """
    )
    result = pytester.runpytest("--aie-device=xcve3858", "--aie-jitter=3")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*RaceError*"])
