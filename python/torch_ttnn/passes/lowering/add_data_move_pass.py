"""Moves between the host and the device."""
from __future__ import annotations

import operator
from typing import Any

import torch
import ttnn
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ... import target_wrappers as wrappers
from ...torch_forms import is_ttnn
from ...utils import TtnnBfloat16, TtnnDevice, TtnnInt32, TtnnRowMajorLayout, TtnnTileLayout, TtnnUint32

_INDEXED = {ttnn.embedding: 0, ttnn.index_select: 2, ttnn.gather: 2, ttnn.scatter: 2}  # place of the positions
_BY_ROWS = frozenset((ttnn.slice, ttnn.split, wrappers.roll))  # their operand is moved as rows
_ANY_LAYOUT = frozenset((*_BY_ROWS, ttnn.to_layout, ttnn.argmax, wrappers.pack_to_tuple, operator.getitem, ttnn.embedding,
                         ttnn.index_select))


def is_device_node(node: Any) -> bool:
    """Whether a node's value is on the device."""
    if not isinstance(node, Node) or node.op != "call_function" or node.target is ttnn.to_torch:
        return False
    if node.target is operator.getitem:
        return is_device_node(node.args[0])
    if node.target is wrappers.clone:
        return is_device_node(node.args[0])
    return is_ttnn(node.target) and node.target is not wrappers.run_once


def _is_tensor(node: Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _form(target: Any, place: int | str, value: torch.Tensor) -> tuple[Any, Any, Any]:
    """Device, layout and element type of an operand from the host."""
    whole = not value.dtype.is_floating_point and value.dtype != torch.bool
    if _INDEXED.get(target) == place:
        return TtnnDevice(), TtnnRowMajorLayout(), TtnnUint32()
    if target is wrappers.conv and place == 1:
        return None, TtnnRowMajorLayout(), TtnnBfloat16()
    layout = TtnnRowMajorLayout() if target in _BY_ROWS and place == 0 else TtnnTileLayout()
    return TtnnDevice(), layout, TtnnInt32() if whole else TtnnBfloat16()


class AddDataMovePass(PassBase):
    """from_torch for operands of ttnn calls, to_torch for those of torch calls and for results, to_layout between ttnn
    calls. Equal moves are made once."""

    def call(self, gm: GraphModule) -> PassResult:
        self.gm, self.moves = gm, dict[Any, Node]()
        self.rows: set[Node] = set()  # values in ROW_MAJOR layout
        count = len(gm.graph.nodes)
        for node in list(gm.graph.nodes):
            if is_device_node(node) and node.target is not operator.getitem:
                self._operands(node)
                self._layout(node)
            elif node.target is operator.getitem and node.args[0] in self.rows:
                self.rows.add(node)
            elif node.op == "output":
                self._results(node)
            elif node.op == "call_function" and not is_device_node(node):
                self._torch_operands(node)
        gm.graph.lint()
        gm.recompile()
        return PassResult(gm, len(gm.graph.nodes) != count)

    def _torch_operands(self, node: Node) -> None:
        def read(one: Node) -> Node:
            return self._to_torch(one, node, None)
        node.args, node.kwargs = torch.fx.node.map_arg((node.args, node.kwargs), read)

    def _operands(self, node: Node) -> None:
        node.args = tuple(self._moved(node, place, one) for place, one in enumerate(node.args))
        node.kwargs = {key: self._moved(node, key, one) for key, one in node.kwargs.items()}

    def _moved(self, node: Node, place: int | str, given: Any) -> Any:
        return torch.fx.node.map_arg(given, lambda one: self._operand(node, place, one))

    def _operand(self, node: Node, place: int | str, one: Node) -> Node:
        if not is_device_node(one):
            return self._from_torch(node, place, one) if _is_tensor(one) else one
        if one in self.rows and node.target not in _ANY_LAYOUT:
            return self._move(("tile", one), node, one, ttnn.to_layout, (one, TtnnTileLayout()), {})
        return one

    def _layout(self, node: Node) -> None:
        given = node.kwargs.get("layout", node.args[1] if node.target is ttnn.to_layout else None)
        first = next((one for one in node.all_input_nodes if is_device_node(one) or one.target is ttnn.from_torch), None)
        if isinstance(given, TtnnTileLayout) or first is None or node.target is wrappers.conv:
            return
        if isinstance(given, TtnnRowMajorLayout) or first in self.rows or first.kwargs.get("layout") == TtnnRowMajorLayout():
            self.rows.add(node)

    def _from_torch(self, node: Node, place: int | str, one: Node) -> Node:
        device, layout, kind = _form(node.target, place, one.meta["val"])
        kwargs = {"layout": layout, "dtype": kind}
        if device is not None:
            kwargs = {"device": device, **kwargs}
        made = self._move((one, device, layout, kind), node, one, ttnn.from_torch, (one,), kwargs)
        if layout == TtnnRowMajorLayout():
            self.rows.add(made)
        return made

    def _to_torch(self, one: Node, user: Node, dtype: torch.dtype | None) -> Node:
        if not is_device_node(one) or not _is_tensor(one):
            return one
        dtype = dtype or one.meta["val"].dtype
        made = self._move((one, "torch", dtype), user, one, ttnn.to_torch, (one,), {"dtype": dtype})
        made.meta["val"] = one.meta["val"] if one.meta["val"].dtype == dtype else one.meta["val"].to(dtype)
        return made

    def _move(self, key: Any, before: Node, source: Node, target: Any, args: Any, kwargs: Any) -> Node:
        known = self.moves.get(key)
        if known is None:
            with self.gm.graph.inserting_before(before):
                known = self.moves[key] = self.gm.graph.call_function(target, args, kwargs)
            known.meta = {"val": source.meta["val"]}
        return known

    def _results(self, node: Node) -> None:
        listed: list[Any] = list(node.args[0]) if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
        dtypes = node.meta.get("torch_dtypes") or [None] * len(listed)
        made = [self._to_torch(one, node, dtype) if isinstance(one, Node) else one
                for one, dtype in zip(listed, dtypes)]
        node.args = (tuple(made) if isinstance(node.args[0], (list, tuple)) else made[0],)
