"""Compares compiled functions with torch."""
import torch
from torch.utils import _pytree as pytree
from torch_ttnn.metrics import pcc


def tensors(results):
    return pytree.tree_leaves(results)


def close(expected, made, least=0.999):
    """Shapes and dtypes are those of torch, integers and bools equal, floats correlated."""
    for one, other in zip(tensors(expected), tensors(made), strict=True):
        assert other.shape == one.shape and other.dtype == one.dtype
        if one.dtype.is_floating_point:
            assert pcc(one, other) >= least
        else:
            assert torch.equal(one, other)


def targets(option, graph=0):
    """The targets of a final graph."""
    return [node.target for node in option._out_fx_graphs[graph].nodes if node.op == "call_function"]


def remaining(option):
    """The aten calls of all final graphs."""
    return [str(node.target) for graph in option._out_fx_graphs for node in graph.nodes
            if node.op == "call_function" and str(node.target).startswith("aten")]
