"""The command `ttsim sweep`."""
from __future__ import annotations

import argparse
import json
import signal
import sys
from typing import Any

import yaml

from . import compare as comparison
from . import show as tables
from .errors import SweepError
from .run import Settings, run_sweep
from .spec import read_spec
from .store import Store

_RUN_EXAMPLES = """\
A specification has a netlist, model, image or template, axes and measures (docs/sweeps.md):

  netlist: encoder.yaml
  device: wh_n150
  axes:
    run.inputs_count: [1, 4, 16]
    chip.memory.dram.peak_bytes: {from: 12, to: 24, step: 6}
    netlist.graphs.*.*.math_fidelity: [LoFi, HiFi3]
  measures: [cycles, inputs_per_second]

Results are stored as they come. The same command goes on after an interruption and runs no stored point again.
Exits with 1 if a point is worse than --against allows, 2 for a mistake in the specification.

Examples:
  ttsim sweep sweep.yaml
  ttsim sweep sweep.yaml --store grids.store --workers 2 --json -
  ttsim sweep sweep.yaml --search 100
  ttsim sweep sweep.yaml --engine dask --scheduler tcp://head:8786
  ttsim sweep sweep.yaml --engine slurm --workers 16 --cluster-options '{queue: short, memory: 4GB}'
  ttsim sweep sweep.yaml --store tonight --against yesterday
  ttsim sweep show sweep.store --sort cycles --filter '"run.inputs_count" > 1'
  ttsim sweep page sweep.store -o sweep.html"""
_PAGE_EXAMPLES = """\
Examples:
  ttsim sweep page sweep.store -o sweep.html
  ttsim sweep page sweep.store -o sweep.html --force --reports 5"""
_SHOW_EXAMPLES = """\
Examples:
  ttsim sweep show sweep.store --sort -inputs_per_second --limit 10
  ttsim sweep show sweep.store --filter "status <> 'ok'" --columns status,message,command
  ttsim sweep show sweep.store --csv results.csv"""


def _parser(name: str, about: str, examples: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=name, description=about, epilog=examples,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def _write_json(path: str, value: Any) -> None:
    text = json.dumps({"schema_version": 2, **value}, indent=2, default=str) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _run(words: list[str]) -> int:
    parser = _parser("ttsim sweep", "Runs a netlist or model for every point of a grid, or for the points of a search.",
                     _RUN_EXAMPLES)
    parser.add_argument("spec", help="specification (YAML), or 'show' or 'page' for the results of a store")
    parser.add_argument("--store", default="sweep.store", metavar="DIR", help="folder of results. Default: %(default)s")
    parser.add_argument("--engine", default="local", metavar="NAME", help="local: processes of this machine; dask: a "
                        "scheduler that runs; slurm, pbs, lsf, sge: jobs that dask-jobqueue submits. Default: %(default)s")
    parser.add_argument("--workers", type=int, default=0, metavar="N",
                        help="points at the same time. Default: as many as processors and free memory allow")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="of dask, such as tcp://head:8786")
    parser.add_argument("--cluster-options", default="{}", metavar="YAML",
                        help="arguments of dask_jobqueue's cluster, such as '{queue: short, memory: 4GB}'")
    parser.add_argument("--search", type=int, default=0, metavar="N",
                        help="run N points that Optuna proposes for the objectives, instead of the whole grid")
    parser.add_argument("--search-seed", type=int, default=0, metavar="N", help="seed of the search. Default: 0")
    parser.add_argument("--search-batch", type=int, default=8, metavar="N",
                        help="points that the search proposes at a time; more for more workers. Default: 8")
    parser.add_argument("--retry-failed", action="store_true", help="run points again that did not end with 'ok'")
    parser.add_argument("--against", metavar="DIR", help="compare with the results of another store")
    parser.add_argument("--dry-run", action="store_true", help="check the specification and print the number of points")
    parser.add_argument("--json", metavar="FILE", help="write what was done as JSON; - is stdout")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    given = parser.parse_args(words)
    if given.workers < 0 or given.search < 0 or given.search_batch < 1:
        raise SweepError("--workers and --search are numbers of 0 or more, and --search-batch of 1 or more")
    try:
        cluster = yaml.safe_load(given.cluster_options)
    except yaml.YAMLError:
        cluster = None
    if not isinstance(cluster, dict):
        raise SweepError(f"--cluster-options is a map, such as '{{queue: short}}', not {given.cluster_options!r}")
    sweep = read_spec(given.spec)
    baseline = Store(given.against) if given.against else None
    settings = Settings(given.store, given.engine, given.workers, given.scheduler, cluster, given.retry_failed,
                        given.search, given.search_seed, given.search_batch, given.quiet, given.dry_run)
    outcome = run_sweep(sweep, settings, lambda text: None if given.quiet else print(text, file=sys.stderr))
    done = outcome.json()
    status = 0
    lines = [f"{outcome.points} points: {outcome.stored_before} stored before, {outcome.run} run, "
             f"{outcome.failed} failed; {outcome.seconds:.1f} s; results in {given.store}"]
    if given.dry_run:
        lines = [f"{outcome.points} points"]
    lines += [f"best: {_point(point)}: {_point(dict(zip(sweep.objectives or [sweep.measures[0].name], values)))}"
              for point, values in outcome.best]
    if outcome.failed:
        lines.append(f"'ttsim sweep show {given.store} --filter \"status <> 'ok'\" --columns status,message,command' "
                     "lists the failures; --retry-failed runs them again")
    if baseline is not None and not given.dry_run:
        changes, common = comparison.compare(sweep, outcome.store, outcome.keys, baseline)
        worse = sum(change.worse for change in changes)
        lines += [change.text() for change in changes]
        lines.append(f"against {given.against}: {common} points, {len(changes)} figures changed, {worse} worse")
        done["against"] = {"points": common, "worse": worse, "changes": [vars(change) for change in changes]}
        status = 1 if worse else 0
    if given.json:
        _write_json(given.json, done)
    if given.json != "-":
        print("\n".join(lines))
    return status


def _point(point: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in point.items())


def _show(words: list[str]) -> int:
    parser = _parser("ttsim sweep show", "Prints stored results, or writes them as a file.", _SHOW_EXAMPLES)
    parser.add_argument("store", help="folder of results")
    parser.add_argument("--filter", default="", metavar="SQL", help="a condition on columns, names in double quotes")
    parser.add_argument("--sort", default="", metavar="COLUMN", help="-COLUMN: from large to small")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most N rows. Default: all")
    parser.add_argument("--columns", default="", metavar="A,B", help="Default: axes, measures, status and message")
    parser.add_argument("--csv", metavar="FILE", help="write all columns as CSV")
    parser.add_argument("--parquet", metavar="FILE", help="write all columns as Parquet")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given = parser.parse_args(words)
    store = Store(given.store)
    for kind in ("csv", "parquet"):
        if path := getattr(given, kind):
            tables.write(store, path, kind, given.filter)
            print(f"wrote {path}")
    if given.csv or given.parquet:
        return 0
    columns = [name for name in given.columns.split(",") if name] or None
    names, rows = tables.query(store, given.filter, given.sort, given.limit, columns)
    if given.json:
        _write_json("-", {"rows": [dict(zip(names, row)) for row in rows]})
    else:
        print(tables.table(names, rows))
    return 0


def _page(words: list[str]) -> int:
    from .page import write_page
    parser = _parser("ttsim sweep page", "Writes an HTML page with pictures of the results.", _PAGE_EXAMPLES)
    parser.add_argument("store", help="folder of results")
    parser.add_argument("-o", "--output", default="sweep.html", metavar="FILE", help="Default: %(default)s")
    parser.add_argument("--force", action="store_true", help="overwrite a page")
    parser.add_argument("--reports", type=int, default=0, metavar="N",
                        help="run the N best points again with a trace, and link their reports. Default: 0")
    given = parser.parse_args(words)
    write_page(Store(given.store), given.output, given.force, given.reports)
    print(f"wrote {given.output}")
    return 0


def main(words: list[str]) -> int:
    """The exit code of `ttsim sweep WORDS`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # closes workers and the store in order
    commands = {"show": _show, "page": _page}
    try:
        return commands[words[0]](words[1:]) if words and words[0] in commands else _run(words)
    except SweepError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where it was", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
