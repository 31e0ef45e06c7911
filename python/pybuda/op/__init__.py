"""Ops of modules: `op.X(name, operands..., attributes)` returns a Tensor; an empty name is replaced by a generated
one."""
import sys

from . import eval as eval
from . import loss, nn
from .arguments import name_errors
from .constant import Constant
from .convolution import Conv2d, Conv2dTranspose, Conv3d
from .dram_queue import DRAMQueue
from .eltwise_binary import (Add, BinaryStack, Divide, Equal, Greater, GreaterEqual, Heaviside, Less, LessEqual,
                             LogicalAnd, Max, Min, Multiply, NotEqual, Power, Subtract)
from .eltwise_nary import Concatenate, IndexCopy, Interleave, Stack, Where
from .eltwise_unary import (Abs, Argmax, Buffer, Clip, Cosine, CumSum, Dropout, Exp, Gelu, Identity, LeakyRelu, Log,
                            LogicalNot, Pow, Reciprocal, Relu, Sigmoid, Sine, Sqrt, Tanh, Tilize)
from .embedding import Embedding
from .matmul import Matmul, SparseMatmul
from .nn import Batchnorm, Layernorm, LogSoftmax, Softmax
from .pooling import AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d, MaxPool3d
from .quantize import BudaRequantize, Dequantize, Quantize, Requantize
from .reduce import GroupedReduceAvg, ReduceAvg, ReduceMax, ReduceSum
from .resize import Resize2d, Resize3d
from .tm import (AdvIndex, Broadcast, BudaPad, BudaUnpad, HSlice, HStack, Index, Narrow, Pad, PadTile, PixelShuffle,
                 Repeat, Reshape, Select, Squeeze, Transpose, Unsqueeze, VSlice, VStack)

__all__ = [
    "Abs", "Add", "AdvIndex", "Argmax", "AvgPool1d", "AvgPool2d", "Batchnorm", "BinaryStack", "Broadcast", "BudaPad",
    "BudaRequantize", "BudaUnpad", "Buffer", "Clip", "Concatenate", "Constant", "Conv2d", "Conv2dTranspose", "Conv3d",
    "Cosine", "CumSum", "DRAMQueue", "Dequantize", "Divide", "Dropout", "Embedding", "Equal", "Exp", "Gelu", "Greater",
    "GreaterEqual", "GroupedReduceAvg", "HSlice", "HStack", "Heaviside", "Identity", "Index", "IndexCopy",
    "Interleave", "Layernorm", "LeakyRelu", "Less", "LessEqual", "Log", "LogSoftmax", "LogicalAnd", "LogicalNot",
    "Matmul", "Max", "MaxPool1d", "MaxPool2d", "MaxPool3d", "Min", "Multiply", "Narrow", "NotEqual", "Pad", "PadTile",
    "PixelShuffle", "Pow", "Power", "Quantize", "Reciprocal", "ReduceAvg", "ReduceMax", "ReduceSum", "Relu", "Repeat",
    "Requantize", "Reshape", "Resize2d", "Resize3d", "Select", "Sigmoid", "Sine", "Softmax", "SparseMatmul", "Sqrt",
    "Squeeze", "Stack", "Subtract", "Tanh", "Tilize", "Transpose", "Unsqueeze", "VSlice", "VStack", "Where", "loss",
    "nn"
]

name_errors(sys.modules[__name__], __all__)
name_errors(nn, nn.__all__)
