"""Runs the commands of a point and measures them. Workers of every engine call evaluate()."""
from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from .commands import COMPILED, Commands
from .measures import Measure
from .server import ServerLostError, Servers
from .spec import Limits

# exit codes of ttsim
_STATUS = {0: "ok", 1: "mismatch", 2: "refused", 3: "hang", 4: "unsupported", 70: "internal error", 71: "out of memory"}
_KEPT_MODELS = 16
_LOST_SERVERS = 2  # a point whose server is lost this often has failed


@dataclass(frozen=True)
class Task:
    """What a worker needs of a point."""
    key: str
    commands: Commands
    measures: tuple[Measure, ...]
    limits: Limits


class _CompiledModels:
    """Compiled models of this process by command; the last ones used are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: str | None = None
        self._futures: OrderedDict[str, Future[tuple[str, dict[str, Any]]]] = OrderedDict()
        self._count = 0

    def get(self, words: list[str], limits: Limits) -> tuple[str, dict[str, Any]]:
        """(folder, answer of the compilation). Threads that ask for the same model wait for one compilation."""
        name = json.dumps([words, limits.seconds, limits.memory_mb])
        with self._lock:
            future = self._futures.get(name)
            mine = future is None
            if future is None:
                future = self._futures[name] = Future()
                if self._folder is None:
                    self._folder = tempfile.mkdtemp(prefix="ttsim-sweep-")
                    atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
                self._count += 1
                folder = f"{self._folder}/{self._count}"
                self._forget_oldest()
            else:
                self._futures.move_to_end(name)
        if mine:
            try:
                future.set_result((folder, _answer([*words, "-o", folder, "--json", "-"], limits)))
            except BaseException as error:
                future.set_exception(error)
                with self._lock:
                    self._futures.pop(name, None)
        return future.result()

    def _forget_oldest(self) -> None:
        while len(self._futures) > _KEPT_MODELS:
            _, old = self._futures.popitem(last=False)
            if old.done() and old.exception() is None:
                shutil.rmtree(old.result()[0], ignore_errors=True)


_servers = Servers()
_models = _CompiledModels()


def _answer(words: list[str], limits: Limits) -> dict[str, Any]:
    """The answer of a server. A command that ends its server twice has failed: by a lack of memory, for example."""
    for _ in range(_LOST_SERVERS):
        try:
            return _servers.mine().run(words, limits)
        except ServerLostError:
            continue
    return {"status": None, "signal": 9, "timed_out": False, "out_of_memory": False, "seconds": None, "cpu_seconds": None, "peak_bytes": None,
            "stdout": "", "stderr": "the process that ran the command was killed"}


def _verdict(answer: dict[str, Any], limits: Limits) -> tuple[str, str]:
    """(status, message) of a command."""
    if answer["timed_out"]:
        return "timeout", f"took more than {limits.seconds:g} s"
    if answer["out_of_memory"]:
        return "out of memory", f"used more than {limits.memory_mb} MB"
    lines = [line for line in answer["stderr"].splitlines() if line.strip()]
    message = next((line for line in lines if "error" in line), lines[-1] if lines else "")
    if answer["status"] is None:
        return "killed", message or f"ended by signal {answer['signal']}"
    return _STATUS.get(answer["status"], f"exit {answer['status']}"), "" if answer["status"] == 0 else message


def _report(answer: dict[str, Any]) -> dict[str, Any] | None:
    try:
        found = json.loads(answer["stdout"])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def evaluate(task: Task) -> dict[str, Any]:
    """Runs a point. Returns its status, message and command, and `measures` by name."""
    reports: dict[str, Any] = {"process": {}}
    folder = ""
    status, message = "ok", ""
    if task.commands.compile:
        folder, answer = _models.get(task.commands.compile, task.limits)
        reports["process"]["compile"], reports["compile"] = answer, _report(answer)
        status, message = _verdict(answer, task.limits)
    if status == "ok":
        words = [folder if word == COMPILED else word for word in task.commands.run]
        answer = _answer([*words, "--json", "-"], task.limits)
        reports["process"]["run"], reports["run"] = answer, _report(answer)
        status, message = _verdict(answer, task.limits)
    return {"key": task.key, "status": status, "message": message, "command": task.commands.text(),
            "measures": {measure.name: measure.value(reports) for measure in task.measures}}


def close() -> None:
    """Ends the servers of this process."""
    _servers.close()
