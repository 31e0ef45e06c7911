"""Losses."""
from __future__ import annotations

from ..module import PyBudaModule
from ..tensor import Tensor
from .eltwise_binary import Multiply, Subtract
from .eltwise_unary import Abs, Exp, Log
from .reduce import ReduceAvg, ReduceSum


class CrossEntropyLoss(PyBudaModule):
    """Cross entropy of predictions and one-hot labels."""

    def forward(self, predictions: Tensor, labels: Tensor) -> Tensor:
        """Loss of each sample, for predictions [.., rows, classes] and one-hot labels of the same shape."""
        sums = ReduceSum("reduce_sum", Exp("exp", predictions), -1)
        log_probabilities = Subtract("sub", predictions, Log("log", sums))
        of_labels = Multiply("mul_labels", Multiply("negative", log_probabilities, -1.0), labels)
        return ReduceAvg("reduce_avg", ReduceSum("reduce_sum_labels", of_labels, -1), -2)


class L1Loss(PyBudaModule):
    """`reduction`: "avg", "sum" or "none". AssertionError for another."""

    def __init__(self, name: str, reduction: str = "avg") -> None:
        super().__init__(name)
        assert reduction in ("avg", "sum", "none"), f"L1Loss needs reduction avg, sum or none, not '{reduction}'"
        self.reduction = reduction

    def forward(self, prediction: Tensor, labels: Tensor) -> Tensor:
        """Absolute differences of predictions and labels of the same shape, reduced as configured."""
        difference = Abs("abs", Subtract("sub", prediction, labels))
        if self.reduction == "none":
            return difference
        kind, letter = (ReduceAvg, "avg") if self.reduction == "avg" else (ReduceSum, "sum")
        return kind(f"c_{letter}", kind(f"r_{letter}", difference, -2), -1)
