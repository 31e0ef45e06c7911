"""Modules written with pybuda's ops."""
from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

import torch

from ..argument_kinds import takes
from ..parameter import Parameter
from ..process import module_call
from ..tensor import Tensor, to_pt_tensor
from ..utils import arranged, flatten
from .base import Module


@dataclasses.dataclass(frozen=True)
class IntQueueHandle:
    """Handle of an op's result, returned by insert_tapout_queue_for_op()."""
    module: Any
    op_name: str
    output_index: int


class PyBudaModule(Module):
    """Subclasses define `forward(self, *tensors)`. Parameters and modules assigned to attributes, also in lists and
    dictionaries, belong to the module, as `<module>.<attribute>`; parameters in a dictionary are named after their
    keys."""
    _parameters: dict[str, Parameter]
    _constants: dict[str, Tensor | None]
    _submodules: dict[str, PyBudaModule]
    _former_names: list[str]

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_constants", {})
        object.__setattr__(self, "_submodules", {})
        object.__setattr__(self, "_former_names", [])
        super().__init__(name)
        self._tapouts: list[IntQueueHandle] = []

    # --- parameters, constants and submodules

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" in self.__dict__:
            self._forget(name)
            self._register(name, value)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._forget(name)
        object.__delattr__(self, name)

    def _forget(self, name: str) -> None:
        for held in (self._parameters, self._submodules):
            for key in [key for key in held if key == name or key.startswith(name + ".")]:
                del held[key]

    def _register(self, name: str, value: Any, key: str | None = None) -> None:
        """`key`: the dictionary key, which is the name of a parameter."""
        if isinstance(value, Parameter):
            self._parameters[name] = value
            value._set_auto_name(f"{self.name}.{name}" if key is None else key)
        elif isinstance(value, PyBudaModule):
            self._submodules[name] = value
            value._rename(f"{self.name}.{name}")
        elif isinstance(value, (list, tuple)) and any(isinstance(v, (Parameter, PyBudaModule)) for v in value):
            for place, element in enumerate(value):
                self._register(f"{name}.{place}", element)
        elif isinstance(value, dict) and any(isinstance(v, (Parameter, PyBudaModule)) for v in value.values()):
            for own, element in value.items():
                self._register(f"{name}.{own}", element, str(own))

    def _rename(self, name: str) -> None:
        """Renames a module that became part of another, and everything named after it."""
        before = self.name
        self._former_names.append(before)
        object.__setattr__(self, "name", name)
        for parameter in self._parameters.values():
            if parameter.name is not None and parameter.name.startswith(before + "."):
                parameter.name = name + parameter.name[len(before):]
        for attribute, module in self._submodules.items():
            module._rename(f"{name}.{attribute}")

    @takes(name=(str,), parameter=(Parameter,))
    def add_parameter(self, name: str, parameter: Parameter, prepend_name: bool = False) -> None:
        """RuntimeError for a duplicate name."""
        full = f"{self.name}.{name}" if prepend_name else name
        if full in self.named_parameters():
            raise RuntimeError(f"module '{self.name}' already has a parameter '{full}'")
        parameter.name = full
        self._parameters[name] = parameter

    @takes(name=(str,))
    def add_constant(self, name: str, prepend_name: bool = False, shape: tuple[int, ...] | None = None) -> None:
        """RuntimeError for a duplicate name. set_constant() sets its value."""
        full = f"{self.name}.{name}" if prepend_name else name
        if full in self._constants:
            raise RuntimeError(f"module '{self.name}' already has a constant '{full}'")
        self._constants[full] = None if shape is None else Tensor.create_from_torch(torch.zeros(shape), constant=True)

    def _constant_name(self, name: str) -> str:
        for own in (self.name, *self._former_names):  # constants keep their names when the module is renamed
            for full in (name, f"{own}.{name}", name.replace(self.name, own)):
                if full in self._constants:
                    return full
        raise RuntimeError(f"module '{self.name}' has no constant '{name}'; add it with add_constant('{name}')")

    @takes(name=(str,))
    def set_constant(self, name: str, data: Any) -> None:
        """Sets a tensor of pybuda, torch or numpy."""
        value = data if isinstance(data, Tensor) else Tensor.create_from_torch(to_pt_tensor(data), constant=True)
        self._constants[self._constant_name(name)] = value

    @takes(name=(str,))
    def get_constant(self, name: str) -> Tensor:
        """RuntimeError for an unknown constant, or one without a value."""
        value = self._constants[self._constant_name(name)]
        if value is None:
            raise RuntimeError(f"constant '{name}' of module '{self.name}' has no value; set it with set_constant()")
        return value

    def named_parameters(self) -> dict[str, Parameter]:
        """Parameters of this module and its submodules by full name. RuntimeError for duplicate names."""
        found: dict[str, Parameter] = {}
        for parameter in self._told_apart():
            name = str(parameter.get_name())
            if found.get(name, parameter) is not parameter:
                raise RuntimeError(f"module '{self.name}' has two parameters named '{name}'")
            found[name] = parameter
        return found

    def _told_apart(self) -> list[Parameter]:
        """All parameters; if dictionary keys are not unique, the names of their modules are prepended."""
        held = self.get_parameters()
        names = [parameter.get_name() for parameter in held]
        for module in [self, *self._all_submodules()]:
            for path, parameter in module._parameters.items():
                if names.count(parameter.name) > 1 and "." in path and path.split(".", 1)[1] == parameter.name:
                    parameter.name = f"{module.name}.{path}"
        return held

    def _all_submodules(self) -> list[PyBudaModule]:
        return [found for module in self._submodules.values() for found in (module, *module._all_submodules())]

    @takes(name=(str,))
    def get_parameter(self, name: str) -> Parameter:
        """By full name or name of the attribute. RuntimeError for an unknown name."""
        known = self.named_parameters()
        for full in (name, f"{self.name}.{name}"):
            if full in known:
                return known[full]
        for module in [self, *self._all_submodules()]:  # by attribute, also before a dictionary key
            for path, parameter in module._parameters.items():
                if name in (path, f"{module.name}.{path}"):
                    return parameter
        raise RuntimeError(f"module '{self.name}' has no parameter '{name}'; its parameters are "
                           f"{', '.join(known) or 'none'}")

    def get_parameters(self, submodules: bool = True) -> list[Parameter]:
        """Parameters of this module and, unless `submodules` is False, of its submodules; each once."""
        found = list(dict.fromkeys(self._parameters.values()))
        if submodules:
            for module in self._submodules.values():
                found += [parameter for parameter in module.get_parameters() if parameter not in found]
        return found

    def set_parameter(self, name: str, data: Any) -> None:
        """Sets a value of torch, pybuda or numpy. RuntimeError for an unknown name or another shape."""
        self.get_parameter(name).set_value(data)

    @takes(data=(Mapping,))
    def load_parameter_dict(self, data: dict[str, Any]) -> None:
        """Sets values by name, like set_parameter()."""
        for name, value in data.items():
            self.set_parameter(name, value)

    def initialize_parameters(self) -> None:
        """Sets random values (normal, deviation 1/8) of parameters without one."""
        for parameter in self.get_parameters():
            if not parameter.has_value():
                parameter.set_value(torch.randn(parameter.shape.dims).to(parameter.pt_data_format) / 8)

    def get_submodules(self) -> list[PyBudaModule]:
        """Direct submodules of this module."""
        return list(self._submodules.values())

    # --- running

    def forward(self, *tensors: Any, **named: Any) -> Any:
        """Defined by subclasses, with ops of pybuda.op on pybuda tensors. NotImplementedError if undefined."""
        raise NotImplementedError(f"module '{self.name}' has no forward(); define it in {type(self).__name__}")

    def pre_forward(self, *args: Any, **kwargs: Any) -> None:
        """For subclasses."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with module_call():
            return self.forward(*args, **kwargs)

    def trace_forward(self, *tensors: Any) -> list[Tensor]:
        """The outputs of forward() as a flat list. RuntimeError for a wrong number of inputs and for outputs that are
        not pybuda tensors."""
        names = self.input_names if len(self.input_names) == len(tensors) else []
        try:
            arguments = arranged(self.forward, tensors, self.input_structure) if not names else []
        except TypeError as error:
            raise RuntimeError(f"module '{self.name}' was given {len(tensors)} inputs: {error}") from error
        outputs = self(**dict(zip(names, tensors))) if names else self(*arguments)
        outputs = flatten(outputs)
        for place, output in enumerate(outputs):
            if not isinstance(output, (Tensor, Parameter)):
                raise RuntimeError(f"output {place} of module '{self.name}' is a {type(output).__name__}; forward() "
                                   "must return pybuda tensors, the results of ops of pybuda.op")
        if not outputs:
            raise RuntimeError(f"module '{self.name}' has no outputs; forward() must return its results")
        return outputs

    def forward_names(self, count: int) -> list[str]:
        """Names of the first `count` inputs of forward()."""
        if len(self.input_names) == count:
            return list(self.input_names)
        names: list[str] = []
        for name, parameter in inspect.signature(self.forward).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{name}_{k}" for k in range(count - len(names))]
            else:
                names.append(name)
        return names[:count]

    def insert_tapout_queue_for_op(self, op_name: str, output_index: int) -> IntQueueHandle:
        """A handle of the op's result. get_intermediates_queue() has the results of ops in op_intermediates_to_save."""
        handle = IntQueueHandle(self, op_name, output_index)
        self._tapouts.append(handle)
        return handle
