"""Models: compiled for a device, and run there with inputs and outputs under their names."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy

from . import _ttsim, arrays, session
from ._ttsim import ArrayInfo, CompileReport
from .graph import Graph


class CompiledModel:
    """What compile() made; it can be written as a folder or a device image and read again."""

    def __init__(self, raw: _ttsim.CompiledModel) -> None:
        self.raw = raw

    @staticmethod
    def read(path: str | os.PathLike[str]) -> CompiledModel:
        """Of a device image (.tti, or the folder into which one was unpacked), or of a folder that write() or `ttsim
        compile` made."""
        name = os.fspath(path)
        is_image = name.endswith(".tti") or any(os.path.exists(os.path.join(name, part))
                                                for part in ("unzipped_tti", "device.json"))
        read = _ttsim.CompiledModel.read_image if is_image else _ttsim.CompiledModel.read_folder
        return CompiledModel(read(name))

    def write(self, path: str | os.PathLike[str], device_type: str = "Silicon", device_name: str = "tt0",
              host_files: Mapping[str, bytes] | None = None) -> None:
        """A device image when the name ends in .tti, which says that it is for a device of this type (Golden, Model,
        Versim, Emulation, Silicon) and name; else a folder. `host_files`: of an image, what ttsim.torch.host_parts makes
        of what the host computes around it."""
        name = os.fspath(path)
        if name.endswith(".tti"):
            self.raw.write_image(name, device_type, device_name, dict(host_files or {}))
        else:
            self.raw.write_folder(name)

    @property
    def netlist(self) -> str:
        """Its text."""
        return self.raw.netlist

    @property
    def inputs(self) -> list[ArrayInfo]:
        """Names, shapes and element types, in order."""
        return self.raw.inputs

    @property
    def outputs(self) -> list[ArrayInfo]:
        """Names, shapes and element types, in order."""
        return self.raw.outputs

    @property
    def host_files(self) -> dict[str, bytes]:
        """Of an image: those that it was written with. What of them may be loaded: ttsim.torch.host_parts.loaded()."""
        return self.raw.host_files()

    def default_inputs(self) -> dict[str, numpy.ndarray]:
        """Made up from the shapes."""
        return _results(self.raw.default_inputs())

    def report(self) -> CompileReport:
        """What compiling decided, and estimates."""
        return self.raw.report()


_LISTS = ("harvested_rows", "intermediates")


def compile(graph: Graph, *, device: str = "wh_n150", **keywords: Any) -> CompiledModel:  # noqa: A001
    """Compiles a model. Keywords, as `ttsim compile` has them: format, accumulate_format, fidelity, policy,
    effort (0 to 3), optimize ("throughput" or "latency"), amp, amp_light, format_rules and overrides (text of their
    YAML), keep_names (ops of the netlist are called as those of the model; parts of one NAME.dc.TYPE.N), ignore_unknown
    (overrides of ops that are not there are notes), intermediates, microbatch, chips, cluster, harvested_rows,
    host_fallback, device_comparisons (the device compares, what its formats hold of the operands), stable_softmax, auto_fusing, t_streaming, conv_fracture, prestride, loops ("programs", "unrolled"),
    round_constants (False: for runs in float32), bias_correction (biases make up for what rounding takes from weights),
    host_inputs, host_outputs, queue_channels, self_cut, dram_placement, seed;
    target_pcc, with trials: formats op by op, found by simulating; inputs by name, to run with by default, with
    target_pcc one sample or several (one axis more in front). Raises InputError, UnsupportedError."""
    options = _ttsim.CompileOptions()
    types = {info.name: info.type for info in graph.inputs}
    options.set_inputs({name: arrays.pair(values, types.get(name)) for name, values in keywords.pop("inputs", {}).items()})
    for name, value in {"device": device, **keywords}.items():
        if not hasattr(options, name):
            raise TypeError(f"there is no option '{name}'")
        setattr(options, name, list(value) if name in _LISTS else value)
    return CompiledModel(_ttsim.compile(graph.raw, options))


def _results(raw: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    return {name: arrays.array(kind, values) for name, (kind, values) in raw.items()}


class Model(session.OnChip):
    """A compiled model on a session of its own. Keywords are those of Session; without a device it is the one it was
    compiled for."""

    def __init__(self, compiled: CompiledModel | str | os.PathLike[str], **keywords: Any) -> None:
        self.compiled = compiled if isinstance(compiled, CompiledModel) else CompiledModel.read(compiled)
        self._raw = _ttsim.Model(self.compiled.raw, session.options(keywords))
        self._inputs = {info.name: info.type for info in self.compiled.inputs}
        self._parameters: dict[str, Any] | None = None

    def _given(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return {name: arrays.pair(values, self._inputs.get(name)) for name, values in inputs.items()}

    def run(self, inputs: Mapping[str, Any], feed_back: Mapping[str, str] | None = None) -> dict[str, numpy.ndarray]:
        """Outputs by name of inputs by name, of the shapes of `compiled.inputs`; with one axis more in front an input
        holds so many samples, and so do the outputs.

        `feed_back`: outputs of a sample that are inputs of the next, {output: input}, as the states of a model that
        listens. Such an input holds what the first sample begins with."""
        return _results(self._raw.run(self._given(inputs), dict(feed_back or {})))

    def push(self, inputs: Mapping[str, Any]) -> None:
        """One sample of a stream; its microbatch starts when it is whole."""
        self._raw.push(self._given(inputs))

    def flush(self) -> None:
        """Fills the microbatch up, so that all that was pushed is run."""
        self._raw.flush()

    def get(self) -> dict[str, numpy.ndarray]:
        """Outputs of the oldest sample that was pushed."""
        return _results(self._raw.get())

    @property
    def in_flight(self) -> int:
        """Samples pushed that get() has not given."""
        return int(self._raw.in_flight)

    @property
    def parameters(self) -> list[ArrayInfo]:
        """Constants of the model whose values can be replaced."""
        found: list[ArrayInfo] = self._raw.parameters
        return found

    def parameter(self, name: str) -> numpy.ndarray:
        """The value of a constant that can be replaced. InputError for another name."""
        return arrays.array(self._type_of(name), self._raw.parameter(name))

    def set_parameter(self, name: str, values: Any) -> None:
        """For the runs to come."""
        self._raw.set_parameter(name, *arrays.pair(values, self._type_of(name)))

    def _type_of(self, name: str) -> Any:
        if self._parameters is None:
            self._parameters = {info.name: info.type for info in self.parameters}
        if name not in self._parameters:
            self._raw.parameter(name)  # says which there are
        return self._parameters[name]
