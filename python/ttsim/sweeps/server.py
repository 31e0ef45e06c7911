"""Processes of `ttsim batch`, which run commands one after another without starting anew."""
from __future__ import annotations

import json
import subprocess
import threading
from typing import Any

from .commands import tool
from .spec import Limits


class ServerLostError(Exception):
    """The process of `ttsim batch` ended while a command ran."""


class CommandServer:
    """One process of `ttsim batch`, started at the first command. One thread uses it at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, words: list[str], limits: Limits) -> dict[str, Any]:
        """The answer of `ttsim batch` to a command. ServerLostError if the process ended; the next call starts another."""
        process = self._started()
        request: dict[str, Any] = {"command": words, "seconds": limits.seconds,
                                   "memory_bytes": limits.memory_mb * 1_000_000}
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (BrokenPipeError, ValueError):
            line = ""
        if not line.endswith("\n"):
            self.close()
            raise ServerLostError
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"ttsim batch: {answer['error']}")
        return answer

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen([tool(), "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                             encoding="utf-8")
        return self._process

    def close(self) -> None:
        """Ends the process and the command that it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None


class Servers:
    """One server for each thread that asks."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._all: list[CommandServer] = []
        self._lock = threading.Lock()

    def mine(self) -> CommandServer:
        """The server of the calling thread."""
        if not hasattr(self._own, "server"):
            self._own.server = CommandServer()
            with self._lock:
                self._all.append(self._own.server)
        server: CommandServer = self._own.server
        return server

    def close(self) -> None:
        """Ends all processes."""
        with self._lock:
            for server in self._all:
                server.close()
            self._all.clear()
            self._own = threading.local()
