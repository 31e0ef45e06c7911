"""Ops that modules are made of: `op.X(name, operands…, attributes)` gives a Tensor; "" names it automatically."""
from . import loss, nn
from .constant import Constant
from .eltwise_binary import (Add, BinaryStack, Divide, Equal, Greater, GreaterEqual, Heaviside, Less, LessEqual,
                             LogicalAnd, Max, Min, Multiply, NotEqual, Power, Subtract)
from .eltwise_nary import Concatenate, IndexCopy, Interleave, Stack, Where
from .eltwise_unary import (Abs, Argmax, Buffer, Clip, Cosine, CumSum, Dropout, Exp, Gelu, Identity, LeakyRelu, Log,
                            LogicalNot, Pow, Reciprocal, Relu, Sigmoid, Sine, Sqrt, Tanh, Tilize)
from .matmul import Matmul, SparseMatmul
from .reduce import GroupedReduceAvg, ReduceAvg, ReduceMax, ReduceSum
from .tm import (AdvIndex, Broadcast, BudaPad, BudaUnpad, HSlice, HStack, Index, Narrow, Pad, PadTile, PixelShuffle,
                 Repeat, Reshape, Select, Squeeze, Transpose, Unsqueeze, VSlice, VStack)
