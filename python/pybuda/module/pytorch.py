"""torch modules."""
from __future__ import annotations

import functools
import inspect
import os
from typing import Any

import torch
import torch.export
import ttsim.convert
from ttsim.evaluation import evaluating

from ..parameter import Parameter
from ..tensor import to_pt_tensor
from ..utils import arranged, flatten
from .base import Module


def _wrapped(owner: PyTorchModule) -> Any:
    @functools.wraps(owner.original_forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        return owner._redirected(*args, **kwargs)

    forward.original_forward = owner.original_forward  # type: ignore[attr-defined]
    return forward


class PyTorchModule(Module):
    """A torch.nn.Module, or an exported program or the path of its file (.pt2). On a TTDevice the module is captured and
    compiled; forward() runs it in torch on the host. With `redirect_forward`, positional arguments of the torch module
    become keywords when a mapping was pushed. RuntimeError for other objects, ttsim.InputError for other files."""

    def __init__(self, name: str, module: Any, redirect_forward: bool = True) -> None:
        super().__init__(name)
        if isinstance(module, (str, os.PathLike)):
            module = ttsim.convert.exported.load(os.fspath(module))
        if isinstance(module, torch.export.ExportedProgram):
            module = module.module()
        if not isinstance(module, torch.nn.Module):
            raise RuntimeError(f"PyTorchModule '{name}' needs a torch.nn.Module, not a {type(module).__name__}")
        self.module = module
        self.original_forward = getattr(module, "original_forward", module.forward)
        self._added: dict[str, Parameter] = {}
        if redirect_forward:
            module.original_forward = self.original_forward  # type: ignore[assignment]
            module.forward = _wrapped(self)

    def _redirected(self, *args: Any, **kwargs: Any) -> Any:
        if self.input_names and len(args) == len(self.input_names) and not kwargs:
            kwargs, args = dict(zip(self.input_names, args)), ()
        return self.original_forward(*args, **kwargs)

    def forward_names(self, count: int) -> list[str]:
        """Names of the first `count` arguments of forward(), or keys of a mapping that was pushed."""
        return self.input_names or list(inspect.signature(self.original_forward).parameters)[:count]

    def parameter_dtype(self) -> torch.dtype | None:
        """Dtype of the float parameters; None if there are none, or several dtypes."""
        found = {value.dtype for value in self.module.parameters() if value.dtype.is_floating_point}
        return found.pop() if len(found) == 1 else None

    def call_arguments(self, values: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments of the torch module for inputs in order."""
        if len(self.input_names) == len(values):
            return (), dict(zip(self.input_names, values))
        try:
            return tuple(arranged(self.original_forward, values, self.input_structure)), {}
        except (TypeError, ValueError):  # python's own message is best
            return tuple(values), {}

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs in torch on the host. 16-bit floats become float32 if the module's parameters are float32."""
        return self._redirected(*args, **kwargs)

    def cpu_eval_forward(self, *args: Any, **kwargs: Any) -> list[torch.Tensor]:
        """The outputs as a flat list, in evaluation mode (no dropout)."""
        with evaluating(self.module):
            return flatten(self._redirected(*args, **kwargs))

    def backward(self, *args: tuple[torch.Tensor, torch.Tensor]) -> None:
        """Backward pass for pairs of an output and its gradient."""
        for output, gradient in args:
            if output.requires_grad:
                torch.autograd.backward(output, gradient, retain_graph=True)

    def add_parameter(self, name: str, parameter: Parameter) -> None:
        """RuntimeError for a duplicate name."""
        if name in self._named() or name in self._added:
            raise RuntimeError(f"module '{self.name}' already has a parameter '{name}'")
        parameter.name = name
        self._added[name] = parameter

    def _named(self) -> dict[str, torch.Tensor]:
        return {**dict(self.module.named_parameters()), **dict(self.module.named_buffers())}

    def set_parameters(self, **kwargs: Any) -> None:
        """RuntimeError for an unknown name."""
        known = self._named()
        for name, value in kwargs.items():
            if name not in known:
                raise RuntimeError(f"module '{self.name}' has no parameter '{name}'; its parameters are "
                                   f"{', '.join(known)}")
            with torch.no_grad():
                known[name].copy_(to_pt_tensor(value))

    def get_parameters(self) -> list[Parameter]:
        """Parameters, then buffers, named as in the state dictionary."""
        made = [Parameter(value, requires_grad=value.requires_grad, name=name)
                for name, value in self._named().items() if value.dtype != torch.int64]
        return made + list(self._added.values())
