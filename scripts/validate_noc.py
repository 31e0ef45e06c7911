"""The NoC part of scripts/validate: the tables of docs/modelling-noc.md, made by `ttsim noc` from measured transfers and
recorded traces."""
import csv
import itertools
import json
import pathlib
import re
import subprocess
import tempfile

CONSTANTS = "configs/chips/wormhole_b0/noc.yaml"
# Bounds in percent: mean over all rows of transfers, mean over traces of total and barrier time.
BOUNDS = {"transfers": 3, "open total": 2.5, "closed total": 3, "barriers": 5, "single barriers": 12}
# Constants of transfers were calibrated on these sizes; the other rows are held out.
USED_SIZES = {64, 128, 1024, 4096, 8192}
# Constants calibrated on traces, and the values tried in leave-one-out validation.
TRACE_CONSTANTS = {"request_intake": (1, 2, 4), "l1_flits": (1.4, 1.5, 1.55, 1.6, 1.7), "l1_write": (0.4, 0.5, 0.6, 0.7)}
# tt-metal data_movement documentation, perf_plots/wormhole_b0 and ideal_performance.md: clk or bytes/clk and core.
PATTERNS = [
    ("multicast 2x2, 32 B", "cycles", 341, "--pattern multicast --grid-x 2 --grid-y 2 --bytes 32"),
    ("multicast 2x2, 8 KB", "cycles", 610, "--pattern multicast --grid-x 2 --grid-y 2 --bytes 8192"),
    ("multicast 5x5, 32 B", "cycles", 470, "--pattern multicast --grid-x 5 --grid-y 5 --bytes 32"),
    ("multicast 5x5, 8 KB", "cycles", 731, "--pattern multicast --grid-x 5 --grid-y 5 --bytes 8192"),
    ("multicast 2x2, 256 of 8 KB", "rate", 25.9, "--pattern multicast --grid-x 2 --grid-y 2 --bytes 8192 --count 256"),
    ("multicast 5x5, 256 of 8 KB", "rate", 18.2, "--pattern multicast --grid-x 5 --grid-y 5 --bytes 8192 --count 256"),
    ("the same, linked", "rate", 28.9, "--pattern multicast --grid-x 5 --grid-y 5 --bytes 8192 --count 256 --linked"),
    ("loopback, 32 B", "cycles", 104, "--pattern one_to_one --loopback --bytes 32"),
    ("loopback, 8 KB", "cycles", 367, "--pattern one_to_one --loopback --bytes 8192"),
    ("loopback, 256 of 8 KB", "rate", 29.8, "--pattern one_to_one --loopback --bytes 8192 --count 256"),
    ("one from all, 8 KB", "rate", 30.9, "--pattern one_from_all --bytes 8192 --count 4"),
    ("one to all, 8 KB", "rate", 31, "--pattern one_to_all --bytes 8192 --count 4"),
    ("all to all, 8 KB", "rate", 3.4, "--pattern all_to_all --bytes 8192 --count 4"),
]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Noc:
    def __init__(self, ttsim, silicon):
        self.ttsim = str(ttsim)
        self.silicon = silicon
        self.traces = [t for t in sorted((silicon / "noc_samples").glob("*.json")) if t.read_text().lstrip().startswith("[")]

    def run(self, *arguments):
        return subprocess.run([self.ttsim, "noc", *arguments], check=True, capture_output=True, text=True).stdout

    def replay(self, trace, *flags):
        return json.loads(self.run("replay", str(trace), "--json", "-", *flags))

    def transfers(self):
        out = self.run("bench", "--csv", str(self.silicon / "noc_latency_single.csv"), "--out", "-")
        rows = [r for r in csv.DictReader(out.splitlines()) if r["predicted_cycles"]]
        for r in rows:
            r["error"] = 100 * (float(r["predicted_cycles"]) / float(r["latency_cycles"]) - 1)
            r["kind"] = f"{r['pattern'].lower()} {'DRAM' if r['memory'].startswith('DRAM') else 'L1'}"
        return rows


def errors(result):
    b = result["barriers"]
    return {"total": 100 * (result["total_cycles"] / result["golden_cycles"] - 1),
            "barriers": 100 * (b["predicted_cycles"] / b["recorded_cycles"] - 1),
            "single": b["mean_absolute_error_percent"]}


def transfer_table(rows, failed):
    lines = ["| kind | rows | mean % | worst % | bias % | rows of sizes held out | mean % |", "|---|---|---|---|---|---|---|"]
    for kind in sorted({r["kind"] for r in rows}) + ["all"]:
        mine = [r for r in rows if kind in (r["kind"], "all")]
        unseen = [abs(r["error"]) for r in mine if int(r["transaction_bytes"]) not in USED_SIZES]
        lines.append(f"| {kind} | {len(mine)} | {mean(abs(r['error']) for r in mine):.2f} | {max(abs(r['error']) for r in mine):.1f} | "
                     f"{mean(r['error'] for r in mine):+.2f} | {len(unseen)} | {mean(unseen):.2f} |")
    found = mean(abs(r["error"]) for r in rows)
    if found > BOUNDS["transfers"]:
        failed.append(f"transfers: mean error {found:.2f} %, at most {BOUNDS['transfers']} % is wanted")
    return "\n".join(lines)


def trace_table(noc, failed):
    lines = ["| trace | recorded | open loop % | closed loop % | barrier time % | single barriers % |", "|---|---|---|---|---|---|"]
    rows = []
    for trace in noc.traces:
        opened, closed = noc.replay(trace, "--open-loop"), noc.replay(trace)
        o, c = errors(opened), errors(closed)
        rows.append({"open total": abs(o["total"]), "closed total": abs(c["total"]), "barriers": abs(c["barriers"]),
                     "single barriers": c["single"]})
        lines.append(f"| {trace.stem} | {opened['golden_cycles']:.0f} | {o['total']:+.2f} | {c['total']:+.2f} | {c['barriers']:+.2f} | "
                     f"{c['single']:.2f} |")
    means = {name: mean(r[name] for r in rows) for name in rows[0]}
    lines.append(f"| mean of absolute values | | {means['open total']:.2f} | {means['closed total']:.2f} | {means['barriers']:.2f} | "
                 f"{means['single barriers']:.2f} |")
    for name, found in means.items():
        if found > BOUNDS[name]:
            failed.append(f"traces, {name}: mean error {found:.2f} %, at most {BOUNDS[name]} % is wanted")
    return "\n".join(lines)


def left_out_table(noc, root):
    """Leave-one-out validation: calibrates constants on all traces but one, by the error of single barriers, and predicts
    that one."""
    text = (root / CONSTANTS).read_text()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "constants.yaml"
        for values in itertools.product(*TRACE_CONSTANTS.values()):
            changed = text
            for name, value in zip(TRACE_CONSTANTS, values):
                changed = re.sub(rf"(?m)^(  {name}: +)[0-9.]+", lambda m, v=value: m.group(1) + str(v), changed)
            file.write_text(changed)
            found[values] = [errors(noc.replay(t, "--constants", str(file))) for t in noc.traces]
    lines = ["| trace left out | " + " | ".join(f"`{n}`" for n in TRACE_CONSTANTS) + " | total % | barrier time % | single barriers % |",
             "|---|" + "---|" * (len(TRACE_CONSTANTS) + 3)]
    left = []
    for i, trace in enumerate(noc.traces):
        best = min(found, key=lambda v: mean(e["single"] for j, e in enumerate(found[v]) if j != i))
        e = found[best][i]
        left.append(e)
        lines.append(f"| {trace.stem} | " + " | ".join(str(v) for v in best) +
                     f" | {e['total']:+.2f} | {e['barriers']:+.2f} | {e['single']:.2f} |")
    lines.append("| mean of absolute values |" + " |" * len(TRACE_CONSTANTS) +
                 f" {mean(abs(e['total']) for e in left):.2f} | {mean(abs(e['barriers']) for e in left):.2f} | {mean(e['single'] for e in left):.2f} |")
    return "\n".join(lines)


def pattern_table(noc):
    lines = ["| pattern | measured | model | error % |", "|---|---|---|---|"]
    for name, kind, measured, flags in PATTERNS:
        result = json.loads(noc.run("bench", "--json", *flags.split()))
        value = result["cycles"] if kind == "cycles" else result["bytes_per_cycle_per_core"]
        shown, unit = (f"{value:.0f}", "clk") if kind == "cycles" else (f"{value:.1f}", "B/clk")
        lines.append(f"| {name} | {measured} {unit} | {shown} | {100 * (value / measured - 1):+.1f} |")
    return "\n".join(lines)


def validate(root, ttsim, silicon, check):
    """Tables by name, without slow ones if `check`; and exceeded bounds."""
    noc = Noc(ttsim, silicon)
    if not (silicon / "noc_latency_single.csv").is_file() or not noc.traces:
        nothing = f"there are no transfers and traces in {silicon}"
        if check:
            return {}, [f"nothing was compared, {nothing}"]
        print(f"validate: NoC skipped, {nothing}")
        return {}, []
    failed = []
    tables = {"transfers": transfer_table(noc.transfers(), failed), "traces": trace_table(noc, failed), "patterns": pattern_table(noc)}
    if not check:
        tables["left out"] = left_out_table(noc, root)
    return tables, failed
