"""Captures a module and its arguments as an fx graph of ATen ops without side effects."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import inspect
import re
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from .._ttsim import UnsupportedError
from ..evaluation import evaluating
from . import table
from .place import _OURS, _TORCH
from .plain_shapes import plain_shapes
from .source_lines import innermost_lines
from .whole import takes_whole

_PREFIX = "module."  # of names of the module in the exported wrapper


def flatten(value: Any, name: str = "") -> list[tuple[str, torch.Tensor]]:
    """Tensors of nested tuples, lists, mappings and dataclasses in order, with their paths; None is skipped.
    NotImplementedError for other values."""
    if value is None:
        return []
    if isinstance(value, torch.Tensor):
        return [(name or "output", value)]
    if isinstance(value, Mapping):
        parts = [(key, value[key]) for key in value]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    elif isinstance(value, (tuple, list)):
        parts = list(enumerate(value))
        name = name or "output"
    elif type(value) in pytree.SUPPORTED_NODES:
        parts = list(enumerate(pytree.tree_leaves(value)))
    else:
        raise NotImplementedError(f"the module's result{' ' * bool(name)}{name} is a {type(value).__name__}; only "
                                  "tensors, and tuples, lists, mappings and dataclasses of them are supported: "
                                  "let forward return those (of a transformers model: use_cache=False)")
    return [found for key, part in parts for found in flatten(part, f"{name}_{key}" if name else str(key))]


class Arguments:
    """Flattens the arguments of a call into a list of tensors, as in the captured call. `results`: names of the
    module's results, after it has run."""

    def __init__(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None) -> None:
        self._signature = inspect.signature(module.forward)
        self._by_place = set(list(self._signature.parameters)[:len(args)])  # modules of exported programs insist on it
        self._leaves, self._spec = self._flat(args, kwargs or {})
        self.results: list[str] = []
        self.names = _unique([self._name(path) for path, leaf in self._leaves if isinstance(leaf, torch.Tensor)])

    def _flat(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[tuple[Any, Any]], Any]:
        bound = self._signature.bind(*args, **kwargs)
        for name, parameter in self._signature.parameters.items():
            if parameter.kind == inspect.Parameter.VAR_KEYWORD and name in bound.arguments:
                bound.arguments[name] = dict(sorted(bound.arguments[name].items()))
        parameters = self._signature.parameters
        named = {name: value for name, value in bound.arguments.items()
                 if value is not None or parameters[name].default is not None}
        return pytree.tree_flatten_with_path(named)

    def __deepcopy__(self, memo: dict[int, Any]) -> Arguments:
        return self  # torch copies modules, but `results` must be set here

    @property
    def samples(self) -> list[torch.Tensor]:
        """Tensors of the captured call."""
        return [leaf for _, leaf in self._leaves if isinstance(leaf, torch.Tensor)]

    def tensors(self, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None) -> list[torch.Tensor]:
        """Tensors of another call. ValueError if its arguments, numbers, shapes or dtypes differ from the captured
        call."""
        leaves, spec = self._flat(args, kwargs or {})
        if spec != self._spec:
            raise ValueError(f"the module was imported with the arguments {self._given(self._leaves)}; this call has "
                             f"{self._given(leaves)}. Import it anew for these")
        given = []
        for (path, was), (_, now) in zip(self._leaves, leaves, strict=True):
            if not isinstance(was, torch.Tensor):
                if now is not was and now != was:
                    raise ValueError(f"'{self._name(path)}' was {was!r} when the module was imported and is {now!r}. "
                                     "Import it anew for that value")
                continue
            now = torch.as_tensor(now)
            if now.shape != was.shape or now.dtype != was.dtype:
                raise ValueError(f"'{self._name(path)}' is {_text(now)}; the module was imported with {_text(was)}")
            given.append(now)
        return given

    def call(self, tensors: list[torch.Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments of forward that contain these tensors."""
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for _, leaf in self._leaves]
        bound = inspect.BoundArguments(self._signature, pytree.tree_unflatten(leaves, self._spec))
        positional, names = [], dict(bound.arguments)
        for name, parameter in self._signature.parameters.items():
            if parameter.kind == inspect.Parameter.VAR_POSITIONAL:
                positional += names.pop(name, ())
            elif parameter.kind == inspect.Parameter.VAR_KEYWORD:
                names.update(names.pop(name, {}))
            elif parameter.kind == inspect.Parameter.POSITIONAL_ONLY and name in names:
                positional.append(names.pop(name))
            elif (self._takes_more or name in self._by_place) and parameter.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD:
                positional.append(names.pop(name, None))
        return tuple(positional), names

    @property
    def _takes_more(self) -> bool:
        return any(parameter.kind == inspect.Parameter.VAR_POSITIONAL
                   for parameter in self._signature.parameters.values())

    def _name(self, path: tuple[Any, ...]) -> str:
        """x, x_0, past_1_key: the argument's name, then the path in it; of **kwargs only the keyword."""
        keys = [str(getattr(step, "key", getattr(step, "idx", getattr(step, "name", "")))) for step in path]
        named = self._signature.parameters[keys[0]].kind == inspect.Parameter.VAR_KEYWORD
        return "_".join(re.sub(r"\W", "_", key) for key in (keys[1:] if named else keys))

    def _given(self, leaves: list[tuple[Any, Any]]) -> str:
        return ", ".join(self._name(path) for path, _ in leaves) or "none"


def _text(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    made = []
    for name in names:
        count = seen.get(name, 0)
        seen[name] = count + 1
        made.append(name if count == 0 else f"{name}_{count}")
    return made


class _Flat(torch.nn.Module):
    """The module with only tensors as arguments and results."""

    def __init__(self, module: torch.nn.Module, arguments: Arguments) -> None:
        super().__init__()
        self.module = module
        self._arguments = arguments

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        args, kwargs = self._arguments.call(list(tensors))
        results = flatten(self.module(*args, **kwargs))
        self._arguments.results = _unique([name for name, _ in results])
        return tuple(tensor for _, tensor in results)


@dataclass
class Captured:
    """`constants`: placeholder values that are neither inputs nor parameters; `parameters`: by state-dict name."""
    program: ExportedProgram
    arguments: Arguments
    inputs: list[str]  # placeholders of the tensors of a call
    results: list[str]  # names of the module's results
    parameters: dict[str, str]  # placeholder -> state-dict name
    constants: dict[str, torch.Tensor]
    values: dict[str, torch.Tensor]  # of parameters, by state-dict name

    @property
    def graph(self) -> torch.fx.Graph:
        """Of torch.fx."""
        graph: torch.fx.Graph = self.program.graph
        return graph


def capture(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None,
            training: bool = False) -> Captured:
    """Runs torch.export in evaluation mode; with `training` in the module's own mode, and with gradients. torch decomposes
    the ops that are not in the table of conversions. UnsupportedError for modules that torch cannot capture, or that
    change their buffers or arguments."""
    arguments = Arguments(module, args, kwargs)
    try:
        flat = _Flat(module, arguments)
        mode = contextlib.nullcontext() if training else evaluating(module)
        with mode, torch.set_grad_enabled(training), _quickly():
            with plain_shapes():
                program = torch.export.export(flat, tuple(arguments.samples), strict=False)
            if training:
                _detach_results_without_gradients(program.graph)
            captured = _sorted_inputs(program, arguments)
            if takes_whole(captured.graph, captured.constants, _decomposes):
                return captured
            program = program.run_decompositions(_decompositions())
    except NotImplementedError:
        raise
    except Exception as error:  # torch raises many types; its message is kept
        raise UnsupportedError(_why(module, error)) from error
    _refuse_mutation(program)
    return _sorted_inputs(program, arguments)


def _detach_results_without_gradients(graph: torch.fx.Graph) -> None:
    """Detaches the results of parts under torch.no_grad(): the decompositions put such a part in line."""
    for part in graph.find_nodes(op="call_function", target=torch.ops.higher_order.wrap_with_set_grad_enabled):
        if part.args[0]:
            continue
        for result in list(part.users):
            with graph.inserting_after(result):
                detached = graph.call_function(torch.ops.aten.detach.default, (result,))
            detached.meta = dict(result.meta)
            result.replace_all_uses_with(detached, lambda user, made=detached: user is not made)


def _depends_on_values(error: BaseException | None) -> bool:
    """Whether a branch or a size that depends on values is the reason of torch's error."""
    from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode  # needed here alone: imports sympy
    while error is not None:
        if isinstance(error, (GuardOnDataDependentSymNode, DataDependentOutputException, DynamicOutputShapeException)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _why(module: torch.nn.Module, error: Exception) -> str:
    """torch's message; for a branch or a size that depends on values, its location and a remedy."""
    if not _depends_on_values(error):
        return f"torch.export cannot capture {type(module).__name__}: {error}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not frame.filename.startswith((_TORCH, _OURS, "<"))]
    return (f"{type(module).__name__} branches on values of tensors, or takes sizes from them"
            f"{f' (at {frames[-1].filename}:{frames[-1].lineno})' if frames else ''}, which cannot be "
            "compiled for all inputs: compute both branches and select with torch.where(), or make fixed "
            "values arguments of forward")


@contextlib.contextmanager
def _quickly() -> Iterator[None]:
    """Disables slow features of torch.export that are not needed here: code of graphs is generated on demand instead of
    six times, nodes record one source line, and the garbage collector is off."""
    with innermost_lines(_Flat.forward.__code__), _lazy_graphs(), _without_collections():
        yield


def _lazy_graphs() -> contextlib.AbstractContextManager[Any]:
    try:
        from torch.fx._lazy_graph_module import _use_lazy_graph_module
    except ImportError:  # a version of torch that generates code at once
        return contextlib.nullcontext()
    return _use_lazy_graph_module(True)


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Disables Python's garbage collector: torch.export keeps almost all of its objects, and collections take a sixth
    of a first capture."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _decomposes(target: Any) -> bool:
    return target in _rules(len(table.converted_ops()))


def _decompositions() -> Any:
    """torch's decompositions to core ops, except for ops that the table of conversions has."""
    return _rules(len(table.converted_ops())).copy()


@functools.cache
def _rules(conversions: int) -> Any:
    """Cached by the length of the table, since it takes a tenth of a second."""
    rules = torch.export.default_decompositions()
    for target in table.converted_ops():
        if target in rules:
            del rules[target]
    return rules


def _refuse_mutation(program: ExportedProgram) -> None:
    kinds = {OutputKind.BUFFER_MUTATION: "buffer", OutputKind.USER_INPUT_MUTATION: "argument",
             OutputKind.PARAMETER_MUTATION: "parameter"}
    changed = [f"{kinds[spec.kind]} '{(spec.target or '').removeprefix(_PREFIX)}'"
               for spec in program.graph_signature.output_specs if spec.kind in kinds]
    if changed:
        raise UnsupportedError(f"forward changes {', '.join(changed)} in place, but the device keeps no state. "
                               "Let forward return the new value instead")


def _sorted_inputs(program: ExportedProgram, arguments: Arguments) -> Captured:
    inputs, parameters, constants, values = [], {}, {}, {}
    for spec in program.graph_signature.input_specs:
        name, target = spec.arg.name, (spec.target or "").removeprefix(_PREFIX)
        if spec.kind == InputKind.USER_INPUT:
            inputs.append(name)
            continue
        tensor = program.state_dict.get(spec.target)
        tensor = program.constants.get(spec.target) if tensor is None else tensor
        if spec.kind == InputKind.PARAMETER or (spec.kind == InputKind.BUFFER and spec.persistent
                                                and tensor.is_floating_point()):
            parameters[name], values[target] = target, tensor.detach()
        elif isinstance(tensor, torch.Tensor):
            constants[name] = tensor.detach()
        else:
            raise UnsupportedError(f"'{target}' of the module is a {type(tensor).__name__}, which no op accepts")
    return Captured(program, arguments, inputs, arguments.results, parameters, constants, values)
