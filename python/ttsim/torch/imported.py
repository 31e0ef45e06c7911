"""Imports torch modules as graphs, with host parts before and after the device."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from .._ttsim import UnsupportedError
from ..graph import Graph
from . import conversions  # noqa: F401 (fills the table)
from .capture import Captured, capture
from .fallback_names import MOVES, falls_back
from .host import is_random, run, run_node
from .lowering import Lowered, Sources, lower
from .place import op_name, place_of
from .placement import Placement

_log = logging.getLogger(__name__)


@dataclass
class Fallback:
    """An op that runs in torch, on the host."""
    op: str
    place: str  # module path (FILE:LINE) of the user
    reason: str
    asked: bool = False  # by fallback_ops, for this op or for the op that it runs before or after

    def __str__(self) -> str:
        return f"{self.op} at {self.place}: {self.reason}"


def _missing() -> Any:
    raise TypeError("use import_module()")


@dataclass
class Imported:
    """The result of import_module(). Calls must have tensors of the shapes and dtypes of the import."""
    graph: Graph  # the device part
    inputs: list[str]  # of the graph, in the order of device_inputs()
    outputs: list[str]  # of the graph, in the order that finish() takes
    input_names: list[str]  # tensors of a call: the arguments of forward in order, flattened; without None and numbers
    parameters: dict[str, torch.Tensor]  # constants of the graph by state-dict name
    fallbacks: list[Fallback]
    name: str = ""
    _captured: Captured = field(repr=False, default_factory=_missing)
    _values: dict[Node, Any] = field(repr=False, default_factory=dict)  # parameters and known values
    _inputs: list[Node] = field(repr=False, default_factory=list)
    _outputs: list[Node] = field(repr=False, default_factory=list)

    def device_inputs(self, *args: Any, **kwargs: Any) -> list[torch.Tensor]:
        """Values of the graph's inputs for a call of the module: runs the host's part before the device."""
        values = run(self._captured.graph, self._inputs, self._given(args, kwargs))
        return [values[node] for node in self._inputs]

    def finish(self, device_outputs: list[torch.Tensor], *args: Any, **kwargs: Any) -> list[torch.Tensor]:
        """The module's results, flattened, without None, in their dtypes: runs the host part after the device. The
        arguments are those of the call, since results or the host part may need some."""
        if len(device_outputs) != len(self._outputs):
            raise ValueError(f"{len(device_outputs)} outputs of the device; the graph has {len(self._outputs)}")
        given = self._given(args, kwargs)
        for node, name, value in zip(self._outputs, self.outputs, device_outputs, strict=True):
            fake = node.meta["val"]
            value = torch.as_tensor(value)
            if value.shape != fake.shape:
                raise ValueError(f"output '{name}' has the shape {list(value.shape)}; it is {list(fake.shape)}")
            given[node] = value.to(fake.dtype)
        return self._results(given)

    def evaluate(self, *args: Any, **kwargs: Any) -> list[torch.Tensor]:
        """The same results, computed completely in torch."""
        return self._results(self._given(args, kwargs))

    @property
    def uses_host(self) -> bool:
        """Whether the host does more than pass tensors on."""
        return bool(self.fallbacks) or self.inputs != self.input_names or self._result_nodes() != self._outputs

    @property
    def from_device(self) -> bool:
        """Whether the results are those of the device, each once."""
        return self._result_nodes() == self._outputs

    def _call_nodes(self) -> list[Node]:
        return _placeholders(self._captured, self._captured.inputs)

    def _result_nodes(self) -> list[Node]:
        return _results_of(self._captured)

    def _given(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[Node, Any]:
        tensors = self._captured.arguments.tensors(args, kwargs)
        return {**self._values, **dict(zip(self._call_nodes(), tensors, strict=True))}

    def _results(self, given: dict[Node, Any]) -> list[torch.Tensor]:
        wanted = self._result_nodes()
        values = run(self._captured.graph, wanted, given)
        return [values[node] for node in wanted]


def import_module(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *, name: str = "",
                  fallback: bool = True, fallback_ops: Collection[str] = ("embedding",),
                  parameter_names: bool = True, host_moves: int = 0, training: bool = False) -> Imported:
    """Imports a module, in evaluation mode, as a graph for arguments like these. Constants of the graph have the
    module's state-dict names; without `parameter_names` they are plain constants, and folded. `training`: for
    ttsim.compile(training=True), in the mode that each submodule has: dropouts in training mode are random.

    At both ends of the model, up to `host_moves` consecutive ops that only move data (fallback_names.MOVES) run on the
    host.

    Ops that cannot be converted, and ops of the types `fallback_ops` (fallback_names.py), run on the host before or
    after the device. `fallbacks` lists them, and a warning names those not requested. With fallback=False,
    UnsupportedError lists every op without a conversion. UnsupportedError also if no op is left for the device, and for
    modules that torch.export cannot capture; NotImplementedError for results that are not tensors."""
    captured = capture(module, args, kwargs, training)
    importer = _Importer(captured, fallback_ops if fallback else (), parameter_names, host_moves if fallback else 0,
                         training)
    placement, lowered = importer.place(fallback)
    fallbacks = [_fallback(node, placement) for node in placement.host]
    who = name or type(module).__name__
    _report_fallbacks(who, fallbacks)
    outputs = importer.outputs(placement)
    if not lowered.graph.outputs and not fallbacks:
        outputs = _passed_on(captured, lowered)
    if not lowered.graph.outputs:
        listed = "".join(f"\n  {one}" for one in fallbacks)
        raise UnsupportedError(f"no op of {who} is left for the device{':' if listed else ': it computes nothing'}"
                               f"{listed}")
    return Imported(lowered.graph, lowered.names, list(outputs.values()), captured.arguments.names, lowered.parameters,
                    fallbacks, who, captured, importer.values, lowered.inputs, list(outputs))


def _passed_on(captured: Captured, lowered: Lowered) -> dict[Node, str]:
    """For a module that computes nothing: float arguments that are results pass through the device."""
    outputs: dict[Node, str] = {}
    called = dict(zip(captured.inputs, captured.arguments.names, strict=True))
    for node, name in zip(_results_of(captured), captured.results, strict=True):
        if not isinstance(node, Node) or node.name not in captured.inputs or node in outputs:
            continue
        fake = node.meta["val"]
        if not fake.dtype.is_floating_point or fake.numel() == 0:
            continue
        value = lowered.graph.input(called[node.name], list(fake.shape))
        lowered.graph.output(name, lowered.graph.add("nop", [value]))
        lowered.inputs.append(node)
        lowered.names.append(called[node.name])
        outputs[node] = name
    return outputs


def _placeholders(captured: Captured, names: Collection[str]) -> list[Node]:
    nodes = {node.name: node for node in captured.graph.nodes if node.op == "placeholder"}
    return [nodes[name] for name in names]


def _results_of(captured: Captured) -> list[Node]:
    results: Any = captured.graph.output_node().args[0]
    return list(results)


def _fallback(node: Node, placement: Placement) -> Fallback:
    reason = placement.reasons.get(node)
    if reason is None:
        cause = placement.causes[node]
        side = "before" if node in placement.before else "after"
        reason = f"it runs {side} {op_name(cause)} at {place_of(cause)}"
    asked = placement.reasons.get(placement.causes.get(node, node)) in (_ASKED, _MOVED)
    return Fallback(op_name(node), place_of(node), reason, asked)


_ASKED = "it is one of fallback_ops"
_MOVED = "it moves data at an edge of the model"


def _report_fallbacks(who: str, fallbacks: list[Fallback]) -> None:
    asked = [one for one in fallbacks if one.asked]
    others = [one for one in fallbacks if not one.asked]
    if asked:
        _log.info("%s: on the host as asked: %s", who, "; ".join(map(str, asked)))
    if others:
        warnings.warn(f"{who}: {len(others)} ops run on the host:\n  " + "\n  ".join(map(str, others)), stacklevel=3)


class _Importer:
    def __init__(self, captured: Captured, fallback_ops: Collection[str], parameter_names: bool,
                 host_moves: int, training: bool) -> None:
        self._captured, self._fallback_ops, self._host_moves = captured, fallback_ops, host_moves
        self._training = training
        graph = captured.graph
        self._inputs = _placeholders(captured, captured.inputs)
        named = dict(zip(_placeholders(captured, captured.parameters), captured.parameters.values(), strict=True))
        self._parameters = {node: (name, captured.values[name]) for node, name in named.items()}
        self._known: dict[Node, Any] = dict(
            zip(_placeholders(captured, captured.constants), captured.constants.values(), strict=True))
        if not parameter_names:
            self._known |= {node: values for node, (_, values) in self._parameters.items()}
            self._parameters = {}
        self._fold(graph)
        self._ops = self._live()

    @property
    def values(self) -> dict[Node, Any]:
        return {**self._known, **{node: values for node, (_, values) in self._parameters.items()}}

    def _fold(self, graph: torch.fx.Graph) -> None:
        for node in graph.nodes:
            if node.op == "call_function" and not is_random(node) and \
                    all(operand in self._known for operand in node.all_input_nodes):
                self._known[node] = run_node(node, self._known)

    def _live(self) -> list[Node]:
        """Ops that results need and whose values are not known, in the graph's order."""
        live, ahead = set(), _results_of(self._captured)
        while ahead:
            node = ahead.pop()
            if node not in live and node not in self._known and node.op == "call_function":
                live.add(node)
                ahead += node.all_input_nodes
        return [node for node in self._captured.graph.nodes if node in live]

    def _static(self, node: Node) -> bool:
        """Whether it depends on parameters only."""
        ahead, seen = [node], set()
        while ahead:
            one = ahead.pop()
            if one in self._inputs or is_random(one):
                return False
            if one not in seen:
                seen.add(one)
                ahead += one.all_input_nodes
        return True

    def _to_host(self, placement: Placement, node: Node, reason: str) -> None:
        if self._static(node):
            self._known |= run(self._captured.graph, [node], self.values)
        else:
            placement.to_host(node, reason)

    def place(self, fallback: bool) -> tuple[Placement, Lowered]:
        """Lowers, and moves refused ops to the host, until no op is refused."""
        placement = Placement(self._ops)
        for node in self._ops:
            if falls_back(node, self._fallback_ops):
                self._to_host(placement, node, _ASKED)
        while True:
            ops = [node for node in placement.device if node not in self._known]
            sources = Sources(dict(zip(self._inputs, self._captured.arguments.names, strict=True)), self._parameters,
                              self._known)
            lowered = lower(ops, sources, self.outputs(placement), self._training)
            refusals = {node: reason for node, reason in lowered.refusals.items() if not self._folds(node)}
            if refusals and not fallback:
                raise UnsupportedError(f"{len(refusals)} ops cannot be converted:" + "".join(
                    f"\n  {op_name(node)} at {place_of(node)}: {why}" for node, why in refusals.items()) +
                    "\nwith fallback=True they run on the host")
            if not lowered.refusals and not self._peeled(placement):
                return placement, lowered
            for node, reason in refusals.items():
                placement.to_host(node, reason)

    def _peeled(self, placement: Placement) -> bool:
        """Moves data movement ops at the ends to the host, once; returns whether any moved."""
        depth, self._host_moves = self._host_moves, 0
        count = len(placement.device)
        if depth:
            placement.peel(lambda node: falls_back(node, MOVES) and node not in self._known and
                           not self._static(node), depth, _MOVED)
        return len(placement.device) != count

    def _folds(self, node: Node) -> bool:
        """Evaluates an op that depends on parameters only and makes it a constant."""
        if not self._static(node):
            return False
        self._known |= run(self._captured.graph, [node], self.values)
        return True

    def outputs(self, placement: Placement) -> dict[Node, str]:
        """Values that leave the device, with their names."""
        device = {node for node in placement.device if node not in self._known}
        results: dict[Node, str] = {}
        for node, result in zip(_results_of(self._captured), self._captured.results, strict=True):
            if node in device:
                results.setdefault(node, result)
        taken = set(results.values())
        for node in placement.behind:
            for operand in node.all_input_nodes:
                if operand in device and operand not in results:
                    name = operand.name if operand.name not in taken else f"{operand.name}_result"
                    results[operand] = name
        return results
