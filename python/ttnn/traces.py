"""Recorded sequences of ops, which execute_trace() repeats with one command of the host."""
from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from ttsim.eager import Device
from ttsim.eager.recording import Recording

__all__ = ["begin_trace_capture", "end_trace_capture", "execute_trace", "release_trace"]


@dataclass
class _Traces:
    open: dict[int, Recording] = field(default_factory=dict)
    ended: dict[int, Recording] = field(default_factory=dict)


_numbers = itertools.count(1)
_traces = _Traces()


def begin_trace_capture(device: Device, *, cq_id: Any = None, **accepted: Any) -> int:
    """Starts to record the ops of a device, which run too; returns the number of the trace. RuntimeError while another
    one of the device is recorded."""
    if not isinstance(device, Device):
        raise TypeError(f"ttnn.begin_trace_capture: a device is expected, not {type(device).__name__}")
    if any(one.device is device for one in _traces.open.values()):
        raise RuntimeError("ttnn.begin_trace_capture: a trace of this device is recorded already; call end_trace_capture() first")
    number = next(_numbers)
    _traces.open[number] = Recording(device, "ttnn.begin_trace_capture")
    return number


def end_trace_capture(device: Device, trace_id: int, *, cq_id: Any = None, **accepted: Any) -> None:
    """Ends the recording. The trace keeps the tensors of its ops until release_trace(), those that were deallocated without
    memory."""
    recording = _traces.open.pop(trace_id, None)
    if recording is None or recording.device is not device:
        raise RuntimeError(f"ttnn.end_trace_capture: trace {trace_id} of this device is not recorded")
    recording.end()
    _traces.ended[trace_id] = recording


def execute_trace(device: Device, trace_id: int, *, cq_id: Any = None, blocking: bool = True, **accepted: Any) -> None:
    """Repeats the ops: they read the present values of their operands, such as those that copy_host_to_device_tensor()
    wrote, and write the tensors that they made. `blocking`: the host waits for the device."""
    recording = _traces.ended.get(trace_id)
    if recording is None or recording.device is not device:
        raise RuntimeError(f"ttnn.execute_trace: there is no trace {trace_id} of this device; record it with "
                           "begin_trace_capture() and end_trace_capture()")
    recording.repeat("ttnn.execute_trace")
    if blocking:
        device.open_session("ttnn.execute_trace").synchronize()


def release_trace(device: Device, trace_id: int) -> None:
    """Forgets a trace and its tensors; a second call does nothing."""
    _traces.ended.pop(trace_id, None)
