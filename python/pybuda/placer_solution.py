"""Placement of ops and queues of a netlist, and its fused ops."""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

_GRAPH = re.compile(r"^ {2}([\w.]+):\n {4}target_device: (\d+)\n", re.MULTILINE)
_OP = re.compile(r"^ {4}([\w.]+): \{type: \w+, grid_loc: \[(\d+), (\d+)\], (grid_transpose: true, )?"
                 r"grid_size: \[(\d+), (\d+)\]", re.MULTILINE)
_QUEUE = re.compile(r"^ {2}([\w.]+): \{input: ([\w.]+), .*target_device: (\d+), loc: (dram|host), "
                    r"(?:dram|host): \[(.*)\]", re.MULTILINE)
_BUFFER = re.compile(r"\[(\d+), (0x[0-9a-fA-F]+|\d+)\]")
_FUSED = re.compile(r"^ {2}fused_\d+:\n {4}inputs: (\d+)\n((?: {4}.*\n)+)", re.MULTILINE)
_SCHEDULE = re.compile(r"^ {6}- \[(.*?)\]$", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Coordinate:
    """Coordinate of a core."""
    row: int
    col: int


@dataclasses.dataclass(frozen=True)
class PlacedCores:
    """Grid of cores from `start` to `end`, exclusive."""
    start: Coordinate
    end: Coordinate

    def size_r(self) -> int:
        """Rows."""
        return self.end.row - self.start.row

    def size_c(self) -> int:
        """Columns."""
        return self.end.col - self.start.col


@dataclasses.dataclass(frozen=True)
class OpPlacement:
    """Placement of an op."""
    placed_cores: PlacedCores
    grid_transpose: bool
    chip_id: int
    epoch: int


@dataclasses.dataclass(frozen=True)
class QueueBuffer:
    """Location of a queue buffer."""
    dram_channel: int
    dram_address: int


@dataclasses.dataclass(frozen=True)
class QueuePlacement:
    """`input_name`: the op that fills it, or HOST; `on_host`: its buffers are in host memory."""
    name: str
    input_name: str
    chip_id: int
    on_host: bool
    dram_buffers: tuple[QueueBuffer, ...]


class PlacerSolution:
    """`name_to_op_placement` and `name_to_queue_placement`: placements in the netlist by name. Chips have the numbers
    of the device's `chip_ids`; the netlist numbers them from 0. `homes`: ops that other ops of the netlist compute."""

    def __init__(self, netlist: str, chip_ids: Sequence[int] = (0,), homes: Mapping[str, str] | None = None) -> None:
        self._homes = homes or {}
        ids = dict(enumerate(chip_ids))
        self.name_to_queue_placement = {
            name: QueuePlacement(name, source, ids.get(int(chip), int(chip)), where == "host",
                                 tuple(QueueBuffer(int(channel), int(address, 0))
                                       for channel, address in _BUFFER.findall(buffers)))
            for name, source, chip, where, buffers in _QUEUE.findall(netlist)}
        self.name_to_op_placement: dict[str, OpPlacement] = {}
        graphs = list(_GRAPH.finditer(netlist))
        for epoch, graph in enumerate(graphs):
            end = graphs[epoch + 1].start() if epoch + 1 < len(graphs) else len(netlist)
            for op in _OP.finditer(netlist, graph.end(), end):
                row, col, rows, cols = (int(op.group(k)) for k in (2, 3, 5, 6))
                transposed = op.group(4) is not None
                rows, cols = (cols, rows) if transposed else (rows, cols)
                self.name_to_op_placement[op.group(1)] = OpPlacement(
                    PlacedCores(Coordinate(row, col), Coordinate(row + rows, col + cols)), transposed,
                    ids.get(int(graph.group(2)), int(graph.group(2))), epoch)

    def epoch_id(self, op: str) -> int:
        """The temporal epoch, from 0, of the op or of the op that computes it. KeyError for an unknown name."""
        return self.name_to_op_placement[self._homes.get(op, op)].epoch

    temporal_epoch_id = epoch_id

    def chip_id(self, op: str) -> int:
        """The chip of an op. KeyError for an unknown name."""
        return self.name_to_op_placement[self._homes.get(op, op)].chip_id

    @property
    def num_temporal_epochs(self) -> int:
        """Number of temporal epochs of the netlist."""
        return len({placement.epoch for placement in self.name_to_op_placement.values()})


class LoweredGraph:
    """The ops of the netlist."""

    def __init__(self, netlist: str) -> None:
        self._netlist = netlist

    def get_fused_ops(self) -> list[tuple[int, list[list[str]]]]:
        """For each fused op, the number of inputs, and its schedules as op types."""
        return [(int(inputs), [re.findall(r"type: (\w+)", one) for one in _SCHEDULE.findall(body)])
                for inputs, body in _FUSED.findall(self._netlist)]
