"""Modules of other frameworks, which are converted to ONNX for the device and run in their framework on the host."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import torch
import ttsim
from ttsim.convert import Converted
from ttsim.convert.parts import DevicePart, HostPart, Source, plan

from ..parameter import Parameter
from ..tensor import to_pt_tensor
from .base import Module

_TYPES = {"float32": torch.float32, "float64": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16,
          "int64": torch.int64, "int32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8,
          "bool": torch.bool}


def array(tensor: torch.Tensor) -> numpy.ndarray[Any, Any]:
    """A numpy array of a torch tensor; bfloat16 becomes float32."""
    value = tensor.detach().cpu()
    return (value.float() if value.dtype == torch.bfloat16 else value).numpy()


class FrameworkModule(Module):
    """Subclasses define convert(), source(), call() and declared(). These modules run inference only."""
    framework = ""

    def declared(self) -> list[tuple[str, tuple[int | None, ...], str]] | None:
        """Names, shapes and numpy types of the inputs, in the model's order; None if they follow from what is pushed."""
        raise NotImplementedError

    def argument_names(self) -> list[str]:
        """Names that keys of a pushed mapping may have, in the model's order."""
        return [name for name, _, _ in self.declared() or []]

    def convert(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Converted:
        """The model in ONNX, for inputs of these shapes and numpy types."""
        raise NotImplementedError

    def call(self, values: Sequence[numpy.ndarray[Any, Any]]) -> list[Any]:
        """Outputs of the framework in order, for inputs in the model's order."""
        raise NotImplementedError

    def fixed_batch(self) -> int | None:
        """Dim 0 of all inputs, if the model has a constant other than 1 there."""
        shapes = [shape for _, shape, _ in self.declared() or [] if shape]
        sizes = {shape[0] for shape in shapes}
        size = sizes.pop() if len(sizes) == 1 else None
        return size if size is not None and size > 1 else None

    def states(self) -> list[numpy.ndarray[Any, Any]]:
        """First values of what the model keeps between runs. They are its last inputs and outputs, which are not pushed."""
        return []

    def in_order(self, tensors: Sequence[Any]) -> list[Any]:
        """Tensors as pushed, in the order of the model and in its types: keys of a mapping name the inputs."""
        values = [value for value in tensors if value is not None]
        own = self.argument_names()
        if len(self.input_names) == len(values) and set(self.input_names) <= set(own):
            by_name = dict(zip(self.input_names, values))
            values = [by_name[name] for name in own if name in by_name]
        types = self.declared()
        if types is None or len(types) != len(values):
            return values
        return [value.to(_TYPES.get(kind, value.dtype)) for value, (_, _, kind) in zip(values, types)]

    def converted(self, samples: Sequence[Any]) -> Converted:
        """convert() for pushed samples."""
        return self.convert(self._specs(samples))

    def parts(self, samples: Sequence[Any], error: ttsim.UnsupportedError) -> tuple[Source, list[HostPart | DevicePart]]:
        """The model as a list of ops and in parts, if the framework can run the ops that an error of converted() names; else the error."""
        try:
            source = self.source(self._specs(samples))
        except (ttsim.Error, ValueError):
            raise error from None
        return source, plan(source, error)

    def source(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Source:
        """The model as a list of ops."""
        raise NotImplementedError

    def _specs(self, samples: Sequence[Any]) -> list[tuple[tuple[int, ...], str]]:
        values = [*self.in_order(samples), *map(torch.from_numpy, self.states())]
        return [(tuple(value.shape), _type_name(value)) for value in values]

    def forward(self, *tensors: Any) -> list[torch.Tensor]:
        """Runs in the framework on the host: the outputs as a flat list of torch tensors."""
        values = self.in_order([to_pt_tensor(value) for value in tensors])
        return [to_pt_tensor(output) for output in self.call([array(value) for value in values])]

    cpu_eval_forward = forward

    def backward(self, *args: Any) -> None:
        """RuntimeError: only inference."""
        raise RuntimeError(f"{self!r} has no backward pass: {NO_TRAINING}")

    def parameter_values(self) -> dict[str, Any]:
        """Values of the framework by name."""
        return {}

    def get_parameters(self) -> list[Parameter]:
        """Parameters of floats under the framework's names. They require no gradients."""
        found = []
        for name, value in self.parameter_values().items():
            tensor = to_pt_tensor(value)
            if tensor.dtype.is_floating_point:
                found.append(Parameter(tensor, requires_grad=False, name=name))
        return found

    def set_parameters(self, **kwargs: Any) -> None:
        """RuntimeError for an unknown name, and for models whose values are in a file."""
        for name, value in kwargs.items():
            if name not in self.parameter_values():
                raise RuntimeError(f"module '{self.name}' has no parameter '{name}'; its parameters are "
                                   f"{', '.join(self.parameter_values()) or 'none'}")
            self.assign(name, array(to_pt_tensor(value)))

    def assign(self, name: str, value: numpy.ndarray[Any, Any]) -> None:
        """Sets a known parameter in the framework."""
        raise RuntimeError(f"the values of {self!r} are in its file: change them there")


NO_TRAINING = ("modules of TensorFlow, TensorFlow Lite and JAX run inference only, since PyBuda traces their inference "
               "graphs; train it in its framework, or train a PyTorchModule, an OnnxModule or a PyBudaModule")


def _type_name(value: torch.Tensor) -> str:
    return "float32" if value.dtype in (torch.bfloat16, torch.float16) else str(value.dtype).removeprefix("torch.")
