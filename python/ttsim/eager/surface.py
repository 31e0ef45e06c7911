"""Callables of the packages on top: an op of the table with the keywords that all ops have."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .._ttsim import InputError
from .config import observe
from .device import Device
from .dtypes import DataType, Layout
from .launch import Given, run, split
from .memory import DRAM, MemoryConfig, placed
from .table import OpDef, all_ops, ops_named
from .tensor import EagerTensor, as_elements, check_layout, host_form, memory_error, spec_of

# keywords of all ops; those that choose how the vendor's library computes an op have no effect
_MEMORY = ("memory_config", "output_mem_config", "output_memory_config")
_DTYPE = ("dtype", "output_dtype")
_OUTPUT = ("output_tensor", "optional_output_tensor", "output")
_WITHOUT_EFFECT = frozenset(("queue_id", "cq_id", "program_config", "core_grid", "use_multicore", "sub_core_grids",
                             "compute_with_storage_grid_size", "use_legacy", "num_links", "global_cb", "sub_device_id",
                             "output_tile", "optional_output_tensors", "fast_and_approximate_mode", "parallel_config",
                             "num_out_blocks", "subtract_max", "vector_mode", "approximation_mode"))

# activations of operands, before the op
_OPERAND_ACTIVATIONS = (("input_tensor_a_activations", "lhs_activations"), ("input_tensor_b_activations", "rhs_activations"))
_LAYOUT = ("output_layout",)


def _taken(kwargs: dict[str, Any], names: tuple[str, ...], own: set[str]) -> Any:
    for name in names:
        if name in kwargs and name not in own:
            return kwargs.pop(name)
    return None


def near(name: str, names: Any) -> str:
    """Known names like this one, for a message."""
    import difflib
    found = difflib.get_close_matches(name, list(names), 3)
    return f"; did you mean {', '.join(found)}?" if found else ""


class Operation:
    """An op of a package. Besides the op's own arguments it takes memory_config, dtype, output_tensor and
    compute_kernel_config; keywords that choose the vendor's kernels are accepted and have no effect."""

    def __init__(self, op: OpDef, module: str, name: str, in_place: bool = False,
                 before: Callable[[str, list[EagerTensor]], list[EagerTensor]] | None = None) -> None:
        self.op, self.in_place, self._before = op, in_place, before
        self._golden: Callable[..., Any] | None = None
        self.__module__ = module
        self.__name__ = self.__qualname__ = name
        self.__doc__ = op.doc
        self.__signature__ = op.signature
        self.who = f"{module}.{name}"
        self._own = set(op.signature.parameters)

    @property
    def golden_function(self) -> Callable[..., Any]:
        """The op in torch; it may be set."""
        return self._golden or self.op.function

    @golden_function.setter
    def golden_function(self, function: Callable[..., Any]) -> None:
        self._golden = function

    def __repr__(self) -> str:
        return f"<function {self.who}>"

    def __reduce__(self) -> Any:
        import operator
        import sys
        return operator.attrgetter(self.__qualname__), (sys.modules[self.__module__],)

    def __deepcopy__(self, memo: Any) -> Operation:
        return self

    def __call__(self, *args: Any, layout: Layout | None = None, **kwargs: Any) -> Any:
        own = self._own
        if layout is not None and "layout" in own:
            kwargs["layout"] = layout
        memory = _taken(kwargs, _MEMORY, own)
        dtype = _taken(kwargs, _DTYPE, own)
        output = _taken(kwargs, _OUTPUT, own)
        layout = layout or _taken(kwargs, _LAYOUT, own)
        in_place = bool(_taken(kwargs, ("inplace",), own)) or self.in_place
        before = [_taken(kwargs, names, own) for names in _OPERAND_ACTIVATIONS]
        kernel = kwargs.pop("compute_kernel_config", None)
        fused = getattr(kwargs.get("program_config"), "fused_activation", None)
        if fused is not None and "activation" in own and kwargs.get("activation") is None:
            kwargs["activation"] = str(fused[0] if isinstance(fused, (tuple, list)) else fused)
        for name in _WITHOUT_EFFECT & set(kwargs) - own:
            del kwargs[name]
        if memory is not None and not isinstance(memory, MemoryConfig):
            raise TypeError(f"{self.who}: memory_config is a MemoryConfig, not {type(memory).__name__}")
        if dtype is not None and not isinstance(dtype, DataType):
            raise TypeError(f"{self.who}: dtype is a DataType such as bfloat16, not {type(dtype).__name__}")
        if "input" in kwargs and "input" not in own:
            kwargs[next(iter(self.op.signature.parameters))] = kwargs.pop("input")
        try:
            bound = self.op.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.who}: {error}; it is {self.__name__}{self.op.signature}") from None
        if any(before):
            bound = self._with_activations(bound, before)
        tensors: list[EagerTensor] = []
        template = (split(bound.args, tensors, self.who), split(bound.kwargs, tensors, self.who))
        if not tensors:
            shown = ", ".join(type(one).__name__ for one in (*bound.args, *bound.kwargs.values()))
            raise TypeError(f"{self.who}: no operand is a tensor (got {shown})")
        if self._before is not None:
            tensors = self._before(self.who, tensors)
        fidelity = getattr(getattr(kernel, "math_fidelity", None), "name", "")
        made = run(Given(self.op, self.who, template, tensors, memory, dtype, layout, fidelity, self._golden))
        if in_place:
            return _replace(tensors[0], made, self.who)
        return made if output is None else _replace(output, made, self.who)

    def _with_activations(self, bound: inspect.BoundArguments, activations: list[Any]) -> inspect.BoundArguments:
        """The arguments with activations of the first two of them: ops of the table by name, one after the other."""
        for name, given in zip(list(bound.arguments), activations):
            for one in given or ():
                if str(one) not in all_ops():
                    raise ValueError(f"{self.who}: there is no activation '{one}'{near(str(one), all_ops())}")
                bound.arguments[name] = call(str(one), self.who, bound.arguments[name])
        return bound


def _replace(target: Any, made: Any, who: str) -> Any:
    """Gives the memory of a result to a tensor."""
    if not isinstance(target, EagerTensor):
        raise TypeError(f"{who}: the output tensor is a {type(target).__name__}")
    if tuple(target._shape) != tuple(made._shape):
        raise ValueError(f"{who}: the output tensor has the shape {list(target._shape)}, the result {list(made._shape)}")
    if target._dtype is not made._dtype:
        raise ValueError(f"{who}: the output tensor is {target._dtype}, the result {made._dtype}")
    observe("replaced", who, (target, made))
    target.take_memory(made)
    return target.held_again()


def call(name: str, who: str, *args: Any, memory: MemoryConfig | None = None, dtype: DataType | None = None,
         layout: Layout | None = None, **kwargs: Any) -> Any:
    """Runs an op of the table from code of a package."""
    op = ops_named(name)
    tensors: list[EagerTensor] = []
    template = (split(tuple(args), tensors, who), split(kwargs, tensors, who))
    return run(Given(op, who, template, tensors, memory, dtype, layout))


def create(name: str, who: str, make: type[EagerTensor], *args: Any, dtype: DataType, layout: Layout,
           device: Device | None, memory: MemoryConfig | None = None, **kwargs: Any) -> Any:
    """Makes a tensor with an op of the table that has no operands: on the device, in the time of writing it there."""
    values = ops_named(name).function(*args, **kwargs)
    check_layout(who, dtype, layout, values.shape)
    if 0 in values.shape:
        raise ValueError(f"{who}: the shape {list(values.shape)} has no elements")
    held = host_form(values, dtype)
    if device is None:
        return make(values.shape, dtype, layout, host=held)
    with device.lock:
        memory = placed(who, memory or DRAM, values.shape, layout is Layout.TILE, device.grid)
        try:
            buffer = device.open_session(who).move([], spec_of(device, values.shape, dtype, layout, memory), as_elements(held, dtype))
        except InputError as error:
            raise memory_error(who, error) from error
        tensor: EagerTensor = make(values.shape, dtype, layout, device=device, buffer=buffer, memory=memory)
        device.record(who, "move", None, (), ((tensor.number, tensor._shape, dtype, layout, memory),), tensor.page_bytes())
    observe("created", who, (tensor, lambda: create(name, who, make, *args, dtype=dtype, layout=layout, device=device,
                                                    memory=memory, **kwargs)))
    return tensor


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function."""
    return inspect.signature(function)
