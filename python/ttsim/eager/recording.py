"""Sequences of ops that are recorded, and repeated with the present values of their operands."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .config import observers
from .device import Device
from .launch import Given, run
from .tensor import EagerTensor


class Recording:
    """The ops that a device runs until end(). Repeating them writes the tensors that they made the first time.

    Host writes and reads inside a recording are refused: they would not be repeated."""

    def __init__(self, device: Device, who: str) -> None:
        device.open_session(who)
        self.device, self.who = device, who
        self.steps: list[Callable[[], None]] = []
        self._asked: list[Given] = []
        observers.append(self)

    def __call__(self, event: str, op: str, details: Any) -> None:
        if event == "run" and self._is_mine(details.tensors):
            self._asked.append(details)
        elif event == "ran" and self._asked and details[0] is self._asked[-1]:
            given = self._asked.pop()
            made = details[1] if isinstance(details[1], tuple) else (details[1],)
            self.steps.append(lambda: _again(given, made))
        elif event == "replaced" and self._is_mine([details[0]]):
            target, source = details
            self.steps.append(lambda: target.take_memory(source))
        elif event == "created" and self._is_mine([details[0]]):
            tensor, again = details
            self.steps.append(lambda: tensor.take_memory(again()))
        elif event == "free" and self._is_mine([details]):
            self.steps.append(details.free)
        elif event in ("read", "write") and self._is_mine([details]):
            raise RuntimeError(f"{op}: {details.summary()}: transfers with the host are not part of a trace; make them before "
                               "begin_trace_capture() or after end_trace_capture()")

    def _is_mine(self, tensors: list[EagerTensor]) -> bool:
        return any(one._device is self.device for one in tensors)

    def end(self) -> None:
        """Ends the recording."""
        observers.remove(self)

    def repeat(self, who: str) -> None:
        """Runs the ops again, enqueued by one command of the host. RuntimeError if a tensor from before the recording was
        deallocated."""
        session = self.device.open_session(who)
        with self.device.lock:
            session.begin_replay()
            try:
                for step in self.steps:
                    step()
            finally:
                session.end_replay()


def _again(given: Given, made: tuple[EagerTensor, ...]) -> None:
    results = run(given)
    for old, new in zip(made, results if isinstance(results, tuple) else (results,), strict=True):
        old.take_memory(new)

