"""Records a model: runs it in torch and compiled, compares, and writes what tools/collect_metrics.py reads."""
from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

from . import backend, metrics
from .option import TorchTtnnOption


def called(function: Callable[..., Any], inputs: Any) -> Any:
    """function(*inputs), or with the inputs of a mapping by name."""
    if isinstance(inputs, Mapping):
        return function(**inputs)
    return function(*inputs) if isinstance(inputs, (list, tuple)) else function(inputs)


def plain(results: Any) -> Any:
    """Results of a model as nested tuples and dicts of tensors."""
    if hasattr(results, "to_tuple"):
        return results.to_tuple()
    return results


def _batch(inputs: Any) -> int:
    values = inputs.values() if isinstance(inputs, Mapping) else inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    return next((int(one.shape[0]) for one in values if isinstance(one, torch.Tensor) and one.dim()), 1)


def compiled_form(module: Any, option: TorchTtnnOption) -> Callable[..., Any]:
    """The compiled module. A method of a module, such as model.generate, runs with the module's forward compiled."""
    owner = getattr(module, "__self__", None)
    if not isinstance(module, torch.nn.Module) and isinstance(owner, torch.nn.Module):
        forward = _torch_compile(owner.forward, option)

        def call(*args: Any, **kwargs: Any) -> Any:
            before, owner.forward = owner.forward, forward
            try:
                return module(*args, **kwargs)
            finally:
                owner.forward = before
        return call
    return _torch_compile(module, option)


def _torch_compile(function: Any, option: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = torch.compile(function, backend=backend, options=option)
    return made


def timed(function: Callable[..., Any], inputs: Any) -> tuple[Any, float]:
    """The results and the wall time in ms."""
    begin = time.perf_counter()
    made = called(function, inputs)
    return made, (time.perf_counter() - begin) * 1e3


def record_original(name: str, function: Callable[..., Any], inputs: Any, root: str = metrics.FOLDER, test_name: str = "") -> Any:
    """Runs a model in torch: once to warm up and once timed. Returns its results."""
    try:
        called(function, inputs)
        made, ms = timed(function, inputs)
    except Exception as error:
        metrics.save_pickle({"success": False, "run_time": None, "times": [], "test_name": test_name, "error_message": str(error)},
                            name, "original-run_time_metrics", root)
        raise
    metrics.save_pickle({"success": True, "run_time": ms, "times": [ms], "test_name": test_name, "error_message": ""}, name,
                        "original-run_time_metrics", root)
    return made


def record_compiled(name: str, module: Any, inputs: Any, outputs: Any, option: TorchTtnnOption, *, root: str = metrics.FOLDER,
                    calls: int = 2, gradient: bool = False) -> dict[str, Any]:
    """Compiles a model, runs it `calls` times, compares with `outputs`. Returns what it wrote. Its errors pass through,
    recorded. `gradient`: compares the gradients of the inputs for loss = mean(output) as well."""
    found: dict[str, Any] = {"success": False, "run_time": None, "run_time_first_iter": None, "avg_run_time": None,
                             "batch_size": _batch(inputs), "accuracy": None, "has_aten": None, "fits_in_memory": None,
                             "peak_sram_usage": None, "device": option.opened_device().product}
    try:
        function = compiled_form(module, option)
        times = []
        made = None
        for _ in range(max(1, calls)):
            made, ms = timed(function, inputs)
            times.append(ms)
        expected, results = plain(outputs), plain(made)
        found |= {"run_time": times[-1], "run_time_first_iter": times[0],
                  "avg_run_time": sum(times[2:]) / len(times[2:]) if times[2:] else times[-1],
                  "accuracy": metrics.accuracy(expected, results), "lowest": metrics.lowest_pcc(expected, results)}
        if gradient:
            pairs = input_gradients(module, inputs), input_gradients(function, inputs)
            found |= {"accuracy": metrics.accuracy(*pairs), "lowest": metrics.lowest_pcc(*pairs)}
        found["success"] = _finite(expected, results)
        found |= simulated(option)
        manager = option.memory_manager
        if manager is not None:
            found |= {"fits_in_memory": not manager.has_sram_overflow(), "peak_sram_usage": manager.peak_sram_usage}
    except Exception as error:
        found["error_message"] = str(error)
        raise
    finally:
        metrics.save_pickle(found, name, "compiled-run_time_metrics", root)
        metrics.save_pickle(option.original_schema_list, name, "original-schema_list", root)
        metrics.save_pickle(option.compiled_schema_list, name, "compiled-schema_list", root)
    return found


def input_gradients(function: Callable[..., Any], inputs: Any) -> list[torch.Tensor]:
    """Gradients of the float inputs for loss = mean of the first output."""
    torch.manual_seed(99)
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else inputs
    given = [one.detach().clone().requires_grad_() if one.is_floating_point() else one
             for one in (inputs.values() if isinstance(inputs, Mapping) else inputs)]
    made = called(function, dict(zip(inputs, given)) if isinstance(inputs, Mapping) else tuple(given))
    made = plain(made)
    first = made if isinstance(made, torch.Tensor) else made[0]
    first.mean().backward()
    return [one.grad for one in given if isinstance(one.grad, torch.Tensor)]


def _finite(expected: Any, made: Any) -> bool:
    """Whether the results are finite where torch's are."""
    if isinstance(expected, torch.Tensor):
        return bool((made.isfinite() | ~expected.isfinite()).all())
    keys = expected.keys() if isinstance(expected, Mapping) else range(len(expected)) if isinstance(expected, (list, tuple)) else ()
    return all(_finite(expected[key], made[key]) for key in keys if expected[key] is not None)


_MOVES = ("ttnn.from_torch", "ttnn.to_torch", "ttnn.to_device", "ttnn.from_device")


def simulated(option: TorchTtnnOption) -> dict[str, Any]:
    """Times on the simulated chip, and counts of moves: in the final graphs, and of a warm call."""
    report = option.report()
    names = [metrics.name_of(node.target) for graph in option._out_fx_graphs for node in graph.nodes if node.op == "call_function"]
    total = report["total"]
    calls = max([one["calls"] for one in report["graphs"]] or [1])
    return {"simulated_ms": sum(one["last_ms"] for one in report["graphs"]),
            "simulated_first_ms": sum(one["first_ms"] for one in report["graphs"]),
            "simulated_cycles": total["last_cycles"], "simulate_s": total["simulate_s"] / calls, "compile_s": total["compile_s"],
            "moves": sum(name in _MOVES for name in names), "layout_moves": names.count("ttnn.to_layout"),
            "moves_of_a_call": (total["h2d"]["count"] + total["d2h"]["count"]) / calls,
            "has_aten": any(name.startswith("aten.") for name in names),
            "graphs": len(option._out_fx_graphs), "report": report}
