"""Fracture groups: ops of a trace split into several ops that each do a part.

If an op of a group reads the result of another op that is split in the same way, it reads the parts directly. Otherwise
operands are sliced, and results concatenated after the op. Parts are placed on the chips of the group, in order."""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ._C import k_dim
from .op.common import PyBudaOp
from .tensor import Tensor
from .trace import Trace

_ELEMENTWISE = ("abs", "add", "buffer", "clip", "cosine", "divide", "dropout", "equal", "exp", "gelu", "greater",
                   "greater_equal", "heaviside", "leaky_relu", "less", "less_equal", "log", "logical_and",
                   "logical_not", "maximum", "minimum", "multiply", "nop", "not_equal", "pow", "power", "reciprocal",
                   "relu", "sigmoid", "sine", "sqrt", "subtract", "tanh", "tilizer", "where")
_ALONG_DIM = ("reduce_sum", "reduce_avg", "reduce_max", "softmax", "log_softmax")  # ops along their attribute "dim"


def fracture(made: Trace, groups: Sequence[tuple[Sequence[Any], Any]]) -> None:
    """Splits the ops of each group; ops that are not in the trace are ignored. RuntimeError for an op that cannot be
    split this way."""
    for nodes, chip_ids in groups:
        wanted = {node[0]: list(zip(node[1], node[2])) for node in nodes if not isinstance(node, str)}
        names = [node if isinstance(node, str) else node[0] for node in nodes]
        chips = chip_ids if isinstance(chip_ids, dict) else dict.fromkeys(names, list(chip_ids))
        if any(op.name in (*wanted, *(name for name in names if chips.get(name))) for op in made.ops):
            _Group(made, wanted, chips).run()
    if made.chips:
        made.ops = _by_chip(made)


def _by_chip(made: Trace) -> list[PyBudaOp]:
    """Ops in an order that keeps those of a chip together where possible."""
    left, done = list(made.ops), set()
    ordered: list[PyBudaOp] = []
    chip = None
    while left:
        ready = [op for op in left if all(id(getattr(operand, "src_op", None)) in done or
                                          getattr(operand, "src_op", None) is None for operand in op.operands)]
        op = next((op for op in ready if made.chips.get(op.name) == chip), ready[0])
        chip = made.chips.get(op.name)
        left.remove(op)
        done.add(id(op))
        ordered.append(op)
    return ordered


class _Group:
    """`chips`: chips of the parts of an op, used cyclically. `parts`: by id of a split op, its dim
    (from the end) and factor, and the results in order."""

    def __init__(self, made: Trace, wanted: dict[str, list[tuple[int, int]]], chips: dict[str, list[int]]) -> None:
        self.made = made
        self.wanted = wanted
        self.chips = chips
        self.parts: dict[int, tuple[tuple[int, int], list[Tensor]]] = {}
        self.ops: list[PyBudaOp] = []
        self.moved: dict[int, Tensor] = {}  # by op: the tensor that replaces its result

    def run(self) -> None:
        for op in self.made.ops:
            cuts = [self._cut(op, dim, factor) for dim, factor in self.wanted.get(op.name, []) if factor > 1]
            if cuts:
                self.moved[id(op)] = self._fractured(op, cuts)
            else:
                op.operands = [self._now(operand) for operand in op.operands]
                self.ops.append(op)
                self._place(op, op.name, 0)
        self.made.outputs = [(name, self._now(tensor)) for name, tensor in self.made.outputs]
        self._keep_used()

    def _cut(self, op: PyBudaOp, dim: int, factor: int) -> tuple[int, int]:
        """Returns the dim, counted from the end, and the factor. RuntimeError if parts would have different sizes, or the op needs the complete
        operand."""
        if dim == k_dim:
            if op.op_type != "matmul":
                raise RuntimeError(f"op '{op.name}' ({op.op_type}) has no inner dimension to be fractured along k_dim; "
                                   "only products (Matmul) have one")
            size = op.operands[0].shape[-1]
        else:
            shape = op.get_tensor().shape
            dim = dim if dim < 0 else dim - len(shape)
            size = shape[dim] if -len(shape) <= dim < 0 else 0
            alone = op.op_type in _ALONG_DIM and op.named_attrs["dim"] % len(shape) != dim % len(shape)
            if op.op_type not in (*_ELEMENTWISE, "matmul") and not alone:
                raise RuntimeError(f"op '{op.name}' ({op.op_type}) cannot be fractured along dim {dim}; only products, "
                                   "elementwise ops, and sums, maxima and softmax along another dim can")
        if size == 0 or size % factor:
            raise RuntimeError(f"op '{op.name}' cannot be fractured by {factor}: the factor must divide the "
                               f"size {size} of the dim")
        return dim, factor

    def _fractured(self, op: PyBudaOp, cuts: list[tuple[int, int]]) -> Tensor:
        results = []
        for number, places in enumerate(itertools.product(*(range(factor) for _, factor in cuts))):
            chosen = [(dim, factor, place) for (dim, factor), place in zip(cuts, places)]
            operands = [self._operand(op, k, operand, chosen) for k, operand in enumerate(op.operands)]
            part = PyBudaOp(op.op_type, f"{op.name}_fracture_{number}", *operands, attrs=op.attrs,
                            **op.named_attrs)
            self._place(part, op.name, number)
            results.append(self._added(part))
        if len(cuts) == 1 and cuts[0][0] != k_dim:
            self.parts[id(op)] = (cuts[0], results)
        return self._together(op, cuts, results)

    def _place(self, part: PyBudaOp, op: str, number: int) -> None:
        if self.chips.get(op):
            self.made.chips[part.name] = self.chips[op][number % len(self.chips[op])]

    def _added(self, op: PyBudaOp) -> Tensor:
        self.ops.append(op)
        return op.get_tensor()

    def _operand(self, op: PyBudaOp, k: int, operand: Any, chosen: list[tuple[int, int, int]]) -> Any:
        """The part of operand k that a part of the op reads."""
        value = operand
        for dim, factor, place in chosen:
            axis = _axis(op, k, dim)
            if axis is None or len(operand.shape) < -axis or operand.shape[axis] == 1:
                continue
            known = self.parts.get(id(getattr(value, "src_op", None)))
            if known is not None and known[0] == (axis, factor):
                value = known[1][place]
                continue
            value = self._now(value)
            size = operand.shape[axis] // factor
            name = f"{op.name}_part_{len(self.ops)}"
            value = self._added(PyBudaOp("index", name, value, attrs=(axis, place * size, (place + 1) * size, 1),
                                         dim=axis, start=place * size, stop=(place + 1) * size, stride=1))
        return self._now(value)

    def _together(self, op: PyBudaOp, cuts: list[tuple[int, int]], results: list[Tensor]) -> Tensor:
        for level, (dim, factor) in reversed(list(enumerate(cuts))):
            joined = []
            for at in range(0, len(results), factor):
                group = results[at:at + factor]
                stem = f"{op.name}_gather_{level}_{at // factor}"
                joined.append(self._sum(stem, group) if dim == k_dim else self._added(
                    PyBudaOp("concatenate", stem, *group, attrs=(dim,), axis=dim)))
            results = joined
        return results[0]

    def _sum(self, stem: str, parts: list[Tensor]) -> Tensor:
        total = parts[0]
        for number, part in enumerate(parts[1:]):
            total = self._added(PyBudaOp("add", f"{stem}_{number}", total, part))
        return total

    def _now(self, operand: Any) -> Any:
        return self.moved.get(id(getattr(operand, "src_op", None)), operand)

    def _keep_used(self) -> None:
        used: set[int] = set()
        ahead = [tensor.src_op for _, tensor in self.made.outputs]
        while ahead:
            op = ahead.pop()
            if op is not None and id(op) not in used:
                used.add(id(op))
                ahead += [getattr(operand, "src_op", None) for operand in op.operands]
        self.made.ops = [op for op in self.ops if id(op) in used]


def _axis(op: PyBudaOp, k: int, dim: int) -> int | None:
    """The axis of operand k to split when the result is split along `dim`; None: read completely."""
    if op.op_type != "matmul":
        return dim
    if dim == k_dim:
        return {0: -1, 1: -2}.get(k)
    if dim == -2:
        return None if k == 1 else -2
    if dim == -1:
        return None if k == 0 else -1
    return dim
