"""The host as a device, which runs torch modules."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from ttsim.evaluation import evaluating

from .device import Device, _kinds
from .host_training import HostTraining
from .module import FrameworkModule, Module, OnnxModule, PyTorchModule
from .module.framework import NO_TRAINING
from .stage_kinds import OwnForward
from .tensor import Tensor, to_pt_tensor
from .utils import flatten


class CPUDevice(Device):
    """Runs PyTorchModule and, in inference, OnnxModule and modules of other frameworks. 16-bit floats become float32 unless `input_dtypes` sets the
    dtypes of the inputs. `optimizer_f(torch module)` and `scheduler_f(optimizer)` are for training."""

    def __init__(self, name: str, optimizer_f: Callable[..., Any] | None = None,
                 scheduler_f: Callable[..., Any] | None = None, mp_context: Any = None,
                 retain_backward_graph: bool = False, module: Any = None,
                 input_dtypes: Sequence[torch.dtype] | None = None) -> None:
        super().__init__(name, mp_context)
        self.optimizer_f, self.scheduler_f = optimizer_f, scheduler_f
        self.retain_backward_graph = retain_backward_graph
        self.input_dtypes = list(input_dtypes) if input_dtypes else []
        self._gradient_trace: Any = None
        if module is not None:
            self.place_module(module)

    def _check_module(self, module: Module) -> None:
        if not isinstance(module, (PyTorchModule, OnnxModule, FrameworkModule)):
            raise RuntimeError(f"device '{self.name}' is the host, which runs only torch and ONNX modules, and those of "
                               f"other frameworks; place {module!r} on a TTDevice")
        if self.modules and type(self.modules[0]) is not type(module):
            raise RuntimeError(f"device '{self.name}' can have modules of one framework only: {self.modules[0]!r} and "
                               f"{module!r} need separate devices")

    def compile_for(self, inputs: Sequence[Any], compiler_cfg: Any = None, targets: Sequence[Any] = (),
                    microbatch_size: int = 0, microbatch_count: int = 1, verify_cfg: Any = None) -> list[Any]:
        """Compiles nothing; computes samples of the outputs."""
        if not self.modules:
            raise RuntimeError(f"device '{self.name}' has no module; add one with place_module()")
        self._compiled_for = _kinds(inputs)
        return self.forward_values(list(inputs))

    compile_for_pt = compile_for

    def compile_for_training(self, inputs: Sequence[Any], targets: Sequence[Any], wanted: Sequence[bool],
                             microbatch_size: int, microbatch_count: int, verify_cfg: Any = None) -> list[Any]:
        """Makes the optimizers. Returns samples of the outputs, none with a loss module."""
        if not self.modules:
            raise RuntimeError(f"device '{self.name}' has no module; add one with place_module()")
        self._compiled_for = _kinds(inputs)
        scale = float(verify_cfg.scale_loss) if verify_cfg is not None and verify_cfg.enabled else 1.0
        self.training = HostTraining(self, wanted, scale)
        return [] if self.loss_module is not None else self.forward_values(list(inputs))

    def forward_values(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs of the modules in torch, for the tensors of a micro-batch."""
        values = self._converted(values)
        with torch.no_grad():
            for module in self.modules:
                values = self._forward_module(module, values)
        return [value for value in values if value is not None]

    def forward_pt(self, loop_count: int) -> None:
        """Like run_forward(), `loop_count` times."""
        self.forward(loop_count)

    def _forward_module(self, module: Any, values: list[Any]) -> list[Any]:
        if isinstance(module, (OnnxModule, FrameworkModule)):
            return module.forward(*values)
        args, kwargs = module.call_arguments(values)
        with OwnForward(module), evaluating(module.module):
            return flatten(module.module(*args, **kwargs))

    def _converted(self, values: list[Any]) -> list[Any]:
        def one(place: int, value: Any) -> Any:
            if value is None:
                return None
            if place < len(self.input_dtypes):
                return value.to(self.input_dtypes[place])
            return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value

        return [one(place, value) for place, value in enumerate(values)]

    def evaluate(self, values: list[Any]) -> list[torch.Tensor]:
        """Same as forward_values(): the host is its own reference."""
        return self.forward_values(values)

    def cpueval_forward(self, inputs: list[Any], parameters: Any = None, save_for_backward: bool = False,
                        targets: Sequence[Any] = ()) -> list[torch.Tensor]:
        """Outputs in torch of `inputs`."""
        return self.forward_values(inputs)

    cpueval_forward_pt = cpueval_forward

    def get_parameter_checkpoint(self) -> dict[str, Tensor]:
        """Values of parameters by name."""
        return {name: Tensor.create_from_torch(value.detach().clone()) for module in self.modules
                if isinstance(module, PyTorchModule) for name, value in module.module.named_parameters()}

    def pop_parameter_checkpoint(self) -> dict[str, Tensor]:
        """As get_parameter_checkpoint()."""
        return self.get_parameter_checkpoint()

    def get_parameter_gradients(self) -> dict[str, Any]:
        """Summed gradients by parameter in training, else {}."""
        return super().get_parameter_gradients() if self.training is not None else {}

    def update_device_parameters(self, parameters: dict[str, Any]) -> None:
        """RuntimeError for a name that no module has."""
        for name, value in parameters.items():
            owner = next((module for module in self.modules if isinstance(module, PyTorchModule)
                          and name in dict(module.module.named_parameters())), None)
            if owner is None:
                raise RuntimeError(f"device '{self.name}' has no parameter '{name}'")
            owner.set_parameters(**{name: to_pt_tensor(value)})

    def set_debug_gradient_trace_queue(self, q: Any) -> None:
        """A queue for the gradients of parameters after each backward pass."""
        self._gradient_trace = q

    compile_for_tf = compile_for
    forward_tf, cpueval_forward_tf = forward_pt, cpueval_forward

    def backward_tf(self, *_: Any, **__: Any) -> None:
        """RuntimeError: modules of TensorFlow do not train."""
        raise RuntimeError(f"device '{self.name}': {NO_TRAINING}")

    def backward_pt(self, loop_count: int, zero_grad: bool) -> None:
        """Like run_backward() of `loop_count` micro-batches."""
        self.backward(loop_count, zero_grad)
