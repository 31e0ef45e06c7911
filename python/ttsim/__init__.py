"""Tenstorrent Tensix chips in software: models and Buda netlists run on a simulated Grayskull or Wormhole, with the
chip's number formats, and say how many cycles everything took.

    import numpy, ttsim
    graph = ttsim.Graph()
    x = graph.input("x", [32, 64])
    w = graph.constant("w", numpy.ones((64, 64), numpy.float32))
    graph.output("y", graph.add("relu", [graph.add("matmul", [x, w])]))
    model = ttsim.Model(ttsim.compile(graph, device="wh_n150"))
    y = model.run({"x": numpy.ones((32, 64), numpy.float32)})["y"]
    print(y[0, 0], model.cycles)

What goes wrong is raised as ttsim.Error: InputError, UnsupportedError, HangError or InternalError, with `file`, `line`
and `column` where it has a place. Simulations let other Python threads run, and Ctrl-C ends them."""
from ._ttsim import (ArrayInfo, CompileReport, DeviceInfo, ElementType, Engine, Error, GraphTime, HangError, ImageInfo,
                     InputError, InternalError, InterruptedRunError, MergeReport, Netlist, Numerics, OpInfo, OpTime,
                     OutputCheck, QueueInfo, RunReport, UnsupportedError, Value, Verdict, devices, image_info,
                     merge_images, model_ops, set_config_dir)
from ._ttsim import version as __version__
from .graph import Graph
from .model import CompiledModel, Model, compile  # noqa: A004 (what it does)
from .session import Session, run

__all__ = [
    "ArrayInfo", "CompileReport", "CompiledModel", "DeviceInfo", "ElementType", "Engine", "Error", "Graph",
    "GraphTime", "HangError", "ImageInfo", "InputError", "InternalError", "InterruptedRunError", "MergeReport",
    "Model", "Netlist", "Numerics", "OpInfo", "OpTime", "OutputCheck", "QueueInfo", "RunReport", "Session",
    "UnsupportedError", "Value", "Verdict", "__version__", "compile", "devices", "image_info", "merge_images",
    "model_ops", "run", "set_config_dir"
]
