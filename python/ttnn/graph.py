"""Capture of the calls that a program makes."""
from __future__ import annotations

import enum
from typing import Any

from ttsim.eager.config import observers


class RunMode(enum.Enum):
    """NORMAL runs the ops; NO_DISPATCH runs them too."""
    NORMAL = 0
    NO_DISPATCH = 1


_captures: list[_Capture] = []


class _Capture:
    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.open: list[int] = []
        self.add("capture_start")

    def add(self, kind: str, **params: Any) -> int:
        number = len(self.nodes)
        self.nodes.append({"counter": number, "node_type": kind, "params": {key: str(value) for key, value in params.items()},
                           "connections": []})
        parent = self.open[-1] if self.open else 0
        if number:
            self.nodes[parent]["connections"].append(number)
        return number

    def __call__(self, event: str, op: str, details: Any) -> None:
        if event == "begin":
            self.open.append(self.add("function_start", name=op, inputs=len(details or ())))
            for tensor in details or ():
                self.add("tensor", tensor_id=tensor.number, shape=tensor._shape, dtype=tensor._dtype)
        elif event == "end" and self.open:
            self.open.pop()
            self.add("function_end", name=op)
        elif event == "allocate":
            for tensor in details:
                self.add("buffer_allocate", tensor_id=tensor.number, size=tensor.page_bytes(),
                         type="L1" if tensor._memory.in_l1 else "DRAM", layout=tensor._memory.memory_layout.name)
        elif event == "free":
            self.add("buffer_deallocate", tensor_id=details.number)
        elif event in ("read", "write"):
            self.add("function_start", name=op, inputs=1)
            self.add("function_end", name=op)


def begin_graph_capture(run_mode: RunMode = RunMode.NORMAL) -> None:
    """Starts to record calls. Captures may be nested."""
    capture = _Capture()
    _captures.append(capture)
    observers.append(capture)


def end_graph_capture() -> list[dict[str, Any]]:
    """Ends the last capture: its nodes in order, of the types capture_start, function_start, function_end, tensor,
    buffer_allocate, buffer_deallocate, capture_end. RuntimeError if none was begun."""
    if not _captures:
        raise RuntimeError("ttnn.graph.end_graph_capture: no capture was begun")
    capture = _captures.pop()
    observers.remove(capture)
    while capture.open:  # a call that raised
        capture.open.pop()
    capture.add("capture_end")
    return capture.nodes


def extract_calltrace(trace: list[dict[str, Any]]) -> list[str]:
    """The names of the calls in order, such as "ttnn.add"; "Tensor::cpu" is a read from the device."""
    return [node["params"]["name"] for node in trace if node["node_type"] == "function_start"]


def extract_peak_L1_memory_usage(trace: list[dict[str, Any]]) -> int:
    """Most bytes of the buffers in L1 that the capture allocated."""
    live: dict[str, int] = {}
    most = 0
    for node in trace:
        params = node["params"]
        if node["node_type"] == "buffer_allocate" and params["type"] == "L1":
            live[params["tensor_id"]] = int(params["size"])
            most = max(most, sum(live.values()))
        elif node["node_type"] == "buffer_deallocate":
            live.pop(params["tensor_id"], None)
    return most


def extract_output_info(trace: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The results of the calls: number, size, memory."""
    return [node["params"] for node in trace if node["node_type"] == "buffer_allocate"]


def pretty_format(trace: list[dict[str, Any]]) -> str:
    """The nodes as text, one a line."""
    return "\n".join(f"{node['counter']} {node['node_type']} {node['params']}" for node in trace)
