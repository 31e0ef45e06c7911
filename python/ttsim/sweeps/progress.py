"""The line that shows how far a sweep is."""
from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from .spec import Sweep


class Progress:
    """Points done, failures, the best point so far and the time left, on standard error: one line that changes on a
    terminal, else a line every half minute."""

    def __init__(self, sweep: Sweep, total: int, stored: int, quiet: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._sweep, self._total, self._stored, self._quiet = sweep, total, stored, quiet
        self._objective = sweep.measure(sweep.objectives[0]) if sweep.objectives else sweep.measures[0]
        self._done = self._failed = 0
        self._best: tuple[Any, dict[str, Any]] | None = None
        self._begin = self._shown = time.monotonic()
        self._live = self._stream.isatty()

    def add(self, point: dict[str, Any], result: dict[str, Any]) -> None:
        """Counts a result."""
        self._done += 1
        self._failed += result["status"] != "ok"
        value = result["measures"].get(self._objective.name)
        if result["status"] == "ok" and isinstance(value, (int, float)):
            less = self._objective.less_is_better
            if self._best is None or (value < self._best[0] if less else value > self._best[0]):
                self._best = value, point
        now = time.monotonic()
        if not self._quiet and now - self._shown > (0.2 if self._live else 30):
            self._shown = now
            self._show()

    def _show(self) -> None:
        spent = time.monotonic() - self._begin
        rate = self._done / spent if spent > 0 else 0
        left = (self._total - self._done) / rate if rate else 0
        text = f"{self._done + self._stored} of {self._total + self._stored} points"
        text += f", {self._failed} failed" if self._failed else ""
        text += f", {rate:.1f}/s, {_time(left)} left"
        if self._best:
            where = ", ".join(f"{name.rsplit('.', 1)[-1]}={value}" for name, value in self._best[1].items())
            text += f"; best {self._objective.name} {self._best[0]:g} ({where})"
        if self._live:
            self._stream.write(f"\r\x1b[2K{text[:_width() - 1]}")
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def clear(self) -> None:
        """Removes the line."""
        if self._live and not self._quiet:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()

    @property
    def failed(self) -> int:
        """Points that did not end with "ok"."""
        return self._failed


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _width() -> int:
    import shutil
    return shutil.get_terminal_size().columns
