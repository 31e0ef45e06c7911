"""Models: compiled for a device, and run with named inputs and outputs."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from . import _ttsim, arrays, session
from ._compile_keywords import CompileKeywords
from ._run_keywords import SessionKeywords
from ._ttsim import ArrayInfo, CompileReport, HostStep, LoweredOp, Netlist
from .graph import Graph

if TYPE_CHECKING:
    from typing import Unpack


class CompiledModel:
    """The result of compile(). It can be written as a folder or a device image and read again."""

    def __init__(self, raw: _ttsim.CompiledModel) -> None:
        self.raw = raw
        self._layout: Netlist | None = None

    @staticmethod
    def read(path: str | os.PathLike[str]) -> CompiledModel:
        """Reads a device image (.tti, or the folder of an unpacked one), or a folder written by write() or `ttsim
        compile`."""
        name = os.fspath(path)
        is_image = name.endswith(".tti") or any(os.path.exists(os.path.join(name, part))
                                                for part in ("unzipped_tti", "device.json"))
        read = _ttsim.CompiledModel.read_image if is_image else _ttsim.CompiledModel.read_folder
        return CompiledModel(read(name))

    def write(self, path: str | os.PathLike[str], device_type: str = "Silicon", device_name: str = "tt0",
              host_files: Mapping[str, bytes] | None = None) -> None:
        """Writes a device image if the name ends in .tti, for a device of this type (Golden, Model, Versim, Emulation,
        Silicon) and name; else a folder. `host_files`: files of an image with the host part of the model, from
        ttsim.torch.host_parts."""
        name = os.fspath(path)
        if name.endswith(".tti"):
            self.raw.write_image(name, device_type, device_name, dict(host_files or {}))
        else:
            self.raw.write_folder(name)

    @property
    def netlist(self) -> str:
        """Its text; `layout` has its values."""
        return self.raw.netlist

    @property
    def layout(self) -> Netlist:
        """The netlist as values: places of ops, buffers of queues, graphs, programs."""
        if self._layout is None:
            self._layout = self.raw.layout()
        return self._layout

    @property
    def host_steps(self) -> list[HostStep]:
        """Steps that the host computes, in order."""
        return self.raw.host_steps

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
        """The host files of an image. ttsim.torch.host_parts.loaded() loads the safe ones."""
        return self.raw.host_files()

    def default_inputs(self) -> dict[str, numpy.ndarray]:
        """Inputs generated from the shapes."""
        return _results(self.raw.default_inputs())

    def report(self) -> CompileReport:
        """Results of compilation, with estimates."""
        return self.raw.report()


def compile(graph: Graph, *, inputs: Mapping[str, Any] | None = None,  # noqa: A001
            choose_overrides: Callable[[list[LoweredOp]], str] | None = None, ignore_impossible_slices: bool = False,
            fewer_chips: bool = False, **options: Unpack[CompileKeywords]) -> CompiledModel:
    """Compiles a model. `options` are those of docs/options.md, with the defaults of `ttsim compile`.

    `inputs`: values to run with by default, by input; with `target_pcc` one sample, or several along one more axis in
    front. `choose_overrides` is called once, with the ops of the lowered model, and returns overrides as YAML ("": none)
    that `overrides` lacks; under the name "*" dram_parameters of every op. `ignore_impossible_slices`: slices of
    overrides that an op cannot have are reported in `report().ignored_overrides` instead of an error. `fewer_chips`:
    with fewer epochs than `chips`, one chip for each epoch instead of an error. Raises InputError for values that do not fit, UnsupportedError, TypeError for an unknown option."""
    request = _ttsim.CompileOptions()
    types = {info.name: info.type for info in graph.inputs}
    request.set_inputs({name: arrays.pair(values, types.get(name)) for name, values in (inputs or {}).items()})
    for name, value in options.items():
        if name not in CompileKeywords.__annotations__:
            raise TypeError(f"there is no option '{name}'")
        setattr(request, name, list(value) if isinstance(value, tuple) else value)
    return CompiledModel(_ttsim.compile(graph.raw, request, choose_overrides, ignore_impossible_slices, fewer_chips))


def _results(raw: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    return {name: arrays.array(kind, values) for name, (kind, values) in raw.items()}


class Model(session.OnChip):
    """A compiled model with its own session. Keywords are those of Session; the default device is the one that it was
    compiled for."""

    def __init__(self, compiled: CompiledModel | str | os.PathLike[str], **keywords: Unpack[SessionKeywords]) -> None:
        self.compiled = compiled if isinstance(compiled, CompiledModel) else CompiledModel.read(compiled)
        self._raw = _ttsim.Model(self.compiled.raw, session.options(keywords))
        self._inputs = {info.name: info.type for info in self.compiled.inputs}
        self._parameters: dict[str, Any] | None = None

    def _given(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return {name: arrays.pair(values, self._inputs.get(name)) for name, values in inputs.items()}

    def run(self, inputs: Mapping[str, Any], feed_back: Mapping[str, str] | None = None) -> dict[str, numpy.ndarray]:
        """Outputs by name for inputs by name, of the shapes of `compiled.inputs`. An additional first axis of the
        inputs is the number of samples, also of the outputs.

        `feed_back`: outputs of a sample that are inputs of the next, {output: input}, such as the states of a streaming
        model. The value given for such an input is that of the first sample."""
        return _results(self._raw.run(self._given(inputs), dict(feed_back or {})))

    def push(self, inputs: Mapping[str, Any]) -> None:
        """Adds one sample of a stream; its microbatch starts when it is full."""
        self._raw.push(self._given(inputs))

    def flush(self) -> None:
        """Pads the last microbatch, so that all samples pushed are run."""
        self._raw.flush()

    def get(self) -> dict[str, numpy.ndarray]:
        """Outputs of the oldest sample pushed."""
        return _results(self._raw.get())

    @property
    def in_flight(self) -> int:
        """Samples pushed that get() has not returned."""
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
        """Sets the value for later runs."""
        self._raw.set_parameter(name, *arrays.pair(values, self._type_of(name)))

    def _type_of(self, name: str) -> Any:
        if self._parameters is None:
            self._parameters = {info.name: info.type for info in self.parameters}
        if name not in self._parameters:
            self._raw.parameter(name)  # raises an error that lists the names
        return self._parameters[name]
