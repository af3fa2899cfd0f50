"""Running: arrays in and out, checks of arguments, endings, traces, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import aiec

A = np.arange(256, dtype=np.int32)


def test_arrays_go_in_and_come_out(scale):
    run = scale.run(A)
    assert run.status == "completed"
    assert run.cycles == run.config_cycles + run.run_cycles > 0
    np.testing.assert_array_equal(run.outputs[1], 3 * A)
    name = scale.arguments[1].name
    np.testing.assert_array_equal(run.outputs[name], 3 * A)
    assert list(run.outputs) == [a.name for a in scale.arguments]


def test_results_are_written_into_given_arrays(scale):
    out = np.zeros(256, np.int32)
    scale.run(A, out=out)
    np.testing.assert_array_equal(out, 3 * A)
    out[:] = 0
    scale.run(A, out=[out])
    np.testing.assert_array_equal(out, 3 * A)
    out[:] = 0
    scale.run(A, out={scale.arguments[1].name: out})
    np.testing.assert_array_equal(out, 3 * A)


def test_arrays_of_other_layout_and_sign_fit(scale):
    strided = np.repeat(A, 2)[::2]
    assert not strided.flags.c_contiguous
    np.testing.assert_array_equal(scale.run(strided).outputs[1], 3 * A)
    np.testing.assert_array_equal(scale.run(A.astype(np.uint32)).outputs[1], 3 * A)


def test_a_wrong_dtype_is_a_type_error(scale):
    with pytest.raises(TypeError, match="int32.*float64.*astype") as caught:
        scale.run(A.astype(float))
    assert isinstance(caught.value, aiec.ArgumentTypeError)
    assert scale.run(A).status == "completed"


def test_a_wrong_shape_is_a_value_error(scale):
    with pytest.raises(aiec.ArgumentShapeError, match=r"\(256,\).*\(16, 16\).*reshape"):
        scale.run(A.reshape(16, 16))
    with pytest.raises(ValueError, match=r"\(256,\).*\(255,\)"):
        scale.run(A[:255])


def test_a_missing_array_is_an_error_if_it_is_read(scale):
    with pytest.raises(aiec.MissingArgumentError, match="argument 0"):
        scale.run()
    with pytest.raises(aiec.MissingArgumentError, match="3 arrays"):
        scale.run(A, A, A)
    with pytest.raises(aiec.MissingArgumentError, match="no argument 'nothing'"):
        scale.run(A, out={"nothing": A})
    assert scale.run(check=False).status == "completed"


def test_a_place_for_results_must_be_writeable(scale):
    out = np.zeros(256, np.int32)
    out.flags.writeable = False
    with pytest.raises(aiec.ArgumentTypeError, match="can be written"):
        scale.run(A, out=out)


def test_timing_and_jitter_change_cycles_only(scale):
    usual, fast, shaken = scale.run(A), scale.run(A, timing=False), scale.run(A, jitter=7)
    assert fast.cycles < usual.cycles and shaken.cycles != usual.cycles
    for run in (fast, shaken):
        np.testing.assert_array_equal(run.outputs[1], 3 * A)


def test_a_deadlock_is_an_exception_with_its_diagnosis(examples):
    design = aiec.compile(examples / "deadlock/design.mlir")
    arrays = [a.zeros() for a in design.arguments]
    with pytest.raises(aiec.DeadlockError) as caught:
        design.run(*arrays)
    error = caught.value
    assert error.code == "sim::deadlock" and error.help
    run = error.run
    assert run.status == "deadlock" and run.deadlock is not None
    assert run.deadlock["story"] and run.deadlock["mistake"]
    assert design.run(*arrays, check=False).deadlock == run.deadlock


def test_a_limit_of_cycles_is_an_exception(scale):
    with pytest.raises(aiec.CycleLimitError) as caught:
        scale.run(A, max_cycles=500)
    assert caught.value.run.cycles <= 600
    assert scale.run(A, until=500).status == "stopped"


def test_reports_and_stalls(scale):
    run = scale.run(A)
    assert run.report["cycles"] == run.cycles
    assert run.stalls["core_lock_stall_cycles"] > 0
    with pytest.raises(ValueError, match="report=True"):
        scale.run(A, report=False).report


def test_events_are_a_table(scale):
    run = scale.run(A, trace=True)
    events = run.events
    assert {"cycle", "event", "col", "row"} <= set(events.columns)
    cycles = events["cycle"]
    assert len(events) > 100 and (np.diff(cycles) >= 0).all() and cycles[-1] <= run.cycles
    acquired = events.where(event="LOCK_VALUE")
    assert 0 < len(acquired) < len(events)
    assert "<table>" in events._repr_html_()
    with pytest.raises(ValueError, match="trace=True"):
        scale.run(A).events


def test_events_are_a_data_frame_if_pandas_is_there(scale):
    pytest.importorskip("pandas")
    run = scale.run(A, trace=True)
    frame = run.events.to_pandas()
    assert len(frame) == len(run.events) and frame["cycle"].max() <= run.cycles


def test_notebooks_show_summary_and_timeline_without_network(scale):
    page = scale.run(A, trace=True)._repr_html_()
    assert "completed" in page and "<iframe" in page
    for attribute in ("src=&quot;http", 'src="http', "href=&quot;http", "@import"):
        assert attribute not in page
    assert "<iframe" not in scale.run(A)._repr_html_()


LONG = """module {
  aie.device(npu2) {
    %tile = aie.tile(0, 2)
    %shim = aie.tile(0, 0)
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 9223372036854775807 : index
      %out = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %y[%c0] : memref<16xi32>
        memref.store %v, %y[%c1] : memref<16xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"""


@pytest.mark.parametrize("option", ["timing", "races"])
def test_switches_take_words_of_the_command_line(scale, option):
    assert scale.run(A, **{option: "off"}).cycles == scale.run(A, **{option: False}).cycles
    assert scale.run(A, **{option: "on"}).cycles == scale.run(A).cycles
    with pytest.raises(aiec.OptionError, match=f"--{option}"):
        scale.run(A, **{option: "erorr"})


def test_an_interrupt_ends_a_long_run(scale):
    design = aiec.compile(LONG)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        design.run(check=False, races=False)
    assert time.monotonic() - begin < 20
    timer.join()
    assert scale.run(A).status == "completed"


def test_a_long_run_lets_other_threads_run():
    design = aiec.compile(LONG)
    seen = []
    thread = threading.Thread(target=lambda: design.run(max_cycles=3_000_000, check=False))
    thread.start()
    while thread.is_alive():
        seen.append(time.monotonic())
        time.sleep(0.001)
    assert len(seen) > 3


def test_the_package_imports_nothing_heavy(tmp_path):
    # What an import may cost is measured by benches/measure.py; this is what would make it slow.
    script = "import sys, aiec; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=tmp_path, text=True
    )
    loaded = set(done.stdout.split())
    assert "aiec._aiec" in loaded
    heavy = {"pandas", "polars", "pyarrow", "ray", "aie", "IPython", "matplotlib", "pytest"}
    assert not heavy & loaded


def test_the_critical_path_is_the_run(scale):
    run = scale.run(A, critical_path=True)
    path = run.critical_path
    assert path is not None
    assert sum(link["cycles"] for link in path["links"]) == run.cycles
    assert path["shares"][0]["activity"] == "setup"
    assert scale.run(A).critical_path is None
