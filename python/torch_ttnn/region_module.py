"""The nodes of a region as a module of torch, from which the compiler's graph is made."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import ttnn
from torch.fx import Node

from .steps import filled, template
from .torch_forms import PICTURES, form_of, is_float_type, picture_of, rows_of

_UNCHANGED = frozenset((ttnn.sharded_to_interleaved, ttnn.to_layout, ttnn.to_memory_config))
_RESHAPES = frozenset((ttnn.reshape, ttnn.experimental.view))


class RegionModule(torch.nn.Module):
    """Takes the region's tensors and returns its results. `constants`: values by node; tensors of floats become parameters
    of the graph, under `names`."""

    def __init__(self, nodes: Sequence[Node], outputs: Sequence[Node], inputs: Sequence[Node],
                 constants: Mapping[Node, Any]) -> None:
        super().__init__()
        self._nodes, self._outputs, self._inputs = list(nodes), list(outputs), list(inputs)
        self._fixed: dict[Node, Any] = {}
        self.names: dict[Node, str] = {}
        for place, (node, value) in enumerate(constants.items()):
            if isinstance(value, torch.Tensor):
                self.names[node] = f"p{place}_{node.name}".replace(".", "_")
                self.register_buffer(self.names[node], value.detach())
            else:
                self._fixed[node] = value
        self._calls = [(node, form_of(node.target), template(node.args, None), template(node.kwargs, None))
                       for node in nodes if node.op == "call_function" and not _is_getitem(node)]
        self._calls_by_node = {call[0]: call for call in self._calls}

    def __deepcopy__(self, memo: Any) -> RegionModule:
        return self  # nodes are not copied

    def forward(self, *tensors: torch.Tensor) -> tuple[Any, ...]:
        known: dict[Node, Any] = {**self._fixed, **dict(zip(self._inputs, tensors))}
        known |= {node: getattr(self, name) for node, name in self.names.items()}
        pictures = _Pictures(known)
        for node in self._nodes:
            if _is_getitem(node):
                known[node] = known[node.args[0]][node.args[1]]  # type: ignore[index]
                continue
            _, form, args, kwargs = self._calls_by_node[node]
            given, named = filled(args, known), filled(kwargs, known)
            if node.target is ttnn.embedding and node.args[1] not in self.names:
                form = _rows  # the compiler leaves an embedding to the host, which would cut the region
            if pictures.takes(node, given, named):
                continue
            known[node] = _kept(node, form(*given, **named))
        return tuple(known[node] for node in self._outputs)


def _rows(indices: torch.Tensor, weight: torch.Tensor, **_: Any) -> torch.Tensor:
    """As embedding, of a matrix that the region computes."""
    picked = torch.index_select(weight.reshape(-1, weight.shape[-1]), 0, indices.reshape(-1).long())
    return picked.reshape(*indices.shape, weight.shape[-1])


def _is_getitem(node: Node) -> bool:
    return getattr(node.target, "__name__", "") == "getitem" and getattr(node.target, "__module__", "") == "_operator"


def _kept(node: Node, value: Any) -> Any:
    """A value in the kind that its node has: bool, integer or float."""
    fake = node.meta.get("val")
    if isinstance(value, (tuple, list)) and isinstance(fake, (tuple, list)):
        return tuple(_of_kind(one, other) for one, other in zip(value, fake))
    return _of_kind(value, fake)


def _of_kind(value: Any, fake: Any) -> Any:
    if not isinstance(value, torch.Tensor) or not isinstance(fake, torch.Tensor) or value.dtype == fake.dtype:
        return value
    both = value.dtype.is_floating_point and fake.dtype.is_floating_point
    return value if both else value.to(fake.dtype)


class _Pictures:
    """Follows pictures through the shapes that ttnn gives them, so that convolutions and pools take and return what torch
    has: [N, C, H, W] beside [N, H, W, C] and [1, 1, N * H * W, C]."""

    def __init__(self, known: dict[Node, Any]) -> None:
        self.known = known
        self.last: dict[Node, torch.Tensor] = {}  # channels last; the picture itself
        self.rows: dict[Node, torch.Tensor] = {}

    def takes(self, node: Node, args: Any, kwargs: Any) -> bool:
        """Whether it computed the node."""
        source = node.args[0] if node.args and isinstance(node.args[0], Node) else None
        if source is None:
            return False
        if node.target in PICTURES:
            form, sizes = PICTURES[node.target]
            batch, size = sizes(args)
            picture = self.rows.get(source)
            picture = picture_of(args[0], batch, size) if picture is None or tuple(picture.shape[2:]) != tuple(size) else picture
            self.rows[node] = form(picture, *args[1:], **kwargs)
            self.known[node] = rows_of(self.rows[node])
            return True
        if node.target is ttnn.permute:
            return self._permuted(node, source, list(args[1]))
        if node.target in _RESHAPES:
            self._reshaped(node, source, tuple(args[1]))
        elif node.target in _UNCHANGED:
            for kept in (self.last, self.rows):
                if source in kept:
                    kept[node] = kept[source]
        return False

    def _permuted(self, node: Node, source: Node, order: list[int]) -> bool:
        rank = len(order)
        if rank > 2 and order == [0, *range(2, rank), 1]:
            self.last[node] = self.known[source]
        elif rank > 2 and order == [0, rank - 1, *range(1, rank - 1)] and source in self.last:
            self.known[node] = self.last[source]
            return True
        return False

    def _reshaped(self, node: Node, source: Node, shape: tuple[int, ...]) -> None:
        if source in self.last and shape == (1, 1, *rows_shape(self.last[source])):
            self.rows[node] = self.last[source]
        elif source in self.rows:
            picture = self.rows[source]
            if shape == (picture.shape[0], *picture.shape[2:], picture.shape[1]):
                self.last[node] = picture


def rows_shape(picture: torch.Tensor) -> tuple[int, int]:
    """Rows and columns of a picture as rows."""
    return picture.numel() // picture.shape[1], picture.shape[1]


_ = is_float_type
