"""Devices, on which modules are placed; they form a pipeline."""
from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from . import config, upper_layers
from ._C import DataFormat
from .dtypes import pytorch_dtype_to_buda_dataformat
from .module import Module
from .process import get_devices, register_device, set_state_changed
from .run import context
from .stage import narrowed
from .tensor import Tensor, to_pt_tensors
from .training import Training, not_training
from .utils import structure


class Device:
    """Devices form a pipeline in the order of their creation."""
    runs = True

    def __init__(self, name: str, mp_context: Any = None) -> None:
        self.name = name
        self.modules: list[Module] = []
        self.loss_module: Module | None = None
        self.microbatch_size = 0
        self._inputs: collections.deque[list[Any]] = collections.deque()
        self._targets: collections.deque[list[Any]] = collections.deque()
        self._compiled_for: list[tuple[tuple[int, ...], bool] | None] | None = None
        self.input_formats: list[DataFormat] = []
        self.training: Training | None = None  # set when the pipeline is compiled for training
        register_device(self)

    # --- modules

    def place_module(self, module: Any) -> None:
        """Places one module, or several that run in sequence. RuntimeError for objects that are not modules and for
        duplicate names."""
        for one in module if isinstance(module, (list, tuple)) else [module]:
            if not isinstance(one, Module):
                wrap = "; wrap it: pybuda.PyTorchModule(name, module)" if isinstance(one, torch.nn.Module) else ""
                raise RuntimeError(f"device '{self.name}' needs pybuda modules, not a {type(one).__name__}{wrap}")
            if any(placed.get_name() == one.get_name() for placed in self.modules):
                raise RuntimeError(f"device '{self.name}' already has a module '{one.get_name()}'; the modules of a "
                                   "device must have different names")
            self._check_module(one)
            self.modules.append(one)
            one._set_device(self)
        set_state_changed()

    def _check_module(self, module: Module) -> None:
        """For subclasses that accept only some modules."""

    def place_loss_module(self, module: Module) -> None:
        """Places the loss module, on the last device. RuntimeError unless it is a module."""
        if not isinstance(module, Module):
            raise RuntimeError(f"a loss module must be a pybuda module, not a {type(module).__name__}")
        self.place_module(module)
        self.loss_module = module

    def remove_loss_module(self) -> None:
        """AssertionError if there is none."""
        assert self.loss_module is not None, f"device '{self.name}' has no loss module"
        self.modules.remove(self.loss_module)
        self.loss_module._set_device(None)
        self.loss_module = None
        set_state_changed()

    def remove_modules(self) -> None:
        """Removes the modules and their compiled form."""
        for module in self.modules:
            module._set_device(None)
        self.modules, self.loss_module = [], None
        self.shutdown_device()
        set_state_changed()

    # --- inputs

    def push_to_inputs(self, *tensors: Any) -> None:
        """Pushes a micro-batch: a tensor for each input, all with the same dim 0, as arguments, a tuple, a list, or a
        mapping whose keys are the first module's inputs. RuntimeError for another dim 0 than that of the first push,
        another shape or element type than compiled for, and values that are not tensors."""
        names, values = _grouped(tensors)
        if names and self.modules:
            values = self._in_order(names, values)
        if not self.microbatch_size:
            self.input_formats = formats_of(tensors)
            if self.modules:
                self.modules[0].input_structure = structure(tensors[0] if _is_one(tensors) else tensors)
        self._check(values)
        self._inputs.append(values)
        context.pump(self)

    def _in_order(self, names: list[str], values: list[Any]) -> list[Any]:
        """Values of a mapping in the order of earlier pushes; the first push determines the order."""
        module = self.modules[0]
        known = module.input_names
        if not known and self._compiled_for is not None:  # inputs are identified by position
            known = module.forward_names(len(names))
        if sorted(known) == sorted(names):
            by_name = dict(zip(names, values))
            return [by_name[name] for name in known]
        if self._compiled_for is not None:
            raise RuntimeError(f"inputs {', '.join(names)} were pushed; device '{self.name}' was compiled for "
                               f"{', '.join(known)}")
        module.input_names = names
        return values

    def push_to_target_inputs(self, *tensors: Any) -> None:
        """Pushes targets of training, grouped like inputs."""
        self._targets.append(_grouped(tensors)[1])

    def _check(self, values: list[Any]) -> None:
        _check_samples(values)
        sizes = {value.shape[0] for value in values if value is not None and value.dim()} or {1}
        size = max(sizes)
        if not sizes <= {1, size} or (self.microbatch_size and size != self.microbatch_size):
            raise RuntimeError(f"Batch size mismatch: dim 0 of the tensors is {sorted(sizes)}"
                               + (f", that of the first push was {self.microbatch_size}; push as many samples, or "
                                  "call pybuda.shutdown() before" if self.microbatch_size else "; it must be the same "
                                  "in all tensors, or 1"))
        if self._compiled_for is not None:
            found = _kinds(values)
            if len(found) != len(self._compiled_for):
                raise RuntimeError(f"device '{self.name}' was compiled for {len(self._compiled_for)} inputs; "
                                   f"{len(found)} were pushed")
            for place, (got, want) in enumerate(zip(found, self._compiled_for)):
                if got != want:
                    raise RuntimeError(f"input {place} of device '{self.name}' {_described(got)} per sample; it was "
                                       f"compiled for one that {_described(want)}: push such tensors, or call "
                                       "pybuda.shutdown() to compile anew")
        self.microbatch_size = size

    def get_first_inputs(self, peek: bool = False) -> tuple[int, list[Any]]:
        """The size of a micro-batch, and the tensors of the first one with dim 0 = 1. RuntimeError if nothing was
        pushed."""
        return self._first("_inputs", peek, "Inputs must be pushed to the first device before it is compiled: "
                           "call push_to_inputs(), or pass inputs= or sample_inputs=")

    def get_first_targets(self) -> list[Any]:
        """The first targets with dim 0 = 1. RuntimeError if none were pushed."""
        return self._first("_targets", True, f"Targets must be pushed to device '{self.name}', which has the loss, before "
                           "training is compiled: call push_to_target_inputs(), or pass sample_targets=")[1]

    def _first(self, held: str, peek: bool, missing: str) -> tuple[int, list[Any]]:
        queue: collections.deque[list[Any]] = getattr(self, held)
        if not queue:
            others = [device.name for device in get_devices() if device is not self and device._inputs]
            if others and held == "_inputs":
                missing = (f"inputs were pushed to device '{others[0]}', and the pipeline begins with device '{self.name}', "
                           "which was made before it: shutdown() keeps devices. Call pybuda.pybuda_reset() to forget "
                           "those of earlier runs, and make the device and its module after it; or push to "
                           f"'{self.name}'")
            raise RuntimeError(missing)
        values = queue[0] if peek else queue.popleft()
        return sample_of(values)

    # --- running, defined by subclasses

    def take_samples(self, groups: list[list[Any]]) -> None:
        """Samples for each module, if modules are compiled separately; unused by other devices."""

    def compile_for(self, inputs: Sequence[Any], compiler_cfg: Any = None, targets: Sequence[Any] = (),
                    microbatch_size: int = 0, microbatch_count: int = 1, verify_cfg: Any = None) -> list[Any]:
        """Returns samples of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} cannot compile")

    def compile_for_training(self, inputs: Sequence[Any], targets: Sequence[Any], wanted: Sequence[bool],
                             microbatch_size: int, microbatch_count: int, verify_cfg: Any = None) -> list[Any]:
        """Sets `training`. `wanted`: inputs whose gradients are needed. Returns samples of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} cannot train")

    def forward_values(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs for the tensors of a micro-batch, in order."""
        raise NotImplementedError(f"{type(self).__name__} cannot compute")

    def has_reference(self) -> bool:
        """Whether evaluate() can compute reference results."""
        return True

    def taken_intermediates(self) -> list[torch.Tensor]:
        """Intermediates saved in the last forward."""
        return []

    def forward(self, loop_count: int) -> None:
        """Like run_forward(), `loop_count` times."""
        upper_layers.call("run_forward", loop_count)

    def generate(self, loop_count: int, write_index: int) -> None:
        """Like run_generate(). RuntimeError for a negative index."""
        upper_layers.call("run_generate", loop_count, write_index)

    def backward(self, loop_count: int, zero_grad: bool) -> None:
        """Like run_backward() of `loop_count` micro-batches."""
        upper_layers.call("run_backward", loop_count, zero_grad)

    def get_parameter_checkpoint(self) -> dict[str, Any]:
        """Values of parameters by name; none for this type of device."""
        return {}

    def get_parameter_gradients(self) -> dict[str, Any]:
        """Summed gradients by parameter. RuntimeError unless the pipeline was compiled for training."""
        if self.training is None:
            not_training("get_parameter_gradients")
        return {name: Tensor.create_from_torch(value) for name, value in self.training.gradients().items()}

    def sync(self) -> None:
        """Does nothing, since calls return when their work is done."""

    def shutdown_device(self) -> None:
        """Discards inputs and compiled modules."""
        self._inputs.clear()
        self._targets.clear()
        self.microbatch_size = 0
        self._compiled_for = None
        self.training = None

    # Commands for worker processes; here calls do their work themselves.

    def run(self, output_dir: str) -> None:
        """Does nothing."""

    def run_next_command(self, cmd: Any) -> bool:
        """Returns False: calls do their work themselves."""
        return False

    def push_to_command_queue(self, cmd: Any) -> None:
        """RuntimeError: devices run in this process."""
        raise RuntimeError("devices run in this process, in run_forward() and similar calls; there is no command queue")

    get_next_command = push_to_command_queue

    def get_command_queue_response(self) -> None:
        """Returns None: calls return their results."""

    def dc_transfer(self, direction: str) -> None:
        """Does nothing: calls pass tensors on themselves."""

    def dc_transfer_thread(self, direction: str, direction_queue: Any) -> None:
        """Does nothing, like dc_transfer()."""

    def is_first(self) -> bool:
        """Whether this is the first device of the pipeline."""
        return bool(get_devices()) and get_devices()[0] is self

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"


def _check_samples(values: Sequence[Any]) -> None:
    """RuntimeError for a tensor without samples."""
    for place, value in enumerate(values):
        if value is None or not value.dim():
            continue
        if value.numel() == 0:
            raise RuntimeError(f"input {place} has shape {list(value.shape)}, which has no elements: dim 0 is the "
                               "number of samples of the micro-batch; push at least one sample, without dims of size 0")


@contextlib.contextmanager
def noting_samples(samples: Sequence[Any], microbatch: int) -> Iterator[None]:
    """Adds a note to errors if an input has only one dim, of several samples, which may be meant as one sample."""
    try:
        yield
    except Exception as error:
        for place, value in enumerate(samples):
            if value is not None and value.dim() == 1 and microbatch > 1:
                error.add_note(f"input {place} has one dim, of size {microbatch}, and dim 0 is the sample in "
                               "the micro-batch: push tensor.unsqueeze(0) for one sample of that many values")
        raise


def _is_one(tensors: tuple[Any, ...]) -> bool:
    """Whether the argument is a tuple, a list or a mapping of all inputs."""
    return len(tensors) == 1 and (isinstance(tensors[0], (tuple, list)) or hasattr(tensors[0], "items"))


def _grouped(tensors: tuple[Any, ...]) -> tuple[list[str], list[Any]]:
    """Names, if a mapping was given, and the torch tensors."""
    given: Any = tensors[0] if _is_one(tensors) else tensors
    names = [str(key) for key in given] if hasattr(given, "items") else []
    values = to_pt_tensors(given)
    return (names if len(names) == len(values) else []), values


def formats_of(tensors: Any) -> list[DataFormat]:
    """Number formats of nested inputs: of pybuda tensors, or derived from torch dtypes."""
    if isinstance(tensors, (tuple, list)):
        return [found for one in tensors for found in formats_of(one)]
    if hasattr(tensors, "items"):
        return [found for one in tensors.values() for found in formats_of(one)]
    if isinstance(tensors, Tensor):
        return [tensors.data_format]
    values = [value for value in to_pt_tensors(tensors) if value is not None]
    return [DataFormat.RawUInt32 if value.dtype == torch.int64 else pytorch_dtype_to_buda_dataformat(value.dtype)
            for value in values]


def sample_of(values: Sequence[Any]) -> tuple[int, list[Any]]:
    """The number of samples along dim 0, and the tensors of the first one."""
    size = max((value.shape[0] for value in values if value is not None and value.dim()), default=1)
    return size, narrowed([value if value is None else value.detach() for value in values])


def samples_for(device: Device, sample_inputs: Any) -> tuple[int, list[Any]]:
    """The number of samples along dim 0, and the tensors of the first one, of given inputs or, without any, of the
    first ones that were pushed. The device and its first module take formats and names of the given ones."""
    if len(sample_inputs) == 0:
        return device.get_first_inputs(peek=True)
    device.input_formats = formats_of(sample_inputs)
    if device.modules:
        device.modules[0].input_structure = structure(sample_inputs)
    if config._get_global_compiler_config().compile_subgraphs and len(sample_inputs) == len(device.modules) and \
            all(isinstance(one, (tuple, list)) for one in sample_inputs):
        groups = [sample_of(to_pt_tensors(one)) for one in sample_inputs]
        device.take_samples([group for _, group in groups])
        return groups[0]
    if hasattr(sample_inputs, "items") and device.modules:
        device.modules[0].input_names = [str(name) for name in sample_inputs]
    return sample_of(to_pt_tensors(sample_inputs))


def gradients_asked(device: Device, sample_inputs: Any) -> list[bool]:
    """Inputs that require gradients, of samples as in samples_for()."""
    values = to_pt_tensors(sample_inputs) if len(sample_inputs) else device._inputs[0] if device._inputs else []
    return [value is not None and bool(value.requires_grad) for value in values]


def _kinds(values: Sequence[Any]) -> list[Any]:
    """Shape of one sample, and whether it has floats."""
    return [None if value is None else (tuple(value.shape[1:]), value.dtype.is_floating_point) for value in values]


def _described(kind: Any) -> str:
    if kind is None:
        return "is None"
    return f"has shape {list(kind[0])} of {'floats' if kind[1] else 'integers'}"
