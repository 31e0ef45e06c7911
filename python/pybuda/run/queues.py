"""Queues that results come in."""
from __future__ import annotations

import os
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..tensor import Tensor

_PATIENCE = 10.0  # seconds


class ResultQueue(queue.Queue["list[Tensor]"]):
    """get() raises RuntimeError when nothing can come any more: at once in a program of one thread; after
    TT_BACKEND_TIMEOUT seconds, or 10, where other threads live but only the waiting one has pushed inputs so far; never
    in a thread that waits for another's pushes, unless TT_BACKEND_TIMEOUT is set. A pickled one holds what it held."""

    def __init__(self, items: list[list[Tensor]] | None = None) -> None:
        super().__init__()
        self.failed: BaseException | None = None
        self.pushers: set[int] = set()  # threads
        for item in items or []:
            self.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> list[Tensor]:
        """A list of tensors. RuntimeError when nothing can come any more; queue.Empty after `timeout` seconds."""
        if not block or timeout is not None:
            try:
                return super().get(block, timeout)
            except queue.Empty:
                if self.failed is not None:  # nothing will come
                    raise RuntimeError(f"Error while reading: the run failed: {self.failed}") from self.failed
                raise
        limit = float(os.environ.get("TT_BACKEND_TIMEOUT", "0") or 0)
        if not limit and self.pushers == {threading.get_ident()}:
            limit = _PATIENCE
        began = time.monotonic()
        while True:
            try:
                return super().get(True, 0.05) if self.empty() else super().get(False)
            except queue.Empty:
                if self.failed is not None:
                    raise RuntimeError(f"Error while reading: the run failed: {self.failed}") from self.failed
                if threading.active_count() < 2:
                    raise RuntimeError("Timeout while reading: all results were taken, and no input is left to run; "
                                       "push inputs and call run_inference() or run_forward()") from None
                if limit and time.monotonic() - began > limit:
                    raise RuntimeError(f"Timeout while reading: nothing came in {limit:g} s") from None

    def __reduce__(self) -> Any:
        with self.mutex:
            return ResultQueue, (list(self.queue),)
