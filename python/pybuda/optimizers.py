"""Optimizers of a TTDevice's parameters: settings, and state between runs."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from . import torch_optimizers
from .parameter import Parameter
from .tensor import Tensor, to_pt_tensor


class Optimizer:
    """`parameters`: those to optimize; with `device_params`, or without both, all parameters of the device that require
    gradients. `compensated`, an attribute: whether the device keeps what rounding takes from a weight for the next
    step."""
    compensated = True
    _states: Mapping[str, str] = {"residue": "residue"}  # of the device, by name of the state here

    def __init__(self, parameters: Sequence[Parameter] | None = None, device_params: bool = False) -> None:
        self.device_params = device_params
        self.parameter_to_opt_inputs: dict[str, dict[str, Tensor]] = {}
        self.learning_rate: float = 0.0
        if parameters is not None:
            self.set_parameters_to_optimize(parameters)

    def get_param_dict(self, dtype: torch.dtype, shape: Sequence[int]) -> dict[str, Tensor]:
        """Optimizer state of a parameter of this shape."""
        return {"lr": Tensor.create_from_torch(torch.full((1,), self.learning_rate, dtype=dtype))}

    def set_parameters_to_optimize(self, parameters: Sequence[Parameter]) -> None:
        """Sets the parameters to optimize: those that require gradients."""
        for parameter in parameters:
            if parameter.requires_grad:
                self.parameter_to_opt_inputs[str(parameter.get_name())] = self.get_param_dict(
                    parameter.pt_data_format, parameter.shape.dims)

    def get_optimizer_params(self, parameter_name: str, is_buda: bool) -> dict[str, Tensor] | None:
        """State of a parameter; None if it is not optimized. `is_buda`: padded to tiles."""
        found = self.parameter_to_opt_inputs.get(parameter_name)
        if found is None or not is_buda:
            return found
        return {name: value.to_buda_shape((-1, -2) if value.shape.numel() == 1 else ()) for name, value in
                found.items()}

    def set_optimizer_parameters(self, learning_rate: float | None = None) -> None:
        """Sets the learning rate of all parameters."""
        if learning_rate is not None:
            self.learning_rate = learning_rate
        for kept in self.parameter_to_opt_inputs.values():
            if "lr" in kept:
                lr = kept["lr"]
                kept["lr"] = Tensor.create_from_torch(torch.full((1,), self.learning_rate, dtype=lr.pt_data_format))

    def get_optimizer_state_keys(self) -> list[str]:
        """Names of the state that changes in each step."""
        return []

    def generate_op_trace(self, ac: Any, parameter: Any, gradient: Any) -> Any:
        """NotImplementedError: the compiler has the programs of its optimizers."""
        raise NotImplementedError(f"{type(self).__name__}.generate_op_trace: an optimizer cannot add its own ops; define "
                                  "get_pytorch_optimizer(), and torch updates the parameters on the host")

    # --- on the device

    def device_options(self) -> dict[str, Any] | None:
        """Keywords of ttsim.compile() for this optimizer's program. None: the chip has none, and
        get_pytorch_optimizer() updates the parameters on the host. NotImplementedError for a class with ops of its own
        and without such a method."""
        own = type(self).generate_op_trace is not Optimizer.generate_op_trace
        if own and type(self).get_pytorch_optimizer is Optimizer.get_pytorch_optimizer:
            Optimizer.generate_op_trace(self, None, None, None)
        options = self._device_options()
        inherits = type(self).get_pytorch_optimizer in [one.get_pytorch_optimizer for one in (SGD, Adam, LAMB, LARS)]
        return options | {"compensated_updates": self.compensated} if options is not None and not own and inherits else None

    def _device_options(self) -> dict[str, Any] | None:
        return None

    def takes(self, parameter_name: str) -> bool:
        """Whether it optimizes a parameter of its device."""
        return self.device_params or not self.parameter_to_opt_inputs or parameter_name in self.parameter_to_opt_inputs

    def load_optimizer_params(self, params: Mapping[str, Mapping[str, Any]]) -> None:
        """Sets the state by parameter, as get_optimizer_params() of a device returned it, and the learning rate;
        training begins with it when it is compiled."""
        for name, kept in params.items():
            self.parameter_to_opt_inputs[name] = {
                key: one if isinstance(one, Tensor) else Tensor.create_from_torch(to_pt_tensor(one))
                for key, one in kept.items()}
            if "lr" in kept:
                rate = self.parameter_to_opt_inputs[name]["lr"].value().float().reshape(-1)[0].numpy()
                self.learning_rate = float(str(rate))  # the shortest decimal, such as 0.1, that float32 rounds to this

    def load_state(self, trainer: Any, params: Mapping[str, Mapping[str, Any]]) -> None:
        """Gives the device the state of its parameters."""
        for info in trainer.parameters:
            kept = params.get(info.name, {})
            state = {own: kept[name].value().float() for name, own in self._states.items() if name in kept}
            if state:
                trainer.set_state(info.name, {own: value.reshape(tuple(info.shape)) for own, value in state.items()})
            if kept:
                trainer.steps = self._steps(kept)

    def read_state(self, trainer: Any, name: str) -> dict[str, Tensor]:
        """The state of a parameter on the device."""
        found = {own: Tensor.create_from_torch(torch.from_numpy(value.copy()))
                 for own, value in trainer.state(name).items()}
        made = {"lr": Tensor.create_from_torch(torch.full((1,), self.learning_rate))}
        return made | {key: found[own] for key, own in self._states.items() if own in found} | self._powers(trainer.steps)

    def _powers(self, steps: int) -> dict[str, Tensor]:
        return {}

    def _steps(self, kept: Mapping[str, Tensor]) -> int:
        return 0

    def torch_parameter_update(self, *, parameter_name: str, parameter: torch.Tensor,
                               gradient: torch.Tensor) -> torch.Tensor:
        """The updated value, computed by torch's optimizer."""
        value = torch.nn.Parameter(parameter.detach().clone())
        value.grad = gradient.detach().clone()
        self.get_pytorch_optimizer({parameter_name: value}).step()
        return value.detach()

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer for these parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no equivalent in torch")

    def get_type(self) -> str:
        """The name of the type."""
        return type(self).__name__


def _values(parameters: Any) -> list[Any]:
    return list(parameters.values()) if isinstance(parameters, dict) else list(parameters)


class SGD(Optimizer):
    """p - learning_rate * gradient."""

    def __init__(self, learning_rate: float, parameters: Sequence[Parameter] | None = None,
                 device_params: bool = False) -> None:
        assert learning_rate >= 0.0, f"learning_rate {learning_rate} is below 0"
        super().__init__(None, device_params)
        self.learning_rate = learning_rate
        if parameters is not None:
            self.set_parameters_to_optimize(parameters)

    def _device_options(self) -> dict[str, Any]:
        return {"optimizer": "sgd", "learning_rate": self.learning_rate}

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """torch.optim.SGD of these parameters."""
        return torch.optim.SGD(_values(parameters), lr=self.learning_rate if lr is None else lr)


class _Moments(Optimizer):
    """With means of gradients and of their squares. `bias_correction`: corrects them for their start at 0.
    AssertionError for settings out of range."""
    _states = {**Optimizer._states, "mean": "mean", "variance": "square", "remainder": "remainder"}

    def __init__(self, learning_rate: float, beta1: float, beta2: float, epsilon: float, weight_decay: float,
                 bias_correction: bool, parameters: Sequence[Parameter] | None, device_params: bool) -> None:
        assert learning_rate >= 0.0, f"learning_rate {learning_rate} is below 0"
        assert 0.0 <= beta1 < 1.0 and 0.0 <= beta2 < 1.0, \
            f"beta1 {beta1} and beta2 {beta2} must be at least 0 and below 1"
        assert epsilon >= 0.0 and weight_decay >= 0.0, \
            f"epsilon {epsilon} and weight_decay {weight_decay} must be at least 0"
        super().__init__(None, device_params)
        self.learning_rate = learning_rate
        self.beta1, self.beta2, self.epsilon, self.weight_decay = beta1, beta2, epsilon, weight_decay
        self.bias_correction = bias_correction
        if parameters is not None:
            self.set_parameters_to_optimize(parameters)

    def get_param_dict(self, dtype: torch.dtype, shape: Sequence[int]) -> dict[str, Tensor]:
        """The learning rate and both moments of a parameter of this shape."""
        blank = torch.zeros(tuple(shape), dtype=dtype)
        kept = {**super().get_param_dict(dtype, shape), "mean": Tensor.create_from_torch(blank),
                "variance": Tensor.create_from_torch(blank.clone())}
        if self.bias_correction:
            kept |= {name: Tensor.create_from_torch(torch.ones(1)) for name in ("beta1_pow", "beta2_pow")}
        return kept

    def get_optimizer_state_keys(self) -> list[str]:
        """Names of the moments."""
        return ["mean", "variance"] + (["beta1_pow", "beta2_pow"] if self.bias_correction else [])

    def _averages(self) -> dict[str, Any]:
        """Keywords of ttsim.compile()."""
        return {"learning_rate": self.learning_rate, "beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon,
                "weight_decay": self.weight_decay, "adam_correction": self.bias_correction}

    def _powers(self, steps: int) -> dict[str, Tensor]:
        if not self.bias_correction:
            return {}
        return {name: Tensor.create_from_torch(torch.full((1,), beta**steps))
                for name, beta in (("beta1_pow", self.beta1), ("beta2_pow", self.beta2))}

    def _steps(self, kept: Mapping[str, Tensor]) -> int:
        """From the power that is closest to neither 0 nor 1, since the other one may have vanished. If both have, the
        first step in which they do: the correction is 1 from then on."""
        steps = 0
        for name, beta in (("beta2_pow", self.beta2), ("beta1_pow", self.beta1)):
            power = float(kept[name].value().reshape(-1)[0]) if name in kept else 1.0
            if 0 < power < 1 and 0 < beta < 1:
                return round(math.log(power) / math.log(beta))
            if power == 0 and 0 < beta < 1:
                steps = max(steps, math.ceil(math.log(torch.finfo(torch.float32).smallest_normal) / math.log(beta)))
        return steps


class Adam(_Moments):
    """As torch.optim.Adam. AssertionError for settings out of range."""

    def __init__(self, learning_rate: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 weight_decay: float = 0.0, bias_correction: bool = True,
                 parameters: Sequence[Parameter] | None = None, device_params: bool = False,
                 enable_adam_w: bool = False) -> None:
        self.enable_adam_w = enable_adam_w
        super().__init__(learning_rate, beta1, beta2, epsilon, weight_decay, bias_correction, parameters, device_params)

    def _device_options(self) -> dict[str, Any]:
        return {"optimizer": "adamw" if self.enable_adam_w else "adam"} | self._averages()

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer."""
        if not self.bias_correction:
            return torch_optimizers.AdamNoBiasCorrection(
                _values(parameters), lr=self.learning_rate if lr is None else lr, betas=(self.beta1, self.beta2),
                eps=self.epsilon, weight_decay=self.weight_decay, decoupled=self.enable_adam_w)
        kind = torch.optim.AdamW if self.enable_adam_w else torch.optim.Adam
        return kind(_values(parameters), lr=self.learning_rate if lr is None else lr, betas=(self.beta1, self.beta2),
                    eps=self.epsilon, weight_decay=self.weight_decay)


class AdamW(Adam):
    """Adam with decoupled weight decay."""

    def __init__(self, learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
                 weight_decay: float = 0.01, bias_correction: bool = True,
                 parameters: Sequence[Parameter] | None = None, device_params: bool = False) -> None:
        super().__init__(learning_rate, beta1, beta2, eps, weight_decay, bias_correction, parameters, device_params,
                         True)


class LAMB(_Moments):
    """Adam with a trust ratio for each parameter."""

    def __init__(self, learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
                 weight_decay: float = 0.01, correction: bool = False, clip_value: tuple[float, float] = (0.0, 10.0),
                 parameters: Sequence[Parameter] | None = None, device_params: bool = False) -> None:
        self.correction, self.clip_value = correction, clip_value
        super().__init__(learning_rate, beta1, beta2, eps, weight_decay, correction, parameters, device_params)

    def _device_options(self) -> dict[str, Any]:
        return {"optimizer": "lamb", "trust_least": self.clip_value[0], "trust_most": self.clip_value[1]} | self._averages()

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer."""
        return torch_optimizers.LAMB(_values(parameters), self.learning_rate if lr is None else lr,
                                     (self.beta1, self.beta2), self.epsilon, self.weight_decay, self.clip_value,
                                     self.correction)


class LARS(Optimizer):
    """SGD with an adaptive rate for each parameter."""
    _states = {**Optimizer._states, "momentum": "momentum"}

    def __init__(self, learning_rate: float = 0.001, momentum: float = 0.9, nesterov: bool = False,
                 dampening: float = 0.0, weight_decay: float = 0.01, lars_coeff: float = 0.001, epsilon: float = 1e-8,
                 parameters: Sequence[Parameter] | None = None, device_params: bool = False) -> None:
        assert learning_rate >= 0.0, f"learning_rate {learning_rate} is below 0"
        assert 0.0 <= momentum <= 1.0, f"momentum {momentum} is not from 0 to 1"
        super().__init__(None, device_params)
        self.learning_rate, self.momentum, self.nesterov = learning_rate, momentum, nesterov
        self.dampening, self.weight_decay = dampening, weight_decay
        self.lars_coeff, self.epsilon = lars_coeff, epsilon
        if parameters is not None:
            self.set_parameters_to_optimize(parameters)

    def get_param_dict(self, dtype: torch.dtype, shape: Sequence[int]) -> dict[str, Tensor]:
        """The learning rate and the momentum of a parameter of this shape."""
        blank = torch.zeros(tuple(shape), dtype=dtype)
        return {**super().get_param_dict(dtype, shape), "momentum": Tensor.create_from_torch(blank)}

    def get_optimizer_state_keys(self) -> list[str]:
        """The name of the momentum."""
        return ["momentum"]

    def _device_options(self) -> dict[str, Any]:
        return {"optimizer": "lars", "learning_rate": self.learning_rate, "momentum": self.momentum,
                "nesterov": self.nesterov, "dampening": self.dampening, "weight_decay": self.weight_decay,
                "trust_coefficient": self.lars_coeff, "epsilon": self.epsilon}

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer."""
        return torch_optimizers.LARS(_values(parameters), self.learning_rate if lr is None else lr, self.momentum,
                                     self.dampening, self.weight_decay, self.lars_coeff, self.nesterov, self.epsilon)
