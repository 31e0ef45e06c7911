"""The passes in their order."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase

from .analysis.graph_module_analysis_pass import GraphModuleAnalysisPass, ModelType
from .analysis.input_analysis_pass import InputAnalysisPass, PrimalTag
from .constant_folding_pass import ConstantFoldingPass
from .graphviz_pass import GraphvizPass
from .lowering.add_data_move_pass import AddDataMovePass
from .lowering.cse_pass import CSEPass
from .lowering.deallocation_pass import DeallocationPass
from .lowering.eliminate_coreops_pass import EliminateCoreopsPass
from .lowering.fusion_pass import FusionPass
from .lowering.load_once_pass import LoadOncePass
from .lowering.permute_reshape_tuple_pass import PermuteReshapeTuplePass
from .lowering.to_tt_pass import ToTtPass
from .memory_pass import EvictionPass, MemoryPass


def passes_of(option: Any, device: Any, tags: Sequence[PrimalTag], hint: ModelType | None, number: int) -> list[PassBase]:
    """The passes for an option."""
    inference = hint in (None, ModelType.INFERENCE)
    made: list[PassBase] = [GraphModuleAnalysisPass(hint), InputAnalysisPass(tags), ConstantFoldingPass(),
                            ToTtPass(device, option.use_less_ttnn_op_types), FusionPass(), AddDataMovePass()]
    if option.load_params_once and inference:
        made.append(LoadOncePass(number))
    made += [EliminateCoreopsPass(), CSEPass(), PermuteReshapeTuplePass(), DeallocationPass()]
    if option.run_mem_analysis:
        made.append(MemoryPass(option, device))
        if option.run_eviction_opt:
            made.append(EvictionPass(option, device))
    return made


def run_passes(gm: GraphModule, passes: Sequence[PassBase], option: Any) -> GraphModule:
    """Runs the passes; with gen_graphviz a picture before the first and after each."""
    folder = os.path.join("metrics", option.metrics_path)
    if option.gen_graphviz:
        GraphvizPass(os.path.join(folder, "00.origin"))(gm)
    for place, one in enumerate(passes, 1):
        made = one(gm)
        gm = made.graph_module if made is not None else gm
        if option.gen_graphviz:
            GraphvizPass(os.path.join(folder, f"{place:02}.{type(one).__name__}"))(gm)
    return gm
