"""Stores of results: a folder that several machines can write to and that DuckDB reads.

    store/sweep.json           format of the store
    store/results/ID.jsonl     results of a running sweep, one a line; each sweep has a file of its own
    store/results/ID.parquet   the same once the sweep has ended or has many; ID.jsonl is ignored then
    store/inputs/              netlists and chips that axes changed

A result is one row: `key`, `status`, `message`, `command`, `build`, `sweep`, `at` (UTC), `seconds`; one column for each
axis and one for each measure. Lines are appended with one write, so that a process that is killed leaves whole lines."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import socket
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from .errors import SweepError

FORMAT = 1
FIXED = ("key", "status", "message", "command", "build", "sweep", "at", "elapsed")
_ROWS_OF_A_PART = 20_000


def column_type(values: Iterable[Any]) -> str:
    """The type of DuckDB for the values of an axis or measure."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} and kinds:
        return "BOOLEAN"
    if kinds <= {int}:
        return "BIGINT" if kinds else "DOUBLE"
    return "DOUBLE" if kinds <= {int, float} else "VARCHAR"


def cell(value: Any) -> Any:
    """A value as a cell: lists and maps are JSON."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def quoted(name: str) -> str:
    """A name of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


class Store:
    """A store in a folder, which is created if `create`. SweepError for a folder that holds something else."""

    def __init__(self, folder: str | os.PathLike[str], create: bool = False) -> None:
        self.folder = pathlib.Path(folder).resolve()
        self._marker = self.folder / "sweep.json"
        if not self._marker.is_file():
            if not create:
                raise SweepError(f"{folder} is not a store of 'ttsim sweep'")
            if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
                raise SweepError(f"{folder} exists and is not a store; name another folder with --store")
            self.results.mkdir(parents=True, exist_ok=True)
            temporary = self.folder / f".sweep.{uuid.uuid4().hex}"
            temporary.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
            temporary.replace(self._marker)
        found = json.loads(self._marker.read_text(encoding="utf-8")).get("format")
        if found != FORMAT:
            raise SweepError(f"{folder} has format {found}; this version reads format {FORMAT}")
        self.inputs.mkdir(exist_ok=True)

    @property
    def results(self) -> pathlib.Path:
        return self.folder / "results"

    @property
    def inputs(self) -> pathlib.Path:
        return self.folder / "inputs"

    def _journals(self) -> list[pathlib.Path]:
        return sorted(path for path in self.results.glob("*.jsonl") if not path.with_suffix(".parquet").exists())

    def _lines(self) -> list[dict[str, Any]]:
        """Rows that are not in Parquet yet. A line that was cut by a crash of the machine is left out."""
        rows: dict[str, dict[str, Any]] = {}
        for path in self._journals():
            with contextlib.suppress(FileNotFoundError):  # another sweep converted it meanwhile
                for line in path.read_text(encoding="utf-8").splitlines():
                    with contextlib.suppress(ValueError):
                        row = json.loads(line)
                        rows[f"{path.name}:{row['key']}"] = row
        return list(rows.values())

    def connect(self, sealed: bool = True) -> duckdb.DuckDBPyConnection:
        """A connection whose view `results` has every result; of a point that was stored twice the last one. `sealed`:
        it reads and writes no other file."""
        connection = duckdb.connect()
        parts = sorted(str(path) for path in self.results.glob("*.parquet"))
        lines = self._lines()
        _table(connection, "lines", lines)
        everything = "SELECT * FROM lines"
        if parts:
            files = ", ".join(map(literal, parts))
            everything = f"SELECT * FROM read_parquet([{files}], union_by_name = true)"
            everything += " UNION ALL BY NAME SELECT * FROM lines" if lines else ""
        connection.execute(f"CREATE TEMP VIEW everything AS {everything}")
        # two sweeps at the same time, or retries, store a point twice
        rows, keys = connection.execute("SELECT count(*), count(DISTINCT hash(key)) FROM everything").fetchall()[0]
        last = "" if rows == keys else " QUALIFY row_number() OVER (PARTITION BY key ORDER BY at DESC) = 1"
        connection.execute(f"CREATE TEMP VIEW results AS SELECT * FROM everything{last}")
        if sealed:
            connection.execute(f"SET allowed_directories = [{literal(str(self.results) + '/')}]")
            connection.execute("SET enable_external_access = false")
        return connection

    def pandas(self) -> Any:
        """All results as a pandas.DataFrame."""
        with self.connect() as connection:
            return connection.execute("SELECT * FROM results").df()

    def polars(self) -> Any:
        """All results as a polars.DataFrame."""
        with self.connect() as connection:
            import polars
            return polars.from_arrow(connection.sql("SELECT * FROM results").to_arrow_table())

    def remember(self, objectives: Iterable[str]) -> None:
        """Keeps the objectives of the last sweep, for pictures."""
        temporary = self.folder / f".sweep.{uuid.uuid4().hex}"
        temporary.write_text(json.dumps({"format": FORMAT, "objectives": list(objectives)}) + "\n", encoding="utf-8")
        temporary.replace(self._marker)

    def objectives(self) -> list[str]:
        """Those of the last sweep; may be empty."""
        found = json.loads(self._marker.read_text(encoding="utf-8")).get("objectives")
        return [str(name) for name in found] if isinstance(found, list) else []

    def statuses(self) -> dict[str, str]:
        """Status by key."""
        with self.connect() as connection:
            return dict(connection.execute("SELECT key, status FROM results").fetchall())

    def rows(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Results by key."""
        wanted = set(keys)
        with self.connect() as connection:
            found = connection.execute("SELECT * FROM results")
            names = [column[0] for column in found.description or []]
            return {row[0]: dict(zip(names, row)) for row in _keyed(found, names) if row[0] in wanted}


def _keyed(found: Any, names: list[str]) -> Iterable[tuple[Any, ...]]:
    assert names[0] == "key"
    while batch := found.fetchmany(10_000):
        yield from batch


def _table(connection: duckdb.DuckDBPyConnection, name: str, rows: list[dict[str, Any]]) -> None:
    """A table of rows; columns that all lack are left out."""
    columns: dict[str, list[Any]] = {fixed: [] for fixed in FIXED}
    for row in rows:
        for column in row:
            columns.setdefault(column, [])
    types = {column: "VARCHAR" if column in FIXED[:-2] else "DOUBLE" if column in FIXED
             else column_type(row.get(column) for row in rows) for column in columns}
    listed = ", ".join(f"{quoted(column)} {kind}" for column, kind in types.items())
    connection.execute(f"CREATE TEMP TABLE {name} ({listed})")
    if rows:
        # one JSON array, read by the types of the table: far quicker than a statement for each row
        objects = json.dumps([{column: row.get(column) for column in columns} for row in rows])
        structure = json.dumps([types])
        fields = ", ".join(f"o.{quoted(column)}" for column in columns)
        connection.execute(f"INSERT INTO {name} SELECT {fields} FROM "
                           "(SELECT unnest(from_json(?::JSON, ?)) AS o)", [objects, structure])


class Writer:
    """Adds results to a store. Each has a file of its own; close() converts it to Parquet."""

    def __init__(self, store: Store, sweep: str, build: str) -> None:
        self._store, self._sweep, self._build = store, sweep, build
        self._begin()

    def _begin(self) -> None:
        name = f"{time.time_ns():020d}-{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}.jsonl"
        self._path = self._store.results / name
        self._file: int | None = None
        self._rows: list[dict[str, Any]] = []

    def add(self, point: Mapping[str, Any], result: Mapping[str, Any], elapsed: float) -> dict[str, Any]:
        """Stores a result and returns its row. It survives the end of this process when the call returns."""
        row = {"key": result["key"], "status": result["status"], "message": result["message"],
               "command": result["command"], "build": self._build, "sweep": self._sweep, "at": time.time(),
               "elapsed": elapsed, **{name: cell(value) for name, value in point.items()},
               **{name: cell(value) for name, value in result["measures"].items()}}
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        os.write(self._file, (json.dumps(row) + "\n").encode())
        self._rows.append(row)
        if len(self._rows) >= _ROWS_OF_A_PART:
            self.close()
            self._begin()
        return row

    def close(self) -> None:
        """Converts the file to Parquet."""
        if self._file is None:
            return
        os.fsync(self._file)
        os.close(self._file)
        self._file = None
        temporary = self._path.with_suffix(f".{uuid.uuid4().hex[:8]}.tmp")
        with duckdb.connect() as connection:
            _table(connection, "rows", self._rows)
            connection.execute(f"COPY rows TO {literal(str(temporary))} (FORMAT parquet, COMPRESSION zstd)")
        temporary.replace(self._path.with_suffix(".parquet"))
        self._path.unlink()
