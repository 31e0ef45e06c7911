"""Pictures of graphs after each pass."""
from __future__ import annotations

import os
import shutil
import subprocess
import warnings

from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

_SECONDS = 60


def _quoted(text: object) -> str:
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_of(gm: GraphModule) -> str:
    """The graph in Graphviz's language."""
    lines = ["digraph graph_ {", "  node [shape=box];"]
    for node in gm.graph.nodes:
        value = node.meta.get("val")
        shape = f"\\n{list(value.shape)}" if hasattr(value, "shape") else ""
        target = getattr(node.target, "__name__", str(node.target))
        lines.append(f"  {_quoted(node.name)} [label={_quoted(f'{node.name}: {target}')[:-1]}{shape}\"];")
        lines += [f"  {_quoted(one.name)} -> {_quoted(node.name)};" for one in node.all_input_nodes]
    return "\n".join([*lines, "}", ""])


class GraphvizPass(PassBase):
    """Writes NAME.dot, and NAME.svg if the program sfdp is there. A folder that cannot be written is a warning."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def call(self, gm: GraphModule) -> PassResult:
        path = f"{self.name}.dot"
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(dot_of(gm))
            program = shutil.which("sfdp")
            if program is not None:
                subprocess.run([program, "-Tsvg", path, "-o", f"{self.name}.svg"], check=True, timeout=_SECONDS, capture_output=True)
        except (OSError, subprocess.SubprocessError) as error:
            warnings.warn(f"torch_ttnn: {path}: no picture of the graph: {error}", stacklevel=2)
        return PassResult(gm, False)
