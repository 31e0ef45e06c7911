"""What a run is at: stages of compiling as log lines, and a line that changes on a terminal.

Log lines are of the logger "pybuda" (level INFO). On a terminal (standard error), unless PYBUDA_PROGRESS=0, the line says
which device is compiled, and which input runs; elsewhere nothing is printed."""
from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator

log = logging.getLogger("pybuda")
_EVERY = 0.1  # seconds between two changes of the line
_last = 0.0
_shown = False


def _on_terminal() -> bool:
    return os.environ.get("PYBUDA_PROGRESS", "1") not in ("", "0") and sys.stderr is not None and sys.stderr.isatty()


def show(text: str, always: bool = False) -> None:
    """In place of what the line said before; changes that come quickly after another are left out."""
    global _last, _shown
    if not _on_terminal() or (not always and time.monotonic() - _last < _EVERY):
        return
    _last, _shown = time.monotonic(), True
    print("\r\x1b[K" + text[:max(shutil.get_terminal_size().columns - 1, 20)], end="", file=sys.stderr, flush=True)


def clear() -> None:
    """Takes the line away."""
    global _shown
    if _shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    _shown = False


@contextlib.contextmanager
def stage(what: str) -> Iterator[None]:
    """While `what` goes on; its time is logged when it is done."""
    log.info("%s", what)
    show(f"pybuda: {what} ...", always=True)
    began = time.perf_counter()
    try:
        yield
    finally:
        clear()
    log.info("%s: done in %.2f s", what, time.perf_counter() - began)
