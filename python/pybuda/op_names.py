"""Warns about op names in a configuration that no op has, with the nearest existing name."""
from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .config_check import of_field

_NEAR = 0.75  # minimum similarity of two names, of 1


def warn_unknown(config: Any, devices: Sequence[Any]) -> None:
    """Checks all names of ops and queues in the configuration. Names unlike any existing ones may belong to another
    importer and give no warning for devices with imported modules."""
    stages = [stage for device in devices for stages in _stages_of(device) for stage in stages]
    if not stages:
        return
    ops, queues = _known(stages)
    own = all(hasattr(stage, "trace") for stage in stages)
    said: set[tuple[str, str]] = set()
    for field, name in _named(config):
        known = queues if field == "manual_dram_queue_placement" else ops
        if name in known or (field, name) in said:
            continue
        said.add((field, name))
        near = difflib.get_close_matches(name, known, 1, _NEAR)
        if near or own:
            meant = f"; did you mean '{near[0]}'?" if near else \
                f"; names are {', '.join(sorted(known)[:8])}{', ...' if len(known) > 8 else ''}"
            what = "queue" if known is queues else "op"
            warnings.warn(f"{field} names '{name}', but there is no such {what}: it has no effect{meant}", stacklevel=2)


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


def _strings(names: Any) -> Iterator[str]:
    for one in names if isinstance(names, (list, tuple)) else [names]:
        if isinstance(one, str):
            yield one


def _named(config: Any) -> Iterator[tuple[str, str]]:
    """Fields and names, without predicates and regular expressions."""
    for field, take in _TAKEN.items():
        value = getattr(config, field)
        with of_field(field, value):
            for name in take(value):
                yield field, name


_TAKEN: dict[str, Any] = {
    "op_intermediates_to_save": _strings,
    "balancer_op_overrides": lambda value: _strings(list(value)),
    "placer_op_overrides": lambda value: [name for one in value for name in _strings(one.op_name)],
    "op_names_to_epoch_break": lambda value: [name for names in value for name in _strings(names)],
    "op_names_to_chip_break": lambda value: [name for names in value for name in _strings(names)],
    "op_names_dont_fuse": _strings,
    "buffering_nops_to_insert": lambda value: [name for one in value.values()
                                               for name in (*_strings(one.src), *_strings(one.dest))],
    "scheduler_constraints": lambda value: [name for order in value for name in _strings(order)],
    "insert_queues": lambda value: [name for one in value for name in _strings(one[:2])],
    "conv_multi_op_fracture_factor_override": lambda value: _strings(list(value)),
    "fracture_groups": lambda value: [name for nodes, _ in value for node in nodes
                                      for name in _strings(node if isinstance(node, str) else node[0])],
    "manual_dram_queue_placement": lambda value: _strings(list(value)),
}
