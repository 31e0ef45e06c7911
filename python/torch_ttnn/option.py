"""Options and results of the backend."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from .mem_utils import MemoryManager
    from .runtime import CompiledGraph

_EXPORTS = (None, "accuracy", "profiling")
_MODES = ("auto", "graph", "eager")


class TorchTtnnOption:
    """Options of `torch.compile(backend=torch_ttnn.backend, options=...)`, and its results.

    `device`: of ttnn.open_device(); None: the default device, or device 0. `mode`: "graph": runs of ttnn nodes are
    compiled to programs of the chip; "eager": op by op through ttnn; "auto": graph for inference, eager for training.
    `compile_options`: keywords of ttsim.compile() for graph mode. The other fields are described in docs/torch_ttnn.md.
    ValueError for values that are not possible.

    Results: `_out_fx_graphs`: one final graph for each compiled graph; `original_schema_list`, `compiled_schema_list`: ops
    before and after; `memory_manager` (with run_mem_analysis); report()."""

    def __init__(self, device: Any = None, *, gen_graphviz: bool = False, run_mem_analysis: bool = False,
                 run_eviction_opt: bool = False, verbose: bool = True, metrics_path: str = "",
                 tracer_option: dict[str, Any] | None = None, bypass_compile: bool = False,
                 use_less_ttnn_op_types: bool = True, export_code: str | None = None, total_num_iterations: int = 1,
                 data_parallel: bool = False, load_params_once: bool = True, native_integration: bool = False,
                 mode: str = "auto", compile_options: dict[str, Any] | None = None, device_memory: bool = False) -> None:
        if export_code not in _EXPORTS:
            raise ValueError(f"TorchTtnnOption: export_code is one of {_EXPORTS}, not {export_code!r}")
        if mode not in _MODES:
            raise ValueError(f"TorchTtnnOption: mode is one of {_MODES}, not {mode!r}")
        if run_eviction_opt and not run_mem_analysis:
            raise ValueError("TorchTtnnOption: run_eviction_opt needs run_mem_analysis=True")
        if os.path.isabs(metrics_path) or ".." in metrics_path.split("/"):
            raise ValueError(f"TorchTtnnOption: metrics_path is a folder below metrics/, not {metrics_path!r}")
        self.device = device
        self.gen_graphviz, self.run_mem_analysis, self.run_eviction_opt = gen_graphviz, run_mem_analysis, run_eviction_opt
        self.verbose, self.metrics_path, self.tracer_option = verbose, metrics_path, tracer_option
        self.bypass_compile, self.use_less_ttnn_op_types = bypass_compile, use_less_ttnn_op_types
        self.export_code, self.total_num_iterations = export_code, total_num_iterations
        self.data_parallel, self.load_params_once = data_parallel, load_params_once
        self.native_integration, self.mode, self.device_memory = native_integration, mode, device_memory
        self.compile_options = dict(compile_options or {})
        self.reset_containers()

    def reset_containers(self) -> None:
        """Forgets the results of earlier compilations."""
        self._out_fx_graphs: list[torch.fx.Graph] = []
        self._aten_fx_graphs: list[list[torch.fx.Graph]] = []
        self._ttnn_fx_graphs: list[list[torch.fx.Graph]] = []
        self._all_inputs: list[list[Any]] = []
        self.original_schema_list: list[Any] = []
        self.compiled_schema_list: list[Any] = []
        self.memory_manager: MemoryManager | None = None
        self.compiled_graphs: list[CompiledGraph] = []
        self._is_end_to_end = True

    def opened_device(self) -> Any:
        """The device; opens the default one where none was given."""
        import ttnn
        if self.device is None:
            self.device = ttnn.GetDefaultDevice()
            if self.device is None:
                self.device = ttnn.open_device(device_id=0)
                ttnn.SetDefaultDevice(self.device)
        return self.device

    def report(self) -> Any:
        """Counters over all calls of all graphs, and for each graph which part ran how. A dict; str() is a table."""
        from .report import Report
        return Report(self.compiled_graphs)
