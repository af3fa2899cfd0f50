"""A progress bar of one line."""

from __future__ import annotations

import sys
import time

WIDTH = 30
SECONDS_BETWEEN_LINES = 0.2


class Progress:
    """Counts points on the error stream."""

    def __init__(self, total: int | None, shown: bool | None) -> None:
        self.total = total
        self.done = self.failed = self.known = 0
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._begin = self._last = time.monotonic()

    def step(self, good: bool) -> None:
        """A point is done."""
        self.done += 1
        self.failed += not good
        self._show()

    def skip(self) -> None:
        """A point was done before."""
        self.known += 1
        self._show()

    def _show(self, *, last: bool = False) -> None:
        now = time.monotonic()
        if not self._shown or (now - self._last < SECONDS_BETWEEN_LINES and not last):
            return
        self._last = now
        done = self.done + self.known
        rate = self.done / max(now - self._begin, 1e-9)
        text = f"{done} points, {self.failed} failed, {rate:.0f} a second"
        if self.total:
            filled = WIDTH * done // self.total
            text = f"[{'#' * filled}{'.' * (WIDTH - filled)}] of {self.total}: {text}"
        print(f"\r{text}", end="\n" if last else "", file=sys.stderr, flush=True)

    def close(self) -> None:
        """No more points come."""
        self._show(last=True)
