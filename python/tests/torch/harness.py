"""One ATen op through its conversion, the compiler and the simulated chip, beside torch."""
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import ttsim
from draws import Draw, Known
from hypothesis import strategies as st
from ttsim.torch.lowering import Sources, lower


@dataclass
class Case:
    """`make`: Draw -> arguments of the op, or (arguments, keywords). `exact16`: its results are no further from torch's
    than rounding in 16 bits explains; not where a rounded value is compared or cut off. `size`: of what is rounded on the
    way to the result, of the op's arguments, where that may be larger than the result. `refuses`: texts of refusals
    that random arguments may meet. `results`: which of several results are computed."""
    target: object
    make: Callable
    exact16: bool = True
    size: Callable | None = None
    refuses: tuple[str, ...] = ()
    results: tuple[int, ...] | None = None
    name: str = ""

    def arguments(self):
        def make(draw):
            given = self.make(Draw(draw))
            return given if len(given) == 2 and isinstance(given[1], dict) else (given, {})
        return st.composite(make)()


CASES: list[Case] = []


def case(*targets, **keywords):
    """Puts a function Draw -> arguments into the list, for these ops."""
    def put(make):
        for target in targets:
            CASES.append(Case(target, make, name=f"{str(target).removeprefix('aten.')}-{make.__name__}", **keywords))
        return make
    return put


@dataclass
class Setting:
    """`relative`: what an error may be, as a part of the largest result (at least 1), or of the case's size."""
    compile: dict
    run: dict
    relative: float


EXACT = Setting({"format": "Float32"}, {"engine": "functional", "numerics": "float32"}, 1e-4)
# 8 bits: each step rounds by up to 2^-8 of an element, functions of the chip by a little more, over a handful of steps
FLOAT16_B = Setting({"format": "Float16_b"}, {"engine": "functional"}, 0.03)
# 7 bits with the exponent of the largest of 16
BFP8_B = Setting({"format": "Bfp8_b"}, {"engine": "functional"}, 0.06)


COMPILER = "the compiler"  # what it has no room for is refused there, for any op


@dataclass
class Outcome:
    refused: str | None = None
    wrong: list[str] = field(default_factory=list)


def _graph(target, arguments, keywords):
    """The op alone, as the importer sees it: nodes with values, inputs, what is known, results."""
    graph, known, inputs = torch.fx.Graph(), {}, {}

    def placed(value):
        if not isinstance(value, torch.Tensor):
            return value
        node = graph.placeholder(f"x{len(known) + len(inputs)}")
        plain = value.as_subclass(torch.Tensor)
        node.meta["val"] = plain
        (known if isinstance(value, Known) else inputs)[node] = plain
        return node
    args = torch.utils._pytree.tree_map(placed, tuple(arguments))
    kwargs = torch.utils._pytree.tree_map(placed, keywords)
    node = graph.call_function(target, args, kwargs)
    plain = torch.utils._pytree.tree_map(
        lambda value: value.as_subclass(torch.Tensor).clone() if isinstance(value, torch.Tensor) else value,
        (tuple(arguments), keywords))
    node.meta["val"] = target(*plain[0], **plain[1])
    ops = [node]
    if not isinstance(node.meta["val"], torch.Tensor):
        for k, value in enumerate(node.meta["val"]):
            one = graph.call_function(operator.getitem, (node, k))
            one.meta["val"] = value
            ops.append(one)
    return ops, inputs, known


def outcome(one: Case, arguments, keywords, setting: Setting) -> Outcome:
    """How the op's results differ from torch's."""
    ops, inputs, known = _graph(one.target, arguments, keywords)
    results = ops if len(ops) == 1 else [op for k, op in enumerate(ops[1:]) if one.results is None or k in one.results]
    ops = ops[:1] + [op for op in results if op is not ops[0]]
    lowered = lower(ops, Sources({node: node.name for node in inputs}, {}, known), {op: op.name for op in results})
    if lowered.refusals:
        return Outcome(refused="; ".join(lowered.refusals.values()))
    try:
        compiled = ttsim.compile(lowered.graph, **setting.compile)
    except ttsim.UnsupportedError as refusal:
        return Outcome(refused=f"{COMPILER}: {re.sub('[0-9]+', 'N', str(refusal).split(';')[0])}")
    least = max(1, one.size(*arguments, **keywords)) if one.size else 1
    given = dict(zip(lowered.names, (inputs[node] for node in lowered.inputs), strict=True))
    made = ttsim.Model(compiled, **setting.run).run(given)
    wrong = []
    for op in results:
        wanted, got = op.meta["val"], torch.as_tensor(made[op.name])
        if got.shape != wanted.shape:
            wrong.append(f"{op.name} is {list(got.shape)}, not {list(wanted.shape)}")
        elif wanted.dtype.is_floating_point:
            error, largest = _difference(got, wanted)
            if not error <= setting.relative * max(largest, least):
                wrong.append(f"{op.name} is off by {error}; the largest is {largest}")
        elif (got.to(wanted.dtype) != wanted).any():
            wrong.append(f"{int((got.to(wanted.dtype) != wanted).sum())} of {op.name}'s integers differ")
    return Outcome(wrong=wrong)


def _difference(got, wanted):
    if wanted.numel() == 0:
        return 0.0, 0.0
    got, wanted = got.double(), wanted.double()
    return (got - wanted).abs().max().item(), wanted.abs().max().item()


def allowed(one: Case, refusal: str) -> bool:
    return refusal.startswith(COMPILER) or any(re.search(text, refusal) for text in one.refuses)
