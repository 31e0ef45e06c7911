"""Runs, in one call or step by step. Calls return when all work is done."""
from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import torch

from .. import config, progress
from .._C.backend_api import BackendDevice, DeviceMode, detect_available_silicon_devices
from ..argument_kinds import LISTED, WHOLE, takes
from ..device import Device, gradients_asked, noting_samples, sample_of, samples_for
from ..module import Module
from ..op_names import warn_unknown
from ..process import clear_state_changed, get_devices, state_changed
from ..ttdevice import TTDevice
from ..tensor import to_pt_tensors
from ..upper_layers import call, offered
from . import context, steps as training_steps
from .queues import ResultQueue

if TYPE_CHECKING:
    from ..verify.config import VerifyConfig

Queue = TypeVar("Queue")
Inputs = Sequence[Any] | Mapping[str, Any] | torch.Tensor
log = logging.getLogger("pybuda")


def detect_available_devices() -> list[BackendDevice]:
    """One entry per simulated chip; set by TTSIM_DEVICES (default: one wh_n150)."""
    return detect_available_silicon_devices()


@overload
def run_inference(module: Module | None = None, inputs: Inputs = (), input_count: int = 1, output_queue: None = None,
                  _sequential: bool = False, _perf_trace: bool = False,
                  _verify_cfg: VerifyConfig | None = None) -> ResultQueue: ...


@overload
def run_inference(module: Module | None = None, inputs: Inputs = (), input_count: int = 1, *, output_queue: Queue,
                  _sequential: bool = False, _perf_trace: bool = False,
                  _verify_cfg: VerifyConfig | None = None) -> Queue: ...


@offered
@takes(inputs=(*LISTED, torch.Tensor), input_count=WHOLE)
def run_inference(module: Module | None = None, inputs: Inputs = (), input_count: int = 1, output_queue: Any = None,
                  _sequential: bool = False, _perf_trace: bool = False,
                  _verify_cfg: VerifyConfig | None = None) -> Any:
    """Runs inputs that were pushed, and `inputs`: each a tensor, a tuple of them or a mapping. `module` is placed on
    the first device, or on a new one. Returns the queue of outputs: a list of pybuda tensors for each input. An active
    run continues with its queue, without compiling. Raises RuntimeError for wrong use, and errors of compilation."""
    if module is not None:
        _place(module)
    if not get_devices():
        if len(inputs):
            raise RuntimeError("inputs were given, but there is no device; pass a module, or create a TTDevice")
        log.warning("run_inference: there are no devices, so nothing runs")
        return output_queue
    if len(inputs):
        if input_count not in (1, len(inputs)):
            raise RuntimeError(f"input_count is {input_count}, but there are {len(inputs)} inputs; omit it")
        input_count = len(inputs)
    if input_count == 0 and _is_sequential(_sequential):
        raise RuntimeError("input_count=0 (until shutdown) cannot run sequentially; pass the number of inputs")
    run = context.current()
    if context.error() is not None and run is not None:
        return run.output_queue
    for one in inputs:
        get_devices()[0].push_to_inputs(one)
    run = context.current()
    if run is None or run.training or state_changed():
        run = _start(output_queue, _verify_cfg=_verify_cfg)
    context.ask(input_count)
    return run.output_queue


def _is_sequential(asked: bool) -> bool:
    return asked or os.environ.get("PYBUDA_FORCE_SEQUENTIAL", "0") not in ("", "0")


def _place(module: Any) -> None:
    if not isinstance(module, Module):
        wrap = "; wrap it: pybuda.PyTorchModule(name, module)" if isinstance(module, torch.nn.Module) else ""
        raise RuntimeError(f"run_inference needs a pybuda module, not a {type(module).__name__}{wrap}")
    devices = get_devices()
    if not devices:
        TTDevice("auto_tt0", module=module)
    elif devices[0].modules != [module]:
        for device in devices:
            device.remove_modules()
        devices[0].place_module(module)


@takes(sample_inputs=LISTED, sample_targets=LISTED, microbatch_count=WHOLE)
def initialize_pipeline(training: bool, output_queue: Any = None, checkpoint_queue: Any = None,
                        sample_inputs: Any = (), sample_targets: Any = (), microbatch_count: int = 1,
                        d2d_fwd_queues: Sequence[Any] = (), d2d_bwd_queues: Sequence[Any] = (),
                        _sequential: bool = False, _verify_cfg: Any = None,
                        _device_mode: DeviceMode = DeviceMode.CompileAndRun) -> Any:
    """Compiles all devices in order, for samples or for the first input pushed. Returns the queue of outputs; in
    training that of checkpoints, and `output_queue` gets losses. `microbatch_count`: of training, the most micro-batches
    that run_forward() runs before run_backward(). RuntimeError without inputs, targets or devices, and for a loss module
    that is not on the last device."""
    if training:
        return _start_training(output_queue, checkpoint_queue, sample_inputs, sample_targets, microbatch_count,
                               d2d_fwd_queues, d2d_bwd_queues, _verify_cfg, _device_mode).checkpoint_queue
    assert not len(sample_targets), "sample_targets are for training; omit them in inference"
    if checkpoint_queue is not None:
        raise RuntimeError("a checkpoint_queue is for training; omit it in inference")
    return _start(output_queue, sample_inputs, d2d_fwd_queues, _verify_cfg, _device_mode).output_queue


def _pipeline() -> list[Any]:
    devices = get_devices()
    if not devices:
        raise RuntimeError("there are no devices; create a TTDevice or a CPUDevice first")
    if any(device.loss_module is not None for device in devices[:-1]):
        raise RuntimeError("a loss module is on a device that is not the last one of the pipeline; place it on "
                           f"'{devices[-1].name}'")
    return devices


def _start(output_queue: Any, sample_inputs: Any = (), d2d_fwd_queues: Sequence[Any] = (), _verify_cfg: Any = None,
           mode: DeviceMode = DeviceMode.CompileAndRun) -> context.Run:
    devices = _pipeline()
    config._get_global_compiler_config().enable_training = False
    trained = [device.training.values() if device.training is not None else {} for device in devices]
    microbatch, samples = samples_for(devices[0], sample_inputs)
    for device in devices:
        device.training = None
        if mode != DeviceMode.CompileAndRun and hasattr(device, "device_mode"):
            device.device_mode = mode
        with progress.stage(f"compiling device '{device.name}'"), noting_samples(samples, microbatch):
            samples = device.compile_for(samples, microbatch_size=microbatch, verify_cfg=_verify_cfg)
    warn_unknown(config._get_global_compiler_config(), devices)
    for device, values in zip(devices, trained):
        device.microbatch_size = microbatch
        if values and device.runs:  # the device had them in its memory
            device.update_device_parameters(values)
    run = context.Run(output_queue)
    run.d2d_fwd_queues, run.verify_cfg = list(d2d_fwd_queues), _verify_cfg
    context.begin(run)
    clear_state_changed()
    return run


def _start_training(loss_queue: Any, checkpoint_queue: Any, sample_inputs: Any, sample_targets: Any,
                    microbatch_count: int, d2d_fwd_queues: Sequence[Any] = (), d2d_bwd_queues: Sequence[Any] = (),
                    verify_cfg: Any = None, mode: DeviceMode = DeviceMode.CompileAndRun) -> context.Run:
    devices = _pipeline()
    if devices[-1].loss_module is None:
        raise RuntimeError("training needs a loss, which the last device of the pipeline computes: "
                           f"{devices[-1].name}.place_loss_module(pybuda.PyTorchModule(\"loss\", torch.nn.MSELoss())), "
                           "also on a CPUDevice made after it")
    config._get_global_compiler_config().enable_training = True
    if verify_cfg is not None and verify_cfg.test_kind.is_recompute():
        config._get_global_compiler_config().enable_recompute = True
    wanted = gradients_asked(devices[0], sample_inputs)
    microbatch, samples = samples_for(devices[0], sample_inputs)
    targets = sample_of(to_pt_tensors(sample_targets))[1] if len(sample_targets) else devices[-1].get_first_targets()
    kept = [(device.training.values(), device.training.state()) if device.training is not None and device.runs else ({}, {})
            for device in devices]
    for device in devices:
        if mode != DeviceMode.CompileAndRun and hasattr(device, "device_mode"):
            device.device_mode = mode
        with progress.stage(f"compiling device '{device.name}'"), noting_samples(samples, microbatch):
            samples = device.compile_for_training(samples, targets if device is devices[-1] else [], wanted, microbatch,
                                                  microbatch_count, verify_cfg)
        needed = device.training.needs_gradients()
        wanted = [needed and sample.dtype.is_floating_point for sample in samples]
    warn_unknown(config._get_global_compiler_config(), devices)
    for device, (values, state) in zip(devices, kept):
        device.microbatch_size = microbatch
        if values and device.runs:  # the device had them in its memory
            device.update_device_parameters(values)
            device.training.set_state(state)
    run = context.Run()
    run.loss_queue = run.loss_queue if loss_queue is None else loss_queue
    run.checkpoint_queue = run.checkpoint_queue if checkpoint_queue is None else checkpoint_queue
    run.d2d_fwd_queues, run.d2d_bwd_queues = list(d2d_fwd_queues), list(d2d_bwd_queues)
    run.training, run.microbatch_count, run.verify_cfg = True, microbatch_count, verify_cfg
    if verify_cfg is not None and verify_cfg.enabled:
        run.reference = call("training_reference", devices, verify_cfg)
    context.begin(run)
    clear_state_changed()
    return run


@offered
@takes(input_count=WHOLE)
def run_forward(input_count: int = 1, _sequential: bool = False) -> None:
    """Runs inputs that were or will be pushed; 0: all until shutdown. In training, micro-batches that were pushed;
    losses go to the queue of losses. RuntimeError if nothing is compiled."""
    if context.error() is not None:
        return
    run = context.current()
    if run is not None and run.training:
        training_steps.forward(input_count)
        return
    if input_count == 0 and _is_sequential(_sequential):
        raise RuntimeError("input_count=0 (until shutdown) cannot run sequentially; pass the number of inputs")
    context.ask(input_count)


@offered
@takes(input_count=WHOLE, write_index=WHOLE, tokens_per_iter=WHOLE, token_id=WHOLE)
def run_generate(input_count: int = 1, write_index: int = -1, tokens_per_iter: int = -1, token_id: int = -1,
                 _sequential: bool = False) -> None:
    """Like run_forward(), for models with caches; 0 runs one input. RuntimeError without a write_index, or
    tokens_per_iter and token_id."""
    if write_index < 0 and (tokens_per_iter < 0 or token_id < 0):
        raise RuntimeError("run_generate needs write_index, or tokens_per_iter and token_id")
    run_forward(max(input_count, 1))


def run_generative_inference(*_: Any, **__: Any) -> None:
    """RuntimeError that names the alternative."""
    raise RuntimeError("run_generative_inference is not implemented; call initialize_pipeline() and run_generate(), or "
                       "use pybuda.transformers.pipeline")


@takes(epochs=WHOLE, steps=WHOLE, accumulation_steps=WHOLE, microbatch_count=WHOLE, checkpoint_interval=WHOLE)
def run_training(epochs: int = 1, steps: int = 1, accumulation_steps: int = 1, microbatch_count: int = 1,
                 checkpoint_queue: Any = None, loss_queue: Any = None, checkpoint_interval: int = 0,
                 _sequential: bool = False, _perf_trace: bool = False, _verify_cfg: Any = None) -> Any:
    """Trains on inputs and targets that were pushed: epochs * steps * accumulation_steps * microbatch_count of them.
    Each step updates parameters by the sum of gradients of its micro-batches. Returns the queue of checkpoints: every
    `checkpoint_interval` steps (0: none), and at the end. `loss_queue` gets an item for each micro-batch. An active run
    continues, without compiling. RuntimeError for a count below 1, without a loss module, and for what cannot train."""
    counts = {"epochs": epochs, "steps": steps, "accumulation_steps": accumulation_steps,
              "microbatch_count": microbatch_count}
    for name, count in counts.items():
        if count < 1:
            raise RuntimeError(f"run_training with {name}={count} trains nothing; every count must be at least 1")
    run = context.current()
    if run is None or not run.training or state_changed() or microbatch_count > run.microbatch_count:
        run = _start_training(loss_queue, checkpoint_queue, (), (), microbatch_count, verify_cfg=_verify_cfg)
    run.loss_queue = run.loss_queue if loss_queue is None else loss_queue
    run.checkpoint_queue = run.checkpoint_queue if checkpoint_queue is None else checkpoint_queue
    if all(device.runs for device in get_devices()):
        try:
            training_steps.train(run, epochs, steps, accumulation_steps, microbatch_count, checkpoint_interval)
        except Exception as problem:
            run.fail(problem)
            raise
    else:
        log.warning("devices are only compiled (device_mode, compile_depth), so nothing runs")
    return run.checkpoint_queue


@offered
@takes(input_count=WHOLE)
def run_backward(input_count: int = 1, zero_grad: bool = False, _sequential: bool = False) -> None:
    """Runs the backward pass of the first `input_count` micro-batches of the last run_forward() that had none; gradients
    are added to those summed so far. `zero_grad`: sums start at 0. RuntimeError if nothing is compiled for training, or
    for more micro-batches."""
    training_steps.backward(input_count, bool(zero_grad))


def run_optimizer(checkpoint: bool = False, _sequential: bool = False) -> None:
    """Updates the parameters of all devices by their summed gradients. `checkpoint`: then puts their values into the
    queue of checkpoints. RuntimeError if nothing is compiled for training."""
    training_steps.optimizer(bool(checkpoint))


def run_schedulers(_sequential: bool = False) -> None:
    """Steps the learning rate schedulers of all devices. RuntimeError if nothing is compiled for training."""
    training_steps.schedulers()


@takes(device=(Device,))
def get_parameter_checkpoint(device: Any = None, _sequential: bool = False) -> list[dict[str, Any]]:
    """Values by name, one dictionary for each device."""
    return [one.get_parameter_checkpoint() for one in ([device] if device is not None else get_devices())]


@takes(device=(Device,))
def get_parameter_gradients(device: Any = None, _sequential: bool = False) -> list[dict[str, Any]]:
    """Summed gradients by name, one dictionary for each device. RuntimeError if nothing is compiled for training."""
    return [one.get_parameter_gradients() for one in ([device] if device is not None else get_devices())]


@takes(device=(Device,), parameters=(list, tuple))
def update_device_parameters(device: Any = None, parameters: Sequence[dict[str, Any]] = (),
                             _sequential: bool = False) -> None:
    """One dictionary for each device. RuntimeError for a wrong number of dictionaries, and unknown names."""
    devices = [device] if device is not None else get_devices()
    if len(parameters) != len(devices):
        raise RuntimeError(f"{len(parameters)} dictionaries of parameters for {len(devices)} devices; pass a list with "
                           "one dictionary for each, {} for none")
    for one, values in zip(devices, parameters):
        one.update_device_parameters(values)


def _queue(name: str) -> Any:
    run = context.current()
    if run is None:
        log.warning("there is no run yet, and no %s; call run_inference() or initialize_pipeline() first", name)
        return None
    return getattr(run, name)


def get_loss_queue() -> Any:
    """The queue of losses of the run; None and a warning without one."""
    return _queue("loss_queue")


def get_checkpoint_queue() -> Any:
    """The queue of checkpoints of the run; None and a warning without one."""
    return _queue("checkpoint_queue")


def get_intermediates_queue() -> Any:
    """Results of ops named in op_intermediates_to_save: a list of tensors for each input."""
    return _queue("intermediates_queue")


def sync() -> None:
    """Does nothing, since calls return when their work is done."""


def error_raised() -> bool:
    """Whether the run failed; its queues raise the error."""
    return context.error() is not None


def shutdown() -> bool:
    """Ends the run; devices and configuration stay."""
    context.end_run()
    config._get_global_compiler_config().enable_training = False
    return True


atexit.register(shutdown)
