"""Definitions of ops: their value in torch, from which their shape follows, and their nodes in a graph.

The files of this folder define ops with `define()` and provide functions that create a PyBudaOp."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import torch

from .._C import DataFormat
from ..dtypes import is_integer, pytorch_dtype_to_buda_dataformat
from ..parameter import Parameter
from ..process import current_call, get_unique_node_id
from ..tensor import Tensor
from .errors import OpError


@dataclasses.dataclass(frozen=True)
class OpKind:
    """`evaluate(*torch values, **attributes)`; `build(make, *values, **attributes)` with a GraphMaker. `shape(*shapes,
    **attributes)` only if it does not follow from `evaluate`."""
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
    """`build` of an op that is one node on floats."""
    return lambda make, *values: make.add(op, *map(make.as_float, values))


def widened(value: torch.Tensor, beside: torch.Tensor) -> torch.Tensor:
    """8-bit integers and bools as 32-bit integers if the other operand has these: the device does not wrap around."""
    narrow = (torch.int8, torch.uint8, torch.bool)
    return value.int() if value.dtype in narrow and not beside.dtype.is_floating_point else value


class PyBudaOp:
    """An op of a trace. `op_type`: in KINDS; `name`: if empty, the type and a number. `attrs`: positional attributes
    for programs; `named_attrs`: arguments of `evaluate` and `build`."""

    def __init__(self, op_type: str, name: str, *operands: Any, attrs: tuple[Any, ...] = (),
                 **named_attrs: Any) -> None:
        if op_type not in KINDS:
            raise RuntimeError(f"there is no op '{op_type}'; ops are {', '.join(sorted(KINDS))}")
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
            raise OpError(self.name, f"operand {place} of op '{self.name}' is a {type(operand).__name__}; ops accept "
                          "pybuda tensors, parameters and numbers: wrap a torch tensor with "
                          "pybuda.Tensor.create_from_torch() or register it with add_constant()")
        return operand

    @property
    def kind(self) -> OpKind:
        """The definition of the op."""
        return KINDS[self.op_type]

    def get_tensor(self, out_df: DataFormat | None = None) -> Tensor:
        """The result: with a value if all operands have one, else with a shape. RuntimeError for incompatible
        operands."""
        known = all(operand.has_value() for operand in self.operands)
        try:
            value = self.evaluate([operand.value() for operand in self.operands]) if known else None
            shape, dtype = (tuple(value.shape), value.dtype) if value is not None else self._shape()
        except (RuntimeError, ValueError, IndexError, AssertionError, TypeError) as error:
            shapes = ", ".join(str(operand.shape.dims) for operand in self.operands)
            raise OpError(self.name, f"op '{self.name}' ({self.op_type}) does not accept operands of shape {shapes}: "
                          f"{error}") from error
        gradient = any(operand.requires_grad for operand in self.operands)
        return Tensor(value, shape, out_df or self._format(dtype), self, requires_grad=gradient)

    def _format(self, dtype: torch.dtype | None) -> DataFormat:
        """The format of the first operand of the same class as the result: floats or integers."""
        formats = [operand.data_format for operand in self.operands]
        if dtype is not None and dtype != torch.bool:
            formats = [one for one in formats if is_integer(one) != dtype.is_floating_point] or \
                [pytorch_dtype_to_buda_dataformat(dtype)]
        return formats[0] if formats else DataFormat.Float32

    def evaluate(self, values: list[torch.Tensor]) -> torch.Tensor:
        """The value in torch; floats of different types are converted to the widest."""
        floats = [value.dtype for value in values if value.dtype.is_floating_point]
        if len(set(floats)) > 1:
            widest = functools.reduce(torch.promote_types, floats)
            values = [value.to(widest) if value.dtype.is_floating_point else value for value in values]
        return self.kind.evaluate(*values, **self.named_attrs)

    def _shape(self) -> tuple[tuple[int, ...], torch.dtype | None]:
        """The shape, and the dtype if it was computed with values."""
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
    """The result of an op of this type. RuntimeError as in get_tensor()."""
    return PyBudaOp(op_type, name, *operands, attrs=attrs, **named_attrs).get_tensor(out_df)
