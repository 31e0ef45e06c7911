"""python -m ttnn.stubs FOLDER: the type stubs of the functions that come from the table of ops."""
from __future__ import annotations

import inspect
import pathlib
import re
import sys

from ttsim.eager import ops as _ops  # noqa: F401 (fills the table)

from .ops import functions

_COMMON = ("memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., "
           "layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., "
           "core_grid: Any = ...")
_TYPES = (("torch.Tensor", "Tensor"), ("Operand", "Tensor | float"), ("Optional", "Tensor | None"), ("Sizes", "Sequence[int]"),
          ("Dims", "int | Sequence[int] | None"))


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else "Any"
    for old, new in _TYPES:
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
    return text


def _function(name: str, signature: inspect.Signature, doc: str) -> str:
    parts, keyword_only = [], False
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        parts.append(f"{one.name}: {_type(one.annotation)}{'' if one.default is one.empty else ' = ...'}")
    parts += ([] if keyword_only else ["*"]) + [part for part in _COMMON.split(", ") if part.split(":")[0] not in signature.parameters]
    first = doc.replace("\\", "\\\\").replace('"""', "'''")
    return f'def {name}({", ".join(parts)}) -> {_type(signature.return_annotation)}:\n    """{first}"""\n'


def stub(prefix: str, module: str, head: str) -> str:
    """The stub of a module."""
    lines = [f'"""Made by python -m ttnn.stubs."""\n{head}']
    written: dict[int, str] = {}
    for name, operation in functions(prefix, module).items():
        if id(operation) in written:
            lines.append(f"{name} = {written[id(operation)]}\n")
            continue
        written[id(operation)] = name
        lines.append(_function(name, inspect.signature(operation), operation.__doc__ or ""))
    return "\n".join(lines)


_HEAD = """from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType as DataType, Layout as Layout, MemoryConfig as MemoryConfig
"""
_INNER = _HEAD + "\nfrom .tensor import Tensor\n"
_OUTER = _HEAD + """from ttsim.eager.config import Config

from . import device as device, experimental as experimental, graph as graph, kv_cache as kv_cache
from . import model_preprocessing as model_preprocessing
from . import operations as operations, ops as ops, tracer as tracer, transformer as transformer
from .convolution import *
from .creation import *
from .decorators import *
from .device import *
from .mesh import *
from .tensor import *
from .traces import *
from .types import *

CONFIG: Config

def get_golden_function(operation: Any) -> Callable[..., Any]: ...

class manage_config:
    def __init__(self, name: str, value: Any) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: Any) -> None: ...
"""


def stubs() -> dict[str, str]:
    """The stubs by file name."""
    return {"__init__.pyi": stub("", "ttnn", _OUTER), "transformer.pyi": stub("transformer", "ttnn.transformer", _INNER),
            "experimental.pyi": stub("experimental", "ttnn.experimental", _INNER)}


if __name__ == "__main__":
    for file, text in stubs().items():
        (pathlib.Path(sys.argv[1]) / file).write_text(text, encoding="utf-8")
