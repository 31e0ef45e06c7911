"""Data types that describe ops."""
from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

TensorShape = tuple[int, ...]
OperandNumInt = int
OperandNumTuple = tuple[int, int]


@dataclasses.dataclass
class OperandNumRange:
    """Minimum and maximum number of operands, inclusive."""
    operands_min: int
    operands_max: int

    def __contains__(self, count: int) -> bool:
        return self.operands_min <= count <= self.operands_max


@dataclasses.dataclass
class OperatorParamNumber:
    """A numeric parameter and its range; None: unlimited."""
    name: str
    type: type
    min_value: float | None = None
    max_value: float | None = None


OperatorParam = OperatorParamNumber


class ShapeCalculationContext:
    """Properties of a node, for the calculation of the shapes of its inputs."""
    operator: OperatorDefinition
    input_num: int
    constructor_kwargs: dict[str, Any]
    forward_kwargs: dict[str, Any]
    output_shape: TensorShape
    rng_shape: random.Random


@dataclasses.dataclass
class OperatorDefinition:
    """`instantiate`: a module, created with `constructor_params`, else a function called with `forward_params`.
    `calc_input_shapes(context)`: shapes of inputs for an output; None: all have the shape of the output."""
    name: str
    full_name: str
    input_num_range: int | tuple[int, int] | OperandNumRange
    instantiate: bool = False
    constructor_params: list[OperatorParam] = dataclasses.field(default_factory=list)
    forward_code: Callable[[], str] | None = None
    forward_params: list[OperatorParam] = dataclasses.field(default_factory=list)
    operands: list[str] = dataclasses.field(default_factory=list)
    calc_input_shapes: Callable[..., list[TensorShape]] | None = None

    def __post_init__(self) -> None:
        self.input_num_range = self._range()

    def _range(self) -> OperandNumRange:
        if isinstance(self.input_num_range, int):
            return OperandNumRange(self.input_num_range, self.input_num_range)
        if isinstance(self.input_num_range, tuple):
            return OperandNumRange(*self.input_num_range)
        return self.input_num_range

    @property
    def input_num(self) -> int:
        """The minimum number of operands."""
        return self._range().operands_min

    @property
    def is_operator(self) -> bool:
        """Whether it is a function."""
        return not self.instantiate

    @property
    def is_layer(self) -> bool:
        """Whether it is a module."""
        return self.instantiate


class OperatorRepository:
    """A list of definitions."""

    def __init__(self, operators: list[OperatorDefinition]) -> None:
        self.operators = operators

    def get_by_name(self, name: str) -> OperatorDefinition:
        """KeyError for an unknown name."""
        for operator in self.operators:
            if operator.name == name:
                return operator
        raise KeyError(name)
