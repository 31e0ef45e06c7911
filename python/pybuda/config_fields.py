"""The fields of CompilerConfig: defaults, environment variables and effects.

`effect` starts with the option of ttsim.compile() that the field sets, then a colon; or describes what the package does
with the field; or, after "none:", the reason why it has no effect."""
from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

from ._C import DataFormat, MathFidelity
from ._C.backend_api import DeviceMode
from ._C.enumeration import JsonEnum
from ._C.placer import DRAMPlacementAlgorithm


class CompileDepth(JsonEnum):
    """How far compilation goes; below BACKEND_GOLDEN_VERIFY nothing runs."""
    INIT_COMPILE = 0
    GENERATE_INITIAL_GRAPH = 1
    POST_INITIAL_GRAPH_PASS = 2
    CONSTEVAL_GRAPH = 3
    POST_PATTERN_MATCHER = 4
    OPTIMIZED_GRAPH = 5
    AUTOGRAD = 6
    POST_AUTOGRAD_PASS = 7
    PRE_LOWERING_PASS = 8
    BUDA_GRAPH_PRE_PLACER = 9
    BALANCER_PASS = 10
    PRE_NETLIST_PASS = 11
    GENERATE_NETLIST = 12
    BACKEND_GOLDEN_VERIFY = 13
    FULL = 14

    @classmethod
    def has_value(cls, value: int) -> bool:
        """Whether a member has this value."""
        return value in [member.value for member in cls]


class PerfTraceLevel(JsonEnum):
    """Detail of the trace of a run."""
    NONE = 0
    LIGHT = 1
    VERBOSE = 2


class TTIDumpFormat(JsonEnum):
    """Format of tensors in device images."""
    DEFAULT = 0
    BACKEND = 1
    BACKEND_TILIZED = 2


@dataclasses.dataclass(frozen=True)
class Field:
    """`default`: a value, or a function that creates it. `variable`: environment variable without PYBUDA_."""
    name: str
    default: Any
    effect: str
    group: str
    variable: str = ""
    read: Callable[[str], Any] | None = None  # parses the variable's text
    kind: type | None = None  # type of values other than the default None

    def make_default(self) -> Any:
        """A new default value."""
        is_enum = isinstance(self.default, type) and issubclass(self.default, enum.Enum)
        return self.default() if callable(self.default) and not is_enum else self.default


def flag(text: str) -> bool:
    """Whether the text of an environment variable means true."""
    return text not in ("", "0", "false", "False")


def _not(text: str) -> bool:
    return not flag(text)


_TVM = "none: modules are imported without TVM"
_ALWAYS = "none: the compiler always does so"

_FLOW = (
    Field("enable_training", False, "set by runs that train", "flow"),
    Field("enable_recompute", False, "recompute, in training", "flow"),
    Field("recompute_checkpoints", list, "checkpoints, with enable_recompute", "flow"),
    Field("recompute_saved_limit", 0, "saved_limit, with enable_recompute", "flow"),
    Field("compile_depth", CompileDepth.FULL, "below BACKEND_GOLDEN_VERIFY devices are compiled, and nothing "
          "runs", "flow", "COMPILE_DEPTH", CompileDepth.from_json),
    Field("enable_consteval", True, _ALWAYS, "flow"),
    Field("compile_subgraphs", False, "each module of a device is compiled separately; "
          "set_active_subgraph() selects one", "flow"),
    Field("device_mode", DeviceMode.CompileAndRun, "as TTDevice(device_mode=)", "flow"),
    Field("performance_trace", PerfTraceLevel.NONE, "trace_file: other than NONE, <backend_output_dir>/<device>.ttperf "
          "is written for ttperf at the end of the run; VERBOSE: with every step", "flow", "PERFORMANCE_TRACE",
          lambda text: PerfTraceLevel[{"light": "LIGHT", "verbose": "VERBOSE"}.get(text, "NONE")]),
    Field("op_intermediates_to_save", list, "intermediates: get_intermediates_queue() has the results of these ops",
          "flow"),
    Field("tti_dump_format", TTIDumpFormat.DEFAULT, "none: images contain tensors as pickles, which both runtimes read",
          "flow", "TTI_BACKEND_FORMAT", lambda text: TTIDumpFormat.BACKEND if flag(text) else TTIDumpFormat.DEFAULT),
)
_FORMATS = (
    Field("default_df_override", None, "format: of all tensors; None: of the inputs, Float32 as the device's "
          "fp32_fallback", "formats", "DEFAULT_DF", DataFormat.from_json, DataFormat),
    Field("default_accumulate_df", None, "accumulate_format; none for Int32, in which integers always accumulate",
          "formats", kind=DataFormat),
    Field("default_math_fidelity", MathFidelity.HiFi3, "fidelity", "formats"),
    Field("amp_level", None, "amp", "formats", "AMP_LEVEL", int, int),
    Field("amp_properties", list, "format_rules: one rule for each configure_mixed_precision()", "formats"),
    Field("enable_stable_softmax", True, "stable_softmax", "formats", "DISABLE_STABLE_SOFTMAX", _not),
)
_BALANCER = (
    Field("balancer_policy", "default", "policy: NLP nlp, Ribbon and CNN ribbon, MinimizeGrid minimize_grid, Random "
          "random; SingleOpPerEpoch overrides: epoch_break of every op; default the compiler's", "balancer", "BALANCER_POLICY_TYPE", str),
    Field("scheduler_policy", "ModuleInputsBFS", "none: the order of ops is that of the fastest estimated epochs",
          "balancer", "SCHEDULER_POLICY", str),
    Field("graph_solver_self_cut_type", "FastCut", "self_cut", "balancer", "GRAPHSOLVER_SELF_CUT_TYPE", str),
    Field("enable_t_streaming", True, "t_streaming", "balancer"),
    Field("manual_t_streaming", False, "t_streaming: off except for ops with an override of t_stream_shape",
          "balancer"),
    Field("enable_enumerate_u_kt", True, _ALWAYS, "balancer", "DISABLE_ENUMERATE_U_KT", _not),
    Field("use_interactive_placer", True, _ALWAYS, "balancer"),
    Field("enable_auto_transposing_placement", False, _ALWAYS, "balancer", "ENABLE_AUTO_TRANSPOSE", flag),
    Field("enable_single_buffer_fallback", False, "none: an op that fits on no grid is split or refused",
          "balancer", "ENABLE_SINGLE_BUFFER_FALLBACK", flag),
    Field("chip_placement_policy", "MMIO_LAST", "none: epochs are placed on chips in numeric order", "balancer"),
    Field("harvesting_mask", 0, "harvested_rows: bit = NoC row", "balancer"),
    Field("enable_auto_fusing", True, "auto_fusing", "balancer", "DISABLE_OP_FUSING", _not),
    Field("enable_broadcast_splitting", False, "none: repeats along rows and columns are separate products",
          "balancer"),
    Field("enable_conv_prestride", True, "prestride: the host rearranges the input of a first convolution into "
          "windows", "balancer", "PRESTRIDE_DISABLE", _not),
    Field("max_pool_add_sub_surround", False, "none: maxima need no shift, since padding repeats an element of the "
          "window", "balancer"),
    Field("max_pool_add_sub_surround_value", 1.0, "none: as max_pool_add_sub_surround", "balancer"),
    Field("conv_multi_op_fracture_factor_override", dict, "overrides: fracture", "balancer"),
    Field("fracture_groups", list, "ops of modules made of pybuda's ops are split into several; chip_ids: the chips of "
          "the parts", "balancer"),
    Field("scheduler_constraints", list, "overrides: after", "balancer"),
    Field("paddings", dict, "none: grids are padded with tiles as needed", "balancer"),
    Field("enable_device_tilize", False, "none: inputs are tilized by the host", "balancer", "ENABLE_DEVICE_TILIZE",
          flag),
    Field("match_subgraph_patterns", None, "none: every layer is placed separately", "balancer"),
)
_QUEUES = (
    Field("default_dram_parameters", None, "overrides: dram_parameters of all ops; None: weights stay in L1 if they "
          "fit, also for single samples, which take 1.2 to 2 times as long with weights from DRAM", "queues",
          "DEFAULT_DRAM_PARAMETERS", flag),
    Field("input_queues_on_host", True, "host_inputs", "queues", "ENABLE_INPUT_QUEUES_ON_HOST", flag),
    Field("output_queues_on_host", True, "host_outputs", "queues", "ENABLE_OUTPUT_QUEUES_ON_HOST", flag),
    Field("dram_placement_algorithm", DRAMPlacementAlgorithm.ROUND_ROBIN, "dram_placement: if it is not the default",
          "queues"),
    Field("enable_forked_dram_inputs", False, "none: each reader of a queue reads it separately", "queues",
          "ENABLE_FORKED_DRAM_INPUTS", flag),
    Field("manual_dram_queue_placement", dict, "queue_channels; chip_id: none, since a queue is on the chip that "
          "reads it", "queues"),
    Field("insert_queues", list, "overrides: queued", "queues"),
    Field("loopback_outputs", dict, "outputs become inputs of the next run on the host", "queues"),
    Field("enable_link_past_cache_ios", False, "as loopback_outputs: inputs after the first take the outputs after the "
          "first that have their shape, in order", "queues"),
)
_OPS = (
    Field("balancer_op_overrides", dict, "overrides: size, t, t_columns, t_dir, u_kt, dram_parameters, input_blocks, output_buffers of single "
          "ops", "single ops"),
    Field("placer_op_overrides", list, "overrides: place, transpose, epoch_break, chip_break, chip of single ops",
          "single ops"),
    Field("op_names_to_epoch_break", list, "overrides: epoch_break", "single ops"),
    Field("op_names_to_chip_break", list, "overrides: chip_break, after the last chip the first again; on one chip "
          "epoch_break", "single ops"),
    Field("op_names_dont_fuse", list, "overrides: fuse false", "single ops"),
    Field("op_names_manual_fuse", list, "overrides: fuse true, for ops that match one of these regular expressions",
          "single ops"),
    Field("buffering_nops_to_insert", dict, "overrides: nops between these ops", "single ops"),
)
_FRONTEND = (
    Field("enable_tvm_cpu_fallback", True, "ops of cpu_fallback_ops run on the host; off: none does", "frontend"),
    Field("cpu_fallback_ops", lambda: {"embedding"}, "ops of an imported module that run on the host", "frontend"),
    Field("enable_tm_cpu_fallback", False, "ops of an imported module that move data run on the host at both ends; "
          "reshapes and transposes there always do", "frontend"),
    Field("tm_cpu_fallback_max_depth", 10, "maximum number of consecutive ones of these", "frontend"),
    Field("enable_tvm_constant_prop", False, _ALWAYS, "frontend"),
    Field("tvm_constnat_prop_mask", set, "none: ops on constants are always folded", "frontend"),
    Field("convert_framework_params_to_tvm", True, _TVM, "frontend", "CONVERT_PARAMS_TO_TVM", flag),
    Field("enable_tvm_dropout", False, "none: in inference dropout returns its operand", "frontend"),
    Field("enable_tvm_unsupported_ops", False, "none: unsupported ops are always reported by name", "frontend"),
    Field("enable_op_level_comparision", False, _TVM, "frontend"),
    Field("enable_xla_jax_convert", False, _TVM, "frontend"),
    Field("enable_tvm_jax_freeze_large_model", True, _TVM, "frontend"),
    Field("framework_model_output_names", list, _TVM, "frontend"),
    Field("compile_tvm_to_python", True, _TVM, "frontend"),
    Field("retain_tvm_python_files", False, _TVM, "frontend"),
    Field("tvm_graph_store_path", "", _TVM, "frontend"),
    Field("tvm_graph_load_path", "", _TVM, "frontend"),
    Field("tvm_module_to_num_patterns", dict, _TVM, "frontend"),
    Field("enable_pt2_fx_graph_link", False, "none: graphs of torch.compile are split where torch splits them",
          "frontend"),
)
_BACKEND = (
    Field("backend_opt_level", 4, "none: only the runtime of real cards has levels", "backend"),
    Field("backend_output_dir", "", "folder of netlists, images and traces; created with the configuration", "backend"),
    Field("backend_device_descriptor_path", "", "device: a SoC descriptor", "backend", "OVERRIDE_DEVICE_YAML", str),
    Field("backend_cluster_descriptor_path", "", "cluster", "backend"),
    Field("backend_runtime_params_path", "", "none: the simulated machine is defined by its descriptors",
          "backend"),
    Field("backend_runtime_args", "", "none: as backend_opt_level", "backend"),
    Field("store_backend_db_to_yaml", False, "none: as backend_runtime_params_path", "backend"),
)
FIELDS: tuple[Field, ...] = _FLOW + _FORMATS + _BALANCER + _QUEUES + _OPS + _FRONTEND + _BACKEND
BY_NAME: dict[str, Field] = {field.name: field for field in FIELDS}
