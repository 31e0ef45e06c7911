"""Functions of JAX and modules of Flax, through jax2onnx.

jax2tf of current versions of JAX writes StableHLO into one op of TensorFlow (XlaCallModule), which tf2onnx cannot read.
jax2onnx reads the ops of JAX itself. It replaces functions of Flax and jax.numpy while it traces, and some of these
replacements refuse arguments that the originals accept; so the function is traced before, without them. Some also stay
after the conversion, and are put back here."""
from __future__ import annotations

import contextlib
import inspect
import pathlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy

from .base import ON_HOST, Converted, check_ops, invalid, need, quiet, renamed, unsupported
from .jax_parts import JaxprSource
from .jax_trace import folded
from .names import name_parameters
from .tensorflow import Spec, _shown, first_line, flat

_OPSET = 23


def caller(module: Any, params: Any = None) -> Callable[..., Any]:
    """A function of the inputs. `params`: of a linen module, or the first argument of a function. InputError for a
    module without its parameters."""
    if _is_linen(module) and getattr(module, "scope", None) is None:
        if params is None:
            raise invalid(f"the Flax module {type(module).__name__} has no parameters of its own",
                          remedy="give the result of module.init() as params")
        variables = params if isinstance(params, Mapping) and "params" in params else {"params": params}
        return lambda *args: module.apply(variables, *args)
    if not callable(module):
        raise invalid(f"a {type(module).__name__} is not a function of JAX", remedy="give a function, or a module of Flax")
    if _is_nnx(module) and params is None:
        return _stateless(module)
    return module if params is None else lambda *args: module(params, *args)


def _stateless(module: Any) -> Callable[..., Any]:
    """Calls a copy of a module of nnx with its present values: counters of random numbers and other states, which the
    call changes, must belong to the trace that changes them."""
    (nnx,) = need("jax", "flax.nnx")
    return lambda *args: nnx.clone(module)(*args)


def _is_linen(module: Any) -> bool:
    return any(base.__module__.startswith("flax.linen") and base.__name__ == "Module" for base in type(module).__mro__)


def _is_nnx(module: Any) -> bool:
    return any(base.__module__.startswith("flax.nnx") and base.__name__ == "Module" for base in type(module).__mro__)


def parameters_of(module: Any, params: Any = None) -> dict[str, Any]:
    """Arrays by path, such as 'params/Dense_0/kernel'."""
    (jax,) = need("jax", "jax")
    tree = params
    if tree is None and _is_linen(module):
        tree = module.variables
    elif tree is None and _is_nnx(module):
        (nnx,) = need("jax", "flax.nnx")
        tree = nnx.to_pure_dict(nnx.state(module, nnx.Variable)) if hasattr(nnx, "to_pure_dict") else nnx.state(module)
    if tree is None:
        return {}
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {"/".join(_key(part) for part in path): leaf for path, leaf in leaves
            if hasattr(leaf, "shape") and not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)}


def with_value(params: Any, name: str, value: Any) -> Any:
    """A copy of a tree of parameters with another value at a path."""
    (jax,) = need("jax", "jax")

    def chosen(path: Any, leaf: Any) -> Any:
        return jax.numpy.asarray(value, leaf.dtype) if "/".join(_key(part) for part in path) == name else leaf
    return jax.tree_util.tree_map_with_path(chosen, params)


def argument_names(module: Any, params: Any = None) -> list[str]:
    """Names of the arguments that are inputs."""
    called = type(module).__call__ if _is_module(module) else module
    try:
        names = [one.name for one in inspect.signature(called).parameters.values()
                 if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return []
    return names[1:] if _is_module(module) or params is not None else names


def _is_module(module: Any) -> bool:
    return any(base.__module__.startswith("flax") for base in type(module).__mro__)


def run(function: Callable[..., Any], values: Sequence[Any]) -> list[Any]:
    """Outputs in order, computed by JAX."""
    (jax,) = need("jax", "jax")
    return [value for _, value in flat(function(*[jax.numpy.asarray(value) for value in values]))]


def _key(part: Any) -> str:
    for attribute in ("key", "name", "idx"):
        if hasattr(part, attribute):
            return str(getattr(part, attribute))
    return str(part)


def convert(module: Any, specs: Sequence[Spec], params: Any = None) -> Converted:
    """Converts for inputs of these shapes and types. InputError for inputs that the function does not accept,
    UnsupportedError for ops without a form in ONNX."""
    closed, given, names = _traced(module, specs, params)
    proto = _to_onnx(folded(closed, _known_ops()), given)
    name_parameters(proto, {name: numpy.asarray(value) for name, value in parameters_of(module, params).items()})
    keyed = all(names) and len(set(names)) == len(names)
    outputs = list(names) if keyed else [f"output_{k}" for k in range(len(names))] if len(names) > 1 else ["output"]
    return renamed(proto, [f"input_{k}" for k in range(len(specs))], outputs)


def source(module: Any, specs: Sequence[Spec], params: Any = None) -> JaxprSource:
    """The traced function as a list of ops."""
    closed, given, _ = _traced(module, specs, params)
    (jax,) = need("jax", "jax")
    return JaxprSource(jax.make_jaxpr(folded(closed, _known_ops()))(*given), _to_onnx, _known_ops())


def _traced(module: Any, specs: Sequence[Spec], params: Any) -> tuple[Any, list[Any], list[str]]:
    """The traced function, shapes of its inputs, and names of its outputs."""
    (jax,) = need("jax", "jax")
    call = caller(module, params)
    names: list[str] = []

    def traced(*args: Any) -> list[Any]:
        pairs = flat(call(*args))
        names[:] = [name for name, _ in pairs]
        return [value for _, value in pairs]

    given = [jax.ShapeDtypeStruct(tuple(size or 1 for size in shape), numpy.dtype(kind)) for shape, kind in specs]
    try:
        return jax.make_jaxpr(traced)(*given), given, names
    except Exception as error:
        raise invalid(f"JAX cannot trace the function for inputs {_shown(specs)}: {first_line(error)}",
                      remedy="push inputs that the function accepts, one tensor for each argument") from error


def _known_ops() -> set[str]:
    """Names of ops with a form in ONNX."""
    (plugins,) = need("jax", "jax2onnx.plugins.plugin_system")
    with quiet(), _kept_functions():
        if not plugins._already_imported_plugins:
            # the handlers of JAX's own ops: a traced function has no others, and those of other libraries import them for
            # ten seconds
            plugins._import_tree(pathlib.Path(plugins.__file__).parent / "jax", "jax2onnx.plugins.jax")
            plugins._already_imported_plugins = True
    return set(plugins.PLUGIN_REGISTRY)


def _to_onnx(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    (jax2onnx,) = need("jax", "jax2onnx")
    with quiet(), _kept_functions():
        try:
            proto = jax2onnx.to_onnx(function, list(given), return_mode="proto", opset=_OPSET)
        except Exception as error:
            raise unsupported(f"the converter to ONNX has no form of an op of JAX: {first_line(error)}", remedy=ON_HOST) from error
    check_ops(proto, "", "JAX")
    return proto


@contextlib.contextmanager
def _kept_functions() -> Iterator[None]:
    """Puts back what a block replaces in the public modules of JAX and Flax."""
    modules = need("jax", "jax", "jax.numpy", "jax.nn", "jax.lax", "jax.numpy.linalg", "jax.image", "jax.random") + [
        module for name in ("flax.linen", "flax.nnx") if (module := sys.modules.get(name)) is not None]
    before = [dict(vars(module)) for module in modules]
    try:
        yield
    finally:
        for module, known in zip(modules, before):
            for name, value in known.items():
                if vars(module).get(name) is not value:
                    setattr(module, name, value)
