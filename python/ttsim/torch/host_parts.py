"""What the host does of an imported module, as programs of their own: saved without the module, and run again."""
from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch.fx import Node

if TYPE_CHECKING:
    from .imported import Imported


@dataclasses.dataclass
class HostParts:
    """`calls`: shape and dtype of each tensor of a call; `inputs`, `outputs`: of the graph, in order; `dtypes`: of those
    outputs in the module."""
    calls: list[tuple[list[int], torch.dtype]]
    inputs: list[str]
    outputs: list[str]
    dtypes: list[torch.dtype]
    before: torch.nn.Module
    behind: torch.nn.Module

    def device_inputs(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Values of the graph's inputs for a call."""
        return list(self.before(*self._cast(tensors)))

    def finish(self, device_outputs: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The module's results."""
        made = [value.to(dtype) for value, dtype in zip(device_outputs, self.dtypes, strict=True)]
        return list(self.behind(*made, *self._cast(tensors)))

    def _cast(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [tensor.to(dtype) for tensor, (_, dtype) in zip(tensors, self.calls, strict=True)]


def saved(imported: Imported) -> bytes:
    """An archive with both parts as programs of torch.export, and what HostParts has besides."""
    captured = imported._captured
    calls = captured.arguments.samples
    made = [node.meta["val"] for node in imported._outputs]
    given = imported._call_nodes()
    before = _part(imported, given, imported._inputs)
    behind = _part(imported, [*imported._outputs, *given], imported._result_nodes())
    of_device = [torch.zeros(value.shape, dtype=value.dtype) for value in made]
    said = {"calls": [[list(one.shape), _name(one.dtype)] for one in calls], "inputs": imported.inputs,
            "outputs": imported.outputs, "dtypes": [_name(one.dtype) for one in made]}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("parts.json", json.dumps(said))
        for name, part, samples in (("before", before, calls), ("behind", behind, [*of_device, *calls])):
            program = io.BytesIO()
            with torch.no_grad():
                torch.export.save(torch.export.export(part, tuple(samples), strict=False), program)
            archive.writestr(f"{name}.pt2", program.getvalue())
    return out.getvalue()


def loaded(data: bytes) -> HostParts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        said = json.loads(archive.read("parts.json"))
        before, behind = (torch.export.load(io.BytesIO(archive.read(f"{name}.pt2"))).module()
                          for name in ("before", "behind"))
    return HostParts([(shape, getattr(torch, dtype)) for shape, dtype in said["calls"]], said["inputs"],
                     said["outputs"], [getattr(torch, dtype) for dtype in said["dtypes"]], before, behind)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _part(imported: Imported, given: Sequence[Node], wanted: Sequence[Node]) -> torch.nn.Module:
    """Computes `wanted` of `given`; what is known without them becomes a buffer."""
    root, graph = torch.nn.Module(), torch.fx.Graph()
    made = {node: graph.placeholder(f"given_{place}") for place, node in enumerate(given)}
    needed: set[Node] = set()
    ahead = list(wanted)
    while ahead:
        node = ahead.pop()
        if node not in made and node not in needed:
            needed.add(node)
            ahead += [] if node in imported._values else node.all_input_nodes
    for node in imported._captured.graph.nodes:
        if node not in needed:
            continue
        if node in imported._values:
            root.register_buffer(f"known_{len(made)}", imported._values[node])
            made[node] = graph.get_attr(f"known_{len(made)}")
        else:
            made[node] = graph.node_copy(node, made.__getitem__)
    graph.output(tuple(made[node] for node in wanted))
    return torch.fx.GraphModule(root, graph)
