"""Progress of a run: log lines for stages of compilation, and a progress line on a terminal.

Log lines go to the logger "pybuda" (level INFO). On a terminal (standard error), unless PYBUDA_PROGRESS=0, the progress
line shows which device is compiled and which input runs; otherwise nothing is printed."""
from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator

log = logging.getLogger("pybuda")
_EVERY = 0.1  # minimum seconds between changes of the line
_last = 0.0
_shown = False


def _on_terminal() -> bool:
    return os.environ.get("PYBUDA_PROGRESS", "1") not in ("", "0") and sys.stderr is not None and sys.stderr.isatty()


def show(text: str, always: bool = False) -> None:
    """Replaces the progress line; changes in quick succession are skipped."""
    global _last, _shown
    if not _on_terminal() or (not always and time.monotonic() - _last < _EVERY):
        return
    _last, _shown = time.monotonic(), True
    print("\r\x1b[K" + text[:max(shutil.get_terminal_size().columns - 1, 20)], end="", file=sys.stderr, flush=True)


def clear() -> None:
    """Erases the progress line."""
    global _shown
    if _shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    _shown = False


@contextlib.contextmanager
def stage(what: str) -> Iterator[None]:
    """Shows a stage while it runs, and logs its time afterwards."""
    log.info("%s", what)
    show(f"pybuda: {what} ...", always=True)
    began = time.perf_counter()
    try:
        yield
    finally:
        clear()
    log.info("%s: done in %.2f s", what, time.perf_counter() - began)
