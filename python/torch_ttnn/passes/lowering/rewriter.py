"""Makes nodes for conversions, with the shapes and dtypes of their results."""
from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import ttnn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx import GraphModule, Node

from ...torch_forms import form_of
from ...utils import TtnnBfloat16, TtnnDevice, TtnnInt32, TtnnTileLayout

_ORDER = {"bool": 0, "int": 1, "float": 2}


def kind_of(dtype: torch.dtype) -> str:
    """bool, int or float. NotImplementedError for complex numbers."""
    if dtype.is_complex:
        raise NotImplementedError("complex numbers")
    return "bool" if dtype == torch.bool else "float" if dtype.is_floating_point else "int"


def fake_mode_of(gm: GraphModule) -> FakeTensorMode:
    """The mode of the graph's values."""
    for node in gm.graph.nodes:
        value = node.meta.get("val")
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, FakeTensor):
                return one.fake_mode
    return FakeTensorMode(allow_non_fake_inputs=True)


class Rewriter:
    """Adds nodes in front of `node`, the one that is converted."""

    def __init__(self, gm: GraphModule) -> None:
        self.gm, self.graph = gm, gm.graph
        self.mode = fake_mode_of(gm)
        self.node: Any = None
        self.made: set[Node] = set()

    # --- what is known of values ---

    def val(self, value: Any) -> Any:
        """The fake tensor of a node; other values stay."""
        return value.meta["val"] if isinstance(value, Node) else value

    def shape(self, value: Any) -> tuple[int, ...]:
        """The shape of a tensor; of a number ()."""
        given = self.val(value)
        return tuple(given.shape) if isinstance(given, torch.Tensor) else ()

    def kind(self, value: Any) -> str:
        """bool, int or float."""
        given = self.val(value)
        if isinstance(given, torch.Tensor):
            return kind_of(given.dtype)
        return "bool" if isinstance(given, bool) else "int" if isinstance(given, int) else "float"

    def known(self, value: Any) -> torch.Tensor | None:
        """The values of a constant of the graph; None: they depend on arguments or parameters."""
        if not isinstance(value, Node) or value.op != "get_attr":
            return None
        found: Any = self.gm
        for part in str(value.target).split("."):
            found = getattr(found, part)
        return found if isinstance(found, torch.Tensor) else None

    def number_or(self, value: Any) -> Any:
        """A constant of one element without axes as a number."""
        known = self.known(value)
        if known is None or known.dim():
            return value
        with self.real():
            return known.item()

    def is_from_zero(self, value: Any) -> bool:
        """Whether a constant of the graph has no negative element."""
        known = self.known(value)
        with self.real():
            return known is not None and bool((known >= 0).all())

    def is_used(self, index: int) -> bool:
        """Whether a result of the node is used."""
        return any(user.target is not operator.getitem or (user.args[1] == index and user.users)
                   for user in self.node.users)

    # --- new nodes ---

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        """A call in front of the node."""
        with self.graph.inserting_before(self.node):
            made: Node = self.graph.call_function(target, args, kwargs)
        made.meta = dict(self.node.meta)
        made.meta["val"] = self._computed(target, args, kwargs)
        self.made.add(made)
        return made

    def _computed(self, target: Any, args: Any, kwargs: Any) -> Any:
        wrap: Any = _Value
        fakes: Any = torch.fx.node.map_arg((args, kwargs), wrap)
        given, named = _values(fakes)
        with self.mode, torch.no_grad():
            return form_of(target)(*given, **named)

    def constant(self, make: Callable[[], torch.Tensor]) -> Node:
        """A constant of the graph; `make` computes it with real tensors."""
        with torch._subclasses.fake_tensor.unset_fake_temporarily(), torch.no_grad():
            values = make().contiguous()
        number = sum(name.startswith("_constant_") for name, _ in self.gm.named_buffers())
        name = f"_constant_{number}"
        self.gm.register_buffer(name, values)
        with self.graph.inserting_before(self.node):
            made: Node = self.graph.get_attr(name)
        with self.mode:
            made.meta["val"] = torch.empty(values.shape, dtype=values.dtype)
        return made

    def full(self, shape: Sequence[int], value: Any, kind: Any = None) -> Node:
        """A tensor of equal elements, of the kind of the node's result."""
        whole = kind_of(self.first().dtype) == "int" if kind is None else not isinstance(kind, TtnnBfloat16)
        return self.call(ttnn.full, tuple(shape), int(value) if whole else float(value),
                         dtype=TtnnInt32() if whole else TtnnBfloat16(), layout=TtnnTileLayout(), device=TtnnDevice())

    def first(self) -> torch.Tensor:
        """The first result of the node."""
        value = self.node.meta["val"]
        made: torch.Tensor = value[0] if isinstance(value, (list, tuple)) else value
        return made

    def reshape(self, x: Any, shape: Sequence[int]) -> Any:
        """In another shape; x itself if it has it."""
        return x if self.shape(x) == tuple(shape) else self.call(ttnn.reshape, x, tuple(shape))

    def scaled(self, x: Any, factor: float) -> Any:
        """Times a number."""
        if factor == 1:
            return x
        return self.call(ttnn.mul, x, factor) if isinstance(x, Node) else x * factor

    def float(self, x: Any) -> Any:
        """Integers as bfloat16."""
        return self.call(ttnn.typecast, x, TtnnBfloat16()) if isinstance(x, Node) and self.kind(x) == "int" else x

    def unified(self, *values: Any) -> list[Any]:
        """Operands in the element type of the highest kind."""
        kinds = [self.kind(one) for one in values]
        most = max(kinds, key=lambda kind: _ORDER[kind])
        made = []
        for one, kind in zip(values, kinds):
            if isinstance(one, Node) and kind != most and (kind, most) != ("bool", "float"):
                one = self.call(ttnn.typecast, one, TtnnBfloat16() if most == "float" else TtnnInt32())
            made.append(one)
        return made

    def pair(self, target: Any, a: Any, b: Any, **kwargs: Any) -> Node:
        """A call with two operands, numbers of the graph as such."""
        a, b = self.unified(a, self.number_or(b))
        return self.call(target, a, b, **kwargs)

    def truth(self, target: Any, a: Any, b: Any) -> Node:
        """A comparison: its result is a float on the device."""
        a, b = self.unified(a, self.number_or(b))
        kinds = {self.kind(one) for one in (a, b) if isinstance(one, Node)}
        return self.call(target, a, b, **({"dtype": TtnnBfloat16()} if kinds == {"int"} else {}))

    def flag(self, x: Any, kind: str) -> Any:
        """A condition for values of a kind: beside integers it is an integer."""
        return self.call(ttnn.typecast, x, TtnnInt32()) if kind == "int" and self.kind(x) == "bool" else x

    @contextlib.contextmanager
    def real(self) -> Iterator[None]:
        """Computes with real tensors in a conversion."""
        with torch._subclasses.fake_tensor.unset_fake_temporarily(), torch.no_grad():
            yield


class _Value:
    """A node among arguments; torch.fx keeps it where a tensor is not allowed."""

    def __init__(self, node: Node) -> None:
        self.value = node.meta["val"]


def _values(given: Any) -> Any:
    if isinstance(given, _Value):
        return given.value
    if isinstance(given, (list, tuple)):
        return tuple(_values(one) for one in given) if isinstance(given, tuple) else [_values(one) for one in given]
    if isinstance(given, dict):
        return {key: _values(one) for key, one in given.items()}
    return given
