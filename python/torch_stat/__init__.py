"""A backend of torch.compile that only records graphs: `torch.compile(module, backend=torch_stat.backend,
options=torch_stat.TorchStatOption(model_name="name"))` writes stat/raw/fw_name_orig_N.json."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from functorch.compile import make_boxed_func  # type: ignore[import-untyped]
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule
from torch_ttnn.passes.graphviz_pass import GraphvizPass
from torch_ttnn.tracer import Tracer

__all__ = ["TorchStatOption", "backend"]


class TorchStatOption:
    """`out`: folder of the results; `backward`: records backward graphs too; `gen_graphviz`: pictures in OUT/graphviz."""

    def __init__(self, model_name: str, backward: bool = False, out: str = "stat", gen_graphviz: bool = False) -> None:
        self.model_name, self.backward, self.out, self.gen_graphviz = model_name, backward, out, gen_graphviz


def backend(gm: GraphModule, example_inputs: Sequence[Any], options: TorchStatOption | None = None) -> Callable[..., Any]:
    """Runs the graph in torch. TypeError without options."""
    if not isinstance(options, TorchStatOption):
        raise TypeError("torch_stat.backend: pass options=torch_stat.TorchStatOption(model_name=...)")

    def unchanged(graph: GraphModule, _: Sequence[Any]) -> Any:
        return make_boxed_func(graph.forward)

    def traced(side: str) -> Callable[..., Any]:
        tracer = Tracer(unchanged, f"{side}_{options.model_name}", options.out)

        def call(graph: GraphModule, values: Sequence[Any]) -> Any:
            if options.gen_graphviz:
                GraphvizPass(os.path.join(options.out, "graphviz", f"{side}_{options.model_name}"))(graph)
            return tracer(graph, values)
        return call
    made: Callable[..., Any] = aot_autograd(fw_compiler=traced("fw"), bw_compiler=traced("bw") if options.backward else unchanged)(
        gm, example_inputs)
    return made
