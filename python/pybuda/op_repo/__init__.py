"""Descriptions of ops as data, for programs that generate modules."""
from .datatypes import (OperandNumInt, OperandNumRange, OperandNumTuple, OperatorDefinition, OperatorParam,
                        OperatorParamNumber, OperatorRepository, ShapeCalculationContext, TensorShape)
from .pybuda_operators import pybuda_operator_repository
from .pytorch_operators import pytorch_operator_repository

__all__ = ["OperandNumInt", "OperandNumRange", "OperandNumTuple", "OperatorDefinition", "OperatorParam",
           "OperatorParamNumber", "OperatorRepository", "ShapeCalculationContext", "TensorShape",
           "pybuda_operator_repository", "pytorch_operator_repository"]
