"""Pipes between two ops against pipe_bandwidth.csv, and whole netlists against netlist_targets.csv.

A row of pipe_bandwidth.csv is a box of features and the bucket of 4 B/clk that was measured in it. Pipes are drawn until
each box has its representatives: a feeder with its operand in L1, and a target on the core or cores beside it, whose
kernels take no time (`ttsim run --without kernels`). A pipe counts as met when it falls into the row's bucket or the one
beside it. Rows are calibrated on or held out by the hash of their id."""
import csv
import hashlib
import json
import pathlib
import random
import subprocess
import tempfile
from math import gcd

INPUTS = 64
TILE_BYTES = {"Float16_b": 2080, "Bfp8_b": 1120}
BUCKET = 4  # B/clk
DRAWS = 30_000
LEAST_MET = {"direct": 0.9, "forked": 0.9, "gather": 0.8}  # share of rows


def held_out(row_id):
    return hashlib.sha256(row_id.encode()).digest()[0] % 2 == 1


def positions(cut, order):
    """Tile (r, c) of a core's mblock -> its place in the core's output order."""
    m, n, rt, ct = cut
    place = {}
    for um in range(m):
        for un in range(n):
            ublock = um * n + un if order == "r" else un * m + um
            for r in range(rt):
                for c in range(ct):
                    place[um * rt + r, un * ct + c] = (ublock * rt + r) * ct + c
    return place


class Pipe:
    """`cut` and `to`: mblock and ublock of a producer's and a consumer's core; `sources` and `takers`: cores in a column."""

    def __init__(self, connection, df, cut, order, to, to_order, buffer, sources=1, takers=1):
        self.connection, self.df, self.cut, self.order, self.to, self.to_order = connection, df, cut, order, to, to_order
        self.buffer, self.sources, self.takers = buffer, sources, takers
        made, taken = cut[0] * cut[1] * cut[2] * cut[3], to[0] * to[1] * to[2] * to[3]
        block = made * max(1, buffer // 2)
        unit, in_order = self.runs(made, block)
        scatter = not in_order or takers > 1 or unit != block
        clear, tile = to[2] * to[3], TILE_BYTES[df]
        room = 2 * clear
        while room * tile < 32768:
            room += clear
        per_input = room // taken
        self.features = {
            "tile_size": tile, "kernel_clear_granularity": clear, "unpacker_buffer_size_bytes": room * tile,
            "buf_space_available_ack_thr": 0 if per_input == 0 else 1 if per_input < 3 else 2 if per_input < 6 else 3,
            "epoch_tiles": taken * INPUTS, "packer_buffer_size_bytes": buffer * made * tile,
            "packer_scatter_gather_num_tiles": unit, "scatter_pack": int(scatter),
            "packer_num_phases": made // unit * max(1, buffer // 2) if scatter else 1,
            "producer_fanout": takers, "consumer_fanin": sources}
        self.bytes = taken * INPUTS * tile
        self.l1_bytes = max(buffer * made, taken) * tile + room * tile

    def runs(self, made, block):
        """The unit that always stays together, and whether each source's tiles are taken as they are packed."""
        place, rows = positions(self.cut, self.order), self.cut[0] * self.cut[2]
        unit, in_order = block, True
        for taker in range(self.takers):
            inverse = {p: tile for tile, p in positions(self.to, self.to_order).items()}
            order = []
            for p in range(len(inverse)):
                r, c = inverse[p]
                r += taker * self.to[0] * self.to[2]
                order.append((r // rows, place[r % rows, c]))
            if self.sources == self.takers == 1 and order == [(0, p) for p in range(made)]:
                continue
            following, at = {}, 0
            while at < len(order):
                end = at + 1
                while end < len(order) and order[end] == (order[end - 1][0], order[end - 1][1] + 1):
                    end += 1
                source, first = order[at]
                unit = gcd(unit, end - at, first)
                in_order = in_order and following.get(source, 0) == first
                following[source] = first + end - at
                at = end
        return unit, in_order

    def inside(self, row):
        for name, value in self.features.items():
            low, high = row[name + "_gt"], row[name + "_le"]
            if (low and value <= float(low)) or (high and value > float(high)):
                return False
        return True

    def netlist(self):
        def cut(cores, blocks):
            m, n, rt, ct = blocks
            return f"grid_size: [{cores}, 1], t: 1, mblock: [{m}, {n}], ublock: [{rt}, {ct}]"

        def op(name, source, blocks, order, column, buffer):
            return (f"    {name}: {{type: datacopy, grid_loc: [0, {column}], {blocks}, inputs: [{source}], in_df: [{self.df}], acc_df: Float16_b, "
                    f"out_df: {self.df}, intermed_df: {self.df}, ublock_order: {order}, buf_size_mb: {buffer}, math_fidelity: LoFi, "
                    "untilize_output: false}\n")

        places = ", ".join(f"[0, {0x10000000 + core * 0x1000000:#x}]" for core in range(self.sources))
        return ("devices: {arch: wormhole_b0}\nqueues:\n"
                f"  x: {{input: HOST, type: ram, entries: 1, {cut(self.sources, self.cut)}, ublock_order: {self.order}, df: {self.df}, "
                f"target_device: 0, loc: dram, dram: [{places}]}}\n"
                f"graphs:\n  g:\n    target_device: 0\n    input_count: {INPUTS}\n" +
                op("feeder", "x", cut(self.sources, self.cut), self.order, 0, self.buffer) +
                op("target", "feeder", cut(self.takers, self.to), self.to_order, 1, 1) +
                "programs:\n  - p:\n      - execute: {graph_name: g, queue_settings: {x: {prologue: true, epilogue: false, zero: false, "
                "rd_ptr_global: 0, wr_ptr_global: 0}}}\n")

    def measure(self, ttsim, file):
        """B/clk into each core of the target."""
        file.write_text(self.netlist())
        run = subprocess.run([ttsim, "run", file, "--mode", "timing", "--without", "kernels", "--json", "-"], check=True,
                             capture_output=True, text=True)
        target = next(op for op in json.loads(run.stdout)["graphs"][0]["ops"] if op["name"] == "target")
        return self.bytes / (target["last_cycle"] - target["first_cycle"])


def divisors(n):
    return [d for d in range(1, 9) if n % d == 0]


def draw(random_numbers):
    """A pipe as the vendor's sweeps had them, or None."""
    pick = random_numbers.choice
    connection, df, buffer = pick(["direct", "direct", "gather", "forked"]), pick(sorted(TILE_BYTES)), pick([2, 2, 4])
    rt, ct = pick([(r, c) for r in range(1, 9) for c in range(1, 9) if r * c <= 8])
    cut, order, sources, takers = (random_numbers.randint(1, 5), random_numbers.randint(1, 5), rt, ct), pick("rc"), 1, 1
    rows, columns = cut[0] * rt, cut[1] * ct
    if connection == "gather":
        sources = random_numbers.randint(2, 8)
        rows *= sources
    if connection == "forked":
        takers = pick([t for t in divisors(rows) if t > 1] or [0])
        if takers == 0:
            return None
        rows //= takers
    to, to_order = cut, order
    if connection != "direct" or random_numbers.random() < 0.65:
        to_rt, to_ct = pick(divisors(rows)), pick(divisors(columns))
        if to_rt * to_ct > 8:
            return None
        to, to_order = (rows // to_rt, columns // to_ct, to_rt, to_ct), pick("rc")
    pipe = Pipe(connection, df, cut, order, to, to_order, buffer, sources, takers)
    return pipe if pipe.l1_bytes < 1_200_000 else None


def representatives(rows):
    numbers, found = random.Random(1), {}
    for _ in range(DRAWS):
        pipe = draw(numbers)
        if pipe is None:
            continue
        for row in rows:
            if row["connection"] == pipe.connection and row["id"] not in found and pipe.inside(row):
                found[row["id"]] = pipe
                break
        if len(found) == len(rows):
            break
    return found


def pipes(ttsim, rows_file):
    """(connection, held out, buckets too many) of each row that has a pipe, and the number of rows without."""
    with open(rows_file, newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["connection"] != "dram_read"]
    found, results = representatives(rows), []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            if row["id"] in found:
                rate = found[row["id"]].measure(ttsim, pathlib.Path(folder) / "pipe.yaml")
                off = int(rate // BUCKET) - int(float(row["bw_low_B_per_clk"]) // BUCKET)
                results.append((row["connection"], held_out(row["id"]), off))
    return results, len(rows) - len(results)


def pipe_table(results):
    lines = ["| connection | rows | in the bucket | in it or beside it | mean, buckets | held-out rows | in it or beside it |",
             "|---|---|---|---|---|---|---|"]
    failures = []
    share = lambda offs, most: sum(abs(off) <= most for off in offs) / len(offs)
    for connection in sorted({r[0] for r in results}):
        offs = [off for name, _, off in results if name == connection]
        unseen = [off for name, held, off in results if name == connection and held]
        lines.append(f"| {connection} | {len(offs)} | {share(offs, 0):.0%} | {share(offs, 1):.0%} | {sum(offs) / len(offs):+.2f} | {len(unseen)} | "
                     f"{share(unseen, 1):.0%} |")
        if share(offs, 1) < LEAST_MET[connection]:
            failures.append(f"{connection}: {share(offs, 1):.0%} in or beside their bucket, {LEAST_MET[connection]:.0%} are wanted")
    return "\n".join(lines), failures


def target_table(ttsim, targets_file, netlists):
    lines = ["| netlist | figure | measured on the card | here | error % | tolerance % |", "|---|---|---|---|---|---|"]
    runs = {}
    with open(targets_file, newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            if row["netlist"] not in runs:
                run = subprocess.run([ttsim, "run", netlists / row["netlist"], "--mode", "timing", "--arch", row["arch"], "--json", "-"],
                                     check=True, capture_output=True, text=True)
                runs[row["netlist"]] = {f["metric"]: f["measured"] for f in json.loads(run.stdout)["performance"]}
            here, there = runs[row["netlist"]][row["metric"]], float(row["expected"])
            lines.append(f"| `{pathlib.Path(row['netlist']).stem}` | {row['metric']} | {there:g} | {here:.4g} | {100 * (here / there - 1):+.1f} | "
                         f"{100 * float(row['rtol']):.0f} |")
    return "\n".join(lines)


def validate(root, ttsim, silicon, check):
    tables, failures = {}, []
    if (silicon / "pipe_bandwidth.csv").is_file():
        results, without = pipes(ttsim, silicon / "pipe_bandwidth.csv")
        tables["pipes"], failures = pipe_table(results)
        tables["pipes"] += f"\n\n{without} rows between ops have no representative among the pipes drawn."
    elif check:
        failures.append(f"nothing was compared, there is no {silicon / 'pipe_bandwidth.csv'}")
    netlists = silicon.parent / "netlists"
    if (silicon / "netlist_targets.csv").is_file() and netlists.is_dir():
        tables["netlist targets"] = target_table(ttsim, silicon / "netlist_targets.csv", netlists)
    elif check:
        failures.append(f"nothing was compared, there is no {silicon / 'netlist_targets.csv'} with {netlists}")
    return tables, failures
