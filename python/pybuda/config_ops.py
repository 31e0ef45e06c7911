"""Settings of single ops, queues and formats."""
from __future__ import annotations

from typing import Any

from ._C import DataFormat, MathFidelity, NodeEpochType
from .compiler_config import _get_global_compiler_config
from .config_values import AMPNodeProperties, InsertionInstruction, PlacerOpOverride


def _config() -> Any:
    return _get_global_compiler_config()


def configure_mixed_precision(*, op_type: str | None = None, epoch_type: NodeEpochType | None = None,
                              output_df: DataFormat | None = None, intermediate_df: DataFormat | None = None,
                              accumulate_df: DataFormat | None = None, math_fidelity: MathFidelity | None = None,
                              name_regex: str | None = None, input_df: Any = None, is_gradient_op: bool | None = None,
                              input_parameter_indices_to_optimize: Any = None) -> None:
    """`input_df`: a format, or {operand: format or (format, also for activations)}. AssertionError without a selector
    (op_type, epoch_type, name_regex, is_gradient_op)."""
    given = dict(locals())
    assert any(given[name] is not None for name in ("op_type", "epoch_type", "name_regex", "is_gradient_op")), \
        "configure_mixed_precision needs a selector: op_type, epoch_type, name_regex or is_gradient_op"
    _config().amp_properties.append(AMPNodeProperties(**given))


def set_epoch_break(op_names: Any) -> None:
    """Starts a new epoch at the first of these ops: a name, a predicate or a list of both."""
    _config().place_on_new_epoch(op_names)


def set_chip_break(op_names: Any) -> None:
    """Starts a new chip at the first of these ops, or on one chip a new epoch. `op_names`: a name, a predicate or a
    list of both."""
    _config().place_on_new_chip(op_names)


def override_op_size(op_name: str, grid_size: tuple[int, int]) -> None:
    """(rows, columns) of cores."""
    _config().balancer_op_override(op_name, "grid_shape", grid_size)


def override_t_stream_shape(op_name: str, shape: tuple[int, int]) -> None:
    """(slices of rows, slices of columns) of the op's streamed result. RuntimeError unless a pair of integers of 1 or
    more."""
    _config().balancer_op_override(op_name, "t_stream_shape", shape)


def override_t_stream_dir(op_name: str, direction: str) -> None:
    """AssertionError for another direction than n, r, c, rz, cz."""
    assert str(direction).lower() in ("n", "r", "c", "rz", "cz"), \
        f"t_stream_dir '{direction}' is not one of n, r, c, rz, cz"
    _config().balancer_op_override(op_name, "t_stream_dir", direction.lower())


def override_u_kt(op_name: str, u_kt: int) -> None:
    """Inner block size of a product in tiles."""
    _config().balancer_op_override(op_name, "u_kt", u_kt)


def override_dram_parameters(op_name: str, force_dram_parameters: bool) -> None:
    """Whether the constants of an op are read from DRAM each time instead of held in L1."""
    _config().balancer_op_override(op_name, "force_dram_parameters", force_dram_parameters)


def override_input_buffer_multiplier(op_name: str, operand_index: int, multiplier: int) -> None:
    """Size of an operand's buffer, as a multiple of the block that the op reads at once."""
    _config().balancer_op_override(op_name, "input_buffer_multiplier", {operand_index: multiplier})


def internal_override_output_buffer_multiplier(op_name: str, *, multiplier: int) -> None:
    """Size of a result's buffer, as a multiple of two blocks. RuntimeError for less than 1."""
    _config().balancer_op_override(op_name, "output_buffer_multiplier", multiplier)


def override_multi_op_fracture_factor(op_name: str, multi_op_fracture_factor: int) -> None:
    """Number of parts into which the kernel rows of a convolution are split."""
    _config().conv_multi_op_fracture_factor_override[op_name] = multi_op_fracture_factor


def override_op_placement(op_name: Any, start: tuple[int, int] | None = None, transpose_op: bool = False,
                          chip_id: int | None = None, spatial_epoch_break: bool = False,
                          temporal_epoch_break: bool = False) -> None:
    """`start`: (row, column) of its first core. AssertionError for values of another type."""
    assert start is None or (len(start) == 2 and all(isinstance(place, int) for place in start)), \
        f"start must be (row, column), not {start!r}"
    assert isinstance(transpose_op, bool), f"transpose_op must be True or False, not {transpose_op!r}"
    assert chip_id is None or isinstance(chip_id, int), f"chip_id must be an integer, not {chip_id!r}"
    _config().placer_op_overrides.append(PlacerOpOverride(op_name, start, transpose_op, chip_id, spatial_epoch_break,
                                                          temporal_epoch_break))


def override_dram_queue_placement(queue_name: str, *, chip_id: int | None = None, channel: int | None = None) -> None:
    """Sets the DRAM channel of a queue of the netlist; None: chosen by the compiler. A queue is on the chip that reads
    it."""
    _config().place_queue_to_chip_dram(queue_name, chip_id=chip_id, channel=channel)


def _insert(src: Any, dest: Any, **given: Any) -> None:
    """Names of ops, or predicates of pybuda.query."""
    dests = list(dest) if isinstance(dest, (list, tuple)) else [dest]
    _config().buffering_nops_to_insert[(src, ",".join(map(str, dests)))] = InsertionInstruction(src, dests, **given)


def insert_nop(src_op: Any, dest_ops: Any, *, hoist_tms: bool = True, nop_count: int = 1,
               daisy_chain: bool = False) -> None:
    """Inserts `nop_count` nops between an op and its readers (names, or predicates of pybuda.query); `daisy_chain`:
    each reader is after the nops of the previous one."""
    _insert(src_op, dest_ops, hoist_tms=hoist_tms, nop_count=nop_count, daisy_chain=daisy_chain)


def insert_buffering_nop(src_op: Any, dest_ops: Any, *, hoist_tms: bool = True, nop_count: int = 1,
                         daisy_chain: bool = False) -> None:
    """Like insert_nop(), for nops that buffer data at a fork."""
    _insert(src_op, dest_ops, hoist_tms=hoist_tms, nop_count=nop_count, daisy_chain=daisy_chain, buffering=True)


def _internal_insert_fj_buffering_nop(src_op: Any, dest_ops: Any, *, hoist_tms: bool = True, nop_count: int = 1,
                                      daisy_chain: bool = False) -> None:
    """As insert_buffering_nop()."""
    insert_buffering_nop(src_op, dest_ops, hoist_tms=hoist_tms, nop_count=nop_count, daisy_chain=daisy_chain)


def add_schedule_constraint(partial_ordering: list[str]) -> None:
    """Schedules the ops of this list in its order."""
    _config().scheduler_constraints.append(list(partial_ordering))


def insert_fracture_group(nodes: list[Any], chip_ids: Any = ()) -> None:
    """`nodes`: (op, dim or dims, factor or factors), also as three elements of the list, or only an op; single numbers
    become lists. RuntimeError for other values."""
    def as_list(value: Any) -> list[int]:
        return list(value) if isinstance(value, (list, tuple)) else [value]

    group: list[Any] = []
    left = list(nodes)
    while left:
        node = left.pop(0)
        if isinstance(node, str) and len(left) > 1 and not any(isinstance(one, (str, tuple)) for one in left[:2]):
            node = (node, left.pop(0), left.pop(0))
        if isinstance(node, (tuple, list)) and len(node) == 3 and isinstance(node[0], str):
            node = (node[0], as_list(node[1]), as_list(node[2]))
        elif not isinstance(node, str):
            raise RuntimeError(f"a fracture group contains (op, dim, factor) and names of ops, not {node!r}")
        group.append(node)
    _config().fracture_groups.append((group, chip_ids or []))


def add_cpu_fallback_ops(op_types: Any) -> None:
    """Adds op types of imported modules, by their names in the vendor's importer."""
    _config().cpu_fallback_ops.update([op_types] if isinstance(op_types, str) else op_types)


def remove_cpu_fallback_ops(op_types: Any) -> None:
    """Removes one or several types, which then run on the device again."""
    _config().cpu_fallback_ops.difference_update([op_types] if isinstance(op_types, str) else op_types)


def set_num_repeated_patterns(module_name: str, num_patterns: int) -> None:
    """Has no effect: modules are imported without TVM."""
    _config().tvm_module_to_num_patterns[module_name] = num_patterns


def set_auto_transposing_placement(enable: bool) -> None:
    """Has no effect: the placer transposes grids whenever that fits better."""
    _config().enable_auto_transposing_placement = enable
