"""Writes the table of models from recorded metrics: python3 tools/collect_metrics.py [--metrics FOLDER...] [--out FILE]

With --pages FOLDER, also pages with the inputs of each op: models/NAME/input_variations.md, operations/OP.md and
OperationsReport.md."""
from __future__ import annotations

import argparse
import collections
import os
import pathlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ..metrics import FOLDER, load_pickle

DONE, PARTLY, NOT_DONE = "\N{WHITE HEAVY CHECK MARK}", "\N{CONSTRUCTION SIGN}", "\N{HEAVY BALLOT X}"  # of the public tables

_TEMPLATE = pathlib.Path(__file__).with_name("models.md.in")
_HEADS = ("Model", "Run Success", "Torch Ops Before (Unique Ops)", "Public Table", "Torch Ops Remain (Unique Ops)",
          "To/From Device Ops", "Moves of a Call", "Layout Ops", "Original Run Time (ms)", "Compiled Run Time (ms)",
          "First Call (ms)", "Simulation (s)", "Accuracy (%)", "Lowest PCC")
_MEANINGS = (
    ("Run Success", "the compiled call returned, and its results are finite where torch's are"),
    ("Torch Ops Before (Unique Ops)", "aten calls that torch.compile hands over, over all graphs, and different ones"),
    ("Public Table", "the same in the public project's table, with torch 2.2 and transformers 4.38"),
    ("Torch Ops Remain (Unique Ops)", "aten calls in the final graphs, executed by the host"),
    ("To/From Device Ops", "from_torch, to_torch, to_device and from_device in the final graphs, without those of run_once"),
    ("Moves of a Call", "transfers that a warm call makes"),
    ("Layout Ops", "to_layout in the final graphs"),
    ("Original Run Time (ms)", "wall time of a warm call in torch on this computer"),
    ("Compiled Run Time (ms)", "simulated time of a warm call on the chip"),
    ("First Call (ms)", "simulated time of the first call"),
    ("Simulation (s)", "wall time of the simulation of a call, without compilation"),
    ("Accuracy (%)", "100 times the mean correlation of the results with those of torch; of a model in training, of the "
                     "gradients of its inputs"),
    ("Lowest PCC", "the lowest correlation of a result"))


def models_of(root: str) -> list[str]:
    """The models with recorded runs, by path."""
    found = [os.path.relpath(folder, root) for folder, _, files in os.walk(root)
             if "original-run_time_metrics.pickle" in files or "compiled-run_time_metrics.pickle" in files]
    return sorted(found)


def _ops(graphs: Iterable[Any]) -> list[str]:
    """Names of the aten calls of recorded graphs."""
    return [one["opname"] for graph in graphs or () for one in graph if one["opname"].startswith("aten.")]


def _count(names: Sequence[str]) -> str:
    return f"{len(names)} ({len(set(names))})"


def _number(value: Any, form: str) -> str:
    return "N/A" if value is None else format(value, form)


class Recorded:
    """What was recorded of a model."""

    def __init__(self, root: str, name: str) -> None:
        self.name = name
        self.original = load_pickle(name, "original-run_time_metrics", {}, root)
        self.compiled = load_pickle(name, "compiled-run_time_metrics", {}, root)
        self.before = load_pickle(name, "original-schema_list", [], root)
        self.after = load_pickle(name, "compiled-schema_list", [], root)

    @property
    def success(self) -> bool:
        return bool(self.compiled.get("success"))

    @property
    def row(self) -> list[str]:
        """The cells of the table."""
        made = self.compiled
        before = _ops(made.get("all_layers") or self.before)
        public = made.get("public_counts")
        layers = f" ({made['layers']} layers)" if made.get("all_layers") else ""
        done = self.success

        def cell(key: str, form: str) -> str:
            return _number(made.get(key), form) if done else "N/A"
        return [f"{self.name}{layers}", DONE if done else NOT_DONE, _count(before), f"{public[0]} ({public[1]})" if public else "",
                _count(_ops(self.after)) if done else "N/A", cell("moves", "d"), cell("moves_of_a_call", ".0f"), cell("layout_moves", "d"),
                _number(self.original.get("run_time"), ".1f"), cell("simulated_ms", ".3f"), cell("simulated_first_ms", ".3f"),
                cell("simulate_s", ".1f"), cell("accuracy", ".2f"), cell("lowest", ".4f")]

    def statuses(self) -> dict[str, tuple[str, int]]:
        """For each aten op a mark, and how often it was called."""
        left = set(_ops(self.after))
        return {op: (NOT_DONE if op in left or not self.success else DONE, count) for op, count in sorted(collections.Counter(_ops(self.before)).items())}

    def variations(self) -> dict[str, dict[str, str]]:
        """For each aten op its input strings, each with Done, Fallback, None, Removed or Unknown."""
        done, left = set(), set()
        for graph in self.after or ():
            for one in graph:
                source = one.get("original_inputs")
                if source:
                    done.add((source["opname"], ", ".join(source["inputs"])))
                elif one["opname"].startswith("aten."):
                    left.add((one["opname"], ", ".join(one["inputs"])))
        made: dict[str, dict[str, str]] = collections.defaultdict(dict)
        for graph in self.before or ():
            for one in graph:
                key = one["opname"], ", ".join(one["inputs"])
                made[key[0]][key[1]] = "Done" if key in done else "None" if key in left else "Removed" if self.success else "Unknown"
        return dict(sorted(made.items()))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join(":--" for _ in heads) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def _page(found: Recorded) -> str:
    text = [f"# {found.name}", "", "| op | variations | Done | Removed | Fallback | None | Completed | Score |", "|:--|:--|:--|:--|:--|:--|:--|:--|"]
    for op, variations in found.variations().items():
        counts = collections.Counter(variations.values())
        good = counts["Done"] + counts["Removed"]
        mark = DONE if good == len(variations) else PARTLY if good else NOT_DONE
        text.append(f"| {op} | {len(variations)} | {counts['Done']} | {counts['Removed']} | {counts['Fallback']} | {counts['None']} | "
                    f"{mark} | {good / len(variations):.2f} |")
    for op, variations in found.variations().items():
        text += ["", f"## {op}", "", table(("inputs", "status"), [(inputs, status) for inputs, status in variations.items()])]
    return "\n".join(text) + "\n"


def write_pages(folder: str, models: Sequence[Recorded]) -> None:
    """Pages for each model, and for each op over the models."""
    ops: dict[str, dict[str, set[tuple[str, str]]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for found in models:
        _write(os.path.join(folder, "models", found.name, "input_variations.md"), _page(found))
        for op, variations in found.variations().items():
            for inputs, status in variations.items():
                ops[op][inputs].add((status, found.name))
    for op, inputs_of in ops.items():
        rows = [(inputs, ", ".join(sorted({status for status, _ in seen})), ", ".join(sorted(name for _, name in seen)))
                for inputs, seen in inputs_of.items()]
        _write(os.path.join(folder, "operations", f"{op}.md"), f"# {op}\n\n{table(('inputs', 'status', 'models'), rows)}\n")
    summary = [(op, str(len(inputs_of)), str(sum(any(status in ("Done", "Removed") for status, _ in seen) for seen in inputs_of.values())))
               for op, inputs_of in sorted(ops.items())]
    _write(os.path.join(folder, "OperationsReport.md"), "# Operations\n\n" + table(("op", "variations", "converted"), summary) + "\n")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(f"{path}.new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(f"{path}.new", path)


def report(roots: Sequence[str], template: str) -> str:
    """The page: a table for each folder, the meaning of the columns, and for each model its ops."""
    tables, ops = [], []
    for root in roots:
        models = [Recorded(root, name) for name in models_of(root)]
        device = next((one.compiled["device"] for one in models if one.compiled.get("device")), "")
        tables += [f"### {device}" if device else "", "", table(_HEADS, [one.row for one in models]), ""]
        if root == roots[0]:
            for one in models:
                if one.success:
                    rows = [(op, mark, str(count)) for op, (mark, count) in one.statuses().items()]
                    ops += [f"### {one.name}", "", table(("aten ops", "status", "count"), rows), ""]
    meanings = "\n".join(f"- **{name}**: {text}." for name, text in _MEANINGS)
    return template.format(metrics_md="\n".join(tables).strip(), explanations_md=meanings, ops_md="\n".join(ops).strip())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", nargs="+", default=[FOLDER], help="folders of recorded metrics, one a chip")
    parser.add_argument("--template", default=str(_TEMPLATE), help="with the fields {metrics_md}, {explanations_md}, {ops_md}")
    parser.add_argument("--out", default="models.md")
    parser.add_argument("--pages", help="folder of the pages of models and ops")
    given = parser.parse_args(arguments)
    for root in given.metrics:
        if not models_of(root):
            print(f"{root}: error: there are no recorded metrics; run tests with -p torch_ttnn.pytest_plugin first", file=sys.stderr)
            return 2
    with open(given.template, encoding="utf-8") as source:
        _write(given.out, report(given.metrics, source.read()))
    if given.pages:
        write_pages(given.pages, [Recorded(given.metrics[0], name) for name in models_of(given.metrics[0])])
    print(f"{given.out}: {sum(len(models_of(root)) for root in given.metrics)} rows")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
