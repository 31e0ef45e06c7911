"""Compiling without running."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .argument_kinds import WHOLE, takes
from .config import CompilerConfig, _get_global_compiler_config
from .device import Device, formats_of
from .op_names import warn_unknown
from .stage import narrowed, wide
from .tensor import to_pt_tensors
from .training import refuse_training
from .verify.verify import verify_outputs


class CompiledGraphState:
    """Names and shapes of a compiled device's graph, in order."""

    def __init__(self, result: Any) -> None:
        first, last = result.compiled[0], result.compiled[-1]
        self.ordered_input_names = [info.name for info in first.inputs]
        self.ordered_input_shapes = [list(info.shape) for info in first.inputs]
        self.ordered_output_names = [info.name for info in last.outputs]
        self.ordered_output_shapes = [list(info.shape) for info in last.outputs]
        self.netlist_filename = result.netlist_filename

    @staticmethod
    def from_compiled_graph(device: Any, result: Any) -> CompiledGraphState:
        """Made from a CompileResult of `device`."""
        return CompiledGraphState(result)


@takes(dev=(Device,), compiler_cfg=(CompilerConfig,), microbatch_size=WHOLE, microbatch_count=WHOLE)
def pybuda_compile(dev: Any, graph_name: str, *inputs: Any, targets: Sequence[Any] = (), compiler_cfg: Any = None,
                   verify_cfg: Any = None, losses: Any = None, microbatch_size: int = 1,
                   microbatch_count: int = 1) -> Any:
    """Compiles the modules of a TTDevice for these inputs and returns a CompileResult: outputs, netlist,
    netlist_filename. Inputs are one sample, or, with `microbatch_size`, that many along dim 0. With `verify_cfg`
    outputs are compared; RuntimeError if they differ."""
    if (compiler_cfg or _get_global_compiler_config()).enable_training:
        refuse_training("compiling with enable_training", "call pybuda.initialize_pipeline(training=True)")
    values = to_pt_tensors(list(inputs))
    dev.input_formats = formats_of(inputs)
    dev.compile_for(narrowed(values) if microbatch_size > 1 else values, compiler_cfg, targets, microbatch_size, microbatch_count, verify_cfg)
    warn_unknown(compiler_cfg or _get_global_compiler_config(), [dev])
    dev.graph_name = graph_name
    result = dev.get_compiled_results()
    result.take_golden(dev.evaluate(wide(values)))
    if verify_cfg is not None and verify_cfg.enabled and dev._stages[0].device is not None:
        outputs = dev.forward_values(values)
        verify_outputs([dev], values, outputs, verify_cfg)
    return result
