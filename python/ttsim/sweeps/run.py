"""Runs a sweep: what is not stored yet, on an engine, into a store."""
from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .checks import check_sweep
from .commands import build, commands_of, key_of, tool
from .engines import Engine, make_engine, run_all
from .errors import SweepError
from .evaluate import Task
from .progress import Progress
from .search import Search
from .spec import Sweep, from_map, read_spec
from .store import Store, Writer, cell


@dataclass(frozen=True)
class Settings:
    """How to run a sweep. `workers`: 0: as many as fit. `search`: number of points that Optuna proposes; 0: all points
    of the grid, `search_batch` of them at a time. `quiet`: no progress."""
    store: str = "sweep.store"
    engine: str = "local"
    workers: int = 0
    scheduler: str = ""
    cluster_options: Mapping[str, Any] = field(default_factory=dict)
    retry_failed: bool = False
    search: int = 0
    search_seed: int = 0
    search_batch: int = 8
    quiet: bool = False
    dry_run: bool = False


@dataclass
class Outcome:
    """What a sweep did. `best`: of a search, points with their objectives."""
    store: Store
    points: int = 0
    stored_before: int = 0
    run: int = 0
    failed: int = 0
    pruned: int = 0
    seconds: float = 0
    keys: list[str] = field(default_factory=list)
    best: list[tuple[dict[str, Any], list[float]]] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """For programs."""
        return {"store": str(self.store.folder), "points": self.points, "stored_before": self.stored_before,
                "run": self.run, "failed": self.failed, "pruned": self.pruned, "seconds": round(self.seconds, 3),
                "best": [{"point": point, "objectives": values} for point, values in self.best]}


def _from_template(sweep: Sweep, inputs: pathlib.Path) -> Sweep:
    """A template becomes a netlist in the store."""
    if sweep.base_kind != "template":
        return sweep
    written = subprocess.run([tool(), "new", sweep.base, "-o", "-"], capture_output=True, text=True, check=False)
    if written.returncode != 0:
        raise SweepError(f"template: {written.stderr.splitlines()[0] if written.stderr else sweep.base}")
    name = f"{sweep.base}-{hashlib.sha256(written.stdout.encode()).hexdigest()[:12]}.yaml"
    (inputs / name).write_text(written.stdout, encoding="utf-8")
    return dataclasses.replace(sweep, base_kind="netlist", base=str(inputs / name))


class _Running:
    """A sweep while it runs."""

    def __init__(self, sweep: Sweep, store: Store, outcome: Outcome, retry_failed: bool) -> None:
        self.sweep, self.store, self.outcome = sweep, store, outcome
        self._statuses = store.statuses()
        self._retry_failed = retry_failed
        name = hashlib.sha256(repr((sweep.base, sweep.axes)).encode()).hexdigest()[:12]
        self._writer = Writer(store, name, build())
        self.began: dict[str, float] = {}

    def stored(self, key: str) -> bool:
        status = self._statuses.get(key)
        return status is not None and (status == "ok" or not self._retry_failed)

    def task(self, key: str, point: Mapping[str, Any]) -> Task:
        self.began[key] = time.monotonic()
        return Task(key, commands_of(self.sweep, point, self.store.inputs), self.sweep.measures, self.sweep.limits)

    def save(self, point: Mapping[str, Any], result: dict[str, Any]) -> None:
        elapsed = time.monotonic() - self.began.pop(result["key"])
        self._writer.add(point, result, elapsed)
        self._statuses[result["key"]] = result["status"]
        self.outcome.run += 1
        self.outcome.failed += result["status"] != "ok"

    def close(self) -> None:
        self._writer.close()


def _grid(running: _Running, engine: Engine, quiet: bool) -> None:
    sweep, outcome = running.sweep, running.outcome
    waiting: list[tuple[str, dict[str, Any]]] = []
    seen: set[str] = set()
    for point in sweep.points():
        key = key_of(sweep, point)
        if key in seen:  # two values that mean the same
            continue
        seen.add(key)
        outcome.keys.append(key)
        outcome.points += 1
        if running.stored(key):
            outcome.stored_before += 1
        else:
            waiting.append((key, point))
    progress = Progress(sweep, len(waiting), outcome.stored_before, quiet)
    left = iter(waiting)

    def next_task() -> tuple[Any, Task] | None:
        following = next(left, None)
        return None if following is None else (following[1], running.task(*following))

    def done(point: Any, result: dict[str, Any]) -> None:
        running.save(point, result)
        progress.add(point, result)

    try:
        run_all(engine, next_task, done)
    finally:
        progress.clear()


def _search(running: _Running, engine: Engine, settings: Settings) -> None:
    sweep, outcome = running.sweep, running.outcome
    search = Search(sweep, settings.search, settings.search_seed)
    progress = Progress(sweep, settings.search, 0, settings.quiet)
    known: dict[str, dict[str, Any]] = {}  # status and measures by key
    try:
        while batch := search.batch(settings.search_batch):
            keys = [key_of(sweep, proposal.point) for proposal in batch]
            fresh = [key for key in dict.fromkeys(keys) if key not in known]
            for key, row in running.store.rows(key for key in fresh if running.stored(key)).items():
                known[key] = {"status": row["status"], "measures": row}
                outcome.stored_before += 1
            outcome.points += len(fresh)
            outcome.keys += fresh
            points = dict(zip(keys, (proposal.point for proposal in batch)))
            left = iter([key for key in fresh if key not in known])

            def next_task(left: Iterator[str] = left, points: Mapping[str, Any] = points) -> tuple[Any, Task] | None:
                key = next(left, None)
                return None if key is None else (points[key], running.task(key, points[key]))

            def done(point: Any, result: dict[str, Any]) -> None:
                running.save(point, result)
                known[result["key"]] = result
                progress.add(point, result)

            run_all(engine, next_task, done)
            for key, proposal in zip(keys, batch):
                search.tell(proposal, known[key])
    finally:
        progress.clear()
    outcome.pruned, outcome.best = search.pruned, search.best()


def run_sweep(sweep: Sweep, settings: Settings, announce: Callable[[str], None] = lambda text: None) -> Outcome:
    """Runs all points that the store does not have. SweepError before the first point for a mistake in the
    specification. Interrupted or killed, it goes on where it was when it is started again."""
    store = Store(settings.store, create=True)
    outcome = Outcome(store)
    begin = time.monotonic()
    sweep = _from_template(sweep, store.inputs)
    check_sweep(sweep, store.inputs)
    if settings.dry_run:
        outcome.points = sum(1 for _ in sweep.points())
        return outcome
    store.remember(sweep.objectives)
    engine = make_engine(settings.engine, settings.workers, settings.scheduler, dict(settings.cluster_options),
                         sweep.limits.memory_mb)
    announce(engine.description)
    running = _Running(sweep, store, outcome, settings.retry_failed)
    try:
        if settings.search:
            _search(running, engine, settings)
        else:
            _grid(running, engine, settings.quiet)
    finally:
        running.close()
        engine.close()
    outcome.seconds = time.monotonic() - begin
    return outcome


def sweep(spec: str | os.PathLike[str] | Mapping[str, Any], store: str | os.PathLike[str] = "sweep.store", *,
          engine: str = "local", workers: int = 0, scheduler: str = "", cluster_options: Mapping[str, Any] | None = None,
          retry_failed: bool = False, search: int = 0, search_seed: int = 0, search_batch: int = 8, quiet: bool = True) -> Outcome:
    """Runs a sweep as `ttsim sweep` does, from a file or from the same keys as a map. `outcome.store` has the results:
    `store.connect()` is a DuckDB connection with the view `results`. Raises SweepError for a mistake."""
    read = from_map(dict(spec)) if isinstance(spec, Mapping) else read_spec(spec)
    return run_sweep(read, Settings(os.fspath(store), engine, workers, scheduler, cluster_options or {}, retry_failed,
                                    search, search_seed, search_batch, quiet))


__all__ = ["Outcome", "Settings", "cell", "run_sweep", "sweep"]
