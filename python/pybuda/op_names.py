"""Warns about op names in a configuration that no op has, with the nearest existing name, and about predicates that no
op matches."""
from __future__ import annotations

import difflib
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from .config_check import of_field
from .query import NodePredicateBuilder

Selector = str | NodePredicateBuilder
_NEAR = 0.75  # minimum similarity of two names, of 1


def warn_unknown(config: Any, devices: Sequence[Any]) -> None:
    """Checks all names of ops and queues in the configuration. Names unlike any existing ones may belong to another
    importer and give no warning for devices with imported modules."""
    stages = [stage for device in devices for stages in _stages_of(device) for stage in stages]
    if not stages:
        return
    ops, queues = _known(stages)
    own = all(hasattr(stage, "trace") for stage in stages)
    reported: set[tuple[str, str]] = set()
    for field, selector in _selectors(config):
        if isinstance(selector, NodePredicateBuilder):
            if not selector.has_matched:
                warnings.warn(f"{field} selects ops by {selector}, but no op matches: it has no effect; names are "
                              f"{_some(ops)}", stacklevel=2)
            continue
        name = selector
        known = queues if field == "manual_dram_queue_placement" else ops
        if name in known or (field, name) in reported:
            continue
        reported.add((field, name))
        near = difflib.get_close_matches(name, known, 1, _NEAR)
        if near or own:
            meant = f"; did you mean '{near[0]}'?" if near else f"; names are {_some(known)}"
            what = "queue" if known is queues else "op"
            warnings.warn(f"{field} names '{name}', but there is no such {what}: it has no effect{meant}", stacklevel=2)


def _some(names: Collection[str]) -> str:
    return f"{', '.join(sorted(names)[:8])}{', ...' if len(names) > 8 else ''}"


def _stages_of(device: Any) -> list[list[Any]]:
    subgraphs = getattr(device, "_subgraphs", None)
    return list(subgraphs) if subgraphs else [list(getattr(device, "_stages", []))]


def _known(stages: Iterable[Any]) -> tuple[set[str], set[str]]:
    """Names of ops, including ops that were fused or split, and of queues."""
    ops: set[str] = set()
    queues: set[str] = set()
    for stage in stages:
        ops.update(op.name for op in stage.compiled.layout.ops)
        queues.update(queue.name for queue in stage.compiled.layout.queues)
        ops.update(op.name for op in getattr(getattr(stage, "trace", None), "ops", ()))
    ops |= {name.split(".dc.", 1)[0] for name in ops}
    ops |= {name.rpartition("_fracture_")[0] for name in ops if name.rpartition("_fracture_")[2].isdigit()}
    return ops, queues


def _single(selectors: Any) -> Iterator[Selector]:
    for one in selectors if isinstance(selectors, (list, tuple)) else [selectors]:
        if isinstance(one, (str, NodePredicateBuilder)):
            yield one


def _selectors(config: Any) -> Iterator[tuple[str, Selector]]:
    """Fields, with the names and predicates in them."""
    for field, take in _TAKEN.items():
        value = getattr(config, field)
        with of_field(field, value):
            for selector in take(value):
                yield field, selector


_TAKEN: dict[str, Any] = {
    "op_intermediates_to_save": _single,
    "balancer_op_overrides": lambda value: _single(list(value)),
    "placer_op_overrides": lambda value: [name for one in value for name in _single(one.op_name)],
    "op_names_to_epoch_break": lambda value: [name for names in value for name in _single(names)],
    "op_names_to_chip_break": lambda value: [name for names in value for name in _single(names)],
    "op_names_dont_fuse": _single,
    "op_names_manual_fuse": lambda value: [one for one in value if isinstance(one, NodePredicateBuilder)],
    "buffering_nops_to_insert": lambda value: [name for one in value.values()
                                               for name in (*_single(one.src), *_single(one.dest))],
    "scheduler_constraints": lambda value: [name for order in value for name in _single(order)],
    "insert_queues": lambda value: [name for one in value for name in _single(one[:2])],
    "conv_multi_op_fracture_factor_override": lambda value: _single(list(value)),
    "fracture_groups": lambda value: [name for nodes, _ in value for node in nodes
                                      for name in _single(node if isinstance(node, str) else node[0])],
    "manual_dram_queue_placement": lambda value: _single(list(value)),
}
