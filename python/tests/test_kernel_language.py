"""Kernels that are written in Python: numpy and cores compute the same, and what is refused is named with its line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aiec
from aiec.types import f32, i8, i16, i32

PAGE = Path(__file__).parents[2] / "docs/src/write-a-kernel.md"
FILE = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OFFSET = 3


@aiec.kernel
def scaled(x: i32[256], y: i32[256], factor: i32):
    """A loop over elements, with a number from outside."""
    for i in range(256):
        y[i] = x[i] * factor


@aiec.kernel
def chosen(x: i32[64], y: i32[64]):
    y[:] = np.where(x > 0, x, -x // 3) + OFFSET


@aiec.kernel
def product(a: i8[16, 32], b: i8[32, 16], c: i32[16, 16]):
    c[:] = a.astype(np.int32) @ b.astype(np.int32)


@aiec.kernel
def in_strips(a: f32[8, 8], b: f32[8, 8], c: f32[8, 8]):
    for i in range(0, 8, 4):
        c[i : i + 4, :] = a[i : i + 4, :] @ b.T


@aiec.kernel
def reduced(x: i32[4, 16], y: i32[8]):
    y[:] = 0
    y[0] = np.sum(x, dtype=np.int32)
    y[1] = x.max()
    y[2] = x[1].min()
    y[3:7] = np.max(x, axis=1)
    total = i32(0)
    for i in range(x.shape[0]):
        for j in range(15, -1, -2):
            if x[i, j] > 10 and j % 3 != 0:
                total += x[i, j]
            elif x[i, j] < -50:
                total = total - i
    y[7] = total


@aiec.kernel
def overlapping(x: i16[64], y: i16[64]):
    y[:] = x
    y[1:] = y[:-1]
    t = y[::2] + y[1::2]
    y[:32] = t % 7
    y[32:] = np.minimum(np.abs(y[32:]), 9) << 1
    y[::-1] = y


@aiec.kernel
def fractions(x: f32[32], y: f32[32]):
    largest = np.max(x)
    y[:] = np.maximum(x * 0.5, 0.0) + largest
    y[3] = 2 if OFFSET > 2 else 4
    y[4] = -x[4] + f32(OFFSET)


ALL = [
    (scaled, {"factor": -3}),
    (chosen, {}),
    (product, {}),
    (in_strips, {}),
    (reduced, {}),
    (overlapping, {}),
    (fractions, {}),
]


def given(kernel, seed):
    """Arrays for a kernel; of whole numbers, so that sums of floats are exact."""
    random = np.random.default_rng(seed)
    arrays = {}
    for name, parameter in kernel.parameters.items():
        if isinstance(parameter, aiec.types.Array):
            numbers = random.integers(-100, 100, parameter.shape)
            is_written = name in kernel.written
            arrays[name] = (numbers * (not is_written)).astype(parameter.element.dtype)
    return arrays


def expected(kernel, arrays, scalars):
    copies = {name: array.copy() for name, array in arrays.items()}
    kernel(*(copies[n] if n in copies else scalars[n] for n in kernel.parameters))
    return copies


@pytest.mark.parametrize("kernel,scalars", ALL, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("device", ["npu1", "npu2"])
def test_cores_compute_what_numpy_does(kernel, scalars, device):
    arrays = given(kernel, 7)
    wanted = expected(kernel, arrays, scalars)
    design = aiec.compile(kernel.design(device, **scalars))
    inputs = [None if n in kernel.written else arrays[n].reshape(-1) for n in arrays]
    run = design.run(*inputs)
    for number, name in enumerate(arrays):
        if name in kernel.written:
            found = run.outputs[number].reshape(wanted[name].shape)
            np.testing.assert_array_equal(found, wanted[name])


@pytest.mark.parametrize("kernel,scalars", ALL, ids=lambda value: getattr(value, "__name__", ""))
def test_machine_code_computes_the_same(kernel, scalars, tmp_path):
    arrays = given(kernel, 8)
    wanted = expected(kernel, arrays, scalars)
    (tmp_path / "design.mlir").write_text(kernel.design("npu1", **scalars))
    line = ["sim", str(tmp_path / "design.mlir"), "--core=machine", "--core-strict"]
    for number, name in enumerate(arrays):
        is_written = name in kernel.written
        file = tmp_path / name
        file.write_bytes((wanted if is_written else arrays)[name].tobytes())
        line.append(f"{'--expect' if is_written else '--arg'}={number}={file}")
    code, _, said = aiec._aiec.command(line, b"")
    assert code == 0, said.decode()


def test_a_design_gets_the_bodies_of_what_it_declares():
    text = scaled.design("npu1", factor=5)
    declared = text.replace(scaled.mlir.replace("\n", "\n  ").rstrip(), "")
    declared = declared.replace("aie.device(npu1) {", f"aie.device(npu1) {{\n{scaled.declaration}")
    numbers = np.arange(256, dtype=np.int32)
    run = aiec.compile(declared, kernels=[scaled]).run(numbers)
    np.testing.assert_array_equal(run.outputs[1], numbers * 5)


def refused(function):
    """The message of a refusal, without the lines of the source."""
    with pytest.raises(aiec.KernelError) as caught:
        aiec.kernel(function)
    assert caught.value.filename == __file__
    line = Path(__file__).read_text().splitlines()[caught.value.line - 1]
    assert "# here" in line
    return caught.value.message


def test_refusals_name_the_line():
    def endless(x: i32[4]):
        while True:  # here
            x[0] = 1

    def untyped(x):  # here
        x[0] = 1

    def mixed(x: i32[4], y: f32[4]):
        y[0] = x[0] * y[1]  # here

    def divided(x: i32[4]):
        x[0] = x[1] / x[2]  # here

    def shapes(x: i32[4], y: i32[8]):
        y[:] = x + y  # here

    def outside(x: i32[4]):
        x[4] = 1  # here

    def unknown(x: i32[4]):
        x[:] = np.sort(x)  # here

    def changed(x: i32[4]):
        total = 0
        for i in range(4):  # here
            total = x[i]
        x[0] = total

    assert refused(endless) == "a kernel has no `while`"
    assert "has no type" in refused(untyped)
    assert "`*` of i32 and f32" in refused(mixed)
    assert "use `//`" in refused(divided)
    assert "(4,) and (8,)" in refused(shapes)
    assert "outside of a dimension of 4" in refused(outside)
    assert "`np.sort` isn't known" in refused(unknown)
    assert "'total' is index before and i32 after" in refused(changed)


def test_a_design_refuses_what_it_cannot_fill():
    @aiec.kernel
    def added(x: i32[4], y: i32[4]):
        y += x

    with pytest.raises(TypeError, match="'y' is read before it is written"):
        added.design("npu1")
    with pytest.raises(TypeError, match="the numbers are factor"):
        scaled.design("npu1")


def test_commands_of_the_page_run(tmp_path):
    page = PAGE.read_text()
    files = FILE.findall(page)
    assert [name for name, _ in files] == ["kernels.py", "compare.py"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    tools = tmp_path / "bin"
    tools.mkdir()
    command = "import sys\nfrom aiec import _aiec\ncode, out, said = _aiec.command(sys.argv[1:], b'')\n"
    command += "sys.stdout.buffer.write(out)\nsys.stderr.buffer.write(said)\nsys.exit(code)\n"
    (tools / "aiec").write_text(f"#!{sys.executable}\n{command}")
    (tools / "aiec").chmod(0o755)
    (tools / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    commands = COMMANDS.findall(page)
    assert len(commands) == 3
    for line in commands:
        shell = shutil.which("sh")
        assert shell is not None
        done = subprocess.run(
            [shell, "-ec", line], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, line + done.stdout + done.stderr


@pytest.mark.parametrize("device", ["npu1", "npu2", "xcve3858", "xcve2302", "xcve2802"])
def test_a_design_uses_tiles_that_the_device_has(device):
    @aiec.kernel
    def twice(x: i32[16], y: i32[16]):
        for i in range(16):
            y[i] = x[i] + x[i]

    numbers = np.arange(16, dtype=np.int32)
    run = aiec.compile(twice.design(device)).run(numbers)
    assert (run.outputs[1] == 2 * numbers).all()


def test_a_device_that_is_unknown_is_named():
    @aiec.kernel
    def nothing(y: i32[16]):
        y[:] = 0

    with pytest.raises(ValueError, match="no device 'npu9'"):
        nothing.design("npu9")
