"""The host parts of an imported module, as functions and as graphs."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch.fx import Node

from .host_program import refused

if TYPE_CHECKING:
    from .imported import Imported


@dataclasses.dataclass
class HostParts:
    """`calls`: shape and dtype of each tensor of a call; `inputs`, `outputs`: of the graph, in order, with their shapes
    if known; `dtypes`: of the outputs in the module."""
    calls: list[tuple[list[int], torch.dtype]]
    inputs: list[str]
    outputs: list[str]
    dtypes: list[torch.dtype]
    before: Callable[..., Sequence[torch.Tensor]]
    behind: Callable[..., Sequence[torch.Tensor]]
    input_shapes: list[list[int]] | None = None
    output_shapes: list[list[int]] | None = None

    def check_device(self, inputs: Mapping[str, list[int]], outputs: Mapping[str, list[int]], place: str) -> None:
        """Checks that a compiled model has these names and shapes. ttsim.InputError at `place`."""
        for name in inputs.keys() - set(self.inputs):
            raise refused(place, f"its host parts have no values for the device's input '{name}'")
        for names, shapes, have in ((self.inputs, self.input_shapes, inputs), (self.outputs, self.output_shapes, outputs)):
            for at, name in enumerate(names):
                # the device omits inputs that it does not read
                shape = have.get(name, shapes[at] if shapes and names is self.inputs else None)
                if shape is None or (shapes is not None and shape != shapes[at]):
                    raise refused(place, f"its host parts have {ascii(name)[:80]} with the shape "
                                         f"{shapes[at] if shapes else 'of the device'}; that of the device is "
                                         f"{have.get(name, 'not there')}")

    def device_inputs(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Values of the graph's inputs for a call. ValueError for wrong numbers or shapes of tensors."""
        return list(self.before(*self._cast(tensors)))

    def finish(self, device_outputs: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The module's results."""
        if len(device_outputs) != len(self.dtypes):
            raise ValueError(f"the image needs {len(self.dtypes)} device outputs; {len(device_outputs)} are given")
        made = [value.to(dtype) for value, dtype in zip(device_outputs, self.dtypes)]
        return list(self.behind(*made, *self._cast(tensors)))

    def _cast(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        given, wanted = [list(tensor.shape) for tensor in tensors], [shape for shape, _ in self.calls]
        if given != wanted:
            raise ValueError(f"the image needs inputs of the shapes {wanted}; given are {given}")
        return [tensor.to(dtype) for tensor, (_, dtype) in zip(tensors, self.calls)]


def parts_of(imported: Imported) -> dict[str, torch.fx.GraphModule]:
    """Graphs of the parts before and behind the device."""
    given = imported._call_nodes()
    return {"before": _part(imported, given, imported._inputs),
            "behind": _part(imported, [*imported._outputs, *given], imported._result_nodes())}


def _part(imported: Imported, given: Sequence[Node], wanted: Sequence[Node]) -> torch.fx.GraphModule:
    """Computes `wanted` from `given`; values known in advance become buffers."""
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
