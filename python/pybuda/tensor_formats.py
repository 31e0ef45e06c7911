"""Formats of single inputs and parameters that differ from the default."""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._C import DataFormat

_A = {16: DataFormat.Float16, 8: DataFormat.Bfp8, 4: DataFormat.Bfp4, 2: DataFormat.Bfp2}
_B = {32: DataFormat.Float32, 16: DataFormat.Float16_b, 8: DataFormat.Bfp8_b, 4: DataFormat.Bfp4_b,
      2: DataFormat.Bfp2_b}
_WHOLE = (DataFormat.Int8, DataFormat.Int32)
_BITS = {data_format: bits for family in (_A, _B) for bits, data_format in family.items()}


def widest(formats: Sequence[DataFormat]) -> DataFormat:
    """The widest format of the most frequent exponent family; on a tie of 8 bits."""
    of_a = [one for one in formats if one in _A.values()]
    of_b = [one for one in formats if one in _B.values()]
    return max(of_a if len(of_a) > len(of_b) else of_b, key=lambda one: _BITS[one])


def check_computed(what: str, data_format: DataFormat | None) -> None:
    """RuntimeError for integer formats and others that ops do not compute in."""
    if data_format is not None and data_format not in _BITS:
        raise RuntimeError(f"{what} is {data_format.name}, but ops compute only in "
                           f"{', '.join(one.name for one in _BITS)}: use one of these. Tensors of integers are "
                           "pushed as such")


def rules(given: Mapping[str, DataFormat], default: DataFormat, settings: Any,
          whole: bool = False) -> list[dict[str, Any]]:
    """Entries of format_rules for named tensors: formats of the same size in the exponent family of the default, unless
    that has the same size. Float32 tensors have no rule. With an override of all formats or an AMP level only formats
    narrower than the default have one. `whole`: the chip computes in Int8 and Int32, which stay unchanged."""
    if settings.amp_level == 2 and (default == DataFormat.Float32 or (
            default == DataFormat.Float16_b and settings.default_df_override is None)):
        default = DataFormat.Float16  # of that level
    family = _A if default in _A.values() else _B
    least = _BITS[default] if settings.default_df_override is not None or settings.amp_level else 32
    made = []
    for name, data_format in given.items():
        if whole and data_format in _WHOLE:
            made.append({"name_regex": _pattern(name), "output_df": data_format.name})
            continue
        bits = _BITS.get(data_format, 32)
        if bits < least and bits != _BITS[default]:
            made.append({"name_regex": _pattern(name), "output_df": family[bits].name})
    return made


def _pattern(name: str) -> str:
    """A regular expression (ECMAScript) that matches only the name."""
    return re.sub(r"([^\w])", r"\\\1", name)
