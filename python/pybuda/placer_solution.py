"""Placement of ops and queues of a netlist, and its fused ops."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ttsim import Netlist, PlacedOp, QueueInfo


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
    """`name_to_op_placement` and `name_to_queue_placement`: placements in the netlists of the stages, by name. Chips have the numbers
    of the device's `chip_ids`; the netlist numbers them from 0. `homes`: ops that other ops of the netlist compute."""

    def __init__(self, netlists: Sequence[Netlist], chip_ids: Sequence[int] = (0,),
                 homes: Mapping[str, str] | None = None) -> None:
        self._homes = homes or {}
        ids = dict(enumerate(chip_ids))
        self.name_to_queue_placement = {queue.name: _queue_placement(queue, ids)
                                        for netlist in netlists for queue in netlist.queues}
        self.name_to_op_placement: dict[str, OpPlacement] = {}
        first_epoch = 0
        for netlist in netlists:
            self.name_to_op_placement |= {op.name: _op_placement(op, ids, first_epoch) for op in netlist.ops}
            first_epoch += len(netlist.graphs)

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


def _queue_placement(queue: QueueInfo, ids: Mapping[int, int]) -> QueuePlacement:
    return QueuePlacement(queue.name, queue.filled_by or "HOST", ids.get(queue.chip, queue.chip), queue.on_host,
                          tuple(QueueBuffer(buffer.channel, buffer.address) for buffer in queue.buffers))


def _op_placement(op: PlacedOp, ids: Mapping[int, int], first_epoch: int) -> OpPlacement:
    cores = PlacedCores(Coordinate(op.row, op.column), Coordinate(op.row + op.rows, op.column + op.columns))
    return OpPlacement(cores, op.transposed, ids.get(op.chip, op.chip), first_epoch + op.epoch)


class LoweredGraph:
    """The ops of the netlist."""

    def __init__(self, netlists: Sequence[Netlist]) -> None:
        self._netlists = netlists

    def get_fused_ops(self) -> list[tuple[int, list[list[str]]]]:
        """For each fused op, the number of inputs, and its schedules as op types."""
        return [(fused.inputs, [[step.type for step in steps] for steps in fused.schedules])
                for netlist in self._netlists for fused in netlist.fused_ops]
