"""Runs an op of the table on tensors: finds or makes its program, launches it, and records it."""
from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .._ttsim import BufferSpec, InputError
from .config import CONFIG, observe
from .device import Device
from .dtypes import DataType, Layout
from .memory import DRAM, MemoryConfig, placed
from .programs import Call, Program, Slot, build, filled, result_types, results_of
from .table import OpDef
from .tensor import (TILE, EagerTensor, Shape, as_elements, check_layout, from_elements, host_form, memory_error, padded,
                     spec_of, warn_once)

_UNHASHABLE = (list, dict, set)


@dataclass
class Given:
    """A call: the op, its arguments with slots for tensors, the tensors, and where results go."""
    op: OpDef
    who: str  # the name in messages
    template: Any
    tensors: list[EagerTensor]
    memory: MemoryConfig | None = None
    dtype: DataType | None = None
    layout: Layout | None = None
    fidelity: str = ""
    golden: Callable[..., Any] | None = None  # None: the op's function

    @property
    def call(self) -> Call:
        whole = not self.dtype.is_float if self.dtype is not None else \
            bool(self.tensors) and not any(tensor._dtype.is_float for tensor in self.tensors)
        return Call(self.op.function, self.template, torch.int32 if whole else torch.float32)


def frozen(value: Any) -> Any:
    """A hashable form of arguments."""
    if isinstance(value, (list, tuple)):
        return tuple(frozen(one) for one in value)
    if isinstance(value, dict):
        return tuple((key, frozen(one)) for key, one in value.items())
    if isinstance(value, float):
        return "float", repr(value)  # 0.0 and -0.0 differ
    return (type(value).__name__, value) if isinstance(value, (bool, int)) else value


def split(value: Any, tensors: list[EagerTensor], who: str) -> Any:
    """Arguments with slots in place of tensors, which are added to the list. TypeError for tensors of torch."""
    if isinstance(value, EagerTensor):
        tensors.append(value)
        return Slot(len(tensors) - 1)
    if isinstance(value, torch.Tensor):
        raise TypeError(f"{who}: got a torch tensor of {list(value.shape)}; convert it with from_torch(x, "
                        "layout=TILE_LAYOUT, device=device)")
    if isinstance(value, (list, tuple)):
        return type(value)(split(one, tensors, who) for one in value) if type(value) in (list, tuple) else \
            tuple(split(one, tensors, who) for one in value)
    if isinstance(value, dict):
        return {key: split(one, tensors, who) for key, one in value.items()}
    return value


def run(given: Given) -> Any:
    """Results of a call: one tensor or a tuple, of the class of its first tensor. RuntimeError for tensors on the host,
    on several or closed devices, or deallocated; ValueError and TypeError for shapes and values that do not fit."""
    device = device_of(given)
    observe("begin", given.who, given.tensors)
    observe("run", given.who, given)
    if device is None:
        made = _on_host(given)
    else:
        try:
            with device.lock:
                made = _on_device(given, device)
        except InputError as error:
            raise memory_error(given.who, error) from error
    observe("ran", given.who, (given, made))
    observe("end", given.who, made)
    if CONFIG.enable_comparison_mode:
        compare(given, made)
    return made


def device_of(given: Given) -> Device | None:
    """The device of the tensors; None: they are on the host, and the op moves data only."""
    first: EagerTensor | None = None
    hosted: EagerTensor | None = None
    for tensor in given.tensors:
        if tensor.on_device:
            tensor.buffer_of(given.who)
            if first is not None and tensor._device is not first._device:
                raise RuntimeError(f"{given.who}: {first.summary()} and {tensor.summary()} are on different devices")
            first = tensor if first is None else first
        else:
            tensor.host_values(given.who)
            hosted = tensor if hosted is None else hosted
    if first is None and given.op.kind == "move":
        return None
    if hosted is not None:
        raise RuntimeError(f"{given.who}: {hosted.summary()} is on the host, and the op runs on a device; move it with "
                           "to_device(x, device)")
    assert first is not None
    if given.op.layouts != "any":
        for tensor in given.tensors if given.op.layouts == "tile" else given.tensors[:1]:
            if tensor._layout is not Layout.TILE:
                raise RuntimeError(f"{given.who}: {tensor.summary()} is in ROW_MAJOR layout, and the op takes TILE "
                                   "layout; convert it with to_layout(x, TILE_LAYOUT)")
    return first._device


def _key(given: Given) -> Any:
    return (given.op.name, frozen(given.template), tuple(tensor.key for tensor in given.tensors), given.memory,
            given.dtype, given.layout, given.fidelity)


def _failed(given: Given, error: Exception) -> Exception:
    shown = ", ".join(f"{tensor._dtype.name.lower()}{list(tensor._shape)}" for tensor in given.tensors)
    kind: type[Exception] = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{given.who}: got {shown}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")


def _plan(given: Given, device: Device) -> Program:
    """The program of a call, from the cache or new."""
    try:
        key = _key(given)
        program = device.programs.get(key)
    except TypeError:
        key, program = None, None
    if program is not None:
        device.hits += 1
        return program
    device.misses += 1
    call = given.call
    shapes = [tuple(tensor._shape) for tensor in given.tensors]
    dtypes = [tensor._dtype for tensor in given.tensors]
    try:
        results = results_of(call, shapes, dtypes)
    except (RuntimeError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise _failed(given, error) from None
    types = result_types(results, dtypes, given.dtype, given.op.integer)
    made = Program(given.who, "move" if given.op.kind == "move" else "host", [tuple(one.shape) for one in results], types,
                   call.single)
    if any(math.prod(shape) == 0 for shape in made.shapes):
        raise ValueError(f"{given.who}: the result {made.shapes} has no elements")
    layout = _layout(given)
    for shape, dtype in zip(made.shapes, made.dtypes, strict=True):
        check_layout(given.who, dtype, layout, shape)
    made.memories = [placed(given.who, given.memory or DRAM, shape, layout is Layout.TILE, device.grid) for shape in made.shapes]
    if given.op.kind == "chip":
        made.specs = _specs(device, made, Layout.TILE)
        operands = [spec_of(device, tensor._shape, tensor._dtype, Layout.TILE, tensor._memory) for tensor in given.tensors]
        build(given.who, device, call, operands, dtypes, made, given.fidelity)
    elif given.op.kind == "host":
        made.reason = "it is an op of the host"
    if made.kind != "chip":
        made.specs = _specs(device, made, layout)
    if key is not None and device.cache_enabled:
        device.programs[key] = made
    return made


def _specs(device: Device, program: Program, layout: Layout) -> list[BufferSpec]:
    return [spec_of(device, shape, dtype, layout, memory)
            for shape, dtype, memory in zip(program.shapes, program.dtypes, program.memories, strict=True)]


def _layout(given: Given) -> Layout:
    return given.layout or (given.tensors[0]._layout if given.tensors else Layout.TILE)


def _on_device(given: Given, device: Device) -> Any:
    program = _plan(given, device)
    session = device.open_session(given.who)
    layout = _layout(given)
    make = type(given.tensors[0])
    size = sum(tensor.page_bytes() for tensor in given.tensors)
    if program.kind == "chip":
        assert program.number is not None
        buffers, temporary = _tilized(given, device, program)
        try:
            made = session.launch(program.number, buffers, program.specs)
        finally:
            for one in temporary:
                session.free(one)
        kind = "chip"
    elif program.kind == "move":
        view = _viewed(given, program, layout)
        if view is not None:
            return view
        values = _values(given, program, [tensor.peek(given.who) for tensor in given.tensors])
        made = [session.move([tensor.buffer_of(given.who) for tensor in given.tensors], spec, as_elements(one, dtype))
                for one, spec, dtype in zip(values, program.specs, program.dtypes, strict=True)]
        kind = "move"
    else:
        made = _fallback(given, program, device)
        kind = "host"
    if kind == "chip" and layout is not Layout.TILE:
        made = _untilized(device, program, made, given.who)
    tensors = [make(shape, dtype, layout, device=device, buffer=buffer, memory=memory)
               for shape, dtype, buffer, memory in zip(program.shapes, program.dtypes, made, program.memories, strict=True)]
    if kind != "host":
        device.record(given.who, kind, program if kind == "chip" else None, tuple(_described(one) for one in given.tensors),
                      tuple(_described(one) for one in tensors), size + sum(tensor.page_bytes() for tensor in tensors))
    observe("allocate", given.who, tensors)
    return tensors[0] if program.single else tuple(tensors)


def _described(tensor: EagerTensor) -> tuple[Any, ...]:
    """What reports show of a tensor."""
    return tensor.number, tensor._shape, tensor._dtype, tensor._layout, tensor._memory


def _values(given: Given, program: Program, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The results of the function in torch."""
    args, kwargs = filled(given.template, list(tensors))
    with torch.no_grad():
        made = given.op.function(*args, **kwargs)
    results = [made] if program.single else list(made)
    return [host_form(one, dtype) for one, dtype in zip(results, program.dtypes, strict=True)]


def _tilized(given: Given, device: Device, program: Program) -> tuple[list[int], list[int]]:
    """Buffers in tiles for the program's inputs; those of row-major operands are temporary."""
    buffers, temporary = [], []
    session = device.open_session(given.who)
    for index in program.order:
        tensor = given.tensors[index]
        buffer = tensor._buffer
        assert buffer is not None
        if tensor._layout is not Layout.TILE:
            spec = spec_of(device, tensor._shape, tensor._dtype, Layout.TILE, tensor._memory)
            buffer = session.move([buffer], spec, session.peek(buffer))
            device.record("tilize", "move", None, (_described(tensor),), (), 2 * tensor.page_bytes())
            device.hidden.tilize += 1
            temporary.append(buffer)
        buffers.append(buffer)
    return buffers, temporary


def _untilized(device: Device, program: Program, buffers: list[int], who: str) -> list[int]:
    session = device.open_session(who)
    made = []
    for spec, shape, dtype, buffer in zip(_specs(device, program, Layout.ROW_MAJOR), program.shapes, program.dtypes, buffers,
                                          strict=True):
        made.append(session.move([buffer], spec, session.peek(buffer)))
        session.free(buffer)
        device.record("untilize", "move", None, (), (), math.prod(shape) * dtype.kind.bits // 8)
        device.hidden.untilize += 1
    return made


def _viewed(given: Given, program: Program, layout: Layout) -> Any:
    """A tensor in the same memory, if the op only changes the shape and tiles stay where they are; else None."""
    tensor = given.tensors[0]
    if not given.op.keeps_order or len(given.tensors) > 1 or layout is not tensor._layout or given.memory is not None or \
            program.dtypes[0] is not tensor._dtype or not same_tiles(tensor._shape, program.shapes[0], layout):
        return None
    assert tensor._device is not None
    buffer = tensor._device.open_session(given.who).view(tensor.buffer_of(given.who), list(program.shapes[0]))
    made = type(tensor)(program.shapes[0], tensor._dtype, layout, device=tensor._device, buffer=buffer,
                        memory=tensor._memory)
    tensor._device.count_only(given.who, "view")
    return made


def same_tiles(old: Sequence[int], new: Sequence[int], layout: Layout) -> bool:
    """Whether a reshape leaves all elements where they are in memory."""
    if layout is Layout.ROW_MAJOR:
        return tuple(old[-1:]) == tuple(new[-1:])
    rows_of, columns_of = (old[-2] if len(old) > 1 else 1, new[-2] if len(new) > 1 else 1), (old[-1:], new[-1:])
    if tuple(columns_of[0]) != tuple(columns_of[1]):
        return False
    return rows_of[0] == rows_of[1] or (rows_of[0] % TILE == 0 and rows_of[1] % TILE == 0)


def _fallback(given: Given, program: Program, device: Device) -> list[int]:
    """Reads the operands, computes in torch, and writes the results: real transfers."""
    if CONFIG.throw_exception_on_fallback:
        raise RuntimeError(f"{given.who}: the host would compute it: {program.reason}")
    if given.op.kind == "chip":
        warn_once(f"{given.who} is computed by the host: {program.reason}")
    session = device.open_session(given.who)
    tensors, size = [], 0
    for tensor in given.tensors:
        read = from_elements(session.read(tensor.buffer_of(given.who)), tensor._dtype, tensor._shape)
        tensors.append(read.float() if tensor._dtype.is_float else read)
        size += tensor.page_bytes()
    values = _values(given, program, tensors)
    device.record_host(given.who, size)
    return [session.write(spec, as_elements(one, dtype))
            for one, spec, dtype in zip(values, program.specs, program.dtypes, strict=True)]


def _on_host(given: Given) -> Any:
    """A move of tensors on the host."""
    call = given.call
    try:
        with torch.no_grad():
            results = list(call(*(tensor.peek(given.who) for tensor in given.tensors)))
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        raise _failed(given, error) from None
    types = result_types(results, [tensor._dtype for tensor in given.tensors], given.dtype, given.op.integer)
    layout = _layout(given)
    made = []
    for one, dtype in zip(results, types, strict=True):
        check_layout(given.who, dtype, layout, one.shape)
        made.append(type(given.tensors[0])(one.shape, dtype, layout, host=host_form(one, dtype)))
    return made[0] if call.single else tuple(made)


# --- comparison with golden -------------------------------------------------------------------------------------------

_depth = threading.local()


def pcc(a: torch.Tensor, b: torch.Tensor) -> float:
    """Pearson correlation of finite elements; 1 for equal tensors, also for constant ones that are close."""
    a, b = a.double().flatten(), b.double().flatten()
    there = a.isfinite() & b.isfinite()
    a, b = a[there], b[there]
    if a.numel() == 0 or torch.equal(a, b):
        return 1.0
    if a.numel() == 1 or float(a.std()) == 0 or float(b.std()) == 0:
        return 1.0 if torch.allclose(a, b, rtol=0.02, atol=0.02) else 0.0
    return float(torch.corrcoef(torch.stack([a, b]))[0, 1])


def compare(given: Given, made: Any) -> None:
    """Compares a call with its golden function."""
    args, kwargs = filled(given.template, [tensor.peek(given.who) for tensor in given.tensors])
    with torch.no_grad():
        golden = (given.golden or given.op.function)(*args, **kwargs)
    check_against(given.who, golden, made)


def check_against(who: str, golden: Any, made: Any) -> None:
    """Records the correlation of results with those of a golden function. Warns if it is too low, or raises RuntimeError,
    as the settings say."""
    pairs = zip(golden if isinstance(golden, tuple) else (golden,), made if isinstance(made, tuple) else (made,), strict=False)
    worst = min(pcc(one.float(), other.peek(who).float()) for one, other in pairs)
    CONFIG.comparisons.append((who, worst))
    if worst < CONFIG.comparison_mode_pcc:
        text = f"{who}: correlation {worst:.5f} with its golden function is below {CONFIG.comparison_mode_pcc}"
        if CONFIG.comparison_mode_should_raise_exception:
            raise RuntimeError(text)
        warn_once(text)


__all__ = ["Given", "Shape", "check_against", "compare", "device_of", "padded", "pcc", "run", "same_tiles", "split"]
