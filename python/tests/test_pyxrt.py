"""The stand-in for XRT's module."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aiec import _aiec, pyxrt
from aiec.iron import toolchain, tools

DOCS = Path(__file__).parents[2] / "docs/src"
PAGE = (DOCS / "mlir-aie.md").read_text()
DESIGN = re.search(r"^```mlir[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
SIZE = 256
# The body of the core, as a function that the design only declares.
CALL = """
        func.call @add_five(%x, %y) : (memref<16xi32>, memref<16xi32>) -> ()
"""


def aiecc(folder: Path, *options: str, design: str = DESIGN) -> None:
    (folder / "aie.mlir").write_text(design)
    line = ["aiecc", "--core=model", f"--output-dir={folder}", *options, str(folder / "aie.mlir")]
    code, _, said = _aiec.command(line, b"")
    assert code == 0, said.decode()


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """The files of the page's design."""
    folder = tmp_path_factory.mktemp("files")
    options = ["xclbin", "npu-insts", "full-elf", "elf"]
    aiecc(folder, *(f"--get-{name}" for name in options), "--npu-insts-name=insts.bin")
    return folder


@pytest.fixture
def xrt(monkeypatch):
    """The module as a program imports it."""
    for name in ["pyxrt", "pyxrt.ext"]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(pyxrt, "kernels", {})
    monkeypatch.setattr(pyxrt, "options", [])
    pyxrt.install()
    import pyxrt as imported

    assert imported is pyxrt
    return imported


def context(xrt, files: Path):
    device = xrt.device(0)
    xclbin = xrt.xclbin(str(files / "aie.xclbin"))
    return device, xrt.hw_context(device, device.register_xclbin(xclbin))


def buffers(xrt, device):
    a, b = (xrt.bo(device, SIZE, xrt.bo.host_only, 0) for _ in range(2))
    a.write(np.arange(64, dtype=np.int32), 0)
    return a, b


def instructions(xrt, device, files: Path):
    words = np.fromfile(files / "insts.bin", np.uint32)
    code = xrt.bo(device, words.nbytes, xrt.bo.cacheable, 1)
    code.write(words, 0)
    return code, words.size


def check(b) -> None:
    np.testing.assert_array_equal(b.read(SIZE, 0).view(np.int32), np.arange(64) + 5)


def test_an_xclbin_with_instructions(xrt, files):
    device, of = context(xrt, files)
    kernel = xrt.kernel(of, "MLIR_AIE")
    a, b = buffers(xrt, device)
    run = kernel(3, *instructions(xrt, device, files), a, b)
    assert run.wait() == xrt.ert_cmd_state.ERT_CMD_STATE_COMPLETED
    assert run.cycles > 0
    check(b)


def test_kernels_of_an_xclbin(xrt, files):
    file = xrt.xclbin(str(files / "aie.xclbin"))
    (kernel,) = file.get_kernels()
    assert kernel.get_name() == "MLIR_AIE"
    assert kernel.get_num_args() == 8
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", file.get_uuid().to_string())
    device, of = context(xrt, files)
    with pytest.raises(RuntimeError, match="No such kernel 'OTHER'.*MLIR_AIE"):
        xrt.kernel(of, "OTHER")


def test_a_partial_elf(xrt, files):
    device, of = context(xrt, files)
    module = xrt.module(xrt.elf(str(files / "design.elf")))
    kernel = xrt.ext.kernel(of, module, "MLIR_AIE")
    a, b = buffers(xrt, device)
    kernel(3, 0, 0, a, b).wait2()
    check(b)


def test_a_whole_design(xrt, files):
    device = xrt.device(0)
    of = xrt.hw_context(device, xrt.elf(str(files / "aie.elf")))
    run = xrt.run(xrt.ext.kernel(of, "main:sequence"))
    a, b = buffers(xrt, device)
    run.set_arg(0, a)
    run.set_arg(1, b)
    run.start()
    run.wait2()
    check(b)


def test_a_run_list(xrt, files):
    device, of = context(xrt, files)
    kernel = xrt.kernel(of, "MLIR_AIE")
    a, middle, b = (*buffers(xrt, device), xrt.bo(device, SIZE, xrt.bo.host_only, 0))
    runs = xrt.runlist(of)
    for pair in [(a, middle), (middle, b)]:
        run = xrt.run(kernel)
        for index, value in enumerate([3, *instructions(xrt, device, files), *pair]):
            run.set_arg(index, value)
        runs.add(run)
    runs.execute()
    runs.wait()
    np.testing.assert_array_equal(b.read(SIZE, 0).view(np.int32), np.arange(64) + 10)


def test_parts_of_a_buffer(xrt, files):
    device, of = context(xrt, files)
    both = xrt.bo(device, 2 * SIZE, xrt.bo.host_only, 0)
    a, b = xrt.bo(both, SIZE, 0), xrt.bo(both, SIZE, SIZE)
    a.write(np.arange(64, dtype=np.int32), 0)
    xrt.kernel(of, "MLIR_AIE")(3, *instructions(xrt, device, files), a, b)
    check(b)
    np.testing.assert_array_equal(np.frombuffer(both.map(), np.int32)[:64], np.arange(64))
    with pytest.raises(RuntimeError):
        xrt.bo(both, SIZE, SIZE + 1)
    with pytest.raises(RuntimeError):
        a.write(np.zeros(65, np.int32), 0)


def test_a_buffer_that_is_not_given(xrt, files, capfd):
    device, of = context(xrt, files)
    a, _ = buffers(xrt, device)
    xrt.kernel(of, "MLIR_AIE")(3, *instructions(xrt, device, files), a).wait2()
    assert "buffer 1 of the kernel was not given" in capfd.readouterr().err


def test_a_run_that_hangs_times_out(xrt, tmp_path, capfd):
    aiecc(
        tmp_path,
        "--get-xclbin",
        "--get-npu-insts",
        "--npu-insts-name=insts.bin",
        design=DESIGN.replace("%c4 = arith.constant 4", "%c4 = arith.constant 3"),
    )
    device, of = context(xrt, tmp_path)
    a, b = buffers(xrt, device)
    run = xrt.kernel(of, "MLIR_AIE")(3, *instructions(xrt, device, tmp_path), a, b)
    assert run.wait() == xrt.ert_cmd_state.ERT_CMD_STATE_TIMEOUT
    with pytest.raises(RuntimeError, match="TIMEOUT"):
        run.wait2()
    assert "sim::deadlock" in capfd.readouterr().err


def calling_design() -> str:
    """The design with its inner loop as a call."""
    inner = DESIGN.index("        scf.for %j")
    end = DESIGN.index("        aie.objectfifo.release @in")
    declared = '    func.func private @"12ab34cd_add_five"(memref<16xi32>, memref<16xi32>) attributes {link_with = "k.o"}\n'
    body = DESIGN[:inner] + CALL.replace("add_five", '"12ab34cd_add_five"') + DESIGN[end:]
    return body.replace("    aie.core", declared + "    aie.core", 1)


def test_functions_in_python(xrt, tmp_path):
    design = calling_design()
    aiecc(tmp_path, "--get-xclbin", "--get-npu-insts", "--npu-insts-name=insts.bin", design=design)
    pyxrt.install(functions={"add_five": lambda x, y: np.add(x, 5, out=y)})
    device, of = context(xrt, tmp_path)
    a, b = buffers(xrt, device)
    xrt.kernel(of, "MLIR_AIE")(3, *instructions(xrt, device, tmp_path), a, b).wait2()
    check(b)


SOURCE = """
#include <aie_api/aie.hpp>
extern "C" void add_five(int32_t *restrict x, int32_t *restrict y) {
  event0();
  for (int i = 0; i < 16; i++) y[i] = x[i] + 5;
  event1();
}
"""


@pytest.mark.parametrize("design", ["aie.mlir", "of_another_folder/aie.mlir"])
def test_functions_in_cpp(xrt, tmp_path, monkeypatch, design):
    """What IRON does: clang++, llvm-objcopy, aiecc."""
    if tools._compiler() is None:
        pytest.skip("no compiler c++ is here")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cc").write_text(SOURCE)
    flags = ["-std=c++20", "-O2", "-Wno-attributes", "--target=aie2p-none-unknown-elf"]
    assert tools.clang(["k.cc", "-c", "-o", "k.o", *flags]) == 0
    assert tools.objcopy(["--redefine-sym=add_five=12ab34cd_add_five", "k.o"]) == 0
    (tmp_path / design).parent.mkdir(exist_ok=True)
    (tmp_path / design).write_text(calling_design())
    line = [design, "--get-xclbin", "--get-npu-insts", "--npu-insts-name=insts.bin", "--peano=nowhere"]
    assert tools.aiecc(line) == 0
    device, of = context(xrt, tmp_path)
    a, b = buffers(xrt, device)
    xrt.kernel(of, "MLIR_AIE")(3, *instructions(xrt, device, tmp_path), a, b).wait2()
    check(b)


def test_code_for_the_vector_unit_is_left_to_the_simulator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cc").write_text("void f() { aie::vector<int16_t, 16> v; }")
    assert tools.clang(["k.cc", "-c", "-o", "k.o"]) == 0
    assert (tmp_path / "k.o").read_text().startswith(tools.NO_CODE)
    assert tools.objcopy(["--redefine-sym=f=g", "k.o"]) == 0
    assert tools.clang(["k.cc", "-c", "-o", "m.o", "-DB_COL_MAJ"]) == 0
    design = 'func.func private @"12ab34cd_m"() attributes {link_with = "m.o"}'
    assert "B_COL_MAJ" in tools.unlike_built_in(design, tmp_path)[0]
    monkeypatch.setenv(tools.OWN_KERNELS, "f,m")
    assert tools.unlike_built_in(design, tmp_path) == []
    assert tools.libraries('func.func private @f() attributes {link_with = "k.o"}', tmp_path) == {}


def test_functions_that_objects_hold():
    design = """
    func.func private @"12ab34cd_f"(i32) attributes {link_with = "f.o"}
    func.func private @alone(i32)
    "func.func"() <{function_type = (i32) -> (), sym_name = "g", sym_visibility = "private"}> ({
    }) {link_with = "g.ll"} : () -> ()
    "func.func"() <{function_type = (i32) -> (), sym_name = "h", sym_visibility = "private"}> ({
    }) : () -> ()
    """
    assert tools.linked(design) == {"12ab34cd_f": "f.o", "g": "g.ll"}


def test_the_environment_of_other_programs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    given = {"PATH": "/bin"}
    once = toolchain.environment(given)
    folder = toolchain.folder()
    assert once["PATH"] == f"{folder}/bin:/bin"
    assert toolchain.environment({**given, **once})["PATH"] == once["PATH"]
    assert (folder / "bin/aiecc").stat().st_mode & 0o111


def test_the_npu_is_the_one_that_a_program_wants(xrt, monkeypatch):
    name = xrt.device(0).get_info(xrt.xrt_info_device.name)
    assert "Strix" in name
    pyxrt.install(device="npu1")
    assert "Phoenix" in xrt.device(0).get_info(xrt.xrt_info_device.name)
    monkeypatch.setattr(pyxrt, "npu", "npu2")
    with pytest.raises(ValueError, match="npu1 and npu2"):
        pyxrt.install(device="npu3")


def test_parameters_of_a_run(xrt, tmp_path):
    page = (DOCS / "scratchpad-parameters.md").read_text()
    design = re.search(r"^```mlir[^\n]*\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    aiecc(tmp_path, "--get-full-elf", f"--full-elf-name={tmp_path}/all.elf", design=design)
    device = xrt.device(0)
    of = xrt.hw_context(device, xrt.elf(str(tmp_path / "all.elf")))
    run = xrt.run(xrt.ext.kernel(of, "main:run"))
    a, b = xrt.ext.bo(device, 1024), xrt.ext.bo(device, 32)
    a.write(np.arange(256, dtype=np.int32), 0)
    run.set_arg(0, a)
    run.set_arg(1, b)
    for start, gain in [(16, 3), (200, 5)]:
        table = run.get_ctrl_scratchpad_bo()
        # A core's number comes times 4.
        table.write(np.array([start, 4 * gain], np.int32), 0)
        run.start()
        run.wait2()
        np.testing.assert_array_equal(b.read(32, 0).view(np.int32), gain * np.arange(start, start + 8))


HOST = """
#include <cassert>
#include <xrt/experimental/xrt_elf.h>
#include <xrt/experimental/xrt_ext.h>
#include <xrt/xrt_kernel.h>

int main() {
  xrt::device device(0);
  xrt::hw_context context(device, xrt::elf("all.elf"));
  xrt::run run(xrt::ext::kernel(context, "main:run"));
  xrt::bo a = xrt::ext::bo(device, 1024), b = xrt::ext::bo(device, 32);
  for (int i = 0; i < 256; i++)
    a.map<int32_t *>()[i] = i;
  run.set_arg(0, a);
  run.set_arg(1, b);
  auto *table = run.get_ctrl_scratchpad_bo().map<int32_t *>();
  for (int start : {16, 200}) {
    table[0] = start;
    table[1] = 4 * 3;
    run.start();
    run.wait2();
    for (int i = 0; i < 8; i++)
      assert(b.map<int32_t *>()[i] == 3 * (start + i));
  }
}
"""


def test_parameters_of_a_run_of_a_host_in_cpp(tmp_path, monkeypatch):
    compiler = tools._compiler()
    if compiler is None:
        pytest.skip("no compiler c++ is here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = (DOCS / "scratchpad-parameters.md").read_text()
    design = re.search(r"^```mlir[^\n]*\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    aiecc(tmp_path, "--get-full-elf", f"--full-elf-name={tmp_path}/all.elf", design=design)
    (tmp_path / "host.cpp").write_text(HOST)
    variables = {**os.environ, **toolchain.environment(os.environ)}
    for command in ([compiler, "-std=c++17", "host.cpp", "-o", "host", "-lxrt_coreutil"], ["./host"]):
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_run_without_parameters_has_no_table(xrt, files):
    of = xrt.hw_context(xrt.device(0), xrt.elf(str(files / "aie.elf")))
    with pytest.raises(RuntimeError, match="no scratchpad"):
        xrt.run(xrt.ext.kernel(of, "main:sequence")).get_ctrl_scratchpad_bo()
