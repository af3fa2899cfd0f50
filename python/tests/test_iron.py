"""IRON's programs, and the fixture of pytest."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import types
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import aiec.iron

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "examples/scale/design.mlir").read_text()
A = np.arange(256, dtype=np.int32)


# Stand-ins with the names and the behaviour of mlir-aie's package (python/iron, python/utils/callabledesign.py,
# python/utils/compile/jit/compilabledesign.py, python/utils/hostruntime/tensor_class.py), which isn't on PyPI.


class Tensor:
    """As IRON's tensors before 2026: the host's view of a buffer."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def numpy(self) -> np.ndarray:
        return self.array


class NpuTensor(Tensor):
    """As today's: the device's copy counts unless the host's was written through the tensor."""

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(array.copy())
        self.on_device = array.copy()

    def numpy(self) -> np.ndarray:
        self.array[...] = self.on_device
        return self.array

    @contextmanager
    def overwrite(self):
        yield self.array
        self.on_device = self.array.copy()


class Program:
    """As ``iron.Program`` without placers."""

    def resolve_program(self, device_name: str = "main") -> str:
        return TEXT


class PlacedProgram:
    """As ``iron.Program`` of releases with placers: without one, it is for programs that name their tiles."""

    def resolve_program(self, placer: object = None) -> str:
        if placer is None:
            raise ValueError("cannot resolve a tile without a place")
        return TEXT


class Jitted:
    """As what ``iron.jit`` answers today (``CallableDesign``): a call goes to hardware."""

    def as_mlir(self, *arguments: object, factor: int = 3) -> str:
        return TEXT.replace("constant 3", f"constant {factor}")

    def __call__(self, *arguments: object) -> None:
        raise RuntimeError("no NPU is here")


class Compilable:
    """As what ``iron.compileconfig`` answers (``CompilableDesign``)."""

    def __init__(self, factor: int = 3) -> None:
        self.factor = factor

    def specialize(self, factor: int) -> Compilable:
        return Compilable(factor)

    def generate_mlir(self) -> str:
        return Jitted().as_mlir(factor=self.factor)


def scale(a: object, b: object, factor: int = 3) -> str:
    """A generator that reads shapes from its tensors, as those before compile-time parameters do."""
    assert a.numpy().shape == b.numpy().shape == (256,)
    return Jitted().as_mlir(factor=factor)


class OlderCompilable:
    """As ``Compilable`` of 2025."""

    function = staticmethod(scale)


class OlderJitted:
    """As ``NPUCallable`` of 2025: no way to ask for MLIR."""

    compilable = OlderCompilable()

    def __call__(self, *arguments: object) -> None:
        raise RuntimeError("no NPU is here")


@functools.wraps(scale)
def wrapped(*arguments: object) -> None:
    """As the first ``iron.jit``, a function around the generator."""
    raise RuntimeError("no NPU is here")


@pytest.mark.parametrize("tensor", [Tensor, NpuTensor])
def test_tensors_get_results_in_place(tensor):
    a, b = tensor(A.copy()), tensor(np.zeros(256, np.int32))
    run = aiec.iron.run(Program(), a, b)
    assert run.status == "completed"
    np.testing.assert_array_equal(b.numpy(), 3 * A)
    np.testing.assert_array_equal(a.numpy(), A)


@pytest.mark.parametrize(
    "program", [Jitted(), Compilable(), lambda: Program(), TEXT], ids=["jit", "config", "function", "text"]
)
def test_programs_come_in_several_forms(program):
    run = aiec.iron.run(program, A, np.zeros(256, np.int32))
    np.testing.assert_array_equal(run.outputs[1], 3 * A)


@pytest.mark.parametrize("program", [OlderJitted(), wrapped], ids=["callable", "wrapped"])
def test_older_jitted_functions_get_the_tensors(program):
    a, b = Tensor(A.copy()), Tensor(np.zeros(256, np.int32))
    aiec.iron.run(program, a, b)
    np.testing.assert_array_equal(b.numpy(), 3 * A)
    aiec.iron.run(program, a, b, parameters={"factor": 5})
    np.testing.assert_array_equal(b.numpy(), 5 * A)


@pytest.mark.parametrize("program", [Jitted(), Compilable()], ids=["jit", "config"])
def test_parameters_of_jitted_functions(program):
    run = aiec.iron.run(program, A, np.zeros(256, np.int32), parameters={"factor": 5})
    np.testing.assert_array_equal(run.outputs[1], 5 * A)


def test_releases_with_placers_get_one(monkeypatch):
    placers = types.ModuleType("aie.iron.placers")
    placers.SequentialPlacer = object
    for name in ["aie", "aie.iron"]:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "aie.iron.placers", placers)
    run = aiec.iron.run(PlacedProgram(), A, np.zeros(256, np.int32))
    np.testing.assert_array_equal(run.outputs[1], 3 * A)


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


def test_the_environment_has_the_tools_of_mlir_aie(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    variables = {**os.environ, **aiec.iron.toolchain.environment(os.environ)}
    design = tmp_path / "design.mlir"
    design.write_text(TEXT)

    def tool(*arguments: str, given: str | None = None) -> str:
        path = shutil.which(arguments[0], path=variables["PATH"])
        done = subprocess.run([path, *arguments[1:]], input=given, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    printed = tool("aie-opt", "--canonicalize", str(design))
    assert "aie.objectfifo" in printed
    assert tool("aie-opt", "--canonicalize", given=TEXT) == printed
    assert tool("aie-translate", "--aie-flows-to-json", str(design)).startswith("{")
