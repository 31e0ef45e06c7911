"""Conditions on the axes of a point, such as `run.inputs_count * compile.microbatch <= 64 and device != 'gs_e75'`.

Python's syntax for names, numbers, texts, lists, arithmetic, comparisons, `in`, `and`, `or` and `not`; no calls, so that
a specification of a stranger cannot run code."""
from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .errors import SweepError, unknown

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many}


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)) is not None:
        return f"{before}.{node.attr}"
    return None


class Condition:
    """A condition whose names are axes. SweepError for another syntax or an unknown name."""

    def __init__(self, text: str, axes: Iterable[str]) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SweepError(f"where: '{text}' is not an expression: {error}") from None
        known = list(axes)
        self._check(self._tree, known)

    def _check(self, node: ast.AST, known: list[str]) -> None:
        name = _dotted(node) if isinstance(node, ast.expr) else None
        if name is not None:
            if name not in known:
                raise SweepError(f"where: {unknown('axis', name, known)}")
            return
        allowed = (ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, ast.Constant, ast.And, ast.Or,
                   ast.Not, ast.USub, ast.Load, *_BINARY, *_COMPARE)
        if not isinstance(node, allowed):
            raise SweepError(f"where: '{self.text}': only names of axes, values, arithmetic and comparisons are allowed")
        for child in ast.iter_child_nodes(node):
            self._check(child, known)

    def holds(self, point: Mapping[str, Any]) -> bool:
        """SweepError where the values cannot be compared, such as a number with a text."""
        try:
            return bool(self._value(self._tree, point))
        except (TypeError, ZeroDivisionError, OverflowError) as error:
            raise SweepError(f"where: '{self.text}' for {dict(point)}: {error}") from None

    def _value(self, node: ast.expr, point: Mapping[str, Any]) -> Any:
        if (name := _dotted(node)) is not None:
            return point[name]
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(one, point) for one in node.elts]
        if isinstance(node, ast.BoolOp):
            values = (self._value(one, point) for one in node.values)
            return all(values) if isinstance(node.op, ast.And) else any(values)
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, point)
            return not value if isinstance(node.op, ast.Not) else -value
        if isinstance(node, ast.BinOp):
            return _BINARY[type(node.op)](self._value(node.left, point), self._value(node.right, point))
        assert isinstance(node, ast.Compare)
        left = self._value(node.left, point)
        for op, right_node in zip(node.ops, node.comparators):
            right = self._value(right_node, point)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True
