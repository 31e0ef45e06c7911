"""Tables of stored results."""
from __future__ import annotations

import os
import pathlib
import shutil
from typing import Any

import duckdb

from .errors import SweepError, unknown
from .store import FIXED, Store, literal, quoted


def _columns(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [row[0] for row in connection.execute("DESCRIBE results").fetchall()]


def query(store: Store, where: str = "", sort: str = "", limit: int = 0, columns: list[str] | None = None
          ) -> tuple[list[str], list[tuple[Any, ...]]]:
    """(names, rows). `where` is a condition of SQL with the names of columns in double quotes, `sort` a column, with
    '-' in front from large to small. SweepError for an unknown column or a wrong condition."""
    with store.connect() as connection:
        known = _columns(connection)
        chosen = columns or [*(name for name in known if name not in FIXED), "status", "message"]
        for name in (*chosen, *([sort.lstrip("-")] if sort else [])):
            if name not in known:
                raise unknown("column", name, known)
        text = f"SELECT {', '.join(map(quoted, chosen))} FROM results"
        text += f" WHERE {where}" if where else ""
        if sort:
            text += f" ORDER BY {quoted(sort.lstrip('-'))} {'DESC' if sort.startswith('-') else 'ASC'} NULLS LAST"
        text += f" LIMIT {limit}" if limit else ""
        try:
            rows = connection.execute(text).fetchall()
        except duckdb.Error as error:
            raise SweepError(f"--filter: {str(error).splitlines()[0]}") from None
    if columns is None:  # without messages if there are none
        kept = [at for at, name in enumerate(chosen) if name != "message" or any(row[at] for row in rows)]
        chosen, rows = [chosen[at] for at in kept], [tuple(row[at] for at in kept) for row in rows]
    return chosen, rows


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) and not isinstance(
        value, bool) else str(value)


def table(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Aligned columns; text that is too wide for the terminal is cut."""
    texts = [[_shown(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[at]) for row in texts)]) for at, name in enumerate(names)]
    left = [any(isinstance(row[at], str) for row in rows) for at in range(len(names))]
    terminal = shutil.get_terminal_size((120, 24)).columns
    lines = []
    for cells in [names, *texts]:
        line = "  ".join(cell.ljust(width) if text else cell.rjust(width) for cell, width, text in zip(cells, widths, left))
        lines.append(line.rstrip()[:terminal])
    return "\n".join(lines)


def write(store: Store, path: str, kind: str, where: str = "") -> None:
    """Writes all columns as `csv` or `parquet`. An existing file is not overwritten."""
    if os.path.lexists(path):
        raise SweepError(f"{path} already exists and is not overwritten; choose another name")
    if not pathlib.Path(path).resolve().parent.is_dir():
        raise SweepError(f"{path}: its folder does not exist")
    temporary = f"{path}.{os.getpid()}.tmp"
    how = {"csv": "FORMAT csv, HEADER", "parquet": "FORMAT parquet"}[kind]
    try:
        with store.connect(sealed=False) as connection:
            chosen = "SELECT * FROM results" + (f" WHERE {where}" if where else "")
            connection.execute(f"COPY ({chosen}) TO {literal(temporary)} ({how})")
        os.replace(temporary, path)
    except (OSError, duckdb.Error) as error:
        raise SweepError(f"{path}: {str(error).splitlines()[0]}") from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _all_columns(store: Store) -> list[str]:
    with store.connect() as connection:
        return _columns(connection)


def axes_and_measures(store: Store) -> list[str]:
    """Columns that are not the store's own."""
    return [name for name in _all_columns(store) if name not in FIXED]


def pareto(rows: list[dict[str, Any]], objectives: list[tuple[str, bool]]) -> list[dict[str, Any]]:
    """Rows that no other row beats in all objectives: [(name, whether less is better)]."""
    def cost(row: dict[str, Any]) -> tuple[float, ...]:
        return tuple(row[name] if less else -row[name] for name, less in objectives)

    usable = [row for row in rows if all(isinstance(row.get(name), (int, float)) for name, _ in objectives)]
    front: list[dict[str, Any]] = []
    for row in sorted(usable, key=cost):
        mine = cost(row)
        if not any(all(a <= b for a, b in zip(cost(other), mine)) for other in front):
            front.append(row)
    return front
