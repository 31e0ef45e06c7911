"""The host parts of an imported module, stored as files of a device image and run without the module.

They are data: a list of steps that name ops of a closed set (host_program.py, host_ops.py), and plain tensors. Parts
that steps cannot express are stored as programs of torch.export. Those are code and are loaded only on request."""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import host_limits as limits
from . import host_ops
from .host_code import loaded_code, saved_as_code
from .host_part_values import HostParts, parts_of
from .host_program import ProgramReader, a_list, finite, only, refused
from .host_write import Inexpressible, TensorFile, written

if TYPE_CHECKING:
    from .imported import Imported

STEPS, TENSORS, CODE = "host_parts.json", "host_parts.safetensors", "host_parts.zip"
_VERSION = 1


# --- writing

def saved(imported: Imported) -> tuple[dict[str, bytes], str]:
    """Files by name, and the reason if they contain code, else ""."""
    try:
        return _as_data(imported), ""
    except Inexpressible as error:
        return {CODE: saved_as_code(imported)}, str(error)


def _as_data(imported: Imported) -> dict[str, bytes]:
    """Raises Inexpressible for ops and arguments that steps cannot express, and for parts beyond the limits."""
    from safetensors import SafetensorError
    from safetensors.torch import save
    tensors = TensorFile()
    made = [node.meta["val"] for node in imported._outputs]
    said = {"version": _VERSION, "calls": [_kind(one) for one in imported._captured.arguments.samples],
            "inputs": imported.inputs,
            "outputs": [{"name": name, **_kind(value)} for name, value in zip(imported.outputs, made, strict=True)]}
    for name, graph in parts_of(imported).items():
        said[name] = written(graph.graph, graph, tensors)
    said["axes"] = tensors.axes
    from .._ttsim import InputError
    try:
        files = {STEPS: json.dumps(said, separators=(",", ":"), allow_nan=False).encode(),
                 TENSORS: save(tensors.tensors)}
        loaded(files, imported.name)
    except (InputError, SafetensorError, KeyError) as error:  # beyond a limit, or an unsupported element type
        raise Inexpressible(str(error)) from error
    return files


def _kind(tensor: torch.Tensor) -> dict[str, Any]:
    if not all(type(size) is int for size in tensor.shape):
        raise Inexpressible(f"a tensor of the shape {list(tensor.shape)}, which depends on values")
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch.")}


# --- reading

def loaded(files: Mapping[str, bytes], place: str, trusted: bool = False) -> HostParts:
    """Loads files by name; `place`: their folder, for messages. No name in data is looked up as an attribute, and data
    are checked completely before anything is computed. ttsim.InputError for damaged files, for files beyond the limits
    (host_limits.py), and for code, unless `trusted`."""
    if STEPS in files:
        return _Reader(files, place).read()
    if CODE not in files:
        raise refused(f"{place}/{TENSORS}", f"tensors without steps: '{STEPS}' is missing")
    if not trusted:
        raise refused(f"{place}/{CODE}", "the host parts are code (programs of torch.export), and loading them "
                                         "may execute anything. If you trust the source of the image, load it with "
                                         "trust_host_parts=True. Otherwise compile the model again: host parts are "
                                         "then stored as data, if their ops allow it")
    return loaded_code(files[CODE], f"{place}/{CODE}")


class _Reader:
    def __init__(self, files: Mapping[str, bytes], place: str) -> None:
        self._place = f"{place}/{STEPS}"
        said = _json(files[STEPS], self._place)
        only(said, {"version", "calls", "inputs", "outputs", "before", "behind", "axes"}, self._place, "the file")
        if said["version"] != _VERSION:
            raise refused(self._place, f"its version is {str(said['version'])[:20]!a}; {_VERSION} is read. Compile the "
                                       "model again")
        self._said = said
        self._tensors = _tensors(files.get(TENSORS, b""), f"{place}/{TENSORS}")
        self._turn_axes(said["axes"])

    def read(self) -> HostParts:
        said = self._said
        calls = [self._kind(one, "'calls'") for one in a_list(said["calls"], self._place, "'calls'")]
        outputs = a_list(said["outputs"], self._place, "'outputs'")
        for one in outputs:
            only(one, {"name", "shape", "dtype"}, self._place, "'outputs'")
        made = [self._kind({"shape": one["shape"], "dtype": one["dtype"]}, "'outputs'") for one in outputs]
        names = [self._names(said["inputs"]), self._names([one["name"] for one in outputs])]
        before = self._program("before", calls)
        behind = self._program("behind", [*made, *calls])
        inputs = before.check(_shapes_alone(calls))
        if len(inputs) != len(names[0]):
            raise refused(self._place, f"'before' returns {len(inputs)} tensors for the {len(names[0])} inputs of the "
                                       "device")
        behind.check(_shapes_alone([*made, *calls]))
        return HostParts(calls, names[0], names[1], [dtype for _, dtype in made], before, behind,
                         [list(one.shape) for one in inputs], [shape for shape, _ in made])

    def _program(self, name: str, given: Sequence[Any]) -> Any:
        return ProgramReader(f"{self._place}: '{name}'", self._tensors, len(given)).read(self._said[name])

    def _names(self, given: Any) -> list[str]:
        names = a_list(given, self._place, "'inputs'")
        if not all(isinstance(one, str) for one in names) or len(set(names)) < len(names):
            raise refused(self._place, "names of inputs and outputs must be unique strings")
        return names

    def _kind(self, data: Any, what: str) -> tuple[list[int], torch.dtype]:
        only(data, {"shape", "dtype"}, self._place, what)
        shape, dtype = data["shape"], data["dtype"]
        if not isinstance(dtype, str) or dtype not in host_ops.DTYPES:
            raise refused(self._place, f"{what}: {ascii(dtype)[:40]} is not an element type")
        size = host_ops.DTYPES[dtype].itemsize
        for one in a_list(shape, self._place, what)[:limits.MOST_RANK + 1]:
            size *= one if type(one) is int and 0 <= one < 1 << 40 else limits.MOST_RESULT_BYTES + 1
        if size > limits.MOST_RESULT_BYTES or len(shape) > limits.MOST_RANK:
            raise refused(self._place, f"{what}: invalid shape {ascii(shape)[:80]}")
        return shape, host_ops.DTYPES[dtype]

    def _turn_axes(self, axes: Any) -> None:
        if not isinstance(axes, dict):
            raise refused(self._place, "'axes': expected an object")
        for name, order in axes.items():
            tensor = self._tensors.get(name)
            if tensor is None or not isinstance(order, list) or not all(type(one) is int for one in order) or \
                    sorted(order) != list(range(tensor.dim())):
                raise refused(self._place, f"'axes': {ascii(name)[:40]} has other axes than its tensor")
            self._tensors[name] = tensor.permute(order)


def _shapes_alone(kinds: Sequence[tuple[list[int], torch.dtype]]) -> list[torch.Tensor]:
    return [torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in kinds]


def _json(data: bytes, place: str) -> Any:
    if len(data) > limits.MOST_TEXT:
        raise refused(place, f"has {len(data)} bytes; the limit is {limits.MOST_TEXT}")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError("an object has a duplicate key")
        return made

    def no_number(text: str) -> float:
        raise ValueError(f"{text} is not a JSON number")
    try:
        return json.loads(data.decode(), object_pairs_hook=once, parse_constant=no_number, parse_float=finite)
    except RecursionError:
        raise refused(place, "objects and lists are nested too deeply") from None
    except ValueError as error:  # of JSON and of UTF-8
        raise refused(place, f"it is not valid JSON: {error}") from error


def _tensors(data: bytes, place: str) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load
    try:
        return load(data) if data else {}
    except (SafetensorError, KeyError, ValueError, RuntimeError, TypeError, AttributeError, OverflowError) as error:
        raise refused(place, f"it is not a safetensors file: {error or type(error).__name__}") from error
