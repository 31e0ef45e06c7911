"""Runs models and Buda netlists on simulated Tenstorrent Grayskull and Wormhole chips, with the chips' number formats,
and reports the cycles.

    import numpy, ttsim
    graph = ttsim.Graph()
    x = graph.input("x", [32, 64])
    w = graph.constant("w", numpy.ones((64, 64), numpy.float32))
    graph.output("y", graph.add("relu", [graph.add("matmul", [x, w])]))
    model = ttsim.Model(ttsim.compile(graph, device="wh_n150"))
    y = model.run({"x": numpy.ones((32, 64), numpy.float32)})["y"]
    print(y[0, 0], model.cycles)

Errors are subclasses of ttsim.Error: InputError, UnsupportedError, HangError, InterruptedRunError or InternalError,
with `file`, `line` and `column` if known. Simulations release the GIL, and Ctrl-C interrupts them."""
from ._ttsim import (ArrayInfo, CompileReport, DeviceInfo, ElementType, Engine, Error, GraphTime, HangError, ImageInfo,
                     InputError, InternalError, InterruptedRunError, MergeReport, Netlist, Numerics, OpInfo, OpTime,
                     OutputCheck, QueueInfo, RunReport, UnsupportedError, Value, Verdict, devices, image_info,
                     merge_images, model_ops, set_config_dir)
from ._ttsim import version as __version__
from .graph import Graph
from .model import CompiledModel, Model, compile  # noqa: A004 (the name of the command)
from .session import Session, run

__all__ = [
    "ArrayInfo", "CompileReport", "CompiledModel", "DeviceInfo", "ElementType", "Engine", "Error", "Graph",
    "GraphTime", "HangError", "ImageInfo", "InputError", "InternalError", "InterruptedRunError", "MergeReport",
    "Model", "Netlist", "Numerics", "OpInfo", "OpTime", "OutputCheck", "QueueInfo", "RunReport", "Session",
    "UnsupportedError", "Value", "Verdict", "__version__", "compile", "devices", "image_info", "merge_images",
    "model_ops", "run", "set_config_dir"
]
