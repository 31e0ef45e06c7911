"""What a device did: a table of ops, a map of memory, and files for tt-perf-report and ttnn-visualizer."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from typing import Any

from .._ttsim import DeviceMemory, merge_images, write_visualizer_report
from ..model import CompiledModel, Model
from .device import Device, Launch
from .dtypes import DataType, Layout
from .memory import MemoryConfig
from .tensor import padded


class DeviceReport(dict[str, Any]):
    """The report as a dict; str() is its table."""

    def __str__(self) -> str:
        lines = [f"device {self['device']} ({self['product']}): {self['cycles']} cycles = {self['ms']:.3f} ms at "
                 f"{self['clock_mhz']} MHz",
                 f"{'op':<40} {'kind':<6} {'calls':>7} {'cycles':>12} {'launch':>10} {'bytes':>14} {'share':>7}"]
        for row in self["ops"]:
            lines.append(f"{row['op']:<40} {row['kind']:<6} {row['calls']:>7} {row['cycles']:>12} {row['launch_cycles']:>10} "
                         f"{row['bytes']:>14} {row['share']:>6.1%}")
        t = self["transfers"]
        lines.append(f"host to device: {t['writes']} transfers, {t['bytes_written']} bytes; device to host: {t['reads']}, "
                     f"{t['bytes_read']} bytes")
        p = self["programs"]
        lines.append(f"programs: {p['entries']} in the cache, {p['hits']} hits, {p['misses']} misses")
        h = self["hidden"]
        lines.append(f"hidden steps: {h['tilize']} tilize, {h['untilize']} untilize, {h['pad']} pad, "
                     f"{sum(h['fallback'].values())} on the host")
        for op, steps in self["host_steps"].items():
            lines.append(f"{op}: the host computes {', '.join(steps)}, in no simulated time")
        for name, m in self["memory"].items():
            lines.append(f"{name}: {m['used']} of {m['total']} bytes in use, {m['peak']} at most")
        return "\n".join(lines)


class ReportMixin(Device):
    """Reports of a device."""

    def report(self) -> DeviceReport:
        """Per op: calls, cycles, launch costs in them, bytes, share of the device's busy time; transfers, programs, hidden
        steps, memory. Times are cycles of the chip. RuntimeError if the device is closed."""
        session = self.open_session("report")
        counters = session.counters()
        busy = sum(one.cycles for one in self.counts.values()) or 1
        rows = [{"op": name, "kind": one.kind, "calls": one.calls, "cycles": one.cycles, "launch_cycles": one.launch_cycles,
                 "bytes": one.bytes, "share": one.cycles / busy}
                for (name, _), one in sorted(self.counts.items(), key=lambda item: -item[1].cycles)]
        return DeviceReport(
            device=self.id, product=self.product, chip=self.chip, clock_mhz=self.clock_mhz, cycles=self.cycles,
            ms=self.cycles / self.clock_mhz / 1000, host_cycles=int(session.host_cycles),
            device_cycles=int(session.device_cycles), busy_cycles=int(counters.busy_cycles),
            gap_cycles=int(counters.gap_cycles), host_bound_cycles=int(counters.host_bound_cycles), ops=rows,
            transfers={"writes": counters.writes, "bytes_written": counters.bytes_written,
                       "write_cycles": int(counters.write_cycles), "reads": counters.reads,
                       "bytes_read": counters.bytes_read, "read_cycles": int(counters.read_cycles)},
            programs={"entries": self.num_program_cache_entries(), "hits": self.hits, "misses": self.misses},
            host_steps=self._host_steps(),
            hidden={"tilize": self.hidden.tilize, "untilize": self.hidden.untilize, "pad": self.hidden.pad,
                    "fallback": dict(self.hidden.fallback)},
            memory={name: self._memory(kind) for name, kind in (("DRAM", DeviceMemory.Dram), ("L1", DeviceMemory.L1))})

    def _host_steps(self) -> dict[str, list[str]]:
        """Parts of ops of the chip that the host computes, in no simulated time, by op."""
        steps: dict[str, set[str]] = {}
        for program in self.programs.values():
            if program.host_steps:
                steps.setdefault(program.op, set()).update(program.host_steps)
        return {op: sorted(names) for op, names in sorted(steps.items())}

    def _memory(self, kind: DeviceMemory) -> dict[str, int]:
        memory = self.open_session().memory(kind)
        return {key: getattr(memory, key) for key in ("banks", "total", "used", "peak", "largest_hole")}

    def memory_map(self) -> str:
        """The live buffers by address; sizes in bytes, of shards in all their cores. Cores are shown as column,row."""
        tensors = {tensor._buffer: tensor for tensor in list(self.tensors) if tensor.is_allocated()}
        lines = [f"{'memory':<6} {'address':>12} {'bytes':>12} {'pages':>8}  tensor"]
        for one in sorted(self.open_session("memory_map").buffers, key=lambda b: (b.memory.name, b.address)):
            tensor = tensors.get(one.id)
            text = tensor.summary() if tensor else ""
            if one.cores:
                text += f" in {len(one.cores)} shards on {_core_text(one.cores, self.grid[0])}"
            lines.append(f"{'L1' if one.memory == DeviceMemory.L1 else 'DRAM':<6} {one.address:>12} "
                         f"{one.pages * one.page_bytes:>12} {one.pages:>8}  {text}".rstrip())
        return "\n".join(lines)

    def write_ops_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes `ops_perf_results.csv`, which tt-perf-report reads: a row for each of the latest launches."""
        rows = [self._row(launch) for launch in self.launches]
        with open(path, "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, _COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(rows)

    def _row(self, launch: Launch) -> dict[str, Any]:
        def ns(cycles: int) -> int:
            return int(cycles * 1000 // self.clock_mhz)
        cores = launch.program.cores if launch.program is not None else self.grid[0] * self.grid[1]
        row: dict[str, Any] = {
            "OP CODE": _code_of(launch), "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": launch.number,
            "DEVICE ID": self.id, "DEVICE ARCH": self.chip, "ATTRIBUTES": json.dumps({"op": launch.op}),
            "MATH FIDELITY": launch.program.fidelity if launch.program is not None else "", "CORE COUNT": cores, "AVAILABLE WORKER CORE COUNT": self.grid[0] * self.grid[1],
            "HOST START TS": ns(launch.enqueued), "HOST END TS": ns(launch.enqueued), "DEVICE FW START CYCLE": launch.start,
            "DEVICE FW END CYCLE": launch.end, "OP TO OP LATENCY [ns]": ns(launch.gap),
            "DEVICE FW DURATION [ns]": ns(launch.end - launch.start), "DEVICE KERNEL DURATION [ns]": ns(launch.end - launch.start)}
        for side, tensors in (("INPUT", launch.inputs), ("OUTPUT", launch.outputs)):
            for index, tensor in enumerate(tensors[:3 if side == "INPUT" else 1]):
                row |= _columns_of(f"{side}_{index}", tensor, self.id)
        return row

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes a trace for ttperf and `ttsim report`: the programs of the latest launches, each once, in the order of their
        first launch, as epochs of one run with their loads. RuntimeError without launches of the chip; InputError for a
        file that exists with other content."""
        self.open_session("write_trace")
        programs = list({id(one.program): one.program for one in self.launches if one.program is not None}.values())
        if not programs:
            raise RuntimeError("write_trace: the chip has run no op yet")
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for index, program in enumerate(programs):
                names.append(f"{index}_{program.op.replace('.', '_')}")
                program.compiled.write(os.path.join(folder, f"{names[-1]}.tti"))
            joined = os.path.join(folder, "joined.tti")
            merge_images(folder, names, joined)
            CompiledModel.read(joined).write(os.path.join(folder, "ops"))
            compiled = CompiledModel.read(os.path.join(folder, "ops"))  # a folder's trace holds its netlist
            model = Model(compiled, engine="timing", trace_file=os.fspath(path))
            model.run(compiled.default_inputs())
            del model  # completes the trace

    def write_visualizer(self, folder: str | os.PathLike[str]) -> None:
        """Writes `db.sqlite`, `config.json` and `cluster_descriptor.yaml` into a folder, for ttnn-visualizer: the latest
        launches as operations, with their tensors, and the buffers that live now at the last one. InputError for files that
        cannot be written. The tool links it with the folder of an `ops_perf_results.csv` of write_ops_csv()."""
        config = {"report_name": "ttsim", "arch": self.chip, "device": self.product}
        write_visualizer_report(os.fspath(folder), json.dumps(
            {"config": config, "tables": self._tables(),
             "device_operations": [[one.number, _code_of(one), len(one.inputs)] for one in self.launches]}))

    def _tables(self) -> dict[str, list[list[Any]]]:
        """Rows of the tables of ttnn-visualizer's database."""
        l1 = self._memory(DeviceMemory.L1)
        cores, bank = l1["banks"], l1["total"] // l1["banks"]
        tables: dict[str, list[list[Any]]] = {"devices": [[
            self.id, self.grid[1], self.grid[0], self.grid[1], self.grid[0], bank, cores, bank, 0, 0, 0, cores, 0,
            bank * cores, bank * cores, bank * cores, 0, bank]]}

        def add(table: str, *row: Any) -> None:
            tables.setdefault(table, []).append(list(row))
        seen: set[int] = set()
        for launch in self.launches:
            add("operations", launch.number, launch.op, (launch.end - launch.start) / (self.clock_mhz * 1e6))
            for key, value in (("kind", launch.kind), ("is_new", launch.is_new), ("start_cycle", launch.start)):
                add("operation_arguments", launch.number, key, str(value))
            for table, tensors in (("input_tensors", launch.inputs), ("output_tensors", launch.outputs)):
                for index, (number, shape, dtype, layout, memory) in enumerate(tensors):
                    if number not in seen:
                        seen.add(number)
                        add("tensors", number, f"Shape({list(shape)})", repr(dtype), repr(layout), repr(memory), self.id, None,
                            int(memory.in_l1))
                    add(table, launch.number, index, number)
        last = self.launches[-1].number if self.launches else 0
        for one in self.open_session("write_visualizer").buffers:
            in_l1 = int(one.memory == DeviceMemory.L1)
            held = one.cores or range(self._memory(one.memory)["banks"])  # the banks with its pages
            in_bank = -(-one.pages // len(held)) * one.page_bytes
            add("buffers", last, self.id, one.address, in_bank, in_l1, int(bool(one.cores)))
            for index, core in enumerate(held if in_l1 else ()):
                y, x = divmod(core, self.grid[0])
                add("buffer_pages", last, self.id, one.address, y, x, core, index, one.address, in_bank, in_l1)
        add("report_metadata", "schema", "ttsim")
        return tables


def _core_text(cores: list[int], columns: int) -> str:
    """The first and last core, or all of a few."""
    shown = [f"{core % columns},{core // columns}" for core in cores]
    return " ".join(shown) if len(shown) <= 8 else f"{shown[0]} .. {shown[-1]}"


_CODES = {"matmul": "Matmul", "linear": "Matmul", "window_product": "Matmul", "conv2d": "Matmul", "softmax": "Softmax",
          "layer_norm": "LayerNorm", "add": "BinaryDeviceOperation", "multiply": "BinaryDeviceOperation",
          "subtract": "BinaryDeviceOperation", "tilize": "Tilize", "untilize": "Untilize", "embedding": "Embeddings"}
_TENSOR_COLUMNS = ("W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]", "LAYOUT", "DATATYPE", "MEMORY")
_COLUMNS = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY",
            "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS",
            "HOST DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]",
            "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]",
            *(f"{name}_{column}" for name in ("INPUT_0", "INPUT_1", "INPUT_2", "OUTPUT_0") for column in _TENSOR_COLUMNS)]


def _code_of(launch: Launch) -> str:
    """The name of a launch in ops_perf_results.csv."""
    name = launch.op.rpartition(".")[2]
    return _CODES.get(name, name)


def _columns_of(prefix: str, tensor: tuple[int, tuple[int, ...], DataType, Layout, MemoryConfig], device: int) -> dict[str, Any]:
    _, shape, dtype, layout, memory = tensor
    logical = [1] * (4 - len(shape)) + list(shape)
    logical = logical if len(logical) == 4 else [1, *logical[-3:]]
    whole = list(padded(logical)) if layout is Layout.TILE else logical
    made: dict[str, Any] = {f"{prefix}_{axis}_PAD[LOGICAL]": f"{a}[{b}]" for axis, a, b in zip("WZYX", whole, logical, strict=True)}
    made[f"{prefix}_LAYOUT"] = layout.name
    made[f"{prefix}_DATATYPE"] = dtype.name
    made[f"{prefix}_MEMORY"] = f"DEV_{device}_{'L1' if memory.in_l1 else 'DRAM'}_{memory.memory_layout.name}"
    return made
