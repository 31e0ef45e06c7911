"""Matrix products."""
from __future__ import annotations

from typing import Any

import torch

from .._C import DataFormat
from ..operand import Operand
from ..tensor import Tensor
from .common import define, graph_op, result, widened
from .eltwise_binary import Add



def _dense(sparse: torch.Tensor) -> torch.Tensor:
    return sparse.to_dense() if sparse.layout != torch.strided else sparse


def _build_sparse(make: Any, sparse: Any, dense: Any) -> Any:
    return make.add("matmul", sparse, make.as_float(dense))


define("matmul", lambda a, b: torch.matmul(widened(a, b), widened(b, a)), graph_op("matmul"))
define("sparse_matmul", lambda sparse, dense: torch.matmul(_dense(sparse).to(dense.dtype), dense), _build_sparse)


def Matmul(name: str, operandA: Operand, operandB: Operand, bias: Operand | None = None) -> Tensor:
    """[.., m, k] x [.., k, n]; a bias is added by an op named `<name>.bias`. The product of Int8 and Int8 is Int32."""
    formats = {getattr(operand, "data_format", None) for operand in (operandA, operandB)}
    product = result("matmul", name, operandA, operandB,
                     out_df=DataFormat.Int32 if formats == {DataFormat.Int8} else None)
    return product if bias is None else Add(product.src_op.name + ".bias", product, bias)


def SparseMatmul(name: str, sparseA: Tensor, denseB: Operand) -> Tensor:
    """AssertionError unless `sparseA` has a sparse COO value."""
    assert sparseA.has_value() and sparseA.value().layout == torch.sparse_coo, \
        "SparseMatmul needs a first operand with a sparse COO value, such as from torch.Tensor.to_sparse()"
    return result("sparse_matmul", name, sparseA, denseB, out_df=denseB.data_format)
