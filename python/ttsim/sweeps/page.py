"""The HTML page of a sweep: one file that loads nothing else."""
from __future__ import annotations

import json
import math
import os
import pathlib
import shlex
import subprocess
import tempfile
from typing import Any

from .commands import COMPILED, tool
from .errors import SweepError
from .measures import KNOWN
from .show import pareto
from .store import FIXED, Store, quoted

_ROWS = 20_000  # of a page; the Pareto front is always among them
_PLACE = "@TTSIM_PAGE_DATA@"


def _template() -> str:
    package = pathlib.Path(__file__).resolve().parent.parent
    program = pathlib.Path(tool())
    for file in (package / "share/ttsim/sweep.html", program.parent.parent / "share/ttsim/sweep.html",
                 package.parent.parent / "build/web/sweep.html"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise SweepError("the template of the page was not found; 'scripts/web' builds it in the sources (node and npm)")


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _data(store: Store, less: list[str], objectives: list[str], axes: list[str], reports: dict[str, str]) -> dict[str, Any]:
    with store.connect() as connection:
        total = (connection.execute("SELECT count(*) FROM results").fetchone() or (0,))[0]
        found = connection.execute(f"SELECT * FROM results USING SAMPLE reservoir({_ROWS} ROWS) REPEATABLE (1)"
                                   if total > _ROWS else "SELECT * FROM results")
        names = [column[0] for column in found.description or []]
        rows = [dict(zip(names, row)) for row in found.fetchall()]
        if total > _ROWS and len(objectives) > 1:
            sides = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in objectives)
            every = connection.execute(f"SELECT * FROM results WHERE {sides}").fetchall()
            front = pareto([dict(zip(names, row)) for row in every], [(name, name in less) for name in objectives])
            kept = {row["key"] for row in rows}
            rows += [row for row in front if row["key"] not in kept]
    own = [name for name in names if name not in FIXED]
    shown = [name for name in own if any(row[name] is not None for row in rows)]
    return {"axes": [name for name in shown if name in axes], "measures": [name for name in shown if name not in axes],
            "less": less, "objectives": [name for name in objectives if name in shown], "rows": total, "reports": reports,
            "columns": {name: [_finite(row[name]) for row in rows]
                        for name in (*shown, "key", "status", "message", "command", "build")}}


def _axes(names: list[str]) -> list[str]:
    groups = ("run.", "compile.", "chip.", "netlist.")
    return [name for name in names if name.startswith(groups) or name in ("device", "seed", "netlist", "model", "image")]


def _write_report(command: str, target: pathlib.Path, inputs: pathlib.Path) -> None:
    """Runs a stored command again with a trace, and writes the report of the trace. `inputs` has the swept chips."""
    environment = {"TTSIM_CONFIG_DIR": str(inputs), **os.environ} if (inputs / "chips").is_dir() else dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="ttsim-sweep-") as folder:
        trace = f"{folder}/point.ttperf"
        for line in command.split(" && "):
            words = [f"{folder}/compiled" if word == COMPILED else word for word in shlex.split(line)]
            words[0] = tool()
            if words[1] == "run":
                words += ["--trace", trace]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                raise SweepError(f"{shlex.join(words)}: {done.stderr.strip().splitlines()[-1]}")
        done = subprocess.run([tool(), "report", trace, "-o", str(target), "--force"], capture_output=True, text=True,
                              check=False, env=environment)
        if done.returncode != 0:
            raise SweepError(f"ttsim report: {done.stderr.strip().splitlines()[-1]}")


def write_page(store: Store, output: str, force: bool, reports: int = 0) -> None:
    """Writes the page; with `reports` also the reports of that many of the best points, in a folder beside it. An
    existing file is replaced only with `force`."""
    if os.path.lexists(output) and not force:
        raise SweepError(f"{output} already exists; --force overwrites it")
    target = pathlib.Path(output).resolve()
    if not target.parent.is_dir():
        raise SweepError(f"{output}: its folder does not exist")
    template = _template()
    with store.connect() as connection:
        names = [row[0] for row in connection.execute("DESCRIBE results").fetchall()]
    axes = _axes(names)
    less = [name for name in names if name not in axes and (name not in KNOWN or KNOWN[name][2])]
    objectives = store.objectives() or [name for name in ("cycles", "end_to_end_per_second") if name in names]
    links: dict[str, str] = {}
    if reports and objectives:
        with store.connect() as connection:
            order = f"{quoted(objectives[0])} {'ASC' if objectives[0] in less else 'DESC'}"
            best = connection.execute(f"SELECT key, command FROM results WHERE status = 'ok' ORDER BY {order} NULLS LAST "
                                      f"LIMIT {int(reports)}").fetchall()
        folder = target.with_name(target.stem + "_reports")
        folder.mkdir(exist_ok=True)
        for key, command in best:
            _write_report(command, folder / f"{key}.html", store.inputs)
            links[key] = f"{folder.name}/{key}.html"
    data = json.dumps(_data(store, less, objectives, axes, links)).replace("<", "\\u003c")
    if _PLACE not in template:
        raise SweepError("the template of the page has no place for data; 'scripts/web' builds it anew")
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        temporary.write_text(template.replace(_PLACE, data), encoding="utf-8")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
