"""The function that torch.compile calls with each graph."""
from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func  # type: ignore[import-untyped]
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule

from . import metrics, utils
from .inputs import add_clones, is_dynamic, remove_clones, tags_of
from .option import TorchTtnnOption
from .passes.analysis.graph_module_analysis_pass import ModelType
from .passes.pipeline import passes_of, run_passes
from .runtime import CompiledGraph
from .specialize import Specialized


def register_ttnn_objects(option: TorchTtnnOption) -> None:
    """Puts the option's device and the constants into the globals of code that torch.fx generates."""
    utils.register_objects(option.opened_device())


def backend(gm: GraphModule, example_inputs: Sequence[Any], options: TorchTtnnOption | None = None, **more: Any) -> Callable[..., Any]:
    """For `torch.compile(module, backend=torch_ttnn.backend, options=TorchTtnnOption(device=device))`. Without options: the
    default device. TypeError for options of another type; RuntimeError for a closed device, also of later calls."""
    option = options if options is not None else TorchTtnnOption(**more)
    if not isinstance(option, TorchTtnnOption):
        raise TypeError(f"torch_ttnn.backend: options is a TorchTtnnOption, not {type(option).__name__}; "
                        "pass options=torch_ttnn.TorchTtnnOption(device=device)")
    device = option.opened_device()
    device.open_session("torch_ttnn.backend")
    register_ttnn_objects(option)
    reason = getattr(gm, "compile_subgraph_reason", None)
    option._is_end_to_end = not getattr(reason, "graph_break", False)
    if is_dynamic(gm, example_inputs):
        return Specialized(gm, lambda values: _compiled(copy.deepcopy(gm), values, option))
    return _compiled(gm, example_inputs, option)


def _compiled(gm: GraphModule, example_inputs: Sequence[Any], option: TorchTtnnOption) -> Callable[..., Any]:
    tags = tags_of(gm, example_inputs)
    cloned = add_clones(gm, example_inputs, tags)
    make = functools.partial(_compile, option=option, tags=tags, cloned=cloned)
    forward = functools.partial(make, hint=ModelType.TRAIN_FORWARD)
    backward = functools.partial(make, hint=ModelType.TRAIN_BACKWARD)
    inference = functools.partial(make, hint=ModelType.INFERENCE)
    tracer = option.tracer_option
    if tracer:
        from .tracer import Tracer

        def traced(function: Any, side: str) -> Any:
            return Tracer(function, f"{side}_{tracer['model_name']}", tracer.get("out_folder", "stat"),
                          tracer.get("trace_orig", True), tracer.get("trace_modi", False))
        forward, inference, backward = traced(forward, "fw"), traced(inference, "fw"), traced(backward, "bw")
    made: Callable[..., Any] = aot_autograd(fw_compiler=forward, bw_compiler=backward, inference_compiler=inference)(
        gm, example_inputs)
    return made


def _boxed(function: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = make_boxed_func(function)
    return made


def _mode(option: TorchTtnnOption, hint: ModelType) -> str:
    if option.mode != "auto":
        return option.mode
    return "graph" if hint is ModelType.INFERENCE else "eager"


def _compile(gm: GraphModule, example_inputs: Sequence[Any], *, option: TorchTtnnOption, tags: Sequence[Any], cloned: int,
             hint: ModelType) -> Callable[..., Any]:
    """The passes over a graph of aten ops, and a function that runs the result."""
    device = option.opened_device()
    if cloned:
        remove_clones(gm)
    number = len(option._out_fx_graphs)
    if option.metrics_path or option.bypass_compile:
        option.original_schema_list.append(metrics.collect_schemas(gm.graph))
    original = copy.deepcopy(gm.graph)
    option._aten_fx_graphs.append([original])
    option._all_inputs.append(list(example_inputs))
    if option.bypass_compile:
        option._out_fx_graphs.append(gm.graph)
        return _boxed(gm.forward)
    gm = run_passes(gm, passes_of(option, device, tags, hint, number), option)
    option._ttnn_fx_graphs.append([gm.graph])
    if option.metrics_path:
        option.compiled_schema_list.append(metrics.collect_schemas(gm.graph))
    if option.verbose and os.environ.get("TORCH_TTNN_CODE"):
        print(gm.code)
    compiled = CompiledGraph(gm, device, _mode(option, hint), number, hint.name.lower(), option.compile_options)
    option._out_fx_graphs.append(gm.graph)
    option.compiled_graphs.append(compiled)
    if option.export_code:
        from .export import export_code
        export_code(gm, original, option, number)
    disable: Any = torch._dynamo.disable
    return _boxed(disable(compiled))
