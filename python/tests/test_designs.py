"""Compiling: texts, paths, modules; what a design shows; diagnostics as exceptions."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import aiec

WRONG = """module {
  aie.device(npu2) {
    %t = aie.tile(90, 3)
  }
}
"""


class FakeModule:
    """Something whose ``str()`` is MLIR, as modules of mlir-aie are."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def test_a_path_a_text_and_a_module_are_the_same(examples):
    path = examples / "scale/design.mlir"
    by_path = aiec.compile(path)
    by_text = aiec.compile(path.read_text(), name=path)
    by_module = aiec.compile(FakeModule(path.read_text()), name=str(path))
    assert by_path.elf == by_text.elf == by_module.elf
    assert aiec.compile(str(path)).elf == by_path.elf
    assert aiec.compile(path.read_bytes(), name=path).elf == by_path.elf


def test_arguments_have_names_types_and_shapes(scale):
    first, second = scale.arguments
    assert (first.index, first.element, first.dtype, first.shape) == (0, "i32", np.int32, (256,))
    assert second.index == 1 and second.bytes == 1024
    assert first.zeros().shape == (256,)


def test_a_design_shows_code_module_report_routing_and_pictures(scale):
    assert scale.elf.startswith(b"\x7fELF")
    assert "START_JOB" in scale.asm().upper()
    assert "aie.device" in scale.mlir() and '"aie.device"' in scale.mlir(generic=True)
    assert scale.report["devices"] if "devices" in scale.report else scale.report
    assert scale.routing
    assert scale.routing_svg().lstrip().startswith("<")
    assert "http://" not in scale.routing_html().replace("http://www.w3.org", "")
    assert scale.memory_map()
    assert "<svg" in scale._repr_html_()
    assert "scale" in repr(scale)


def test_options_are_those_of_the_command_line(examples):
    path = examples / "scale/design.mlir"
    assert aiec.compile(path, device="xcve3858").elf != aiec.compile(path).elf
    with pytest.raises(aiec.OptionError, match="npu77"):
        aiec.compile(path, device="npu77")
    with pytest.raises(aiec.OptionError, match="did you mean 'routing-svg'"):
        aiec.compile(path).emit("routing-svgg")


def test_diagnostics_are_exceptions_with_code_span_and_help():
    with pytest.raises(aiec.CompileError) as caught:
        aiec.compile(WRONG, name="wrong.mlir")
    error = caught.value
    assert error.code and "::" in error.code
    assert error.span is not None
    assert (error.span.file, error.span.line) == ("wrong.mlir", 3)
    assert "wrong.mlir:3" in error.rendered
    assert all(finding.severity for finding in error.findings)


def test_all_findings_of_a_stage_are_there():
    text = WRONG.replace("(90, 3)", "(90, 3)\n    %u = aie.tile(91, 3)")
    with pytest.raises(aiec.CompileError) as caught:
        aiec.compile(text)
    assert len([f for f in caught.value.findings if f.severity == "error"]) >= 2


def test_a_missing_file_is_an_os_error():
    with pytest.raises(FileNotFoundError):
        aiec.compile("nowhere/design.mlir")


def test_designs_can_be_pickled(scale):
    again = pickle.loads(pickle.dumps(scale))
    assert again.elf == scale.elf and again.name == scale.name


def test_emitting_several_files_answers_a_dictionary(examples):
    parts = aiec.compile(examples / "passthrough/design.mlir").emit("pdi")
    assert isinstance(parts, dict) and all(isinstance(p, bytes) for p in parts.values())


def test_threads_compile_and_run_at_once(examples):
    text = (examples / "scale/design.mlir").read_text()
    results = []

    def work() -> None:
        run = aiec.compile(text).run(np.arange(256, dtype=np.int32))
        results.append(run.outputs[1][5])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [15] * 4
