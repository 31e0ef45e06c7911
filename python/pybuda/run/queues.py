"""Queues of results."""
from __future__ import annotations

import os
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..tensor import Tensor

_TIMEOUT = 10.0  # default timeout in seconds


class ResultQueue(queue.Queue["list[Tensor]"]):
    """get() raises RuntimeError if no result can arrive. With one thread this happens at once; if other threads exist
    but only the waiting one has pushed inputs, after TT_BACKEND_TIMEOUT seconds, or 10. In a thread that waits for
    pushes of another one it happens only if TT_BACKEND_TIMEOUT is set. Pickling keeps the entries."""

    def __init__(self, items: list[list[Tensor]] | None = None) -> None:
        super().__init__()
        self.failed: BaseException | None = None
        self.pushers: set[int] = set()  # threads that pushed inputs
        for item in items or []:
            self.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> list[Tensor]:
        """A list of tensors. RuntimeError if no result can arrive; queue.Empty after `timeout` seconds."""
        if not block or timeout is not None:
            try:
                return super().get(block, timeout)
            except queue.Empty:
                if self.failed is not None:  # no result will arrive
                    raise RuntimeError(f"Error while reading: the run failed: {self.failed}") from self.failed
                raise
        limit = float(os.environ.get("TT_BACKEND_TIMEOUT", "0") or 0)
        if not limit and self.pushers == {threading.get_ident()}:
            limit = _TIMEOUT
        began = time.monotonic()
        while True:
            try:
                return super().get(True, 0.05) if self.empty() else super().get(False)
            except queue.Empty:
                if self.failed is not None:
                    raise RuntimeError(f"Error while reading: the run failed: {self.failed}") from self.failed
                if threading.active_count() < 2:
                    raise RuntimeError("Timeout while reading: all results were read, and no input is left to run; "
                                       "push inputs and call run_inference() or run_forward()") from None
                if limit and time.monotonic() - began > limit:
                    raise RuntimeError(f"Timeout while reading: no result arrived in {limit:g} s") from None

    def __reduce__(self) -> Any:
        with self.mutex:
            return ResultQueue, (list(self.queue),)
