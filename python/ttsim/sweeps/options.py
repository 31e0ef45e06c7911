"""Options of `ttsim run` and `ttsim compile` as flags of a command line."""
from __future__ import annotations

from typing import Any

from .._command_flags import COMPILE_FLAGS, RUN_FLAGS
from .errors import SweepError, unknown

TABLES = {"run": RUN_FLAGS, "compile": COMPILE_FLAGS}
# written by the sweep itself, or without effect on a point
_RESERVED = {"run": {"json", "trace", "trace_file", "telemetry", "progress", "dump_dir", "outputs_dir",
                     "report"},
             "compile": {"json", "report", "output", "keep_passes", "reportify", "explain", "explain_op", "write_format_rules"}}


def option_key(command: str, name: str) -> str:
    """The key of an option given by its key or its flag, such as `inputs_count` for `inputs-count`. SweepError with the
    nearest name for another."""
    table = TABLES[command]
    flags = {flag.lstrip("-").replace("-", "_"): key for key, (_, *both) in table.items() for flag in both if flag}
    word = name.lstrip("-").replace("-", "_")
    key = word if word in table else flags.get(word)
    if word in _RESERVED[command] or key in _RESERVED[command]:
        raise SweepError(f"option '{name}' of 'ttsim {command}' is set by the sweep")
    if key is None:
        raise unknown(f"option of 'ttsim {command}'", name, [*table, *flags])
    if table[key][0] == "bool" and word != key and word.startswith("no_"):
        raise SweepError(f"option '{name}' of 'ttsim {command}' is '{key}: false' in a sweep")
    return key


def flags_of(command: str, key: str, value: Any) -> list[str]:
    """The words that set an option. None: as if not given."""
    kind, on, off = TABLES[command][key]
    if value is None:
        return []
    if kind in ("bool", "optional_bool"):
        if not isinstance(value, bool):
            raise SweepError(f"option '{key}' is true or false, not {value!r}")
        flag = on if value else off
        return [flag] if flag else []
    if kind in ("numbers", "names"):
        if not isinstance(value, dict):
            raise SweepError(f"option '{key}' is a map of names, not {value!r}")
        return [word for name, one in value.items() for word in (on, f"{name}={one}")]
    if kind in ("texts", "ints"):
        values = value if isinstance(value, list) else [value]
        return [on, ",".join(str(one) for one in values)] if values else []
    if isinstance(value, (dict, list)):
        raise SweepError(f"option '{key}' has one value, not {value!r}")
    return [on, str(value)]
