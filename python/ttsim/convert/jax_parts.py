"""Parts of a traced function of JAX."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from .._ttsim import UnsupportedError
from .base import Converted, need
from .parts import Node, Value

_MOVES = {"reshape", "transpose", "squeeze", "expand_dims", "broadcast_in_dim", "convert_element_type", "slice", "concatenate",
          "copy", "rev", "pad", "iota", "stop_gradient"}


class JaxprSource:
    """`closed`: traced, without constant parts. `to_onnx(function, shapes)` returns the ModelProto or raises
    UnsupportedError; `known_ops`: names of ops with a form in ONNX."""
    moves = _MOVES

    def __init__(self, closed: Any, to_onnx: Callable[[Any, Any], Any], known_ops: set[str]) -> None:
        jaxpr = closed.jaxpr
        self.jaxpr, self.known_ops, self._to_onnx = jaxpr, known_ops, to_onnx
        self.constants = dict(zip(jaxpr.constvars, closed.consts))
        self._names: dict[Any, str] = {}
        self.inputs = [self._name(var) for var in jaxpr.invars]
        self._equations: dict[str, Any] = {}
        self.nodes = list(self._nodes())
        self.outputs = [self._name(var) for var in jaxpr.outvars if self._is_value(var)]
        self._vars = {name: var for var, name in self._names.items()}

    def _is_value(self, var: Any) -> bool:
        return not hasattr(var, "val") and var not in self.constants

    def _name(self, var: Any) -> str:
        return self._names.setdefault(var, f"v{len(self._names)}")

    def _nodes(self) -> Iterator[Node]:
        for place, equation in enumerate(self.jaxpr.eqns):
            name = f"{equation.primitive.name}_{place}"
            self._equations[name] = equation
            yield Node(name, equation.primitive.name, tuple(self._name(var) for var in equation.invars if self._is_value(var)),
                       tuple(self._name(var) for var in equation.outvars))

    def values(self, names: Sequence[str]) -> list[Value]:
        """Of variables."""
        return [Value(name, tuple(self._vars[name].aval.shape), numpy.dtype(self._vars[name].aval.dtype).name) for name in names]

    def _function(self, inputs: Sequence[str], outputs: Sequence[str]) -> Callable[..., list[Any]]:
        (jax,) = need("jax", "jax.core")
        part = self.jaxpr.replace(invars=[self._vars[name] for name in inputs], outvars=[self._vars[name] for name in outputs],
                                  eqns=self._between(inputs, outputs), debug_info=self.jaxpr.debug_info.with_unknown_names())
        return lambda *args: jax.eval_jaxpr(part, list(self.constants.values()), *args)

    def _between(self, inputs: Sequence[str], outputs: Sequence[str]) -> list[Any]:
        needed, kept = set(outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.results):
                kept.append(self._equations[node.name])
                needed |= set(node.operands) - set(inputs)
        return kept[::-1]

    def on_host(self, inputs: Sequence[str], outputs: Sequence[str]) -> Callable[[Sequence[Any]], list[Any]]:
        """Runs in JAX."""
        jax, = need("jax", "jax")
        function = jax.jit(self._function(inputs, outputs))
        kinds = [value.kind for value in self.values(inputs)]
        return lambda values: [numpy.asarray(result) for result in
                               function(*[numpy.asarray(value, kind) for value, kind in zip(values, kinds)])]

    def converted(self, inputs: Sequence[str], outputs: Sequence[str]) -> Converted:
        """By jax2onnx."""
        (jax,) = need("jax", "jax")
        shapes = [jax.ShapeDtypeStruct(value.shape, numpy.dtype(value.kind)) for value in self.values(inputs)]
        proto = self._to_onnx(self._function(inputs, outputs), shapes)
        weights = {tensor.name for tensor in proto.graph.initializer}
        return Converted(proto, tuple(value.name for value in proto.graph.input if value.name not in weights),
                         tuple(value.name for value in proto.graph.output))

    def refused(self, error: UnsupportedError) -> set[str]:
        """Ops without a form in ONNX, themselves or in their loops and branches; if there are none, those that cannot be
        converted alone."""
        found = {name for name, equation in self._equations.items() if not self._known(equation)}
        return found or {node.name for node in self.nodes if not self._converts(node)}

    def _known(self, equation: Any) -> bool:
        (jax,) = need("jax", "jax.extend.core")
        return equation.primitive.name in self.known_ops and all(
            self._known(inner) for jaxpr in jax.jaxprs_in_params(equation.params) for inner in getattr(jaxpr, "jaxpr", jaxpr).eqns)

    def _converts(self, node: Node) -> bool:
        if not node.operands:
            return True
        try:
            self.converted(list(dict.fromkeys(node.operands)), node.results)
        except UnsupportedError:
            return False
        return True

