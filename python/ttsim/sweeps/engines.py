"""Where points run: threads of this process, a dask cluster, or jobs of Slurm and the like that dask starts."""
from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from . import evaluate
from .errors import SweepError, unknown
from .evaluate import Task

# clusters that dask-jobqueue starts, by its class
JOB_CLUSTERS = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "lsf": "LSFCluster", "sge": "SGECluster"}
ENGINES = ("local", "dask", *JOB_CLUSTERS)
_BYTES_OF_A_WORKER = 1_000_000_000  # of a simulation of average size; limits.memory_mb replaces it


class Engine(Protocol):
    """Runs tasks; submit() returns at once."""
    @property
    def workers(self) -> int:
        """Points that run at the same time."""

    @property
    def description(self) -> str:
        """For users: where points run."""

    def submit(self, task: Task) -> Any:
        """A future of evaluate(task)."""

    def completed(self, futures: Iterable[Any]) -> set[Any]:
        """Waits until at least one of the futures is done, and returns those that are."""

    def ended_workers(self, error: Exception) -> bool:
        """Whether an error says that the point itself ended the workers that ran it."""

    def close(self) -> None:
        """Ends the workers and what they run."""


def local_workers(memory_mb: int) -> int:
    """As many as processors and free memory allow."""
    processors = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(processors, memory // (memory_mb * 1_000_000 or _BYTES_OF_A_WORKER)))


class LocalEngine:
    """Threads, each with a process of `ttsim batch`."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = ThreadPoolExecutor(workers)

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def description(self) -> str:
        return f"{self._workers} worker{'s' if self._workers > 1 else ''} on this machine"

    def submit(self, task: Task) -> Future[dict[str, Any]]:
        return self._pool.submit(evaluate.evaluate, task)

    def completed(self, futures: Iterable[Any]) -> set[Any]:
        return wait(list(futures), return_when=FIRST_COMPLETED).done

    def ended_workers(self, error: Exception) -> bool:
        return False  # evaluate() reports them as results

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        evaluate.close()
        self._pool.shutdown()


class DaskEngine:
    """Workers of a dask scheduler. dask runs a task again when its worker is lost."""

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self._client, self._cluster = client, cluster

    def _workers(self) -> int:
        try:
            return sum(map(int, self._client.nthreads().values()))
        except (OSError, TimeoutError):  # the scheduler was lost
            return 0

    @property
    def workers(self) -> int:
        return max(1, self._workers())

    @property
    def description(self) -> str:
        return f"dask, {self._workers()} workers, dashboard {self._client.dashboard_link}"

    def submit(self, task: Task) -> Any:
        return self._client.submit(evaluate.evaluate, task, key=f"ttsim-{task.key}", pure=True, retries=2)

    def completed(self, futures: Iterable[Any]) -> set[Any]:
        done: set[Any] = set(_dask("--engine dask").wait(list(futures), return_when="FIRST_COMPLETED").done)
        return done

    def ended_workers(self, error: Exception) -> bool:
        return isinstance(error, _dask("--engine dask").KilledWorker)

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _dask(needed: str) -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise SweepError(f"{needed} needs dask: install it with pip install 'ttsim[sweep-cluster]'") from None


def _dask_engine(scheduler: str) -> Engine:
    distributed = _dask("--engine dask")
    if not scheduler:
        raise SweepError("--engine dask needs the address of a scheduler: --scheduler tcp://HOST:8786")
    try:
        return DaskEngine(distributed.Client(scheduler, timeout=20))
    except (OSError, TimeoutError, ValueError) as error:
        raise SweepError(f"no dask scheduler answers at {scheduler}: {error or 'time is up'}") from None


def _job_engine(name: str, workers: int, arguments: dict[str, Any]) -> Engine:
    distributed = _dask(f"--engine {name}")
    try:
        dask_jobqueue: Any = importlib.import_module("dask_jobqueue")
    except ImportError:
        raise SweepError(f"--engine {name} needs dask-jobqueue: install it with pip install 'ttsim[sweep-cluster]'") from None
    try:
        cluster = getattr(dask_jobqueue, JOB_CLUSTERS[name])(**{"cores": 1, "memory": "2GB", "walltime": "01:00:00", **arguments})
    except (TypeError, ValueError) as error:
        raise SweepError(f"--cluster-options: {error}") from None
    cluster.scale(workers or 2)
    return DaskEngine(distributed.Client(cluster), cluster)


def make_engine(name: str, workers: int, scheduler: str, cluster_options: dict[str, Any], memory_mb: int) -> Engine:
    """An engine by name. `workers`: 0: as many as fit. SweepError for an unknown one, or without its packages."""
    if name == "local":
        return LocalEngine(workers or local_workers(memory_mb))
    if name == "dask":
        return _dask_engine(scheduler)
    if name in JOB_CLUSTERS:
        return _job_engine(name, workers, cluster_options)
    raise unknown("engine", name, ENGINES)


def run_all(engine: Engine, next_task: Callable[[], tuple[Any, Task] | None],
            done: Callable[[Any, dict[str, Any]], None]) -> None:
    """Runs tasks with a bounded number in flight, so that memory does not grow with their number. `next_task` returns
    None if it has none now; results may bring more. Calls done(label, result) in this thread as each task ends."""
    running: dict[Any, tuple[Any, Task]] = {}
    while True:
        while len(running) < 2 * engine.workers + 2:
            following = next_task()
            if following is None:
                break
            running[engine.submit(following[1])] = following
        if not running:
            return
        for future in engine.completed(running):
            label, task = running.pop(future)
            try:
                result = future.result()
            except Exception as error:
                if not engine.ended_workers(error):
                    raise SweepError(f"{engine.description}: {type(error).__name__}: {error}; the same command goes on "
                                     "where it was") from None
                result = {"key": task.key, "status": "killed", "message": str(error), "command": task.commands.text(),
                          "measures": {}}
            done(label, result)
