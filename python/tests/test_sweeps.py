"""Sweeps: rows for points, failures as rows, storage that outlasts interrupts and workers."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import aiec
from aiec.executors import MOST_CRASHES, Processes, Serial
from aiec.sweeps import Storage, key_of, points_of

ROOT = Path(__file__).parents[2]
DESIGN = (ROOT / "examples/scale/design.mlir").read_text()
A = np.arange(256, dtype=np.int32)


def of_depth(depth: int, jitter: int) -> aiec.Run:
    """The example with fifos of another depth."""
    text = DESIGN.replace("2 : i32", f"{depth} : i32")
    return aiec.compile(text).run(A, jitter=jitter)


def test_points_are_the_product_of_a_grid_or_as_given():
    grid = {"a": [1, 2], "b": "xy"}
    assert [tuple(p.values()) for p in points_of(grid)] == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    assert list(points_of([{"a": 1}])) == [{"a": 1}]
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 2, "b": 1})


def test_every_point_is_a_row_in_the_order_of_the_grid():
    grid = {"depth": [1, 2, 4], "jitter": [1, 2]}
    result = aiec.sweep(of_depth, grid, workers=2)
    assert len(result) == 6
    assert list(result["depth"]) == [1, 1, 2, 2, 4, 4]
    assert set(result["status"]) == {"completed"}
    serial = aiec.sweep(of_depth, grid, executor="serial")
    assert list(serial["cycles"]) == list(result["cycles"])
    assert result.best()["cycles"] == min(result["cycles"])
    assert (result["core_lock_stall_cycles"] > 0).all()


def test_failures_are_rows():
    def maybe(n: int) -> object:
        if n == 1:
            raise ValueError("one")
        if n == 2:
            return aiec.compile("nonsense {")
        if n == 3:
            return of_depth(2, 0).design.run(A, max_cycles=100)
        return {"n_squared": n * n}

    result = aiec.sweep(maybe, {"n": range(5)}, workers=2)
    assert list(result["status"]) == ["completed", "failed", "refused", "limit", "completed"]
    assert result["error"][1] == "ValueError: one"
    assert result["code"][3] == "sim::limit"
    assert len(result.failures) == 3


def test_designs_are_swept_with_options():
    designs = {"two": DESIGN, "wrong": DESIGN.replace("tile(0, 3)", "tile(99, 3)")}
    result = aiec.sweep(designs, {"device": ["npu2", "xcve3858"], "timing": [True, False]}, workers=2)
    assert len(result) == 8
    assert set(result.where(design="two")["status"]) == {"completed"}
    assert set(result.where(design="wrong")["status"]) == {"refused"}


def test_a_sweep_goes_on_where_it_was(tmp_path):
    calls = []

    def count(n: int) -> int:
        calls.append(n)
        return n

    file = tmp_path / "sweep.db"
    aiec.sweep(count, {"n": range(5)}, executor="serial", storage=file)
    result = aiec.sweep(count, {"n": range(8)}, executor="serial", storage=file)
    assert calls == list(range(8))
    assert list(result["value"]) == list(range(8))
    rows = sqlite3.connect(file).execute("SELECT COUNT(*), COUNT(DISTINCT key) FROM rows")
    assert rows.fetchone() == (8, 8)


def test_an_interrupt_keeps_what_was_done(tmp_path):
    file = tmp_path / "sweep.db"

    def interrupted(n: int) -> int:
        if n == 3:
            raise KeyboardInterrupt
        return n

    with pytest.raises(KeyboardInterrupt):
        aiec.sweep(interrupted, {"n": range(8)}, executor="serial", storage=file)
    assert len(Storage(file)) == 3


def test_a_worker_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path):
    mark = tmp_path / "killed"

    def once_deadly(n: int) -> int:
        if n == 21 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return n

    result = aiec.sweep(once_deadly, {"n": range(64)}, workers=2, storage=tmp_path / "s.db")
    assert list(result["value"]) == list(range(64))


def test_workers_that_are_killed_again_and_again_never_leave_the_sweep_waiting(tmp_path):
    for sweep in range(20):
        folder = tmp_path / str(sweep)
        folder.mkdir()

        def often_deadly(n: int, folder: Path = folder) -> int:
            mark = folder / str(n)
            if n % 9 == 4 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return n

        result = aiec.sweep(often_deadly, {"n": range(64)}, workers=2)
        assert list(result["value"]) == list(range(64))


def test_what_a_function_raises_or_can_not_send_ends_the_sweep():
    def interrupted(n: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aiec.sweep(interrupted, {"n": range(8)}, workers=2)
    with pytest.raises(TypeError, match="can't be sent"):
        aiec.sweep(lambda n: {"row": lambda: n}, {"n": range(8)}, workers=2)


def test_a_point_that_always_ends_its_worker_is_a_row(tmp_path):
    def deadly(n: int) -> int:
        if n == 5:
            with open(tmp_path / "calls", "a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return n

    result = aiec.sweep(deadly, {"n": range(12)}, workers=2)
    assert [row["n"] for row in result.failures.rows()] == [5]
    assert result["status"][5] == "crashed"
    assert (tmp_path / "calls").stat().st_size <= MOST_CRASHES + 1


def test_progress_is_shown_if_wanted(capsys):
    aiec.sweep(lambda n: n, {"n": range(3)}, executor="serial", progress=True)
    assert "3 points, 0 failed" in capsys.readouterr().err
    aiec.sweep(lambda n: n, {"n": range(3)}, executor="serial")
    assert capsys.readouterr().err == ""


def test_executors_have_names():
    with pytest.raises(ValueError, match="processes"):
        aiec.sweep(lambda n: n, {"n": [1]}, executor="cloud")
    assert len(aiec.sweep(lambda n: n, {"n": [1]}, executor=Serial())) == 1
    assert Processes(3).workers == 3


def test_ray_loses_nothing_when_a_worker_is_killed(tmp_path):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install aiec[ray]")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        folder, text, given = str(tmp_path), DESIGN, A

        def slow(n: int) -> tuple[object, dict[str, int]]:
            import time

            import aiec

            time.sleep(0.05)
            with open(f"{folder}/calls", "a") as file:
                file.write(f"{n}\n")
            run = aiec.compile(text).run(given, jitter=n, report=False)
            return run, {"square": n * n}

        killer = threading.Timer(2.0, cluster.remove_node, (nodes[1], False))
        killer.start()
        result = aiec.sweep(slow, {"n": range(120)}, executor="ray", storage=tmp_path / "s.db")
        killer.join()
        deadline = time.monotonic() + 60
        while sum(node["Alive"] for node in ray.nodes()) > 2 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert len(ray.nodes()) == 3 and sum(node["Alive"] for node in ray.nodes()) == 2
        assert list(result["square"]) == [n * n for n in range(120)]
        assert set(result["status"]) == {"completed"}
        calls = (tmp_path / "calls").read_text().split()
        assert len(calls) >= 120 and len(set(calls)) == 120
        rows = sqlite3.connect(tmp_path / "s.db").execute("SELECT COUNT(*) FROM rows")
        assert rows.fetchone() == (120,)
    finally:
        ray.shutdown()
        cluster.shutdown()
