"""What an op is: its value in torch, of which its shape follows, and how it is made of a graph's nodes.

A file of this folder defines its ops by `define()` and gives programs functions that make a PyBudaOp."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import torch

from .._C import DataFormat
from ..dtypes import is_integer, pytorch_dtype_to_buda_dataformat
from ..parameter import Parameter
from ..pybudaglobal import current_call, get_unique_node_id
from ..tensor import Tensor


@dataclasses.dataclass(frozen=True)
class OpKind:
    """`evaluate(*torch values, **attributes)`; `build(make, *values, **attributes)` with a GraphMaker. `shape(*shapes,
    **attributes)` only where it does not follow of `evaluate`."""
    name: str
    evaluate: Callable[..., torch.Tensor]
    build: Callable[..., Any]
    shape: Callable[..., Any] | None = None


KINDS: dict[str, OpKind] = {}


def define(name: str, evaluate: Callable[..., torch.Tensor], build: Callable[..., Any],
           shape: Callable[..., Any] | None = None) -> None:
    """Adds an op to KINDS."""
    KINDS[name] = OpKind(name, evaluate, build, shape)


def graph_op(op: str) -> Callable[..., Any]:
    """`build` of an op that is one node of floats."""
    return lambda make, *values: make.add(op, *map(make.as_float, values))


def widened(value: torch.Tensor, beside: torch.Tensor) -> torch.Tensor:
    """Integers of 8 bits and bools as those of 32, beside such: the device does not wrap around."""
    narrow = (torch.int8, torch.uint8, torch.bool)
    return value.int() if value.dtype in narrow and not beside.dtype.is_floating_point else value


class PyBudaOp:
    """One op of a trace. `op_type`: of KINDS; `name`: "" makes one of the type and a number. `attrs` are positional
    attributes that programs look at, `named_attrs` those that `evaluate` and `build` take."""

    def __init__(self, op_type: str, name: str, *operands: Any, attrs: tuple[Any, ...] = (),
                 **named_attrs: Any) -> None:
        if op_type not in KINDS:
            raise RuntimeError(f"there is no op '{op_type}'; those are {', '.join(sorted(KINDS))}")
        self.op_type = op_type
        self.call = current_call()
        self.name = name or f"{op_type}_{get_unique_node_id()}"
        self.operands = [self._operand(operand, place) for place, operand in enumerate(operands)]
        self.attrs = attrs
        self.named_attrs = named_attrs

    def _operand(self, operand: Any, place: int) -> Any:
        if isinstance(operand, (int, float)) and not isinstance(operand, bool):
            return PyBudaOp("constant", f"input_{place}_{self.name}", constant=float(operand)).get_tensor()
        if not isinstance(operand, (Tensor, Parameter)):
            raise RuntimeError(f"operand {place} of op '{self.name}' is a {type(operand).__name__}; ops take pybuda "
                               "tensors, parameters and numbers: wrap a torch tensor by "
                               "pybuda.Tensor.create_from_torch() or register it by add_constant()")
        return operand

    @property
    def kind(self) -> OpKind:
        """What the op is."""
        return KINDS[self.op_type]

    def get_tensor(self, out_df: DataFormat | None = None) -> Tensor:
        """The result: with its value when all operands have one, else with its shape. RuntimeError for operands that
        do not go together."""
        known = all(operand.has_value() for operand in self.operands)
        try:
            value = self.evaluate([operand.value() for operand in self.operands]) if known else None
            shape, dtype = (tuple(value.shape), value.dtype) if value is not None else self._shape()
        except (RuntimeError, ValueError, IndexError, AssertionError, TypeError) as error:
            shapes = ", ".join(str(operand.shape.dims) for operand in self.operands)
            raise RuntimeError(f"op '{self.name}' ({self.op_type}) does not take operands of shape {shapes}: "
                               f"{error}") from error
        gradient = any(operand.requires_grad for operand in self.operands)
        return Tensor(value, shape, out_df or self._format(dtype), self, requires_grad=gradient)

    def _format(self, dtype: torch.dtype | None) -> DataFormat:
        """Of the first operand that is as the result: of floats, or of integers."""
        formats = [operand.data_format for operand in self.operands]
        if dtype is not None and dtype != torch.bool:
            formats = [one for one in formats if is_integer(one) != dtype.is_floating_point] or \
                [pytorch_dtype_to_buda_dataformat(dtype)]
        return formats[0] if formats else DataFormat.Float32

    def evaluate(self, values: list[torch.Tensor]) -> torch.Tensor:
        """The value in torch; floats of several types as the widest."""
        floats = [value.dtype for value in values if value.dtype.is_floating_point]
        if len(set(floats)) > 1:
            widest = functools.reduce(torch.promote_types, floats)
            values = [value.to(widest) if value.dtype.is_floating_point else value for value in values]
        return self.kind.evaluate(*values, **self.named_attrs)

    def _shape(self) -> tuple[tuple[int, ...], torch.dtype | None]:
        """And the type, where values have been computed on for it."""
        if self.kind.shape is not None:
            return tuple(self.kind.shape(*(operand.shape.dims for operand in self.operands), **self.named_attrs)), None
        blanks = [torch.empty(operand.shape.dims, dtype=operand.pt_data_format, device="meta")
                  for operand in self.operands]
        made = self.evaluate(blanks)
        return tuple(made.shape), made.dtype

    def build(self, make: Any, values: list[Any]) -> Any:
        """The value in a graph."""
        make.name = self.name
        return self.kind.build(make, *values, **self.named_attrs)

    def __repr__(self) -> str:
        return f"{self.op_type} '{self.name}'"


def result(op_type: str, name: str, *operands: Any, out_df: DataFormat | None = None, attrs: tuple[Any, ...] = (),
           **named_attrs: Any) -> Tensor:
    """The tensor that an op of this type gives. RuntimeError as get_tensor() raises it."""
    return PyBudaOp(op_type, name, *operands, attrs=attrs, **named_attrs).get_tensor(out_df)
