"""Steps of training on all devices of the pipeline. They raise errors at once, and end when their work is done."""
from __future__ import annotations

import collections
import logging
import os
import threading
import time
from typing import Any

from .. import progress
from ..process import get_devices
from ..tensor import Tensor
from ..training import Batch, not_training
from . import context

log = logging.getLogger("pybuda")
_TIMEOUT = 10.0  # seconds to wait for a push of another thread


def training_run(what: str) -> context.Run:
    """The current run. RuntimeError if there is none, if it does not train, or if devices are only compiled."""
    run = context.current()
    if run is None or not run.training:
        not_training(what)
    if not all(device.runs for device in get_devices()):
        raise RuntimeError(f"{what}: devices are only compiled (device_mode, compile_depth), so nothing trains")
    return run


def forward(count: int) -> None:
    """Runs `count` micro-batches through all devices; losses go to the queue. RuntimeError if too few were pushed, for
    more than the pipeline was compiled for, and if earlier ones wait for their backward pass."""
    run = training_run("run_forward")
    devices = get_devices()
    if count < 1:
        raise RuntimeError(f"run_forward(input_count={count}): a pass of training needs at least one micro-batch")
    if run.waiting:
        raise RuntimeError(f"{run.waiting} micro-batches wait for run_backward(input_count={run.waiting}); run several "
                           "in one call, run_forward(input_count=...), up to the microbatch_count of "
                           "initialize_pipeline()")
    if count > run.microbatch_count:
        raise RuntimeError(f"run_forward(input_count={count}): the pipeline was compiled for {run.microbatch_count} "
                           "micro-batches between two backward passes; pass a larger microbatch_count to "
                           "initialize_pipeline() or run_training()")
    began = time.perf_counter()
    pushed = _taken(devices[0], devices[0]._inputs, count, "push_to_inputs")
    targets = _taken(devices[-1], devices[-1]._targets, count, "push_to_target_inputs")
    values: list[Batch] = pushed
    outputs = []
    for place, device in enumerate(devices):
        values = device.training.forward(values, targets)
        outputs.append(values)
        if place < len(run.d2d_fwd_queues) and place + 1 < len(devices):
            for batch in values:
                run.d2d_fwd_queues[place].put([Tensor.create_from_torch(one) for one in batch])
    run.waiting, run.pushed = count, pushed
    run.seconds += time.perf_counter() - began
    run.samples += count * devices[0].microbatch_size
    if run.reference is not None:
        run.reference.forward(pushed, targets, outputs)
    saved = [device.training.saved_results() for device in devices]
    for place in range(count):
        results = [value for found in saved if found for value in found[place]]
        if results:
            run.intermediates_queue.put([Tensor.create_from_torch(one) for one in results])
    for batch in values:
        run.loss_queue.put(batch[0] if isinstance(batch[0], tuple) else [Tensor.create_from_torch(one) for one in batch])


def _taken(device: Any, queue: collections.deque[Batch], count: int, push: str) -> list[Batch]:
    """The next entries; waits for those that other threads push."""
    limit = float(os.environ.get("TT_BACKEND_TIMEOUT", "0") or 0) or _TIMEOUT
    began = time.monotonic()
    while len(queue) < count:
        others = [one.name for one in get_devices() if one is not device and (one._inputs if "target" not in push
                                                                             else one._targets)]
        if others or threading.active_count() < 2 or time.monotonic() - began > limit:
            where = f"; device '{others[0]}' has some, push them to '{device.name}'" if others else ""
            raise RuntimeError(f"a step of training needs {count} micro-batches of device '{device.name}', and "
                               f"{len(queue)} are left: call {push}() for each before{where}")
        time.sleep(0.01)
    return [queue.popleft() for _ in range(count)]


def backward(count: int, zero_grad: bool) -> None:
    """Runs the backward pass of the first `count` micro-batches of the last forward pass that had none. RuntimeError
    unless there are as many."""
    run = training_run("run_backward")
    if not 0 < count <= run.waiting:
        raise RuntimeError(f"run_backward(input_count={count}): " + (
            f"{run.waiting} micro-batches of the last run_forward() wait for it, so give 1 to {run.waiting}"
            if run.waiting else "no micro-batch waits for it, so call run_forward() before"))
    began = time.perf_counter()
    devices, gradients = get_devices(), None
    for place, device in reversed(list(enumerate(devices))):
        gradients = device.training.backward(gradients, zero_grad, count)
        if 0 < place <= len(run.d2d_bwd_queues):
            for batch in gradients:
                run.d2d_bwd_queues[place - 1].put([None if one is None else Tensor.create_from_torch(one)
                                                   for one in batch])
    run.waiting -= count
    run.seconds += time.perf_counter() - began
    if run.reference is not None:
        run.reference.backward(gradients or [], zero_grad, count)
    for batch, found in zip(run.pushed, gradients or []):
        for pushed, gradient in zip(batch, found):
            if gradient is not None and pushed is not None and pushed.is_leaf and pushed.requires_grad:
                gradient = gradient.to(pushed.dtype)
                pushed.grad = gradient if pushed.grad is None else pushed.grad + gradient
    run.pushed = run.pushed[count:]


def optimizer(checkpoint: bool) -> None:
    """Updates parameters of all devices. RuntimeError if micro-batches wait for their backward pass."""
    run = training_run("run_optimizer")
    if run.waiting:
        raise RuntimeError(f"{run.waiting} micro-batches wait for run_backward(); run it before run_optimizer()")
    for device in get_devices():
        device.training.step()
    if run.reference is not None:
        run.reference.step()
    if checkpoint:
        put_checkpoint(run)


def put_checkpoint(run: context.Run) -> None:
    """Values of parameters by name, one dictionary for each device."""
    run.checkpoint_queue.put([device.get_parameter_checkpoint() for device in get_devices()])


def schedulers() -> None:
    """Steps the schedulers of all devices."""
    run = training_run("run_schedulers")
    for device in get_devices():
        device.training.schedule()
    if run.reference is not None:
        run.reference.schedule()


def train(run: context.Run, epochs: int, steps: int, accumulation_steps: int, microbatch_count: int,
          interval: int) -> None:
    """The loop of run_training(). A checkpoint every `interval` steps (0: none), and one at the end unless the last
    step made one."""
    done, made = 0, False
    for epoch in range(epochs):
        for step in range(steps):
            progress.show(f"pybuda: epoch {epoch + 1} of {epochs}, step {step + 1} of {steps}")
            for turn in range(accumulation_steps):
                forward(microbatch_count)
                backward(microbatch_count, turn == 0)
            done += 1
            made = interval > 0 and done % interval == 0
            optimizer(made)
        schedulers()
    progress.clear()
    if not made:
        put_checkpoint(run)
