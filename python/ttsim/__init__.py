"""Runs models and Buda netlists on simulated Tenstorrent chips (Grayskull, Wormhole, Blackhole), with the chips' number
formats, and reports the cycles.

    import numpy, ttsim
    graph = ttsim.Graph()
    x = graph.input("x", [32, 64])
    w = graph.constant("w", numpy.ones((64, 64), numpy.float32))
    graph.output("y", graph.add("relu", [graph.add("matmul", [x, w])]))
    model = ttsim.Model(ttsim.compile(graph, device="wh_n150"))
    y = model.run({"x": numpy.ones((32, 64), numpy.float32)})["y"]
    print(y[0, 0], model.cycles)

Errors are subclasses of ttsim.Error: InputError, UnsupportedError, HangError, InterruptedRunError, ResourceError or
InternalError. `code` is a word for programs ("unknown-name"), `ops` has the names concerned, `message` and `remedy` are
text, `file`, `line` and `column` the place if known, and `problems` has every problem. Simulations release the GIL, and Ctrl-C interrupts them."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _loading  # first: how the extension is loaded
from ._ttsim import (ArrayInfo, CompileReport, DeviceInfo, ElementType, Engine, EpochTypeTime, Error, ErrorKind,
                     FusedInfo, FusedMember, GraphInfo, GraphTime, HangError, HostStep, IgnoredOverride, ImageInfo,
                     InputError, InternalError, InterruptedRunError, LoweredOp, MergeReport, Netlist, Numerics, OpInfo, OpTime,
                     OutputCheck, PlacedOp, Problem, ProgramInfo, QueueBuffer, QueueInfo, ResourceError, RunReport,
                     UnsupportedError, Value, Verdict, describe_device, devices, image_info, merge_images, model_ops,
                     set_config_dir)
from ._ttsim import version as __version__
_loading.done()
from .graph import Graph  # noqa: E402 (after done())
from .model import CompiledModel, Model, compile  # noqa: A004, E402 (the name of the command)
from .session import Session, run  # noqa: E402
from .trainer import Trainer  # noqa: E402

if TYPE_CHECKING:
    from .sweeps import Outcome


def sweep(spec: str | os.PathLike[str] | Mapping[str, Any], store: str | os.PathLike[str] = "sweep.store",
          **options: Any) -> Outcome:
    """Runs many simulations and stores their results, as `ttsim sweep` does (docs/sweeps.md). `spec` is a file or a map
    of its keys. Options are those of ttsim.sweeps.sweep(). Raises ttsim.sweeps.SweepError for a mistake."""
    from .sweeps import sweep as run_sweep
    return run_sweep(spec, store, **options)


__all__ = [
    "ArrayInfo", "CompileReport", "CompiledModel", "DeviceInfo", "ElementType", "Engine", "EpochTypeTime",
    "Error", "ErrorKind", "FusedInfo", "FusedMember", "Graph", "GraphInfo", "GraphTime", "HangError", "HostStep",
    "IgnoredOverride", "ImageInfo", "InputError", "InternalError", "InterruptedRunError", "LoweredOp", "MergeReport", "Model",
    "Netlist", "Numerics", "OpInfo", "OpTime", "OutputCheck", "PlacedOp", "Problem", "ProgramInfo", "QueueBuffer",
    "QueueInfo", "ResourceError", "RunReport", "Session", "Trainer", "UnsupportedError", "Value", "Verdict", "compile",
    "describe_device", "devices", "image_info", "merge_images", "model_ops", "run", "set_config_dir", "sweep", "__version__"
]
