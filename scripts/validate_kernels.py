"""The kernel part of scripts/validate: measured ops against `ttsim kernel`, with bounds per op (bounds.csv), ops
measured inside networks, and the contribution of constants without a known mechanism. Also used by
scripts/mutate_constants."""
import csv
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOUNDS_FILE = ROOT / "scripts/bounds.csv"
ARCHS = ("wormhole_b0", "grayskull")
ROWS_FILE, MORE_ROWS_FILE, GRAPHS_FILE = "op_cycles.csv", "op_cycles_more.csv", "op_cycles_in_graphs.csv"
# Constants for measured effects without a known mechanism, by section of timing.yaml.
UNEXPLAINED = ("pack_many", "math_16bit_tile", "reload_tile_32b", "input_int", "input_eltwise", "input_matmul", "input_reduce",
               "input_sparse", "unpack_matmul_ublock", "slice_copy_16bit")


def calibration():
    loader = importlib.machinery.SourceFileLoader("calibrate_kernels", str(ROOT / "scripts/calibrate_kernels"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def mean(values):
    values = [abs(v) for v in values]
    return sum(values) / len(values)


def predict_all(ttsim, arch, silicon, timing=None):
    """Predictions for all measured rows of a chip. "later": whether a row is of the second file."""
    return [row | {"later": name == MORE_ROWS_FILE} for name in (ROWS_FILE, MORE_ROWS_FILE) if (silicon / name).is_file()
            for row in predict(ttsim, arch, silicon / name, timing)]


def predict(ttsim, arch, rows_file, timing=None):
    command = [ttsim, "kernel", "--arch", arch, "--csv", rows_file, "--out", "-"] + (["--timing", timing] if timing else [])
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    return [r for r in csv.DictReader(out.stdout.splitlines()) if r["predicted_cycles"] and r["cycles_per_input"]]


def errors(rows, predicted="predicted_cycles", measured="cycles_per_input"):
    return sorted(100 * (float(r[predicted]) / float(r[measured]) - 1) for r in rows)


def counter_differences(rows):
    """Differences in percentage points of math utilization."""
    return [float(r["predicted_math_util_pct"]) - float(r["math_util_pct"]) for r in rows if r["math_util_pct"]]


def by_op(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["op"], []).append(row)
    return dict(sorted(groups.items()))


def graph_row(columns, row):
    """An op measured in a network as a row of `ttsim kernel --csv`, or None for fused ops, whose schedules are not published."""
    if row["op"] == "fused":
        return None
    m, n = row["mblock"].split("x")
    rt, ct = row["ublock"].split("x")
    sparse = row["op"] == "sparse matmul"
    kernel = dict.fromkeys(columns, "") | {
        "arch": row["chip"], "op": row["op"], "math_fidelity": row["fidelity"], "in0_df": row["data_format"], "in1_df": row["data_format"],
        "out_df": row["data_format"], "t": row["t"], "mblock_m": m, "mblock_n": n, "ublock_rt": rt, "ublock_ct": ct,
        "m_k": row["m_k"], "u_kt": row["u_kt"], "n_inputs": "128", "cycles_per_input": row["kernel_cycles"]}
    if sparse:  # the smallest possible encoding: one k-block per slice, one tile per row of tiles
        slices = int(row["t"])
        kernel |= {"in0_df": "Bfp2_b", "nz_strips": slices, "nz_ublocks": slices * int(m), "nz_tiles": slices * int(m) * int(rt)}
    return kernel


def predict_graphs(ttsim, silicon):
    """Pairs of a measured row and its prediction, None for fused ops."""
    with open(silicon / ROWS_FILE) as f:
        columns = next(csv.reader(f))
    with open(silicon / GRAPHS_FILE) as f:
        rows = list(csv.DictReader(f))
    kernels = [graph_row(columns, row) for row in rows]
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as f:
        writer = csv.DictWriter(f, columns)
        writer.writeheader()
        writer.writerows(k for k in kernels if k)
        f.flush()
        found = iter(predict(ttsim, "wormhole_b0", f.name))
        return [(row, next(found) if kernel else None) for row, kernel in zip(rows, kernels)]


def figures(ttsim, silicon, archs=ARCHS):
    """Figures with bounds: (arch, what, op) -> figure."""
    found = {}
    for arch in archs:
        for op, rows in by_op(predict_all(ttsim, arch, silicon)).items():
            e = errors(rows)
            found[arch, "mean", op] = mean(e)
            found[arch, "bias", op] = abs(sum(e) / len(e))
            if counted := counter_differences(rows):
                found[arch, "counter", op] = mean(counted)
    return found


def bounds():
    return {(r["arch"], r["what"], r["op"]): float(r["bound"]) for r in csv.DictReader(open(BOUNDS_FILE))}


def exceeded(found, limits):
    """Names of the exceeded bounds, with figure and bound; a missing figure counts as exceeded."""
    return [(key, found.get(key), limit) for key, limit in limits.items() if found.get(key, limit + 1) > limit]


def write_bounds(found):
    """Writes bounds 0.01 above the figures: predictions are deterministic, so only model or constants can change them."""
    with open(BOUNDS_FILE, "w", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(("arch", "what", "op", "bound"))
        for (arch, what, op), figure in sorted(found.items()):
            writer.writerow((arch, what, op, f"{1.01 * figure + 0.01:.3f}"))


def shares(ttsim, silicon, arch):
    """Contribution of each constant without a known mechanism to its rows: (name, rows, mean %, maximum %)."""
    constants = calibration().Constants(ROOT / "configs/chips" / arch / "timing.yaml")
    names = [n for n in constants.values if (n in UNEXPLAINED or n.startswith("ublock_extra.")) and constants.values[n] > 0]
    whole = predict_all(ttsim, arch, silicon)
    out = []
    with tempfile.TemporaryDirectory() as folder:
        timing = pathlib.Path(folder) / "timing.yaml"
        for name in names:
            timing.write_text(constants.render(constants.values | {name: 0}))
            without = predict_all(ttsim, arch, silicon, timing)
            parts = [100 * (1 - float(b["predicted_cycles"]) / float(a["predicted_cycles"])) for a, b in zip(whole, without)]
            acting = [p for p in parts if abs(p) > 1e-6]
            out.append((name, len(acting), mean(acting) if acting else 0, max(acting, default=0)))
    return out


def share_table(ttsim, silicon):
    lines = ["| chip | constant | rows it acts on | mean share % | most % |", "|---|---|---|---|---|"]
    for arch in ARCHS:
        lines += [f"| {arch} | `{n.replace('.', ': ')}` | {rows} | {part:.1f} | {most:.1f} |" for n, rows, part, most in shares(ttsim, silicon, arch)]
    return "\n".join(lines)
