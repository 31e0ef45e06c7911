"""Optimizers of a TTDevice's parameters. They store settings; updates on the device require training."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from . import torch_optimizers
from .parameter import Parameter
from .tensor import Tensor
from .training import refuse_training


class Optimizer:
    """`parameters`: those to optimize; `device_params`: all parameters of the device's first module."""

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
        """For subclasses: adds the ops of an update. NotImplementedError: modules do not train."""
        refuse_training(f"{type(self).__name__}.generate_op_trace")

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

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """torch.optim.SGD of these parameters."""
        return torch.optim.SGD(_values(parameters), lr=self.learning_rate if lr is None else lr)


class _Moments(Optimizer):
    """With means of gradients and of their squares. AssertionError for settings out of range."""

    def __init__(self, learning_rate: float, beta1: float, beta2: float, epsilon: float, weight_decay: float,
                 parameters: Sequence[Parameter] | None, device_params: bool) -> None:
        assert learning_rate >= 0.0, f"learning_rate {learning_rate} is below 0"
        assert 0.0 <= beta1 < 1.0 and 0.0 <= beta2 < 1.0, \
            f"beta1 {beta1} and beta2 {beta2} must be at least 0 and below 1"
        assert epsilon >= 0.0 and weight_decay >= 0.0, \
            f"epsilon {epsilon} and weight_decay {weight_decay} must be at least 0"
        super().__init__(None, device_params)
        self.learning_rate = learning_rate
        self.beta1, self.beta2, self.epsilon, self.weight_decay = beta1, beta2, epsilon, weight_decay
        if parameters is not None:
            self.set_parameters_to_optimize(parameters)

    def get_param_dict(self, dtype: torch.dtype, shape: Sequence[int]) -> dict[str, Tensor]:
        blank = torch.zeros(tuple(shape), dtype=dtype)
        return {**super().get_param_dict(dtype, shape), "mean": Tensor.create_from_torch(blank),
                "variance": Tensor.create_from_torch(blank.clone())}

    def get_optimizer_state_keys(self) -> list[str]:
        return ["mean", "variance"]


class Adam(_Moments):
    """As torch.optim.Adam. AssertionError for settings out of range."""

    def __init__(self, learning_rate: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 weight_decay: float = 0.0, bias_correction: bool = True,
                 parameters: Sequence[Parameter] | None = None, device_params: bool = False,
                 enable_adam_w: bool = False) -> None:
        self.bias_correction, self.enable_adam_w = bias_correction, enable_adam_w
        super().__init__(learning_rate, beta1, beta2, epsilon, weight_decay, parameters, device_params)

    def get_param_dict(self, dtype: torch.dtype, shape: Sequence[int]) -> dict[str, Tensor]:
        """The learning rate and both moments of a parameter of this shape."""
        kept = super().get_param_dict(dtype, shape)
        if self.bias_correction:
            kept |= {name: Tensor.create_from_torch(torch.ones(1, dtype=dtype)) for name in ("beta1_pow", "beta2_pow")}
        return kept

    def get_optimizer_state_keys(self) -> list[str]:
        """Names of the moments."""
        return ["mean", "variance"] + (["beta1_pow", "beta2_pow"] if self.bias_correction else [])

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
        super().__init__(learning_rate, beta1, beta2, eps, weight_decay, parameters, device_params)

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer."""
        return torch_optimizers.LAMB(_values(parameters), self.learning_rate if lr is None else lr,
                                     (self.beta1, self.beta2), self.epsilon, self.weight_decay, self.clip_value,
                                     self.correction)


class LARS(Optimizer):
    """SGD with an adaptive rate for each parameter."""

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

    def get_pytorch_optimizer(self, parameters: dict[str, Any], lr: float | None = None) -> torch.optim.Optimizer:
        """The equivalent torch optimizer."""
        return torch_optimizers.LARS(_values(parameters), self.learning_rate if lr is None else lr, self.momentum,
                                     self.dampening, self.weight_decay, self.lars_coeff, self.nesterov, self.epsilon)
