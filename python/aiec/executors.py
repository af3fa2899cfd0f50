"""Where the points of a sweep are evaluated: here, in processes, on a Ray cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any

Task = tuple[str, dict[str, Any]]
"""Key and point."""
Result = tuple[str, dict[str, Any]]
"""Key and row."""
Function = Callable[..., object]

CHUNK = 8
"""Points that go to a worker at once."""
CHUNKS_UNDER_WAY = 4
"""For each worker of a cluster: enough that none waits, few enough that a grid needs no memory."""
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


def _serve(function: Function, chunks: Connection, inherited: list[Connection]) -> None:
    """Evaluates chunks in a worker process until there are no more."""
    # The sweep ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A fork has the sweep's ends of all pipes: no worker would see that the sweep has gone.
    for connection in inherited:
        connection.close()
    while True:
        try:
            chunk = chunks.recv()
        except EOFError:
            return
        answer: list[Result] | BaseException
        try:
            answer = _evaluate_chunk(function, chunk)
        except BaseException as error:
            answer = error
        try:
            chunks.send(answer)
        except OSError:
            return
        except Exception as error:
            chunks.send(TypeError(f"a row can't be sent from its worker: {error}"))


class Worker:
    """A process with a pipe of its own: where it ends, nothing but its chunk is lost."""

    def __init__(self, method: str, function: Function, others: Iterable[Worker]) -> None:
        # The standard library's pool isn't used: where a worker ends while a chunk is submitted,
        # Python 3.11 can lose the chunk and wait for it without end, as the pool is marked as
        # broken without the lock that submissions take.
        context: Any = multiprocessing.get_context(method)
        self.connection, theirs = context.Pipe()
        inherited = [worker.connection for worker in others] + [self.connection]
        self.process = context.Process(
            target=_serve, args=(function, theirs, inherited if method == "fork" else [])
        )
        self.process.start()
        theirs.close()
        self.chunk: list[Task] = []

    def send(self, chunk: list[Task]) -> None:
        """Gives an idle worker a chunk. Where it has ended, `receive` says so."""
        self.chunk = chunk
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(chunk)

    def receive(self) -> list[Result] | None:
        """The rows of its chunk; none if it has ended before it was done."""
        try:
            answer: list[Result] | BaseException = self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None
        self.chunk = []
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        """Ends the process, whatever it is at."""
        self.connection.close()
        if self.chunk:
            self.process.kill()
        self.process.join()
        self.process.close()


class Processes(Executor):
    """Evaluates points in processes of this machine. A worker that ends is replaced, and its points
    are evaluated again.

    Where processes can be forked (Linux), the function may be any, also one of a notebook; elsewhere
    it must be one that a module has.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._method = "fork" if sys.platform == "linux" else "spawn"

    def map(self, function: Function, tasks: Iterable[Task]) -> Iterator[Result]:
        retries = Retries(tasks)
        idle: list[Worker] = []
        busy: dict[object, Worker] = {}
        try:
            while True:
                while len(busy) < self.workers and (chunk := retries.next()):
                    # Where none is idle the busy ones are all that there are.
                    worker = idle.pop() if idle else Worker(self._method, function, busy.values())
                    busy[worker.connection] = worker
                    worker.send(chunk)
                if not busy:
                    return
                for connection in wait([worker.connection for worker in busy.values()]):
                    worker = busy[connection]
                    rows = worker.receive()
                    del busy[connection]
                    if rows is None:
                        worker.end()
                        yield from retries.lost(worker.chunk)
                    else:
                        idle.append(worker)
                        yield from rows
        finally:
            for worker in [*idle, *busy.values()]:
                worker.end()


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
