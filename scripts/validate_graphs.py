"""Ops measured inside networks (op_cycles_in_graphs.csv): their kernels alone, and with the pipes of the network, from
reconstructed netlists (graph_rows.py)."""
import csv
import json
import pathlib
import subprocess
import tempfile

import graph_rows
import validate_kernels as kernels

INPUTS = 32


def cycles(ttsim, netlist, *more):
    """Cycles per input in steady state."""
    run = subprocess.run([ttsim, "run", netlist, "--mode", "timing", "--json", "-", *more], check=True,
                         capture_output=True, text=True)
    report = json.loads(run.stdout)
    return 1e6 * report["clock_mhz"] / report["graphs"][0]["inputs_per_second"]


def measured(silicon):
    with open(silicon / kernels.GRAPHS_FILE, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def predict(ttsim, silicon):
    """(measured row, kernel, with pipes) of each row, in cycles per input."""
    alone = {row["id"]: float(p["kernel_cycles"]) for row, p in kernels.predict_graphs(ttsim, silicon) if p}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(silicon):
            netlist = pathlib.Path(folder) / "row.yaml"
            netlist.write_text(graph_rows.ROWS[row["id"]]().text(INPUTS))
            kernel = alone[row["id"]] if row["id"] in alone else cycles(ttsim, netlist, "--perf-op", "x")
            found.append((row, kernel, cycles(ttsim, netlist)))
    return found


def error(here, there):
    return 100 * (here / float(there) - 1)


def figures(rows):
    """Figures with bounds: (arch, what, id) -> percent."""
    found = {}
    for row, kernel, with_pipes in rows:
        found["wormhole_b0", "graph", row["id"]] = abs(error(kernel, row["kernel_cycles"]))
        found["wormhole_b0", "graph, pipes", row["id"]] = abs(error(with_pipes, row["cycles_with_pipes"]))
    return found


def table(rows):
    lines = ["| op | shape | kernel, measured | predicted | error % | with pipes, measured | in a run | error % |", "|---|---|---|---|---|---|---|---|"]
    for row, kernel, with_pipes in rows:
        shape = f"{row['mblock']} of {row['ublock']}, t {row['t']}" + (f", m_k {row['m_k']}, u_kt {row['u_kt']}" if row["m_k"] else "")
        lines.append(f"| {row['model']} {row['op']} {row['id'].split('/')[1]} | {shape} | {row['kernel_cycles']} | {kernel:.0f} | "
                     f"{error(kernel, row['kernel_cycles']):+.1f} | {row['cycles_with_pipes']} | {with_pipes:.0f} | "
                     f"{error(with_pipes, row['cycles_with_pipes']):+.1f} |")

    def met(at, name, most):
        return sum(abs(error(r[at], r[0][name])) <= most for r in rows)

    return "\n".join(lines) + (f"\n\nWithin 10 %: {met(1, 'kernel_cycles', 10)} of {len(rows)} kernels. Within 20 %: "
                               f"{met(2, 'cycles_with_pipes', 20)} of {len(rows)} with pipes.")
