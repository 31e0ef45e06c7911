"""Op types that scripts name for the host: names of PyBuda's importer, or of ATen."""
from __future__ import annotations

from collections.abc import Collection

from torch.fx import Node

from .place import op_name

# type -> names of ATen ops, without overload
_TYPES = {
    "embedding": "embedding",
    "take": "take gather index_select",
    "adv_index": "index",
    "gather": "gather",
    "gather_nd": "index",
    "scatter_elements": "scatter scatter_add",
    "scatter_nd": "index_put",
    "concatenate": "cat stack",
    "stack": "stack",
    "split": "split split_with_sizes chunk tensor_split",
    "strided_slice": "slice select narrow",
    "strided_set": "slice_scatter select_scatter",
    "reshape": "view _unsafe_view reshape flatten unflatten view_as reshape_as",
    "transpose": "permute transpose t mT numpy_T movedim swapaxes swapdims",
    "expand_dims": "unsqueeze",
    "squeeze": "squeeze",
    "broadcast_to": "expand expand_as",
    "repeat": "repeat_interleave",
    "tile": "repeat",
    "reverse": "flip",
    "cast": "_to_copy to type_as",
    "where": "where masked_fill",
    "argmax": "argmax",
    "argmin": "argmin",
    "argsort": "argsort sort",
    "topk": "topk",
    "cumsum": "cumsum",
    "one_hot": "one_hot",
    "nn.dense": "linear addmm mm",
    "nn.batch_matmul": "bmm matmul baddbmm",
    "nn.conv1d": "conv1d convolution",
    "nn.conv2d": "conv2d convolution",
    "nn.conv2d_transpose": "conv_transpose2d convolution",
    "nn.softmax": "softmax _softmax",
    "nn.log_softmax": "log_softmax _log_softmax",
    "nn.relu": "relu",
    "nn.gelu": "gelu",
    "nn.leaky_relu": "leaky_relu",
    "nn.prelu": "prelu _prelu_kernel",
    "nn.max_pool2d": "max_pool2d max_pool2d_with_indices",
    "nn.avg_pool2d": "avg_pool2d",
    "nn.adaptive_avg_pool2d": "adaptive_avg_pool2d _adaptive_avg_pool2d mean",
    "nn.adaptive_max_pool2d": "adaptive_max_pool2d",
    "nn.layer_norm": "layer_norm native_layer_norm",
    "nn.batch_norm": "batch_norm _native_batch_norm_legit_no_training",
    "nn.pad": "constant_pad_nd pad",
    "nn.bias_add": "add",
    "nn.dropout": "dropout native_dropout",
    "image.resize2d": "upsample_nearest2d upsample_bilinear2d upsample_bicubic2d _upsample_nearest_exact2d",
    "image.resize1d": "upsample_nearest1d upsample_linear1d",
    "multiply": "mul", "divide": "div", "subtract": "sub", "power": "pow", "negative": "neg",
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "logical_not": "logical_not bitwise_not", "logical_and": "logical_and bitwise_and __and__",
    "logical_or": "logical_or bitwise_or __or__", "max": "amax max", "min": "amin min", "clip": "clamp hardtanh",
}


# types with no or almost no computation
MOVES = ("reshape", "transpose", "expand_dims", "squeeze", "broadcast_to", "strided_slice", "concatenate", "stack", "split",
         "repeat", "tile", "reverse", "cast", "nn.pad", "nn.dropout")


def falls_back(node: Node, types: Collection[str]) -> bool:
    """Whether the op has one of these types. Other names are those of ATen ops: cumsum, aten.cumsum."""
    name = op_name(node)
    return any(name in _TYPES.get(one, one.removeprefix("aten.").removeprefix("aten::")).split() for one in types)
