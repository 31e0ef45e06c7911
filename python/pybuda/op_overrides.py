"""Converts a configuration to overrides of ttsim.compile() for single ops, by the names of the lowered model."""
from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ttsim import LoweredOp

from . import query
from ._C.balancer import OpOverride
from .config_check import of_field

SINGLE_OP = "singleopperepoch"  # a policy: one op per epoch


def policy_name(settings: Any) -> str:
    """The lower-case name of a PolicyType or string."""
    return str(getattr(settings.balancer_policy, "name", settings.balancer_policy)).lower()


def wanted(settings: Any) -> bool:
    """Whether there are overrides of single ops."""
    return any((settings.balancer_op_overrides, settings.placer_op_overrides, settings.op_names_to_epoch_break,
                settings.op_names_to_chip_break, settings.conv_multi_op_fracture_factor_override,
                settings.scheduler_constraints, settings.insert_queues, settings.buffering_nops_to_insert,
                settings.op_names_dont_fuse, settings.op_names_manual_fuse,
                settings.default_dram_parameters is not None, policy_name(settings) == SINGLE_OP))


def chips(settings: Any, types: Mapping[str, str], chip_ids: Sequence[int], chip_of: Mapping[str, int]) -> dict[str, int]:
    """For ops with their own chip, its index in the device's `chip_ids`: from `chip_of` and from chip_id of the
    placer's overrides. `types`: of ops, by name. RuntimeError for a chip that the device does not have."""
    pinned = {op: chip for op, chip in chip_of.items() if op in types}
    with of_field("placer_op_overrides", settings.placer_op_overrides):
        for one in settings.placer_op_overrides:
            if one.chip_id is not None:
                pinned |= {op: one.chip_id for op in query.matching(one.op_name, types) if op in types}
    for op, chip in pinned.items():
        if chip not in chip_ids:
            raise RuntimeError(f"op '{op}' is placed on chip {chip}, but the device has chips {list(chip_ids)}: "
                               "create it with num_chips= or chip_ids=")
    return {op: list(chip_ids).index(chip) for op, chip in pinned.items()}


def text(settings: Any, ops: Sequence[LoweredOp], chip_ids: Sequence[int], chip_of: Mapping[str, int]) -> str:
    """YAML of all overrides; "": none. `ops`: of the lowered model; `chip_ids`: of the chips to use; `chip_of`: ops
    that have their own chip."""
    made = _Overrides(ops, len(chip_ids))
    if settings.default_dram_parameters is not None:
        made.set("*", dram_parameters=bool(settings.default_dram_parameters))
    if policy_name(settings) == SINGLE_OP:
        for op in made.ops:
            made.set(op, epoch_break=True)
    for field, take in _TAKEN.items():
        value = getattr(settings, field)
        with of_field(field, value):
            for one in value.items() if isinstance(value, dict) else value:
                take(made, one)
    if len(chip_ids) > 1:
        for op, chip in chips(settings, made.types, chip_ids, chip_of).items():
            made.set(op, chip=chip)
    return made.text()


class _Overrides:
    def __init__(self, ops: Sequence[LoweredOp], chips: int) -> None:
        self.ops = {op.name: op for op in ops}
        self.types = {op.name: op.type for op in ops}
        self.next_chip = "chip_break" if chips > 1 else "epoch_break"
        self.made: dict[str, dict[str, Any]] = {}

    def matching(self, names: Any) -> list[str]:
        return query.matching(names, self.types)

    def set(self, op: str, **given: Any) -> None:
        json.dumps({op: given})  # TypeError for a value without a text form
        self.made.setdefault(op, {}).update(given)

    def place(self, one: Any) -> None:
        for op in self.matching(one.op_name):
            if one.start is not None:
                self.set(op, place=list(one.start))
            if one.transpose_op:
                self.set(op, transpose=True)
            if one.temporal_epoch_break:
                self.set(op, epoch_break=True)
            if one.spatial_epoch_break:
                self.set(op, **{self.next_chip: True})

    def break_at(self, names: Any, kind: str) -> None:
        """A list of names is one break, before the first of these ops."""
        order = {op: place for place, op in enumerate(self.ops)}
        there = self.matching(names)
        if there:  # a name may be that of a nop, which is inserted later
            self.set(min(there, key=lambda op: order.get(op, len(order))), **{kind: True})

    def after(self, op: str, before: str) -> None:
        self.set(op, after=[*self.made.get(op, {}).get("after", []), before])

    def fuse_fitting(self, regex: Any) -> None:
        meant = query.name_regex(regex) if isinstance(regex, str) else regex
        for op in self.matching(meant):
            self.set(op, fuse=True)

    def balance(self, name: Any, given: OpOverride) -> None:
        for op in self.matching(name):
            self.set(op, **_balancer(given, op, self.types.get(op, "")))

    def in_order(self, order: Any) -> None:
        for before, op in zip(order, order[1:]):
            self.after(op, before)

    def apart(self, names: Any) -> None:
        for op in self.matching(names):
            self.set(op, fuse=False)

    def queue(self, producer: str, consumer: str, operand: int | None) -> None:
        """Without an operand: all operands of the consumer from the producer."""
        for op in self.matching(consumer):
            operands = self.ops[op].operands if op in self.ops else []
            for at, source in enumerate(operands):
                if source in self.matching(producer) and operand in (None, at):
                    self.made.setdefault(op, {}).setdefault("queued", []).append(at)

    def nops(self, one: Any) -> None:
        """`nop_count` nops between the source and each reader; as a daisy chain, each reader is after the nops of the
        previous one. A transpose in between counts as the reader."""
        readers_meant = [reader for meant in one.dest for reader in self.matching(meant)]
        pairs = [(source, reader) for reader in readers_meant for source in self.matching(one.src)]
        named = isinstance(one.src, str) and len(pairs) == len(one.dest)
        found = [(source, readers) for source, reader in pairs
                 if (readers := self.reading(source, reader) or ([reader] if named else []))]
        for place, (source, readers) in enumerate(found):
            count = one.nop_count * (place + 1 if one.daisy_chain else 1)
            for reader in readers:
                self.made.setdefault(reader, {}).setdefault("nops", {})[source] = count

    def reading(self, source: str, reader: str) -> list[str]:
        """The op itself, or its data movement ops, if they read the source."""
        operands = self.ops[reader].operands if reader in self.ops else []
        if source in operands:
            return [reader]
        return [one for operand in operands if self.types.get(operand) == "nop"
                for one in self.reading(source, operand)]

    def text(self) -> str:
        filled = {name: entry for name, entry in self.made.items() if entry}
        return json.dumps(filled) if filled else ""


_WITH_INNER = ("matmul", "depthwise", "reduce", "")


def _stream(given: OpOverride, op: str) -> dict[str, Any]:
    """Slices of rows or of columns; for a shape with both, those of t_stream_dir, or else rows with a warning."""
    made: dict[str, Any] = {}
    if given.t_stream_dir == "n" or given.t_stream_shape == (1, 1):
        return {"t": 1, "t_columns": 1}
    if given.t_stream_dir is not None:
        made["t_dir"] = given.t_stream_dir[0]
    rows, columns = given.t_stream_shape or (1, 1)
    by_columns = columns > 1 and (rows == 1 or made.get("t_dir") == "c")
    if rows > 1 and columns > 1:
        kept = f"{columns} slices of columns" if by_columns else f"{rows} slices of rows"
        warnings.warn(f"op '{op}' has the slice shape ({rows}, {columns}), but ops stream slices of rows or of "
                      f"columns: it uses {kept}. Set ({rows}, 1) or (1, {columns}) instead", stacklevel=2)
    if by_columns:
        made["t_columns"] = columns
    elif rows > 1:
        made["t"] = rows
    return made


def _balancer(given: OpOverride, op: str, op_type: str) -> dict[str, Any]:
    """`op_type`: in the netlist, or "" if unknown."""
    made: dict[str, Any] = _stream(given, op)
    if given.grid_shape is not None:
        made["size"] = list(given.grid_shape)
    if given.input_buffer_multiplier:
        of_operand = given.input_buffer_multiplier
        made["input_blocks"] = [of_operand.get(k, 0) for k in range(max(of_operand) + 1)]
    if given.u_kt is not None and op_type in _WITH_INNER:
        made["u_kt"] = given.u_kt
    if given.force_dram_parameters is not None:
        made["dram_parameters"] = bool(given.force_dram_parameters)
    if given.output_buffer_multiplier is not None:  # results are double-buffered by default
        made["output_buffers"] = 2 * given.output_buffer_multiplier
    return made


_TAKEN: dict[str, Callable[[_Overrides, Any], None]] = {  # called for each entry of a field, in this order
    "op_names_manual_fuse": _Overrides.fuse_fitting,
    "op_names_dont_fuse": _Overrides.apart,
    "buffering_nops_to_insert": lambda made, one: made.nops(one[1]),
    "balancer_op_overrides": lambda made, one: made.balance(*one),
    "placer_op_overrides": _Overrides.place,
    "op_names_to_epoch_break": lambda made, names: made.break_at(names, "epoch_break"),
    "op_names_to_chip_break": lambda made, names: made.break_at(names, made.next_chip),
    "scheduler_constraints": _Overrides.in_order,
    "insert_queues": lambda made, one: made.queue(*one),
    "conv_multi_op_fracture_factor_override": lambda made, one: made.set(one[0], fracture=one[1]),
}
