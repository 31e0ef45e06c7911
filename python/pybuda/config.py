"""Compilation settings: the CompilerConfig of the process, and functions that set it."""
from __future__ import annotations

from .compiler_config import (
    CompilerConfig, _clear_global_compiler_config, _get_global_compiler_config, _set_global_compiler_config,
    _set_pybuda_override_veto, product_of, set_configuration_options, supported_backend_configurations)
from .config_fields import CompileDepth, PerfTraceLevel, TTIDumpFormat
from .config_ops import (
    _internal_insert_fj_buffering_nop, add_cpu_fallback_ops, add_schedule_constraint, configure_mixed_precision,
    insert_buffering_nop, insert_fracture_group, insert_nop, internal_override_output_buffer_multiplier,
    override_dram_parameters, override_dram_queue_placement, override_input_buffer_multiplier,
    override_multi_op_fracture_factor, override_op_placement, override_op_size, override_t_stream_dir,
    override_t_stream_shape, override_u_kt, remove_cpu_fallback_ops, set_auto_transposing_placement, set_chip_break,
    set_epoch_break, set_num_repeated_patterns)

__all__ = [
    "FUNCTIONS", "_clear_global_compiler_config", "_get_global_compiler_config", "_set_global_compiler_config", "_set_pybuda_override_veto",
    "product_of", "supported_backend_configurations",
    "CompileDepth", "CompilerConfig", "PerfTraceLevel", "TTIDumpFormat", "_internal_insert_fj_buffering_nop",
    "add_cpu_fallback_ops", "add_schedule_constraint", "configure_mixed_precision", "insert_buffering_nop",
    "insert_fracture_group", "insert_nop", "internal_override_output_buffer_multiplier", "override_dram_parameters",
    "override_dram_queue_placement", "override_input_buffer_multiplier", "override_multi_op_fracture_factor",
    "override_op_placement", "override_op_size", "override_t_stream_dir", "override_t_stream_shape", "override_u_kt",
    "remove_cpu_fallback_ops", "set_auto_transposing_placement", "set_chip_break", "set_configuration_options",
    "set_epoch_break", "set_num_repeated_patterns"
]

FUNCTIONS = (
    _internal_insert_fj_buffering_nop, add_cpu_fallback_ops, add_schedule_constraint, configure_mixed_precision,
    insert_buffering_nop, insert_fracture_group, insert_nop, internal_override_output_buffer_multiplier,
    override_dram_parameters, override_dram_queue_placement, override_input_buffer_multiplier,
    override_multi_op_fracture_factor, override_op_placement, override_op_size, override_t_stream_dir,
    override_t_stream_shape, override_u_kt, remove_cpu_fallback_ops, set_auto_transposing_placement, set_chip_break,
    set_configuration_options, set_epoch_break, set_num_repeated_patterns)
