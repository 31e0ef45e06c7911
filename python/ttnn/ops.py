"""The ops of the table as functions of this package."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttsim.eager import Layout, all_ops
from ttsim.eager import ops as _ops  # noqa: F401 (fills the table)
from ttsim.eager.surface import Operation

# parts of other ops, and names whose functions this package writes itself
_INTERNAL = frozenset((
    "windows", "window_max", "window_mean", "window_product", "kernel_matrix", "grouped_kernel_matrix", "grouped_windows",
    "joined_groups", "depthwise_product", "depthwise_matrix", "spread", "flipped_kernel", "getitem", "to_layout", "typecast",
    "to_memory_config", "interleaved_to_sharded", "sharded_to_interleaved", "reshard", "full", "zeros", "ones", "empty", "arange", "rand"))
_IN_PLACE = ("add", "subtract", "multiply", "divide", "rsub", "relu", "exp", "sqrt", "sigmoid", "tanh", "gelu", "silu", "neg",
             "logical_and", "logical_or", "logical_xor", "logical_not", "eq", "ne", "lt", "le", "gt", "ge",
             "squared_difference", "ldexp", "logaddexp", "logaddexp2", "bias_gelu", "pow", "clamp", "abs")
_ALWAYS_IN_PLACE = frozenset(("softmax_in_place", "scale_mask_softmax_in_place", "transformer.attention_softmax_", "fill_cache",
                              "update_cache", "copy"))


class _Fixed(Operation):
    """An op whose result has one layout."""

    def __init__(self, op: Any, module: str, name: str, layout: Layout) -> None:
        super().__init__(op, module, name)
        self._layout = layout

    def __call__(self, *args: Any, layout: Layout | None = None, **kwargs: Any) -> Any:
        return super().__call__(*args, layout=self._layout, **kwargs)


class _Slice(Operation):
    """slice() also with the keywords starts, ends and steps."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names = {"starts": "slice_start", "ends": "slice_end", "steps": "slice_step"}
        return super().__call__(*args, **{names.get(key, key): value for key, value in kwargs.items()})


_LAYOUTS = {"tilize": Layout.TILE, "tilize_with_val_padding": Layout.TILE, "untilize": Layout.ROW_MAJOR,
            "untilize_with_unpadding": Layout.ROW_MAJOR}


def functions(prefix: str, module: str) -> dict[str, Callable[..., Any]]:
    """The ops whose names begin with a prefix ("": those without a point), as functions of a module."""
    made: dict[str, Callable[..., Any]] = {}
    known: dict[int, Operation] = {}
    for full, op in all_ops().items():
        head, _, name = full.rpartition(".")
        if head != prefix or full in _INTERNAL or not name.isidentifier():
            continue
        in_place = full in _ALWAYS_IN_PLACE
        if full in _LAYOUTS:
            made[name] = _Fixed(op, module, name, _LAYOUTS[full])
        elif full == "slice":
            made[name] = _Slice(op, module, name)
        elif in_place or op.name != full:
            first = op.name.rpartition(".")[2]
            if not in_place and id(op) in known and op.name.rpartition(".")[0] == head:
                made[name] = known[id(op)]  # one object under both names
            else:
                made[name] = Operation(op, module, name if in_place or op.name.rpartition(".")[0] != head else first, in_place)
        else:
            made[name] = known[id(op)] = Operation(op, module, name)
    if not prefix:
        for name in _IN_PLACE:
            made[f"{name}_"] = Operation(all_ops()[name], module, f"{name}_", True)
    return made
