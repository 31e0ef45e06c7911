"""Formats of single inputs and parameters, where a program gives them others than the default."""
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
    """Of the exponent family that most have; on a tie that of 8 bits."""
    of_a = [one for one in formats if one in _A.values()]
    of_b = [one for one in formats if one in _B.values()]
    return max(of_a if len(of_a) > len(of_b) else of_b, key=lambda one: _BITS[one])


def check_computed(what: str, data_format: DataFormat | None) -> None:
    """RuntimeError for a format of integers and others that ops do not compute in."""
    if data_format is not None and data_format not in _BITS:
        raise RuntimeError(f"{what} is {data_format.name}; ops compute in "
                           f"{', '.join(one.name for one in _BITS)}: give one of these. Tensors of integers are "
                           "pushed as such")


def rules(given: Mapping[str, DataFormat], default: DataFormat, settings: Any,
          whole: bool = False) -> list[dict[str, Any]]:
    """For format_rules, of tensors by name; as many bits in the default's exponent family. Float32 is the default's
    concern. An override of all formats, and levels of amp, leave the narrower ones. `whole`: the chip computes with
    Int8 and Int32, which stay what they are."""
    if settings.amp_level == 2 and (default == DataFormat.Float32 or (
            default == DataFormat.Float16_b and settings.default_df_override is None)):
        default = DataFormat.Float16  # the level's
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
    """A regular expression (ECMAScript) that the name alone fits."""
    return re.sub(r"([^\w])", r"\\\1", name)
