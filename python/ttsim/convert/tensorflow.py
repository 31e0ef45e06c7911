"""Models of TensorFlow in memory: Keras models and layers, tf.Module, functions and signatures of SavedModels."""
from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from .base import OPSET, Converted, check_ops, invalid, need, renamed, silenced
from .names import name_parameters
from .side_effects import nodes_of
from .tf_branches import choose_results
from .tf_ops import HANDLERS

Spec = tuple[tuple[int | None, ...], str]  # shape, name of the numpy type


def variables_of(model: Any) -> dict[str, Any]:
    """Variables by name: the path of Keras, such as 'sequential/dense/kernel', or the name of tf.Variable."""
    found: dict[str, Any] = {}
    for variable in getattr(model, "variables", None) or ():
        name = str(getattr(variable, "path", None) or variable.name).removesuffix(":0")
        kept, count = name, 1
        while kept in found:
            kept, count = f"{name}_{count}", count + 1
        found[kept] = variable
    return found


def is_signature(model: Any) -> bool:
    """Whether a model is a concrete function, such as a signature of a SavedModel."""
    return hasattr(model, "structured_input_signature") and hasattr(model, "captured_inputs")


def callable_of(model: Any, signature: str | None = None) -> Any:
    """What to call: the model, or the signature of a loaded SavedModel. InputError without one."""
    signatures = getattr(model, "signatures", None)
    if isinstance(signatures, Mapping) and (signature is not None or not callable(model)):
        known = ", ".join(signatures) or "none"
        if signature is None:
            if len(signatures) == 1:
                return next(iter(signatures.values()))
            signature = "serving_default"
            if signature not in signatures:
                raise invalid(f"the SavedModel has no default among its signatures ({known})",
                              remedy="choose one by its name, or save the model with signatures=")
        if signature not in signatures:
            raise invalid(f"the SavedModel has no signature '{signature}'", remedy=f"its signatures are {known}",
                          code="unknown-name")
        return signatures[signature]
    if not callable(model):
        raise invalid(f"a {type(model).__name__} is not a model of TensorFlow", remedy="give a Keras model or layer, a "
                      "tf.Module, a tf.function or a signature of a SavedModel")
    return model


def declared_inputs(model: Any) -> list[tuple[str, tuple[int | None, ...], str]] | None:
    """Names, shapes and types of inputs in the model's order; None if they follow from the call."""
    if is_signature(model):
        specs = model.structured_input_signature
        if specs is None:  # a graph, whose inputs have an order only
            captured = {id(tensor) for _, tensor in model.graph.captures}
            return [(value.name.split(":")[0], _dims(value.shape), value.dtype.name) for value in model.inputs
                    if id(value) not in captured]
        named = [(name, spec) for name, spec in specs[1].items() if hasattr(spec, "shape")]
        plain = [(getattr(spec, "name", None) or f"input_{k}", spec) for k, spec in enumerate(specs[0]) if hasattr(spec, "shape")]
        return [(name, _dims(spec.shape), spec.dtype.name) for name, spec in plain + named]
    inputs = getattr(model, "inputs", None)
    if isinstance(inputs, (list, tuple)) and inputs and hasattr(inputs[0], "shape"):
        return [(value.name.split(":")[0], _dims(value.shape), str(getattr(value.dtype, "name", value.dtype)))
                for value in inputs]
    given = getattr(model, "input_signature", None) or getattr(model.__call__, "input_signature", None)
    if given:
        return [(spec.name or f"input_{k}", _dims(spec.shape), spec.dtype.name) for k, spec in enumerate(given)]
    return None


def _dims(shape: Any) -> tuple[int | None, ...]:
    return tuple(shape) if not hasattr(shape, "as_list") else tuple(shape.as_list())


def caller(model: Any) -> Any:
    """A function of the inputs in order, that calls the model as it is called in TensorFlow."""
    if is_signature(model):
        if model.structured_input_signature is None:
            return model
        names = [name for name, _, _ in declared_inputs(model) or []]
        positional = len(model.structured_input_signature[0])

        def call_signature(*args: Any) -> Any:
            return model(*args[:positional], **dict(zip(names[positional:], args[positional:])))
        return call_signature
    inference = _inference_keywords(model)
    if isinstance(getattr(model, "inputs", None), (list, tuple)) and getattr(model, "inputs", None):
        places = _places_by_key(model)
        if places:
            return lambda *args: model({key: args[place] for key, place in places.items()}, **inference)
        return lambda *args: model(args[0] if len(args) == 1 else list(args), **inference)
    return lambda *args: model(*arguments(model, args), **inference)


def _places_by_key(model: Any) -> dict[Any, int]:
    """Of a Keras model that takes a dictionary: the place of each key's tensor among its inputs; else {}."""
    keyed = getattr(model, "_inputs_struct", None)
    if not isinstance(keyed, Mapping):
        return {}
    places = {id(value): place for place, value in enumerate(model.inputs)}
    return {key: places[id(value)] for key, value in keyed.items()} if all(id(value) in places for value in keyed.values()) else {}


def arguments(model: Any, values: Sequence[Any]) -> list[Any]:
    """The values one by one if the model takes as many, else as one list."""
    called = getattr(model, "call", None) or getattr(model, "python_function", None) or model
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        return list(values)
    for way in (list(values), [list(values)]):
        try:
            signature.bind(*way)
        except TypeError:
            continue
        places = [one for one in signature.parameters.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
                  and one.name not in ("training", "mask")]
        open_ended = any(one.kind == one.VAR_POSITIONAL for one in signature.parameters.values())
        if open_ended or len(way) <= len(places):
            return way
    return list(values)


def argument_names(model: Any) -> list[str]:
    """Names of the arguments that are tensors."""
    called = getattr(model, "call", None) or getattr(model, "python_function", None) or model
    try:
        return [one.name for one in inspect.signature(called).parameters.values()
                if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.name not in ("training", "mask")]
    except (TypeError, ValueError):
        return []


class Keyed:
    """A model whose only argument is a dictionary, as a function of its values, in the order of `names`."""

    def __init__(self, model: Any, names: Sequence[str]) -> None:
        self.model, self.names = model, list(names)

    @property
    def variables(self) -> Any:
        """Of the model."""
        return self.model.variables

    def __call__(self, *values: Any) -> Any:
        return self.model(dict(zip(self.names, values)), **_inference_keywords(self.model))


def run(model: Any, values: Sequence[Any]) -> list[Any]:
    """Outputs in order, computed by TensorFlow."""
    (tf,) = need("tensorflow", "tensorflow")
    return [value for _, value in flat(caller(model)(*[tf.convert_to_tensor(value) for value in values]))]


def _inference_keywords(model: Any) -> dict[str, Any]:
    try:
        takes = "training" in inspect.signature(getattr(model, "call", None) or model).parameters
    except (TypeError, ValueError):
        return {}
    return {"training": False} if takes or hasattr(model, "layers") else {}


def flat(outputs: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Names and tensors of nested outputs in their own order, without None. Names are keys, or ''."""
    if outputs is None:
        return []
    if isinstance(outputs, Mapping):
        return [pair for key, value in outputs.items() for pair in flat(value, f"{prefix}{key}")]
    if isinstance(outputs, (list, tuple)):
        return [pair for value in outputs for pair in flat(value, prefix)]
    return [(prefix, outputs)]


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A GraphDef without variables. `inputs` and `outputs`: tensors; `names`: of the outputs in the model, or ''."""
    graph: Any
    inputs: list[str]
    outputs: list[str]
    names: list[str]


def frozen(model: Any, specs: Sequence[Spec], file: str = "") -> Frozen:
    """The graph of a model for inputs of these shapes and types; types that the model declares win. InputError for a
    model that cannot be called with them."""
    tf, freezer = need("tensorflow", "tensorflow", "tensorflow.python.framework.convert_to_constants")
    call, declared = caller(model), declared_inputs(model)
    if declared is not None and len(declared) != len(specs):
        raise invalid(f"the model has {len(declared)} inputs ({', '.join(name for name, _, _ in declared)}), and "
                      f"{len(specs)} were given", file, "give one tensor for each, in this order")
    types = [kind for _, _, kind in declared] if declared is not None else [kind for _, kind in specs]
    wanted = [tf.TensorSpec(shape, _type(tf, kind), name=f"input_{k}") for k, ((shape, _), kind) in
              enumerate(zip(specs, types))]
    names: list[str] = []

    def traced(*args: Any) -> Any:
        pairs = flat(call(*args))
        names[:] = [name for name, _ in pairs]
        return [tf.identity(value) for _, value in pairs]

    function = tf.function(traced, input_signature=wanted, autograph=True)
    with silenced():
        try:
            traced_function = function.get_concrete_function()
        except Exception as error:
            raise invalid(f"TensorFlow cannot trace the model for inputs {_shown(specs)}: {first_line(error)}", file,
                          "push inputs of the shapes that the model has in TensorFlow") from error
        made = freezer.convert_variables_to_constants_v2(traced_function, lower_control_flow=False, aggressive_inlining=True)
    graph = made.graph.as_graph_def(add_shapes=True)
    choose_results(graph)
    return Frozen(graph, [tensor.name for tensor in made.inputs[:len(specs)]],
                  [tensor.name for tensor in made.outputs], names)


def convert(model: Any, specs: Sequence[Spec], file: str = "") -> Converted:
    """Converts what frozen() returns. UnsupportedError for ops without a form in ONNX."""
    whole, declared = frozen(model, specs, file), declared_inputs(model)
    proto = onnx_of(whole.graph, whole.inputs, whole.outputs, file)
    values = {name: numpy.asarray(variable) for name, variable in variables_of(model).items()}
    name_parameters(proto, values)
    inputs = [name for name, _, _ in declared] if declared is not None else [f"input_{k}" for k in range(len(specs))]
    return renamed(proto, inputs, _output_names(model, whole.names))


def onnx_of(graph: Any, inputs: Sequence[str], outputs: Sequence[str], file: str) -> Any:
    """The ModelProto of a frozen GraphDef. InputError for a graph that TensorFlow cannot read; UnsupportedError for ops
    without a form in ONNX."""
    (tf2onnx,) = need("tensorflow", "tf2onnx.convert")
    for part in [*graph.library.function, *nodes_of(graph)]:  # functions for XLA are inlined as others are
        for name in ("_noinline", "_XlaMustCompile"):
            part.attr.pop(name, None)
    with silenced():
        try:
            proto, _ = tf2onnx.from_graph_def(graph, input_names=list(inputs), output_names=list(outputs), opset=OPSET,
                                              custom_op_handlers=HANDLERS)
        except Exception as error:
            raise invalid(f"the converter to ONNX cannot read the graph: {first_line(error)}", file,
                          "check that all its nodes are of this version of TensorFlow") from error
    check_ops(proto, file)
    return proto


def _output_names(model: Any, keys: Sequence[str]) -> list[str]:
    if all(keys) and len(set(keys)) == len(keys):
        return list(keys)
    own = getattr(model, "output_names", None)
    if isinstance(own, (list, tuple)) and len(own) == len(keys) and len(set(own)) == len(own):
        return [str(name) for name in own]
    return [f"output_{k}" for k in range(len(keys))] if len(keys) > 1 else ["output"]


def _type(tf: Any, name: str) -> Any:
    return tf.dtypes.as_dtype(name)


def _shown(specs: Sequence[Spec]) -> str:
    return ", ".join(f"{kind}{list(shape)}" for shape, kind in specs)


def first_line(error: Exception) -> str:
    """The part of a framework's message that says what is wrong."""
    text = re.sub(r"\x1b\[\d*m", "", str(error))  # colours of Keras
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [at for at, line in enumerate(lines) if re.match(r"[A-Za-z]*(Error|Exception)\b.*:", line)]
    if named:  # after the places in the program
        lines = lines[named[0]:]
    if len(lines) > 1 and "Exception encountered when calling" in lines[0]:
        lines = lines[1:]
    lines = [line for line in lines if not line.startswith(("File ", "in user code", "Traceback", "{{", "*", "^"))]
    return (lines[-1] if lines and len(lines[0]) < 20 else lines[0])[:300] if lines else type(error).__name__
