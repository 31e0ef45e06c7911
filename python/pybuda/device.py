"""What modules are placed on: inputs go in, a pipeline of devices takes them along."""
from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ._C import DataFormat
from .dtypes import pytorch_dtype_to_buda_dataformat
from .module import Module
from .pybudaglobal import get_devices, register_device, set_state_changed
from .tensor import Tensor, to_pt_tensors
from .training import refuse_training
from .utils import structure


class Device:
    """Devices form a pipeline in the order in which they are made."""
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
        register_device(self)

    # --- modules

    def place_module(self, module: Any) -> None:
        """One, or several that run in a row. RuntimeError for what is no module, and a name that is taken."""
        for one in module if isinstance(module, (list, tuple)) else [module]:
            if not isinstance(one, Module):
                wrap = "; wrap it: pybuda.PyTorchModule(name, module)" if isinstance(one, torch.nn.Module) else ""
                raise RuntimeError(f"device '{self.name}' takes pybuda modules, not a {type(one).__name__}{wrap}")
            if any(placed.get_name() == one.get_name() for placed in self.modules):
                raise RuntimeError(f"device '{self.name}' already has a module '{one.get_name()}'; modules of a "
                                   "device have different names")
            self._check_module(one)
            self.modules.append(one)
            one._set_device(self)
        set_state_changed()

    def _check_module(self, module: Module) -> None:
        """For kinds of devices that take some modules only."""

    def place_loss_module(self, module: Module) -> None:
        """Of the last device. RuntimeError for what is no module."""
        if not isinstance(module, Module):
            raise RuntimeError(f"a loss module is a pybuda module, not a {type(module).__name__}")
        self.place_module(module)
        self.loss_module = module

    def remove_loss_module(self) -> None:
        """AssertionError where there is none."""
        assert self.loss_module is not None, f"device '{self.name}' has no loss module"
        self.modules.remove(self.loss_module)
        self.loss_module._set_device(None)
        self.loss_module = None
        set_state_changed()

    def remove_modules(self) -> None:
        """Forgets the modules, and what was compiled of them."""
        for module in self.modules:
            module._set_device(None)
        self.modules, self.loss_module = [], None
        self.shutdown_device()
        set_state_changed()

    # --- inputs

    def push_to_inputs(self, *tensors: Any) -> None:
        """One micro-batch: a tensor for each input, all with the same dim 0; as arguments, a tuple, a list, or a
        mapping whose keys are the first module's inputs. RuntimeError for another dim 0 than that of the first push,
        another shape or kind of number than was compiled, and what is no tensor."""
        from .run import context
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
        """A mapping's values as those of the pushes before; the first one says the order."""
        module = self.modules[0]
        known = module.input_names
        if not known and self._compiled_for is not None:  # for positions
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
        """What training compares with, grouped as inputs are."""
        self._targets.append(_grouped(tensors)[1])

    def _check(self, values: list[Any]) -> None:
        _check_samples(values)
        sizes = {value.shape[0] for value in values if value is not None and value.dim()} or {1}
        size = max(sizes)
        if not sizes <= {1, size} or (self.microbatch_size and size != self.microbatch_size):
            raise RuntimeError(f"Batch size mismatch: dim 0 of the tensors is {sorted(sizes)}"
                               + (f", that of the first push was {self.microbatch_size}; push as many samples, or "
                                  "call pybuda.shutdown() before" if self.microbatch_size else "; it is the same "
                                  "in all, or 1"))
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
        """The size of a micro-batch, and the first one's tensors with dim 0 = 1. RuntimeError when nothing was
        pushed."""
        return self._first(self._inputs, peek, "Inputs must be pushed to the first device before it is compiled: "
                           "call push_to_inputs(), or pass inputs= or sample_inputs=")

    def get_first_targets(self) -> list[Any]:
        """The first targets with dim 0 = 1. RuntimeError when none were pushed."""
        return self._first(self._targets, True, "Targets must be pushed before training is compiled: call "
                           "push_to_target_inputs(), or pass sample_targets=")[1]

    def _first(self, queue: collections.deque[list[Any]], peek: bool, missing: str) -> tuple[int, list[Any]]:
        if not queue:
            others = [device.name for device in get_devices() if device is not self and device._inputs]
            if others:
                missing = (f"inputs were pushed to device '{others[0]}', and the pipeline begins with device '{self.name}', "
                           "which was made before it: shutdown() keeps devices. Call pybuda.pybuda_reset() to forget "
                           "those of earlier runs, and make the device and its module after it; or push to "
                           f"'{self.name}'")
            raise RuntimeError(missing)
        values = queue[0] if peek else queue.popleft()
        return sample_of(values)

    # --- running: kinds of devices say how

    def take_samples(self, groups: list[list[Any]]) -> None:
        """Samples of each module, where modules are compiled each for itself; of no use to other kinds."""

    def compile_for(self, inputs: Sequence[Any], compiler_cfg: Any = None, targets: Sequence[Any] = (),
                    microbatch_size: int = 0, microbatch_count: int = 1, verify_cfg: Any = None) -> list[Any]:
        """Samples of what the device gives."""
        raise NotImplementedError(f"{type(self).__name__} compiles nothing")

    def forward_values(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs for the tensors of a micro-batch, in order."""
        raise NotImplementedError(f"{type(self).__name__} computes nothing")

    def has_reference(self) -> bool:
        """Whether evaluate() can say what should come."""
        return True

    def taken_intermediates(self) -> list[torch.Tensor]:
        """What was saved of ops in the last forward."""
        return []

    def forward(self, loop_count: int) -> None:
        """As run_forward() does, `loop_count` times."""
        from .run.api import run_forward
        run_forward(loop_count)

    def generate(self, loop_count: int, write_index: int) -> None:
        """As run_generate() does. RuntimeError for a negative index."""
        from .run.api import run_generate
        run_generate(loop_count, write_index)

    def backward(self, loop_count: int, zero_grad: bool) -> None:
        """NotImplementedError: modules do not train."""
        refuse_training("backward")

    def cpueval_backward(self, bw_inputs: Any, parameters: Any) -> None:
        """NotImplementedError: modules do not train."""
        refuse_training("cpueval_backward")

    def get_parameter_checkpoint(self) -> dict[str, Any]:
        """Values of parameters by name; none of this kind of device."""
        return {}

    def get_parameter_gradients(self) -> dict[str, Any]:
        """NotImplementedError: modules do not train."""
        refuse_training("get_parameter_gradients")

    def sync(self) -> None:
        """All that was asked for is done when a call returns."""

    def shutdown_device(self) -> None:
        """Forgets inputs and what was compiled."""
        self._inputs.clear()
        self._targets.clear()
        self.microbatch_size = 0
        self._compiled_for = None

    # Workers of a device of its own process take commands by these; here a call does its work itself.

    def run(self, output_dir: str) -> None:
        """Nothing is left to do."""

    def run_next_command(self, cmd: Any) -> bool:
        """False: calls do their work themselves."""
        return False

    def push_to_command_queue(self, cmd: Any) -> None:
        """RuntimeError: devices run in this process."""
        raise RuntimeError("devices run in this process, by run_forward() and its like; there is no command queue")

    get_next_command = push_to_command_queue

    def get_command_queue_response(self) -> None:
        """None: calls return their results."""

    def dc_transfer(self, direction: str) -> None:
        """Nothing: a call hands tensors on itself."""

    def dc_transfer_thread(self, direction: str, direction_queue: Any) -> None:
        """Nothing: as dc_transfer()."""

    def is_first(self) -> bool:
        """Whether the pipeline begins with this device."""
        return bool(get_devices()) and get_devices()[0] is self

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"


def _check_samples(values: Sequence[Any]) -> None:
    """RuntimeError for a tensor without samples."""
    for place, value in enumerate(values):
        if value is None or not value.dim():
            continue
        if value.numel() == 0:
            raise RuntimeError(f"input {place} has shape {list(value.shape)}, which holds no values: dim 0 counts the "
                               "samples of the micro-batch; push one sample or more, with no dim of size 0")


@contextlib.contextmanager
def noting_samples(samples: Sequence[Any], microbatch: int) -> Iterator[None]:
    """Errors have a note where an input has one dim, of several samples: its values may be meant as those of one."""
    try:
        yield
    except Exception as error:
        for place, value in enumerate(samples):
            if value is not None and value.dim() == 1 and microbatch > 1:
                error.add_note(f"input {place} has one dim, of size {microbatch}, and dim 0 counts the samples of the "
                               "micro-batch: push tensor.unsqueeze(0) for one sample of that many values")
        raise


def _is_one(tensors: tuple[Any, ...]) -> bool:
    """A tuple, a list or a mapping of all inputs."""
    return len(tensors) == 1 and (isinstance(tensors[0], (tuple, list)) or hasattr(tensors[0], "items"))


def _grouped(tensors: tuple[Any, ...]) -> tuple[list[str], list[Any]]:
    """Names, where a mapping was given, and the torch tensors."""
    given: Any = tensors[0] if _is_one(tensors) else tensors
    names = [str(key) for key in given] if hasattr(given, "items") else []
    values = to_pt_tensors(given)
    return (names if len(names) == len(values) else []), values


def formats_of(tensors: Any) -> list[DataFormat]:
    """Number formats of nested inputs: those of pybuda's tensors, and those that torch's types have."""
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
    from .stage import narrowed
    size = max((value.shape[0] for value in values if value is not None and value.dim()), default=1)
    return size, narrowed([value if value is None else value.detach() for value in values])


def _kinds(values: Sequence[Any]) -> list[Any]:
    """Shape of one sample, and whether it is of floats."""
    return [None if value is None else (tuple(value.shape[1:]), value.dtype.is_floating_point) for value in values]


def _described(kind: Any) -> str:
    if kind is None:
        return "is None"
    return f"has shape {list(kind[0])} of {'floats' if kind[1] else 'integers'}"
