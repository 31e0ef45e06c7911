"""Generates the table of configuration fields in docs/python.md: `python -m pybuda.tools.config_table [FILE]`."""
from __future__ import annotations

import pathlib
import sys

from .. import config
from ..config_fields import FIELDS

_BEGIN, _END = "<!-- fields: begin -->\n", "<!-- fields: end -->\n"
FUNCTIONS = {
    "set_configuration_options": "fields by their names; accumulate_df and math_fidelity with default_ before them, "
                                 "harvested_rows as harvesting_mask; device_config the product; place_on_one_row none",
    "configure_mixed_precision": "a rule of format_rules; input_parameter_indices_to_optimize has no effect",
    "set_epoch_break": "op_names_to_epoch_break", "set_chip_break": "op_names_to_chip_break",
    "override_op_size": "overrides: size",
    "override_t_stream_shape": "overrides: t (rows) or t_columns; for a shape with both, those of t_stream_dir, or "
                               "else the rows with a warning; for an op without such slices, a warning and the "
                               "compiler's choice",
    "override_t_stream_dir": "overrides: t and t_columns 1 for n; else t_dir, rz as r and cz as c",
    "override_u_kt": "overrides: u_kt; none for ops without an inner dimension",
    "override_dram_parameters": "overrides: dram_parameters",
    "override_input_buffer_multiplier": "overrides: input_blocks",
    "internal_override_output_buffer_multiplier": "overrides: output_buffers",
    "override_multi_op_fracture_factor": "overrides: fracture",
    "override_op_placement": "overrides: place, transpose, epoch_break, chip_break, chip; "
                             "a chip_id has no effect on a device with one chip",
    "override_dram_queue_placement": "manual_dram_queue_placement",
    "insert_nop": "buffering_nops_to_insert", "insert_buffering_nop": "buffering_nops_to_insert",
    "_internal_insert_fj_buffering_nop": "buffering_nops_to_insert",
    "add_schedule_constraint": "scheduler_constraints", "insert_fracture_group": "fracture_groups",
    "add_cpu_fallback_ops": "cpu_fallback_ops", "remove_cpu_fallback_ops": "cpu_fallback_ops",
    "set_num_repeated_patterns": "none: modules are imported without TVM",
    "set_auto_transposing_placement": "enable_auto_transposing_placement",
}


def table() -> str:
    """Markdown table of all fields and functions."""
    rows = ["| field | default | variable | effect |", "|---|---|---|---|"]
    for field in FIELDS:
        default = "made" if field.name == "backend_output_dir" else _shown(field.make_default())
        variable = f"`PYBUDA_{field.variable}`" if field.variable else ""
        rows.append(f"| `{field.name}` | `{default}` | {variable} | {field.effect} |")
    rows += ["", "| function of `pybuda.config` | effect |", "|---|---|"]
    rows += [f"| `{function.__name__}` | {FUNCTIONS[function.__name__]} |" for function in config.FUNCTIONS]
    return "\n".join(rows) + "\n"


def _shown(value: object) -> str:
    name = getattr(value, "name", None)
    return str(name if name is not None else repr(value) if isinstance(value, str) else value)


def replaced(text: str) -> str:
    """The page with an updated table. ValueError for a page without the marks."""
    if _BEGIN not in text or _END not in text:
        raise ValueError(f"the page has no {_BEGIN.strip()} and {_END.strip()}")
    return text[:text.index(_BEGIN)] + _BEGIN + table() + text[text.index(_END):]


if __name__ == "__main__":
    page = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/python.md")
    page.write_text(replaced(page.read_text()))
