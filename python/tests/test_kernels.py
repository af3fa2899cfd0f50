"""Functions of cores in Python."""

from __future__ import annotations

import gc
import shutil
import subprocess

import numpy as np
import pytest

import aiec
from aiec.elements import dtypes

DESIGN = """module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<4x16xTYPE>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<4x16xTYPE>>
    func.func private @scale(memref<4x16xTYPE>, memref<4x16xTYPE>, i32, f32) -> i32
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %forever = arith.constant 9223372036854775807 : index
      %factor = arith.constant -3 : i32
      %half = arith.constant 0.5 : f32
      scf.for %round = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<4x16xTYPE>>
        %x = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<4x16xTYPE>> -> memref<4x16xTYPE>
        %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<4x16xTYPE>>
        %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<4x16xTYPE>> -> memref<4x16xTYPE>
        %r = func.call @scale(SECOND, %y, %factor, %half) : (memref<4x16xTYPE>, memref<4x16xTYPE>, i32, f32) -> i32
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xTYPE>, %b: memref<256xTYPE>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<256xTYPE>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<256xTYPE>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"""

A = np.arange(256, dtype=np.int32)


@pytest.fixture(scope="module")
def design():
    return aiec.compile(DESIGN.replace("TYPE", "i32").replace("SECOND", "%x"), name="kernel.mlir")


def test_a_kernel_sees_arrays_and_numbers(design):
    seen = []

    def scale(x, y, factor, half):
        seen.append((x.shape, x.dtype, factor, half))
        y[:] = x * factor
        return int(x[0, 0])

    run = design.run(A, kernels={"scale": scale})
    np.testing.assert_array_equal(run.outputs[1], -3 * A)
    assert len(seen) == 4
    assert seen[0] == ((4, 16), np.dtype(np.int32), -3, 0.5)


def test_a_lambda_of_numpy_does(design):
    multiply = {"scale": lambda x, y, factor, half: np.multiply(x, factor, out=y)[0, 0]}
    run = design.run(A, kernels=multiply)
    np.testing.assert_array_equal(run.outputs[1], -3 * A)


def test_costs_are_cycles(design):
    def scale(x, y, factor, half):
        y[:] = x
        return 0

    def cycles(cost):
        return design.run(A, kernels={"scale": aiec.Kernel(scale, cost)}).cycles

    least = cycles(0)
    assert cycles(1000) >= least + 3000
    assert cycles(lambda x, y, factor, half: 10 * x.size) == cycles(640)
    assert cycles(None) > least


def test_elements_of_other_types_are_arrays_too():
    for name in ["i8", "i16", "ui8", "f32", "bf16"]:
        dtype = dtypes(name)[0]
        text = DESIGN.replace("TYPE", name).replace("SECOND", "%x")
        given = np.arange(256).astype(dtype)

        def copy(x, y, factor, half, dtype=dtype):
            assert x.dtype == dtype
            y[...] = x
            return 0

        run = aiec.compile(text).run(given, kernels={"scale": copy})
        np.testing.assert_array_equal(run.outputs[1], given)


def test_overlapping_buffers_share_their_bytes():
    same = aiec.compile(DESIGN.replace("TYPE", "i32").replace("SECOND", "%y"))

    def through(x, y, factor, half):
        x[:] = 7
        assert (y == 7).all()
        y[0, 0] = 9
        assert x[0, 0] == 9
        return 0

    run = same.run(A, kernels={"scale": through})
    assert run.outputs[1][0] == 9 and (run.outputs[1][1:64] == 7).all()


def test_arrays_that_a_kernel_keeps_stay_as_they_were(design):
    kept = []

    def keep(x, y, factor, half):
        y[:] = x
        kept.append(x if len(kept) % 2 else x[1:])
        return 0

    design.run(A, kernels={"scale": keep})
    gc.collect()
    np.testing.assert_array_equal(kept[0], A[16:64].reshape(3, 16))
    np.testing.assert_array_equal(kept[1], A[64:128].reshape(4, 16))


def test_an_exception_is_a_fault_with_tile_and_line(design):
    def scale(x, y, factor, half):
        raise ValueError("not today")

    with pytest.raises(aiec.FaultError, match="not today") as caught:
        design.run(A, kernels={"scale": scale})
    error = caught.value
    assert isinstance(error.__cause__, ValueError)
    assert "(0,3)" in str(error).replace(" ", "")
    assert "test_kernels.py:" in str(error).replace("\n", "")
    assert "kernel.mlir:" in str(error).replace("\n", "")
    run = design.run(A, kernels={"scale": scale}, check=False)
    assert run.status == "fault"
    again = design.run(A, kernels={"scale": lambda x, y, f, h: 0})
    assert again.status == "completed"


def test_an_interrupt_in_a_kernel_is_raised(design):
    def scale(x, y, factor, half):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        design.run(A, kernels={"scale": scale})


def test_a_result_of_the_wrong_type_is_a_fault(design):
    with pytest.raises(aiec.FaultError, match="scale") as caught:
        design.run(A, kernels={"scale": lambda x, y, f, h: "text"})
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_missing_kernel_is_named(design):
    with pytest.raises(aiec.FaultError) as caught:
        design.run(A)
    assert caught.value.code == "sim::no-kernel"


def test_a_kernel_that_nobody_calls_is_a_warning(scale):
    run = scale.run(A, kernels={"nobody": lambda: None})
    assert any("nobody" in finding.message for finding in run.findings)


def test_a_kernel_must_be_a_function(scale):
    with pytest.raises(TypeError, match="isn't a function"):
        scale.run(A, kernels={"scale": aiec.Kernel(5)})


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is here")
def test_a_kernel_in_c_is_a_path(examples, tmp_path):
    folder = examples / "external-kernel"
    library = tmp_path / "libkernels.so"
    subprocess.run(["cc", "-shared", "-fPIC", folder / "kernels.c", "-o", library], check=True)
    design = aiec.compile(folder / "design.mlir")
    given = np.frombuffer((folder / "arg0.bin").read_bytes(), design.arguments[0].dtype)
    run = design.run(given, kernels={"vector_scalar_mul_scalar": library})
    assert run.outputs[1].tobytes() == (folder / "expected1.bin").read_bytes()
