"""Tables and histograms of recorded graphs: python3 tools/generate_report.py [stat]"""
from __future__ import annotations

import argparse
import collections
import csv
import json
import math
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

_NAME = re.compile(r"^(fw|bw)_(.*)_(orig|modi)_(\d+)\.json$")
_BYTES = {"torch.float64": 8, "torch.int64": 8, "torch.float32": 4, "torch.int32": 4, "torch.bfloat16": 2, "torch.float16": 2,
          "torch.int16": 2, "torch.bool": 1 / 8}


def recorded(folder: str, side: str) -> dict[str, list[dict[str, Any]]]:
    """The calls of each file of a side (fw, bw) by model."""
    raw = os.path.join(folder, "raw")
    if not os.path.isdir(raw):
        raise FileNotFoundError(f"{raw}: error: there are no recorded graphs; run tools/stat_models.py --trace_orig first")
    made: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(os.listdir(raw)):
        match = _NAME.match(file)
        if match is None or match[1] != side:
            continue
        with open(os.path.join(raw, file), encoding="utf-8") as source:
            name = match[2] if match[4] == "0" and match[3] == "orig" else f"{match[2]}_{match[3]}_{match[4]}"
            made[name] = json.load(source)
    return made


def write_counts(path: str, models: dict[str, list[dict[str, Any]]]) -> None:
    """model_name, _TOTAL_, ops in order; a row for each model and one of sums."""
    counts = {name: collections.Counter(one["op_type"] for one in calls) for name, calls in models.items()}
    ops = sorted({op for one in counts.values() for op in one})
    total: collections.Counter[str] = collections.Counter()
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["model_name", "_TOTAL_", *ops])
        for name, one in counts.items():
            total.update(one)
            writer.writerow([name, sum(one.values()), *(one[op] for op in ops)])
        writer.writerow(["TOTAL", sum(total.values()), *(total[op] for op in ops)])


def sizes_of(models: dict[str, list[dict[str, Any]]], key: str) -> dict[str, list[float]]:
    """Bytes of operands or results: "<op>_<place>" -> sizes."""
    made: dict[str, list[float]] = collections.defaultdict(list)
    for calls in models.values():
        for one in calls:
            for place, tensor in enumerate(one.get(key, [])):
                if tensor:
                    made[f"{one['op_type']}_{place}"].append(math.prod(tensor["shape"]) * _BYTES.get(tensor["dtype"], 4))
    return dict(made)


def write_histograms(folder: str, sizes: dict[str, list[float]]) -> None:
    """A picture for each entry, with matplotlib; without it a CSV file with the same numbers."""
    os.makedirs(folder, exist_ok=True)
    try:
        import matplotlib  # type: ignore[import-not-found]
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        pyplot = None
    for name, values in sizes.items():
        path = os.path.join(folder, re.sub(r"[^\w.]", "_", name))
        if pyplot is None:
            with open(f"{path}.csv", "w", encoding="utf-8", newline="") as out:
                csv.writer(out).writerows([["bytes", "count"], *sorted(collections.Counter(values).items())])
            continue
        pyplot.figure()
        pyplot.hist(values, bins=min(50, max(1, len(set(values)))))
        pyplot.title(name)
        pyplot.xlabel("bytes")
        pyplot.savefig(f"{path}.png")
        pyplot.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="stat")
    given = parser.parse_args(arguments)
    try:
        for side in ("fw", "bw"):
            models = recorded(given.folder, side)
            if not models:
                continue
            write_counts(os.path.join(given.folder, f"{side}_node_count.csv"), models)
            for key, label in (("inputs", "input"), ("outputs", "output")):
                write_histograms(os.path.join(given.folder, f"{side}_total_{label}_size_dist"), sizes_of(models, key))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
