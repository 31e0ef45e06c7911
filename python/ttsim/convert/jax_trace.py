"""Traced functions of JAX without the ops that need not run: those without an effect on the results, and those of
constants, such as random numbers of a fixed key."""
from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy

from .base import need

_FOLDED = 1 << 16  # elements; larger results of constants stay ops, unless an op has no form in ONNX
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
          "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr",
          "remat2": "jaxpr", "checkpoint": "jaxpr"}


class _Known:
    """A value that depends on constants only. `again` makes it by ops; `plain`: whether all of these have a form in ONNX."""

    def __init__(self, value: Any, again: Callable[[], Any], plain: bool) -> None:
        self.value, self.again, self.plain = value, again, plain

    def traced(self) -> Any:
        """As an operand of an op of the model: a constant, or ops if it is large."""
        return self.value if not self.plain or numpy.size(self.value) <= _FOLDED else self.again()


def live(closed: Any) -> Any:
    """Without ops whose results are not used."""
    jax, partial = need("jax", "jax.extend.core", "jax.interpreters.partial_eval")
    jaxpr, _ = partial.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    return jax.ClosedJaxpr(jaxpr, closed.consts)


def folded(closed: Any, known_ops: Collection[str]) -> Callable[..., list[Any]]:
    """A function that does what a traced one does, with ops of constants computed now. `known_ops`: names of ops with a
    form in ONNX."""
    whole = live(closed)
    return lambda *args: [_traced(value) for value in _interpret(whole.jaxpr, whole.consts, args, known_ops)]


def _constant(value: Any) -> _Known:
    return _Known(value, lambda: value, True)


def _traced(value: Any) -> Any:
    return value.traced() if isinstance(value, _Known) else value


def _interpret(jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], known_ops: Collection[str]) -> list[Any]:
    """Results, each a _Known or a traced value."""
    env: dict[Any, Any] = dict(zip(jaxpr.invars, args)) | {var: value if isinstance(value, _Known) else _constant(value)
                                                          for var, value in zip(jaxpr.constvars, consts)}

    def read(var: Any) -> Any:
        return _constant(var.val) if hasattr(var, "val") else env[var]

    for equation in jaxpr.eqns:
        operands = [read(var) for var in equation.invars]
        env.update(zip(equation.outvars, _results(equation, operands, known_ops)))
    return [read(var) for var in jaxpr.outvars]


def _results(equation: Any, operands: list[Any], known_ops: Collection[str]) -> list[Any]:
    name = equation.primitive.name
    if name in _CALLS and _CALLS[name] in equation.params:
        inner = equation.params[_CALLS[name]]
        jaxpr, consts = (inner.jaxpr, inner.consts) if hasattr(inner, "consts") else (inner, ())
        return _interpret(jaxpr, consts, operands, known_ops)
    if all(isinstance(operand, _Known) for operand in operands) and not equation.effects:
        return _computed(equation, operands, known_ops)
    return _bound(equation, [_traced(operand) for operand in operands])


def _bound(equation: Any, operands: list[Any]) -> list[Any]:
    params = equation.primitive.get_bind_params(equation.params)
    with equation.ctx.manager:
        results = equation.primitive.bind(*operands, **params)
    return list(results) if equation.primitive.multiple_results else [results]


def _computed(equation: Any, operands: list[_Known], known_ops: Collection[str]) -> list[_Known]:
    (jax,) = need("jax", "jax")
    with jax.ensure_compile_time_eval():
        values = _bound(equation, [operand.value for operand in operands])
    plain = equation.primitive.name in known_ops and all(operand.plain for operand in operands)
    made: list[Any] = []

    def again(at: int) -> Any:
        if not made:
            made.extend(_bound(equation, [operand.traced() for operand in operands]))
        return made[at]

    return [_Known(value, functools.partial(again, at), plain) for at, value in enumerate(values)]
