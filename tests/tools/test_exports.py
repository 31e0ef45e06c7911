#!/usr/bin/env python3
"""What ttsim export and ttsim compile --reportify write, read back by readers of our own of each format. TTSIM and TTPERF
name the programs; TT_PERF_REPORT the tool of that name of PyPI (else it is looked for; without it, its test is skipped)."""
import collections
import csv
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
EXAMPLES = ROOT / "examples"


def run(program, *arguments, **options):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                          **options)


class WithTraces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def trace(self, netlist, arch, level=2):
        trace = self.folder / f"{netlist}-{arch}-{level}.ttperf"
        if not trace.exists():
            done = run(TTSIM, "run", EXAMPLES / f"{netlist}.yaml", "--arch", arch, "--mode", "timing", "--trace", trace,
                       "--trace-level", level)
            self.assertEqual(done.returncode, 0, done.stderr)
        return trace

    def export(self, trace, flag, name, *more):
        out = self.folder / name
        done = run(TTSIM, "export", trace, flag, out, "--force", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def perf(self, trace, *more):
        return json.loads(run(TTPERF, trace, "--json", *more).stdout)


CASES = [("bert_encoder", "wormhole_b0"), ("matmul_gelu", "grayskull"), ("two_chips", "wormhole_b0"),
         ("kv_cache", "grayskull"), ("fused_softmax", "wormhole_b0")]


def nanoseconds(text):
    """Microseconds with three decimals, exactly."""
    whole, _, part = text.partition(".")
    assert len(part) == 3, text
    return int(whole) * 1000 + int(part)


class Perfetto(WithTraces):
    """The rules by which a trace viewer nests slices and binds arrows."""

    def load(self, path):
        # numbers as they stand: a float would hide a fraction of a nanosecond
        return json.loads(path.read_text(), parse_float=str)["traceEvents"]

    def test_slices_nest_arrows_pair_and_times_are_whole_nanoseconds(self):
        for netlist, arch in CASES:
            for level in [1, 2]:
                with self.subTest(netlist=netlist, level=level):
                    events = self.load(self.export(self.trace(netlist, arch, level), "--perfetto", "p.json"))
                    tracks = self.check_nesting(events)
                    self.check_arrows(events, tracks)
                    self.check_names(events)

    def check_nesting(self, events):
        tracks = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                start = nanoseconds(event["ts"])
                tracks[event["pid"], event["tid"]].append((start, start + nanoseconds(event["dur"]), event["cat"]))
        for track, slices in tracks.items():
            # of slices that begin together, those that may hold others come first
            order = {"epoch": 0, "input": 0, "step": 1, "wait": 2}
            open_slices = []
            for start, end, kind in sorted(slices, key=lambda s: (s[0], order[s[2]])):
                self.assertGreaterEqual(end, start)
                while open_slices and open_slices[-1][0] <= start:
                    open_slices.pop()
                if open_slices:
                    self.assertLessEqual(end, open_slices[-1][0], (track, kind, start))
                    self.assertGreater(order[kind], order[open_slices[-1][1]], (track, start))
                else:
                    self.assertEqual(order[kind], 0, (track, start))
                if end > start:
                    open_slices.append((end, kind))
        return tracks

    def check_arrows(self, events, tracks):
        ends = {phase: {e["id"]: e for e in events if e["ph"] == phase} for phase in "sf"}
        self.assertEqual(sorted(ends["s"]), sorted(ends["f"]))
        self.assertEqual(len(ends["s"]), sum(e["ph"] == "s" for e in events))
        spans = {track: sorted((s[0], s[1]) for s in slices) for track, slices in tracks.items()}
        for number, start in ends["s"].items():
            end = ends["f"][number]
            self.assertLessEqual(nanoseconds(start["ts"]), nanoseconds(end["ts"]))
            for event in [start, end]:
                at = nanoseconds(event["ts"])
                self.assertTrue(any(a <= at <= b for a, b in spans[event["pid"], event["tid"]]), event)

    def check_names(self, events):
        named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
        processes = {e["pid"] for e in events if e["name"] == "process_name"}
        for event in events:
            if event["ph"] == "X":
                self.assertIn((event["pid"], event["tid"]), named)
            self.assertIn(event["pid"], processes)

    def test_waits_of_an_input_sum_to_what_the_trace_says(self):
        for level in [1, 2]:
            events = self.load(self.export(self.trace("bert_encoder", "wormhole_b0", level), "--perfetto", "p.json"))
            mhz = 1000  # a cycle is a nanosecond
            drawn, known = collections.Counter(), collections.Counter()
            columns = {"wait for source": "wait_source", "wait for NoC": "wait_noc", "wait for DRAM": "wait_dram",
                       "wait for room": "wait_room", "wait for output": "wait_output", "wait for Dst": "wait_dst",
                       "wait for pack": "wait_pack", "drain": "drain"}
            for event in events:
                if event.get("cat") == "wait":
                    drawn[columns[event["name"]]] += nanoseconds(event["dur"]) * mhz // 1000
                if event.get("cat") == "input":
                    for column in columns.values():
                        known[column] += event["args"][column]
            self.assertEqual(+drawn, +known)
            self.assertGreater(sum(known.values()), 1000)

    def test_arrows_processes_and_counters_are_there(self):
        events = self.load(self.export(self.trace("bert_encoder", "wormhole_b0"), "--perfetto", "p.json", "--links", "0"))
        processes = {e["args"]["name"] for e in events if e["name"] == "process_name"}
        for name in ["epochs", "chip 0 cores (wormhole_b0)", "chip 0 NoC 0", "chip 0 NoC 1", "chip 0 DRAM", "chip 0 queues"]:
            self.assertIn(name, processes)
        self.assertGreater(sum(e["ph"] == "s" for e in events), 100)
        fill = [float(e["args"]["entries"]) for e in events
                if e["ph"] == "C" and e["name"] == "e2e_attn_residual entries"]
        self.assertTrue(fill and min(fill) >= 0 and fill[-1] == 0 and max(fill) <= 4, fill)

    def test_only_links_above_the_threshold_are_shown(self):
        trace = self.trace("bert_encoder", "wormhole_b0")

        def links(percent):
            events = self.load(self.export(trace, "--perfetto", "p.json", "--links", percent))
            return {e["name"] for e in events if e["ph"] == "C" and " noc" in e["name"]}
        every, some, none = links(0), links(40), links(100)
        self.assertLess(len(some), len(every))
        self.assertLess(some, every)
        self.assertEqual(none, set())
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            busy = {row[0] for row in database.execute(
                "SELECT r.name FROM resource r JOIN load l ON l.resource = r.id WHERE r.kind = 'noc' "
                "GROUP BY r.id HAVING max(l.utilization) >= 0.4")}
        self.assertEqual(some, busy)

    def test_a_window_skips_events_that_begin_outside(self):
        trace = self.trace("bert_encoder", "wormhole_b0")
        events = self.load(self.export(trace, "--perfetto", "p.json", "--cycles", "150000:160000"))
        starts = [nanoseconds(e["ts"]) for e in events if e.get("cat") in ["input", "epoch"]]
        self.assertTrue(starts)
        self.assertTrue(all(150000 <= s < 160000 for s in starts))
        self.check_arrows(events, self.check_nesting(events))


def messages(data):
    """Fields of a message in the wire format of protocol buffers: (number, value) of integers, 8 bytes and texts."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = 8 if tag & 7 == 1 else varint()
        yield tag >> 3, data[at:at + size]
        at += size


class PerfettoProtobuf(WithTraces):
    """Numbers of fields are those of Perfetto's trace_packet.proto, track_event.proto and track_descriptor.proto."""

    def packets(self, data):
        for number, packet in messages(data):
            self.assertEqual(number, 1)
            fields = dict(messages(packet))
            if 50 in fields:  # compressed_packets
                yield from self.packets(zlib.decompress(fields[50]))
            else:
                yield fields

    def test_the_file_has_the_slices_and_arrows_of_the_json(self):
        for netlist, arch in ("two_chips", "wormhole_b0"), ("matmul_gelu", "grayskull"):
            trace = self.trace(netlist, arch)
            names, tracks, events, arrows = {}, {}, [], collections.Counter()
            for number, fields in enumerate(self.packets(self.export(trace, "--perfetto", "p.pftrace").read_bytes())):
                self.assertEqual(fields[13], 3 if number == 0 else 2)  # the first clears names of before
                for kind, entry in messages(fields.get(12, b"")):
                    entry = dict(messages(entry))
                    names[kind, entry[1]] = entry[2].decode()
                if 60 in fields:
                    track = dict(messages(fields[60]))
                    tracks[track[1]] = track[2].decode() if 2 in track else dict(messages(track[3]))[6].decode()
                if 11 in fields:
                    events.append((fields[8], number, dict(messages(fields[11]))))
            slices, open_slices = collections.Counter(), collections.defaultdict(list)
            for at, _, event in sorted(events, key=lambda event: event[:2]):
                on = event[11]
                self.assertIn(on, tracks)
                if event[9] == 1:
                    open_slices[on].append((names[2, event[10]], names[1, event[3]], at))
                elif event[9] == 2:
                    name, kind, start = open_slices[on].pop()
                    slices[name, kind, tracks[on], start, at - start] += 1
                elif event[9] == 3:
                    arrows["s" if 47 in event else "f"] += 1
            self.assertFalse(any(open_slices.values()))

            text = json.loads(self.export(trace, "--perfetto", "p.json").read_text(), parse_float=str)["traceEvents"]
            threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in text if e["name"] == "thread_name"}
            known = collections.Counter((e["name"], e["cat"], threads[e["pid"], e["tid"]], nanoseconds(e["ts"]), nanoseconds(e["dur"]))
                                        for e in text if e["ph"] == "X")
            self.assertEqual(slices, known)
            self.assertEqual(arrows, collections.Counter(e["ph"] for e in text if e["ph"] in "sf"))


class Npe(WithTraces):
    def test_the_timeline_has_the_schema_and_keeps_every_byte(self):
        for netlist, arch in CASES:
            with self.subTest(netlist):
                trace = self.trace(netlist, arch)
                self.check(trace, json.loads(self.export(trace, "--npe", "t.npeviz").read_text()))

    def check(self, trace, file):
        info = file["common_info"]
        self.assertEqual(info["version"], "1.0.0")
        active = collections.defaultdict(list)
        for step in file["timestep_data"]:
            self.assertEqual(step["end_cycle"] - step["start_cycle"], info["cycles_per_timestep"])
            for number in step["active_transfers"]:
                active[number].append(step)
            for chip, row, column, link, demand in step["link_demand"]:
                self.assertIn(str(chip), file["chips"])
                self.assertTrue(0 <= row < info["num_rows"] and 0 <= column < info["num_cols"])
                self.assertGreaterEqual(demand, 0)
        wanted = collections.Counter()
        for transfer in file["noc_transfers"]:
            self.assertTrue(active[transfer["id"]], transfer)
            for step in active[transfer["id"]]:
                self.assertTrue(step["start_cycle"] < transfer["end_cycle"] and
                                transfer["start_cycle"] < step["end_cycle"])
            self.assertEqual(transfer["src"], transfer["route"][0]["src"])
            self.assertEqual(transfer["dst"], transfer["route"][-1]["dst"])
            for route in transfer["route"]:
                self.check_route(route)
                for link in route["links"]:
                    wanted[tuple(link)] += transfer["total_bytes"]
        # what links were wanted for over all steps is what went over them
        got = collections.Counter()
        for step in file["timestep_data"]:
            for *link, demand in step["link_demand"]:
                got[tuple(link)] += demand * info["cycles_per_timestep"]
        self.assertEqual(set(got), set(wanted))
        for link, amount in wanted.items():
            self.assertAlmostEqual(got[link] / amount, 1, places=2, msg=link)
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            sent = database.execute(
                "SELECT sum(t.bytes) FROM flow_total t WHERE t.flow IN (SELECT flow FROM flow_route)").fetchone()[0]
            links = {(row[0], row[1], row[2], row[3], row[4]) for row in database.execute(
                "SELECT chip, noc, y, x, direction FROM resource WHERE kind = 'noc'")}
        self.assertEqual(sum(t["total_bytes"] for t in file["noc_transfers"]), sent)
        # between routers, a link that is wanted is one that the machine kept busy
        words = {"EAST": "right", "SOUTH": "down", "NORTH": "up", "WEST": "left"}
        for chip, row, column, name in wanted:
            noc, _, direction = name.partition("_")
            if direction in words:
                self.assertIn((chip, int(noc[3:]), row, column, words[direction]), links)

    def check_route(self, route):
        """From the source's NIU link by link to a destination, on one torus."""
        noc = route["noc_type"]
        names = [link[3] for link in route["links"]]
        self.assertTrue(all(name.startswith(noc + "_") for name in names))
        allowed = {"NOC0": {"EAST", "SOUTH", "IN", "OUT"}, "NOC1": {"NORTH", "WEST", "IN", "OUT"}}[noc]
        self.assertLessEqual({name.partition("_")[2] for name in names}, allowed)
        self.assertEqual(names.count(noc + "_OUT"), len(route["dst"]))
        self.assertEqual(route["links"][0], [*route["src"], noc + "_IN"])
        self.assertEqual({tuple(link[:3]) for link in route["links"] if link[3].endswith("_OUT")},
                         {tuple(end) for end in route["dst"]})

    def test_a_trace_of_level_1_names_the_option_for_level_2(self):
        trace = self.trace("matmul_gelu", "grayskull", 1)
        done = run(TTSIM, "export", trace, "--npe", self.folder / "none.npeviz")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--trace-level 2", done.stderr)
        self.assertFalse((self.folder / "none.npeviz").exists())


class PerfResults(WithTraces):
    """The original analyzer's rules of reading (which folder, which keys, how columns follow)."""

    def folder_of(self, netlist, arch, level=1):
        trace = self.trace(netlist, arch, level)
        return trace, self.export(trace, "--perf-results", f"{netlist}.perf")

    def test_the_analyzers_figures_are_those_of_ttperf(self):
        for netlist, arch in CASES:
            with self.subTest(netlist):
                trace, folder = self.folder_of(netlist, arch)
                seen = set()
                for epoch in self.perf(trace)["epochs"]:
                    ops = {op["op"]: op for op in self.perf(trace, "--epoch", epoch["epoch"])["ops"]}
                    for graph in epoch["graphs"].split(","):
                        if graph in seen:
                            continue
                        seen.add(graph)
                        with open(folder / "analyzer_results" / graph / "graph_perf_report.csv",
                                  encoding="utf-8") as file:
                            self.check_graph(list(csv.DictReader(file)),
                                             {n: op for n, op in ops.items() if op["graph"] == graph and op["inputs"]})

    def check_graph(self, rows, ops):
        self.assertEqual(sorted(row["op_name"] for row in rows), sorted(ops))
        totals = [float(row["bw_bound_total_runtime"]) for row in rows]
        self.assertEqual(totals, sorted(totals, reverse=True))
        for row in rows:
            op = ops[row["op_name"]]
            first, last = map(int, row["first_to_last_input"].split("->"))
            inputs = last - first + 1
            kernel = float(row["kernel_total_runtime"]) / inputs
            bound = float(row["bw_bound_total_runtime"]) / inputs
            self.assertAlmostEqual(kernel, op["kernel"], delta=0.51)
            self.assertAlmostEqual(bound, max(op["kernel"], op["bw_kernel"]), delta=0.51)
            self.assertAlmostEqual(float(row["model_runtime_per_input"]), op["est"], delta=0.01)
            self.assertEqual(json.loads(row["grid_size"]), [op["grid_r"], op["grid_c"]])
            self.assertAlmostEqual(float(row["bw_limited_factor"]), bound / kernel, places=3)
            if row["kernel_math_utilization"] != "N/A":
                self.assertAlmostEqual(float(row["bw_bound_math_utilization"]) * bound / kernel,
                                       float(row["kernel_math_utilization"]), delta=0.03)
            self.assertIn(row["slowest_operand"], ["N/A", "output"] + [f"input-{k}" for k in range(8)])

    def test_required_bandwidth_is_bytes_over_kernel_cycles(self):
        trace, folder = self.folder_of("matmul_gelu", "grayskull")
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            rows = database.execute(
                "SELECT o.graph, o.name, f.operand, max(f.bytes), o.kernel FROM flow f JOIN op o ON o.id = f.op "
                "WHERE f.kind = 'operand' GROUP BY o.id, f.operand").fetchall()
            mhz = database.execute("SELECT clock_mhz FROM run").fetchone()[0]
        self.assertTrue(rows)
        for graph, op, operand, size, kernel in rows:
            with open(folder / "analyzer_results" / graph / "pipe_perf_report.csv", encoding="utf-8") as file:
                found = [r for r in csv.DictReader(file) if r["op_name"] == op and r["operand"] == f"input-{operand}"]
            self.assertEqual(len(found), 1)
            self.assertAlmostEqual(float(found[0]["required_kernel_bw"]), size / kernel * mhz / 1000, delta=0.006)
            if found[0]["pipe_bw"] != "N/A":
                needed, got = float(found[0]["required_kernel_bw"]), float(found[0]["pipe_bw"])
                self.assertAlmostEqual(float(found[0]["percentage_of_difference"]), 100 * (got - needed) / needed, delta=2)

    def test_runtime_tables_follow_from_the_inputs_of_the_trace(self):
        trace, folder = self.folder_of("bert_encoder", "wormhole_b0")
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            rows = database.execute(
                "SELECT e.graphs, c.x, c.y, o.name, i.input, i.first_unpack, i.last_pack, i.math FROM core_input i JOIN "
                "core c ON c.id = i.core JOIN op o ON o.id = c.op JOIN epoch e ON e.id = i.epoch "
                "ORDER BY i.epoch, i.core, i.input").fetchall()
        inputs = collections.defaultdict(dict)
        for graph, x, y, op, number, first, last, math in rows:
            inputs[graph, f"{x}-{y}-{op}"][number] = (first, last, math)
        for place in (folder / "device").glob("*/*"):
            graph = place.name.partition("_")[2]
            table = json.loads((place / "runtime_table.json").read_text())
            events = table.pop("per-epoch-events")
            self.assertEqual(events["graph-name"], graph)
            self.assertEqual(set(table), {core for g, core in inputs if g == graph})
            for core, entry in table.items():
                known = inputs[graph, core]
                last = max(known)
                self.assertEqual(entry["total-runtime"], known[last][1] - known[0][0])
                self.assertAlmostEqual(entry["num-cycles-per-tensor"], (known[last][1] - known[0][1]) / last)
                self.assertEqual(entry[f"input-{last}"]["math-activity"], known[last][2])
                self.assertAlmostEqual(entry["average-math-utilization"],
                                       100 * (last + 1) * known[last][2] / entry["total-runtime"])
            ends = [max(k[n][1] for (g, _), k in inputs.items() if g == graph) for n in (0, last)]
            self.assertAlmostEqual(events["num-cycles-per-input"], (ends[1] - ends[0]) / last)
            self.assertAlmostEqual(events["num-inputs-per-second"], events["AICLK"] * 1e6 * last / (ends[1] - ends[0]))
            lines = (place / "runtime_table.csv").read_text().splitlines()
            self.assertTrue(all(line.startswith(",") and line.endswith(",") for line in lines))
            self.assertEqual(len(lines), len(table) + 1)
            self.assertEqual({len(line.split(",")) for line in lines}, {16})

    def test_the_rest_of_the_tree_is_there_and_hangs_together(self):
        _, folder = self.folder_of("bert_encoder", "wormhole_b0")
        lines = [line.strip(",").split(",") for line in (folder / "perf_info_all_epochs.csv").read_text().splitlines()]
        self.assertEqual(lines[0][:4], ["program-name", "graph-name", "aiclk", "device-id"])
        self.assertEqual([row[1] for row in lines[1:]], ["fwd_0_0_attention", "fwd_0_1_mlp"])
        for line in (folder / "perf_info_all_epochs.yaml").read_text().splitlines():
            if "output_directory" in line:
                place = pathlib.Path(line.partition(": ")[2].strip("'"))
                self.assertTrue((place / "runtime_table.json").is_file(), place)
        queues = json.loads((folder / "queue_descriptor/queue_descriptor.json").read_text())
        for graph in ["fwd_0_0_attention", "fwd_0_1_mlp"]:
            cores = json.loads((folder / f"graph_descriptor/{graph}/cores_to_ops.json").read_text())
            ops = {core["op-name"] for core in cores.values()}
            for core in cores.values():
                self.assertEqual(core["num-inputs"], len(core["inputs"]))
                for operand in core["inputs"]:
                    self.assertTrue(operand["name"] in (queues if operand["type"] == "queue" else ops))
            self.assertEqual(json.loads((folder / f"metadata/{graph}.json").read_text()), {"arch_name": "wormhole_b0"})
            events = next((folder / "device").glob(f"*/*_{graph}")) / "perf_postprocess.json"
            threads = json.loads(events.read_text())
            for name, core in threads.items():
                if name != "per-epoch-events":
                    self.assertLessEqual({"T0", "T1", "T2", "NCRISC", "BRISC", "per-thread-events"}, set(core))

    def test_estimates_and_scores(self):
        trace = self.trace("bert_encoder", "wormhole_b0", 1)
        folder = self.export(trace, "--op-perf", "estimates")
        with open(folder / "op_perf.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        ops = {op["op"]: op for epoch in [0, 1] for op in self.perf(trace, "--epoch", epoch)["ops"]}
        slowest = collections.defaultdict(float)
        for row in rows:  # keys but the first begin with a blank
            self.assertEqual(float(row[" cycles"]), ops[row["name"]]["est"])
            self.assertGreaterEqual(float(row[" limiter_cycles"]), float(row[" cycles"]))
            slowest[int(row[" epoch"])] = max(slowest[int(row[" epoch"])], float(row[" limiter_cycles"]))
        with open(folder / "balancer_score.csv", encoding="utf-8") as file:
            scores = {row["epoch"]: float(row[" score"]) for row in csv.DictReader(file)}
        for epoch, cycles in slowest.items():
            self.assertAlmostEqual(scores[str(epoch)], 1e9 / cycles, delta=1)
        self.assertAlmostEqual(scores["total"], 1e9 / sum(slowest.values()), delta=1)


class OpsCsv(WithTraces):
    def tool(self):
        own = shutil.which("tt-perf-report", path=ROOT / "build/venv-perf/bin")
        named = os.environ.get("TT_PERF_REPORT") or own or shutil.which("tt-perf-report")
        if not named:
            self.skipTest("tt-perf-report of PyPI is not installed: scripts/setup perf-tools")
        return named

    def test_columns_and_times(self):
        trace = self.trace("bert_encoder", "wormhole_b0", 1)
        with open(self.export(trace, "--ops-csv", "ops.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        ops = {op["op"]: op for epoch in [0, 1] for op in self.perf(trace, "--epoch", epoch)["ops"]}
        self.assertEqual([r["OP CODE"] for r in rows if r["OP TYPE"] == "signpost"],
                         ["epoch 0: fwd_0_0_attention", "epoch 1: fwd_0_1_mlp"])
        rows = [r for r in rows if r["OP TYPE"] == "tt_dnn_device"]
        self.assertEqual(len(rows), len(ops))
        for row in rows:
            op = ops[row["OP CODE"].split(" ")[1]]
            self.assertAlmostEqual(int(row["DEVICE KERNEL DURATION [ns]"]), op["bw_kernel"], delta=0.51)
            self.assertEqual(int(row["CORE COUNT"]), op["grid_r"] * op["grid_c"])
            self.assertEqual(row["DEVICE ARCH"], "wormhole_b0")
            self.assertEqual(op["type"] == "matmul", row["OP CODE"].startswith("Matmul "))
        query = next(r for r in rows if r["OP CODE"] == "Matmul attn.q")
        self.assertEqual([query[f"INPUT_1_{d}_PAD[LOGICAL]"] for d in "WZYX"], ["1[1]", "1[1]", "256[256]", "256[256]"])
        self.assertEqual(query["INPUT_1_DATATYPE"], "BFLOAT8_B")

    def test_tt_perf_report_reads_it(self):
        tool = self.tool()
        trace = self.trace("bert_encoder", "wormhole_b0", 1)
        table = self.folder / "table.csv"
        done = run(tool, "--ignore-signposts", "--no-color", "--csv", table, self.export(trace, "--ops-csv", "ops.csv"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(table, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row.get("Device Time")]
        ops = [op for epoch in [0, 1] for op in self.perf(trace, "--epoch", epoch)["ops"]]
        self.assertEqual(len(rows), len(ops))
        times = sorted(float(row["Device Time"].split()[0]) for row in rows)
        for got, op in zip(times, sorted(op["bw_kernel"] / 1000 for op in ops)):
            self.assertAlmostEqual(got, op, delta=0.51)

    def test_other_chips_get_a_message_with_the_right_option(self):
        done = run(TTSIM, "export", self.trace("matmul_gelu", "grayskull", 1), "--ops-csv", self.folder / "none.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--perf-results", done.stderr)
        self.assertFalse((self.folder / "none.csv").exists())


class Visualizer(WithTraces):
    def test_the_memory_report_answers_the_visualizers_questions(self):
        for netlist, arch in CASES:
            with self.subTest(netlist):
                trace = self.trace(netlist, arch, 1)
                folder = self.export(trace, "--visualizer", f"{netlist}.viz")
                self.assertIn("report_name", json.loads((folder / "config.json").read_text()))
                self.assertIn("arch: {0: ", (folder / "cluster_descriptor.yaml").read_text())
                self.export(trace, "--visualizer", f"{netlist}.viz")  # a later report takes its place
                with sqlite3.connect(f"file:{folder / 'db.sqlite'}?mode=ro", uri=True) as database:
                    self.check(database, trace)

    def test_the_visualizer_links_memory_and_performance(self):
        python = ROOT / "build/venv-perf/bin/python"
        if not python.exists():
            self.skipTest("ttnn-visualizer of PyPI is not installed: scripts/setup perf-tools")
        trace = self.trace("bert_encoder", "wormhole_b0", 1)
        memory = self.export(trace, "--visualizer", "linked.viz")
        (self.folder / "performance").mkdir(exist_ok=True)
        self.export(trace, "--ops-csv", "performance/ops_perf_results.csv")
        done = run(python, ROOT / "python/tests/ttnn/read_visualizer.py", memory, self.folder / "performance")
        self.assertIn("linked: 37 rows", done.stdout, done.stderr)

    def check(self, database, trace):
        def ask(query, *values):
            return database.execute(query, values).fetchall()
        names = [row[0] for row in ask("SELECT name FROM operations ORDER BY operation_id")]
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as source:
            ops = [row[0] for row in source.execute(
                "SELECT o.name FROM epoch e JOIN op o ON o.plan = e.plan WHERE e.same_as IS NULL ORDER BY e.id, o.id")]
        self.assertEqual(names, ops)
        devices = {row[0]: row[1:] for row in ask("SELECT device_id, worker_l1_size, address_at_first_l1_bank FROM devices")}
        # no two live buffers of a core, or of a DRAM bank, overlap
        pages = ask("SELECT operation_id, device_id, buffer_type, CASE buffer_type WHEN 1 THEN core_x || '-' || core_y "
                    "ELSE bank_id END, page_address, page_size FROM buffer_pages ORDER BY 1, 2, 3, 4, 5")
        self.assertTrue(pages)
        for before, after in zip(pages, pages[1:]):
            if before[:4] == after[:4]:
                self.assertLessEqual(before[4] + before[5], after[4], after)
        ethernet = {row[0] for row in ask("SELECT operation_id FROM operation_arguments WHERE name = 'type' AND "
                                          "value = 'ethernet_datacopy'")}
        for operation, device, kind, _, address, size in pages:
            self.assertGreater(size, 0)
            if kind == 1:
                # Ethernet cores have a smaller L1, of which less is taken
                least = 0 if operation in ethernet else devices[device][1]
                self.assertTrue(least <= address and address + size <= devices[device][0])
        self.assertEqual(ask("SELECT count(*) FROM buffer_pages p LEFT JOIN buffers b ON b.operation_id = p.operation_id "
                             "AND b.address = p.address AND b.device_id = p.device_id WHERE b.address IS NULL"), [(0,)])
        # every operation has outputs, every tensor of an edge exists, producers come from outputs
        self.assertEqual(ask("SELECT count(*) FROM operations o WHERE NOT EXISTS (SELECT 1 FROM output_tensors t WHERE "
                             "t.operation_id = o.operation_id)"), [(0,)])
        for table in ["input_tensors", "output_tensors"]:
            self.assertEqual(ask(f"SELECT count(*) FROM {table} i LEFT JOIN tensors t USING (tensor_id) "
                                 "WHERE t.tensor_id IS NULL"), [(0,)])
        graphs = [json.loads(text) for text, in ask("SELECT captured_graph FROM captured_graph ORDER BY operation_id")]
        self.assertEqual([[node["node_type"] for node in graph] for graph in graphs],
                         [["capture_start", "function_start", "function_end", "capture_end"]] * len(names))
        self.assertTrue(all(graph[1]["params"]["name"].endswith(f" {name}") for graph, name in zip(graphs, names)))
        self.assertEqual(ask("SELECT count(*) FROM local_tensor_comparison_records"), [(0,)])


class Reportify(WithTraces):
    def test_a_compilation_as_reportify_shows_it(self):
        model = ROOT / "tests/lit/compile/inputs/product.tg"
        folder = self.folder / "product"
        done = run(TTSIM, "compile", model, "-o", self.folder / "out", "--reportify", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.folder / "out/passes").exists())
        self.assertIn('name: "ll-sw.product"', (folder / "summary.yaml").read_text())
        passes = {file.stem: json.loads(file.read_text()) for file in (folder / "buda_reports/Passes").glob("*.buda")}
        self.assertLessEqual({"initial_graph", "decomposed_graph", "consteval_graph", "optimized_graph", "pre_lowering",
                              "pre_placer", "post_placer"}, set(passes))
        for name, graph in passes.items():
            self.check_graph(name, graph)
        placed = passes["post_placer"]["nodes"]
        placement = json.loads((folder / "placement_reports/placement.json").read_text())
        entries = {name: op for graph in placement["netlist"]["graphs"].values() for name, op in graph.items()
                   if isinstance(op, dict)}
        for name, entry in entries.items():
            self.assertEqual(placed[name]["grid_start"], entry["grid_loc"])
            rows, columns = [e - s for s, e in zip(placed[name]["grid_start"], placed[name]["grid_end"])]
            self.assertEqual(rows * columns, entry["grid_size"][0] * entry["grid_size"][1])
        self.assertTrue(placement["device_info"]["functional_workers"])
        memory = json.loads((folder / "memory_reports/memory_dram_dynamic_analysis.json").read_text())
        banks = {key: queues for key, queues in memory.items() if key.startswith("Dynamic DRAM Map for Bank ")}
        self.assertTrue(banks)
        for queues in banks.values():
            for queue in queues:
                self.assertIn(queue["queue_name"], placement["netlist"]["queues"])
                self.assertGreater(queue["size"], 0)
        for file in (folder / "epoch_reports/EpochId").glob("*.buda"):
            self.check_graph(file.name, json.loads(file.read_text()))

    def check_graph(self, name, graph):
        nodes = graph["nodes"]
        self.assertEqual(sorted(graph["topological_sorted_nodes"]), sorted(nodes), name)
        for node in nodes.values():
            self.assertEqual(node["pybuda"], 1)
            self.assertIn(node["opcode"], ["Input", "Output", "Queue", "PyBudaOp", "BudaOp"])
            self.assertTrue(all(isinstance(d, int) and d > 0 for d in node["cache"]["shape"]), node)
            for other in node["input_nodes"]:
                self.assertIn(node["name"], nodes[other]["output_nodes"])
            self.assertEqual(len(node["incoming_edge_port_info"]), len(node["input_nodes"]))


class Refusals(WithTraces):
    def bad(self, *arguments):
        done = run(TTSIM, "export", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("error: ", done.stderr)
        return done.stderr

    def test_bad_traces_are_refused_by_every_format(self):
        trace = self.trace("matmul_gelu", "grayskull", 1)
        whole = trace.read_bytes()
        cases = {"empty": b"", "cut": whole[: len(whole) // 2], "text": b"not a trace\n",
                 "old": whole[:60] + (1).to_bytes(4, "big") + whole[64:]}
        for name, content in cases.items():
            file = self.folder / f"{name}.ttperf"
            file.write_bytes(content)
            for flag in ["--perfetto", "--ops-csv", "--op-perf", "--perf-results", "--npe", "--visualizer"]:
                with self.subTest(name=name, flag=flag):
                    out = self.folder / f"{name}{flag}"
                    self.bad(file, flag, out)
                    self.assertFalse(out.exists())

    def test_what_is_there_is_not_overwritten_unasked(self):
        trace = self.trace("matmul_gelu", "grayskull", 1)
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "letter.txt").write_text("mine")
        for flag in ["--perf-results", "--visualizer"]:
            self.assertIn("left as it is", self.bad(trace, flag, mine))
        self.assertEqual((mine / "letter.txt").read_text(), "mine")
        for flag in ["--perfetto", "--npe"]:
            self.bad(trace, flag, mine / "letter.txt")
        self.bad(trace, "--perfetto", trace)
        self.assertEqual((mine / "letter.txt").read_text(), "mine")

    def test_the_trace_may_be_given_as_the_file(self):
        trace = self.trace("matmul_gelu", "grayskull", 1)
        for name in "again.json.gz", "again.pftrace":
            for _ in range(2):
                self.assertEqual(run(TTSIM, "export", trace, "--perfetto", self.folder / name).returncode, 0, name)
        one, two = self.export(trace, "--perfetto", "one.json"), self.folder / "two.json"
        done = run(TTSIM, "export", "--perfetto", trace, "-o", two)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.assertNotEqual(run(TTSIM, "export", "--perfetto", trace).returncode, 0)
        self.assertNotEqual(run(TTSIM, "export", trace).returncode, 0)
        self.assertNotEqual(run(TTSIM, "export", trace, "--perfetto", two, "--cycles", "5:1").returncode, 0)


class Debuda(WithTraces):
    """runtime_data.yaml and pipegen.yaml, read by an independent reader of YAML."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            import yaml
        except ImportError:
            raise unittest.SkipTest("the Python package yaml (python3-yaml) is missing") from None
        cls.yaml = yaml

    def export(self, netlist, arch):
        folder = self.folder / f"debuda-{netlist}"
        done = run(TTSIM, "export", self.trace(netlist, arch), "--debuda", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = self.yaml.safe_load((folder / "runtime_data.yaml").read_text())
        return folder, data, self.yaml.safe_load((folder / "netlist.yaml").read_text())

    def epochs(self, folder, data):
        numbers = {place["epoch_id"] for place in data["graph_to_epoch_map"].values()}
        return [self.yaml.safe_load((folder / f"temporal_epoch_{n}/overlay/pipegen.yaml").read_text()) for n in numbers]

    def test_graphs_and_chips_are_those_of_the_netlist(self):
        folder, data, netlist = self.export("two_chips", "wormhole_b0")
        self.assertEqual(data["netlist_path"], str(folder / "netlist.yaml"))
        self.assertEqual(data["arch_name"], "wormhole_b0")
        graphs = {name: graph["target_device"] for name, graph in netlist["graphs"].items()}
        self.assertEqual({name: place["target_device"] for name, place in data["graph_to_epoch_map"].items()}, graphs)
        self.assertEqual(set(data["worker_grid_sizes_per_chip"]), set(data["all_chips"]))
        self.assertTrue(set(graphs.values()) <= set(data["all_chips"]))
        pipes = [p for epoch in self.epochs(folder, data) for name, p in epoch.items() if name.startswith("pipe_")]
        self.assertTrue(any(pipe["ethernet_pipe"] for pipe in pipes))

    def test_buffers_and_pipes_fit_together(self):
        for netlist, arch in (("bert_encoder", "grayskull"), ("kv_cache", "wormhole_b0")):
            folder, data, nets = self.export(netlist, arch)
            ops = {op: fields for graph in nets["graphs"].values() for op, fields in graph.items() if isinstance(fields, dict)}
            for epoch in self.epochs(folder, data):
                buffers = {b["uniqid"]: b for name, b in epoch.items() if name.startswith("buffer_")}
                pipes = [p for name, p in epoch.items() if name.startswith("pipe_")]
                fed = {out for pipe in pipes for out in pipe["output_list"]}
                for number, buffer in buffers.items():
                    name, kind = buffer["md_op_name"], buffer["buffer_type"]
                    if kind == "unpacker":
                        self.assertIn(number, fed, (name, number))
                    if kind in ("unpacker", "packer"):
                        row, column = buffer["core_coordinates"]
                        at, size = ops[name]["grid_loc"], ops[name]["grid_size"]
                        self.assertTrue(at[0] <= row < at[0] + size[0] and at[1] <= column < at[1] + size[1], name)
                    else:
                        places = nets["queues"][name].get("dram") or nets["queues"][name]["host"]
                        self.assertIn([buffer["dram_chan"], buffer["dram_addr"]], places)
                for pipe in pipes:
                    self.assertTrue(pipe["input_list"] and pipe["output_list"])
                    sources = {buffers[n]["md_op_name"] for n in pipe["input_list"]}
                    self.assertEqual(len(sources), 1)
                    for n in pipe["output_list"]:
                        if buffers[n]["buffer_type"] == "unpacker":
                            name, operand = buffers[n]["md_op_name"], buffers[n]["id"]
                            self.assertEqual({ops[name]["inputs"][operand]}, sources)


if __name__ == "__main__":
    unittest.main()
