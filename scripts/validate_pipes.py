"""Pipes between two ops against pipe_bandwidth.csv, and whole netlists against netlist_targets.csv.

A row of pipe_bandwidth.csv has ranges of features and the measured bucket of 4 B/clk. Random pipes are generated until
each row has its representatives: a feeder with its operand in L1 (or a queue in DRAM), and a target on adjacent cores,
whose kernels take no time (`ttsim pipe bench`). A pipe is met if it is in the row's bucket or an adjacent one. A hash of
the id decides whether a row is used for calibration or held out."""
import csv
import hashlib
import json
import pathlib
import random
import subprocess
from math import gcd, lcm, log2

INPUTS = 64
TILE_BYTES = {"Float16_b": 2080, "Bfp8_b": 1120}
BUCKET = 4  # B/clk
DRAWS = 60_000
PIPES = 3  # maximum representatives of each row
LEAST_MET = 0.9  # minimum share of pipes in their bucket or an adjacent one


def held_out(row_id):
    return hashlib.sha256(row_id.encode()).digest()[0] % 2 == 1


def positions(cut, order):
    """Position of each tile (r, c) of a core's mblock in the core's output order."""
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
    """`cut` and `to`: mblock and ublock of a producer's and a consumer's core; `sources` and `takers`: numbers of cores."""

    def __init__(self, connection, df, cut, order, to, to_order, buffer, sources=1, takers=1):
        self.connection, self.df, self.cut, self.order, self.to, self.to_order = connection, df, cut, order, to, to_order
        self.buffer, self.sources, self.takers = buffer, sources, takers
        made, taken = cut[0] * cut[1] * cut[2] * cut[3], to[0] * to[1] * to[2] * to[3]
        block = made if connection == "dram_read" else made * max(1, buffer // 2)
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
        if connection == "dram_read":
            self.features.update(self.reads(made, taken, clear, tile, unit))
        self.l1_bytes = (max(buffer * made, taken) if connection != "dram_read" else taken) * tile + room * tile

    def reads(self, made, taken, clear, tile, unit):
        """Reads of NCRISC: requests of `unit` tiles, chunks, and their buffer."""
        room = -(-max(32768 // (1 << round(log2(tile))), 2 * clear) // (2 * clear)) * 2 * clear
        if room < unit:
            unit = gcd(unit, room)
        unit = max(d for d in range(1, unit + 1) if unit % d == 0 and d * tile <= 65536)
        whole = lcm(gcd(2048 // clear * clear, taken), unit)
        chunk = next((whole // d for d in range(1, whole // unit + 1)
                      if whole % d == 0 and whole // d % unit == 0 and whole // d * tile <= 52 * 1024), unit)
        both = lcm(chunk, room)
        base = both if both * tile <= max(100 * 1024, room * tile) else chunk
        times = 1
        while (times + 1) * base * tile < 52 * 1024:
            times += 1
            if times * base * tile >= 26 * 1024 and 2048 % (times * base) == 0:
                break
        if times == 1 and 2 * base * tile <= 100 * 1024 and 2048 % (2 * base) == 0:
            times = 2
        return {"dram_scatter_chunk_size_tiles": unit, "dram_buf_read_chunk_size_tiles": chunk,
                "unpacker_buffer_size_bytes": times * base * tile}

    def runs(self, made, block):
        """The unit of contiguous tiles, and whether each source's tiles are read in packed order."""
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

    def measure(self, ttsim):
        """B/clk into each core of the target. Checks that ttsim derives the features that the pipe was generated with."""
        def end(cut, order):
            return f"{cut[0]}x{cut[1]}/{cut[2]}x{cut[3]}/{order}"

        command = [ttsim, "pipe", "bench", "--from", end(self.cut, self.order), "--to", end(self.to, self.to_order), "--sources", self.sources,
                   "--takers", self.takers, "--buf-size-mb", self.buffer, "--data-format", self.df, "--inputs", INPUTS, "--json"]
        command += ["--from-dram"] if self.connection == "dram_read" else []
        found = json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)
        pairs = [("tile_bytes", "tile_size"), ("clear_tiles", "kernel_clear_granularity")]
        if self.connection == "dram_read":
            pairs += [("chunk_tiles", "dram_buf_read_chunk_size_tiles"), ("request_tiles", "dram_scatter_chunk_size_tiles")]
        else:
            pairs += [("scatter", "scatter_pack"), ("unit_tiles", "packer_scatter_gather_num_tiles")]
        for here, there in pairs:
            if found[here] != self.features[there]:
                raise SystemExit(f"validate: {' '.join(str(word) for word in command)}: {here} is {found[here]}, {self.features[there]} was drawn")
        return found["bytes_per_clock"]


def divisors(n):
    return [d for d in range(1, 9) if n % d == 0]


def draw(random_numbers):
    """A random pipe like those of the vendor's sweeps, or None."""
    pick = random_numbers.choice
    connection, df, buffer = pick(["direct", "direct", "gather", "forked", "dram_read"]), pick(sorted(TILE_BYTES)), pick([2, 2, 4])
    rt, ct = pick([(r, c) for r in range(1, 9) for c in range(1, 9) if r * c <= 8])
    most = pick([5, 12]) if connection == "dram_read" else 5
    cut, order, sources, takers = (random_numbers.randint(1, most), random_numbers.randint(1, most), rt, ct), pick("rc"), 1, 1
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
    numbers, found = random.Random(7), {row["id"]: [] for row in rows}
    for _ in range(DRAWS):
        pipe = draw(numbers)
        if pipe is None:
            continue
        for row in rows:
            if row["connection"] == pipe.connection and len(found[row["id"]]) < PIPES and pipe.inside(row):
                found[row["id"]].append(pipe)
                break
    return found


def pipes(ttsim, rows_file):
    """(connection, held out, buckets above, B/clk above the bucket's middle, row, percent of time from its bucket) of each
    generated pipe, and the number of rows without a pipe."""
    with open(rows_file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found, results = representatives(rows), []
    for row in rows:
        for pipe in found[row["id"]]:
            found_here, low = pipe.measure(ttsim), float(row["bw_low_B_per_clk"])
            nearest = min(max(found_here, low), low + BUCKET)  # measured values are known to the bucket
            results.append((row["connection"], held_out(row["id"]), int(found_here // BUCKET) - int(low // BUCKET),
                            found_here - low - BUCKET / 2, row["id"], 100 * (nearest / found_here - 1)))
    return results, sum(not pipes for pipes in found.values())


def pipe_table(results):
    lines = ["| connection | pipes of used rows | in the bucket | in it or beside it | mean, buckets | of held-out rows | in the bucket | in it or beside it | mean, buckets |",
             "|---|---|---|---|---|---|---|---|---|"]
    failures = []

    def share(offs, most):
        return sum(abs(off) <= most for off in offs) / len(offs)

    for connection in sorted({r[0] for r in results}):
        line = f"| {connection} |"
        for held in (False, True):
            offs = [off for name, held_out_row, off, *_ in results if name == connection and held_out_row == held]
            line += f" {len(offs)} | {share(offs, 0):.0%} | {share(offs, 1):.0%} | {sum(offs) / len(offs):+.2f} |"
            if share(offs, 1) < LEAST_MET:
                failures.append(f"{connection}{', held out' if held else ''}: {share(offs, 1):.0%} in or beside their bucket, "
                                f"{LEAST_MET:.0%} are wanted")
        lines.append(line)
    return "\n".join(lines), failures


def figures(results):
    """Figures with bounds: (arch, what, connection) -> B/clk from the middles of the buckets."""
    found = {}
    for connection in sorted({r[0] for r in results}):
        off = [r[3] for r in results if r[0] == connection]
        found["wormhole_b0", "pipes", connection] = sum(abs(o) for o in off) / len(off)
        found["wormhole_b0", "pipes, bias", connection] = abs(sum(off) / len(off))
    return found


def report_of(ttsim, netlist, arch, *more):
    run = subprocess.run([ttsim, "run", netlist, "--mode", "timing", "--arch", arch, "--json", "-", *more], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def figure_of(report, row):
    """The figure that a row of measurements names: of a performance check, of a graph, or of the whole loop."""
    if not row["graph"]:
        return report["push_to_pop_per_second"] or report["end_to_end_per_second"]
    for figure in report["performance"]:
        if figure["check"] == row["graph"] and figure["metric"] == row["metric"]:
            return figure["measured"]
    found = [f["measured"] for f in report["performance"] if f["metric"] == row["metric"]]
    return found[0] if found else next(g["inputs_per_second"] for g in report["graphs"] if g["name"] == row["graph"])


def target_table(ttsim, targets_files, netlists):
    lines = ["| netlist | figure | measured on the card | here | error % | tolerance % |", "|---|---|---|---|---|---|"]
    runs, failures = {}, []
    for targets_file in targets_files:
        with open(targets_file, newline="", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                if row["netlist"] not in runs:
                    runs[row["netlist"]] = report_of(ttsim, netlists / row["netlist"], row["arch"])
                here, there, most = figure_of(runs[row["netlist"]], row), float(row["expected"]), float(row["rtol"])
                what = ", ".join(part for part in (row["graph"] or "whole loop", row["metric"]) if part)
                lines.append(f"| `{pathlib.Path(row['netlist']).stem}` | {what} | {there:g} | {here:.4g} | {100 * (here / there - 1):+.1f} | "
                             f"{100 * most:.0f} |")
                off = here / there - 1
                if off < -most or (off > most and "at-least" not in row["metric"]):
                    failures.append(f"{row['netlist']}: {what} is {here:.4g}, {there:g} within {most:.0%} is wanted")
    return "\n".join(lines), failures


ABLATED = ["", "blocks", "lockstep", "blocks,lockstep", "firmware", "credits", "blocks,lockstep,firmware,credits", "kernels",
           "strips", "parts", "pieces", "beside", "nocs", "relays", "parts,pieces,beside,nocs,relays"]
FREED = ["noc", "dram", "noc,dram"]
# netlist, arch, graph ("": the whole loop), inputs
ABLATED_NETLISTS = [("verif/graph_tests/netlists/netlist_encoder_grid.yaml", "grayskull", "fwd_0", 256),
                    ("verif/graph_tests/netlists/netlist_bert_base.yaml", "grayskull", "fwd_1", 64),
                    ("verif/directed_tests/bert_demo_24_encoders_1_chip.yaml", "wormhole_b0", "fwd_0_1_temporal_epoch_1", 48),
                    ("perf_lib/graph_tests/wormhole_b0/inference/mobilenet_v3_hifi2_fp16b.yaml", "wormhole_b0", "", 64)]


def ablation_table(ttsim, netlists):
    """Cycles per input of graphs without some mechanisms, and with idealized resources."""
    lines = ["| without | " + " | ".join(f"`{pathlib.Path(netlist).stem}` {graph or 'loop'}" for netlist, _, graph, _ in ABLATED_NETLISTS) + " |",
             "|---" * (1 + len(ABLATED_NETLISTS)) + "|"]
    for title, option, names in [*((names, "--without", names) for names in ABLATED), *((f"{names} free", "--free", names) for names in FREED)]:
        cells = []
        for netlist, arch, graph, inputs in ABLATED_NETLISTS:
            report = report_of(ttsim, netlists / netlist, arch, "--inputs-count", str(inputs), *([option, names] if names else []))
            rate = next((g["inputs_per_second"] for g in report["graphs"] if g["name"] == graph), report["end_to_end_per_second"])
            cells.append(f"{1e6 * report['clock_mhz'] / rate:,.0f}" if rate else "-")
        lines.append(f"| {title.replace(',', ', ') or 'nothing'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def validate(ttsim, silicon, check):
    """Tables by name, failures, and figures with bounds."""
    tables, failures, found = {}, [], {}
    if (silicon / "pipe_bandwidth.csv").is_file():
        results, without = pipes(ttsim, silicon / "pipe_bandwidth.csv")
        tables["pipes"], failures = pipe_table(results)
        found = figures(results)
        tables["pipes"] += f"\n\n{without} rows between ops have no representative among the pipes drawn."
    elif check:
        failures.append(f"nothing was compared, there is no {silicon / 'pipe_bandwidth.csv'}")
    netlists = silicon.parent / "netlists"
    targets = [silicon / name for name in ("netlist_targets.csv", "netlist_targets_more.csv") if (silicon / name).is_file()]
    if targets and netlists.is_dir():
        tables["netlist targets"], missed = target_table(ttsim, targets, netlists)
        failures += missed
        if not check:
            tables["ablation"] = ablation_table(ttsim, netlists)
    elif check:
        failures.append(f"nothing was compared, there is no {silicon / 'netlist_targets.csv'} with {netlists}")
    return tables, failures, found
