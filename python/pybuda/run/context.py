"""The current run of the process: queues, number of requested inputs, and errors."""
from __future__ import annotations

import logging
import math
import os
import threading
import time
from typing import Any

from .. import progress, upper_layers
from ..process import get_devices, set_state_changed
from ..tensor import Tensor
from .queues import ResultQueue

log = logging.getLogger("pybuda")


class Run:
    """`wanted`: inputs that were requested and have not run yet; infinite until shutdown."""

    def __init__(self, output_queue: Any = None) -> None:
        self.output_queue = ResultQueue() if output_queue is None else output_queue
        self.intermediates_queue = ResultQueue()
        self.loss_queue: Any = ResultQueue()
        self.checkpoint_queue: Any = ResultQueue()
        self.d2d_fwd_queues: list[Any] = []
        self.d2d_bwd_queues: list[Any] = []
        self.training = False
        self.microbatch_count = 1  # micro-batches that may run between two backward passes
        self.waiting = 0  # micro-batches that wait for their backward pass
        self.pushed: list[list[Any]] = []  # their inputs
        self.reference: Any = None  # what torch computes in the same steps
        self.verify_cfg: Any = None
        self.wanted: float = 0
        self.samples = 0
        self.seconds = 0.0

    def fail(self, problem: BaseException) -> None:
        """Readers of results get this error."""
        for queue in (self.output_queue, self.intermediates_queue, self.loss_queue, self.checkpoint_queue):
            if isinstance(queue, ResultQueue):
                queue.failed = problem


_run: Run | None = None
_error: BaseException | None = None
_lock = threading.RLock()


def current() -> Run | None:
    """The current run, or None."""
    return _run


def begin(run: Run) -> None:
    """Makes `run` the current run."""
    global _run, _error
    _run, _error = run, None


def error() -> BaseException | None:
    """The error of a failed run, or None."""
    return _error


def forget_error() -> None:
    """Clears the error, so that it does not stop the next run."""
    global _error
    _error = None


def end_run() -> None:
    """Ends the run. Devices keep their modules; a later run compiles again."""
    global _run
    with _lock:
        _run = None
        for device in get_devices():
            device.shutdown_device()
        set_state_changed()


def ask(count: int) -> None:
    """Requests `count` more inputs, 0: all future ones; runs the inputs that were pushed."""
    run = _run
    if run is None:
        raise RuntimeError("nothing is compiled, or it was shut down: call initialize_pipeline() or run_inference() "
                           "before")
    if not all(device.runs for device in get_devices()):
        log.warning("devices are only compiled (device_mode, compile_depth), so nothing runs")
        return
    _pushes(run)
    with _lock:
        run.wanted = math.inf if count == 0 else run.wanted + count
        _work(run)


def pump(device: Any) -> None:
    """Runs requested inputs when the first device of the pipeline gets some."""
    if _run is not None:
        _pushes(_run)
    if _run is not None and _run.wanted and device.is_first():
        with _lock:
            _work(_run)


def _pushes(run: Run) -> None:
    for queue in (run.output_queue, run.intermediates_queue):
        if isinstance(queue, ResultQueue):
            queue.pushers.add(threading.get_ident())


def _work(run: Run) -> None:
    devices = get_devices()
    first = devices[0]
    while run.wanted and first._inputs and _error is None:
        run.wanted -= 1
        try:
            _one(run, devices, first._inputs.popleft())
        except Exception as problem:
            _fail(run, problem)


def _fail(run: Run, problem: BaseException) -> None:
    global _error
    log.error("the run failed: %s", problem, exc_info=True)
    _error, run.wanted = problem, 0
    run.fail(problem)


def _one(run: Run, devices: list[Any], values: list[Any]) -> None:
    began = time.perf_counter()
    number = run.samples + 1
    progress.show(f"pybuda: input {number}" + (f" of {run.samples + int(run.wanted) + 1}" if run.wanted < math.inf else ""))
    given, saved = values, []
    for place, device in enumerate(devices):
        values = device.forward_values(values)
        saved += device.taken_intermediates()
        if place < len(run.d2d_fwd_queues) and place + 1 < len(devices):
            run.d2d_fwd_queues[place].put(_tensors(values))
    run.seconds += time.perf_counter() - began
    run.samples += devices[0].microbatch_size
    if not run.wanted or not devices[0]._inputs:
        progress.clear()
    log.info("input %d: %.3f s%s", number, time.perf_counter() - began, _speed(devices))
    if run.verify_cfg is not None and run.verify_cfg.enabled:
        upper_layers.call("verify_outputs", devices, given, values, run.verify_cfg)
    run.output_queue.put(_tensors(_halves(values)))
    if saved:
        run.intermediates_queue.put(_tensors(saved))


def _speed(devices: list[Any]) -> str:
    """Cycles of the chips so far, and simulated cycles per second."""
    models = [stage.on_chip() for device in devices for stage in getattr(device, "_stages", ())
              if stage.on_chip() is not None]
    cycles = sum(model.cycles for model in models)
    seconds = _run.seconds if _run is not None else 0.0
    return f", {cycles:,} cycles, {cycles / seconds:,.0f} cycles/s simulated" if cycles and seconds else ""


def _halves(values: list[Any]) -> list[Any]:
    """With PYBUDA_N300_DATA_PARALLEL=1 programs expect the halves of a micro-batch separately: outputs of the first,
    then of the second."""
    if os.environ.get("PYBUDA_N300_DATA_PARALLEL") != "1" or any(value.shape[0] % 2 for value in values):
        return values
    return [value.chunk(2)[half] for half in (0, 1) for value in values]


def _tensors(values: list[Any]) -> list[Tensor]:
    return [Tensor.create_from_torch(value) for value in values]
