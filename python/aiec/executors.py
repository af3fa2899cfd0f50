"""Where the points of a sweep are evaluated: here, in processes, on a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

Task = tuple[str, dict[str, Any]]
"""Key and point."""
Result = tuple[str, dict[str, Any]]
"""Key and row."""
Function = Callable[..., object]

CHUNK = 8
"""Points that go to a worker at once."""
CHUNKS_UNDER_WAY = 4
"""For each worker: enough that none waits, few enough that a grid needs no memory."""
SECONDS_AFTER_LOSS = 0.2
MOST_CRASHES = 3
"""Times that a point may end its worker before that is its row."""


class Executor(ABC):
    """Evaluates a function at points."""

    @abstractmethod
    def map(self, function: Function, tasks: Iterable[Task]) -> Iterator[Result]:
        """The row of each task, in any order; a task may be answered more than once."""


class Serial(Executor):
    """Evaluates points here, one after the other."""

    def map(self, function: Function, tasks: Iterable[Task]) -> Iterator[Result]:
        from .sweeps import evaluate

        for key, point in tasks:
            yield key, evaluate(function, point)


def _crashed(key: str) -> Result:
    return key, {"status": "crashed", "error": "its worker ended without an answer, repeatedly"}


def _evaluate_chunk(function: Function, chunk: list[Task]) -> list[Result]:
    from .sweeps import evaluate

    return [(key, evaluate(function, point)) for key, point in chunk]


_function: Function | None = None
"""What a worker process evaluates."""


def _begin_worker(function: Function) -> None:
    global _function
    _function = function
    # The sweep ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _evaluate_in_worker(chunk: list[Task]) -> list[Result]:
    assert _function is not None
    return _evaluate_chunk(_function, chunk)


class Retries:
    """Chunks that wait to be sent: new ones, and those whose worker ended, point by point."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._again: deque[Task] = deque()
        self._crashes: dict[str, int] = {}

    def next(self) -> list[Task]:
        """The next chunk; empty if there is none at the moment."""
        if self._again:
            return [self._again.popleft()]
        return list(islice(self._tasks, CHUNK))

    @property
    def is_careful(self) -> bool:
        """Whether points wait that may have ended a worker: they are evaluated one by one."""
        return bool(self._again)

    def again(self, chunk: list[Task]) -> None:
        """A chunk was lost through no fault of its points."""
        self._again.extend(chunk)

    def lost(self, chunk: list[Task]) -> Iterator[Result]:
        """A worker ended with a chunk; the rows of those that did it too often."""
        for key, point in chunk:
            # Points of a larger chunk are suspects only.
            count = self._crashes.get(key, 0) + (len(chunk) == 1)
            self._crashes[key] = count
            if count >= MOST_CRASHES:
                yield _crashed(key)
            else:
                self._again.append((key, point))


class Processes(Executor):
    """Evaluates points in processes of this machine. A worker that ends is replaced, and its points
    are evaluated again.

    Where processes can be forked (Linux), the function may be any, also one of a notebook; elsewhere
    it must be one that a module has.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._method = "fork" if sys.platform == "linux" else "spawn"

    def _pool(self, function: Function) -> ProcessPoolExecutor:
        context = multiprocessing.get_context(self._method)
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_begin_worker, initargs=(function,)
        )

    def map(self, function: Function, tasks: Iterable[Task]) -> Iterator[Result]:
        retries = Retries(tasks)
        pool = self._pool(function)
        under_way: dict[Future[list[Result]], list[Task]] = {}
        try:
            while True:
                broken = not self._fill(pool, retries, under_way)
                if not under_way and not broken:
                    return
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                # A worker that ends takes all that was under way with it.
                if broken or any(_is_lost(future) for future in done):
                    done, _ = wait(under_way)
                    broken = True
                for future in done:
                    chunk = under_way.pop(future)
                    yield from retries.lost(chunk) if _is_lost(future) else future.result()
                if broken:
                    pool.shutdown(wait=False, cancel_futures=True)
                    pool = self._pool(function)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _fill(
        self,
        pool: ProcessPoolExecutor,
        retries: Retries,
        under_way: dict[Future[list[Result]], list[Task]],
    ) -> bool:
        """Sends as many chunks as workers need; false if the pool is broken."""
        most = 1 if retries.is_careful else self.workers * CHUNKS_UNDER_WAY
        while len(under_way) < most and (chunk := retries.next()):
            try:
                under_way[pool.submit(_evaluate_in_worker, chunk)] = chunk
            except BrokenProcessPool:
                retries.again(chunk)
                return False
        return True


def _is_lost(future: Future[list[Result]]) -> bool:
    """Whether its worker ended before it was done."""
    return isinstance(future.exception(), BrokenProcessPool)


class Ray(Executor):
    """Evaluates points on a Ray cluster: the one that ``ray.init`` was called for, or a local one.
    What a worker or node had that ended is evaluated again."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers

    def map(self, function: Function, tasks: Iterable[Task]) -> Iterator[Result]:
        try:
            import ray
        except ImportError as error:
            raise ImportError("the executor 'ray' needs `pip install aiec[ray]`") from error
        if not ray.is_initialized():
            ray.init(num_cpus=self.workers, include_dashboard=False)
        workers = self.workers or int(ray.cluster_resources().get("CPU", 1))
        send = ray.remote(_evaluate_chunk).options(max_retries=0)
        shared = ray.put(function)
        retries = Retries(tasks)
        under_way: dict[Any, list[Task]] = {}
        while True:
            while len(under_way) < workers * CHUNKS_UNDER_WAY and (chunk := retries.next()):
                under_way[send.remote(shared, chunk)] = chunk
            if not under_way:
                return
            done, _ = ray.wait(list(under_way))
            for reference in done:
                chunk = under_way.pop(reference)
                try:
                    yield from ray.get(reference)
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
                    yield from retries.lost(chunk)
                except ray.exceptions.RayError:
                    # A node that has gone is noticed after a while only.
                    retries.again(chunk)
                    time.sleep(SECONDS_AFTER_LOSS)


EXECUTORS: dict[str, Callable[[int | None], Executor]] = {
    "serial": lambda workers: Serial(),
    "processes": Processes,
    "ray": Ray,
}


def executor_of(executor: str | Executor, workers: int | None) -> Executor:
    """The executor of a name."""
    if isinstance(executor, Executor):
        return executor
    make = EXECUTORS.get(executor)
    if make is None:
        raise ValueError(f"there is no executor {executor!r}, only {', '.join(EXECUTORS)}")
    return make(workers)
