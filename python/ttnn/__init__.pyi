"""Made by python -m ttnn.stubs."""
from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType as DataType, Layout as Layout, MemoryConfig as MemoryConfig
from ttsim.eager.config import Config

from . import device as device, experimental as experimental, graph as graph, kv_cache as kv_cache
from . import model_preprocessing as model_preprocessing
from . import operations as operations, ops as ops, tracer as tracer, transformer as transformer
from .convolution import *
from .creation import *
from .decorators import *
from .device import *
from .mesh import *
from .tensor import *
from .traces import *
from .types import *

CONFIG: Config

def get_golden_function(operation: Any) -> Callable[..., Any]: ...

class manage_config:
    def __init__(self, name: str, value: Any) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: Any) -> None: ...

def add(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def subtract(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a - b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def multiply(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def divide(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a / b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def rsub(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """b - a. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def eq(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a = b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ne(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a != b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def lt(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a < b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def le(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a <= b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def gt(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a > b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ge(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a >= b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_and(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_and of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_or(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_or of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_xor(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_xor of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def maximum(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The larger of a and b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def minimum(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The smaller of a and b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def squared_difference(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """(a - b)^2. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ldexp(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * 2^b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logaddexp(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log(e^a + e^b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logaddexp2(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log2(2^a + 2^b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def hypot(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sqrt(a^2 + b^2). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def atan2(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The angle of the point (b, a). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def xlogy(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * log(b), and 0 where a is 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def floor_div(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """floor(a / b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def div_no_nan(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a / b, and 0 where b is 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def remainder(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a - b * floor(a / b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def fmod(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a - b * trunc(a / b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bias_gelu(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """gelu(a + b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def nextafter(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The next float32 after a towards b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def gcd(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The greatest common divisor of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def lcm(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The least common multiple of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bitwise_and(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_and of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bitwise_or(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_or of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bitwise_xor(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_xor of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bitwise_left_shift(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_left_shift of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bitwise_right_shift(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_right_shift of integers. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

sub = subtract

mul = multiply

div = divide

floor_divide = floor_div

def pow(input_tensor: Tensor | float, exponent: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """input ^ exponent. Shapes broadcast; either may be a number."""

power = pow

def addalpha(input_tensor_a: Tensor, input_tensor_b: Tensor, alpha: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + alpha * b."""

def subalpha(input_tensor_a: Tensor, input_tensor_b: Tensor, alpha: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a - alpha * b."""

def isclose(input_tensor_a: Tensor, input_tensor_b: Tensor, rtol: float = ..., atol: float = ..., equal_nan: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where |a - b| <= atol + rtol * |b|, else 0."""

def prelu(input_tensor_a: Tensor, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a, or b * a for negative a; b: a number or one value a channel (axis 1)."""

def outer(input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The product of every element of a with every element of b: [numel(a), numel(b)]."""

def l1_loss(input_reference: Tensor, input_prediction: Tensor, reduction: str = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """|a - b|, each, their mean or their sum."""

def mse_loss(input_reference: Tensor, input_prediction: Tensor, reduction: str = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """(a - b)^2, each, their mean or their sum."""

def matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, transpose_a: bool = ..., transpose_b: bool = ..., activation: str | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Product of matrices, [.., M, K] by [.., K, N]; the other axes broadcast. `activation`: of the result."""

def linear(input_tensor_a: Tensor, input_tensor_b: Tensor, bias: Tensor | None = ..., transpose_a: bool = ..., transpose_b: bool = ..., activation: str | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """matmul() plus a bias, [N] or [1, N], then the activation."""

def addmm(input_tensor: Tensor, mat1_tensor: Tensor, mat2_tensor: Tensor, alpha: float = ..., beta: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""

def moreh_dot(input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Sum of the products of two vectors, over the last axis."""

def reshape(input_tensor: Tensor, shape: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same elements in another shape; -1: what is left."""

def view(input_tensor: Tensor, shape: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """As reshape()."""

def squeeze(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Without axes of size 1: all, or those of `dim`."""

def unsqueeze(input_tensor: Tensor, dim: int, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """With a new axis of size 1 at `dim`."""

def unsqueeze_to_4D(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """With new axes of size 1 in front, up to rank 4."""

def permute(input_tensor: Tensor, dims: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The axes in another order."""

def transpose(input_tensor: Tensor, dim1: int = ..., dim2: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Two axes exchanged."""

def concat(tensors: list[Tensor], dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Tensors one after the other along an axis."""

concatenate = concat

def stack(tensors: list[Tensor], dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Tensors along a new axis."""

def split(input_tensor: Tensor, split_size: int | Sequence[int], dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, ...]:
    """Pieces of one size (the last may be smaller), or of these sizes, along an axis."""

def chunk(input_tensor: Tensor, num_chunks: int, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, ...]:
    """About equal pieces along an axis."""

def slice(input_tensor: Tensor, slice_start: Sequence[int], slice_end: Sequence[int], slice_step: Sequence[int] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Elements start .. end - 1 of every axis, in steps."""

def pad(input_tensor: Tensor, padding: Any, value: Any = ..., use_multicore: Any = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """`padding`: pairs (before, after) of the last axes, in their order; or the shape of the result, then `value` is the
position of the operand in it, and a third argument the value."""

def repeat(input_tensor: Tensor, repetition_vector: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Copies beside each other along every axis."""

def repeat_interleave(input_tensor: Tensor, repeats: int, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Every element along an axis, several times."""

def expand(input_tensor: Tensor, output_shape: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Axes of size 1 repeated to a shape; -1: as it is."""

def broadcast_to(input_tensor: Tensor, output_shape: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """As expand()."""

def roll(input_tensor: Tensor, shifts: int | Sequence[int], dim: int | Sequence[int] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Elements moved along axes; those beyond the end come back at the start."""

def flip(input_tensor: Tensor, dims: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The axes in reverse order."""

def gather(input_tensor: Tensor, dim: int, index: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Elements along an axis by index."""

def scatter(input_tensor: Tensor, dim: int, index: Tensor, src: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The input with elements of src at the indices along an axis."""

def slice_scatter(input_tensor: Tensor, src: Tensor, dim: int = ..., start: int | None = ..., end: int | None = ..., step: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The input with src in a slice of an axis."""

def index_select(input_tensor: Tensor, dim: int, index: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Slices of an axis by index."""

def embedding(input_tensor: Tensor, weight: Tensor, padding_idx: int | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Rows of weight [.., V, D] by index (integers below V): the shape of the indices with D."""

def clone(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in another place: memory, layout or buffer."""

def copy(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in another place: memory, layout or buffer."""

def assign(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in another place: memory, layout or buffer."""

def move(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in another place: memory, layout or buffer."""

def tilize(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in TILE layout."""

def untilize(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The same values in ROW_MAJOR layout."""

def tilize_with_val_padding(input_tensor: Tensor, output_tensor_shape: Sequence[int], pad_value: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Padded at the end of each axis to a shape, in TILE layout."""

def untilize_with_unpadding(input_tensor: Tensor, output_tensor_end: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Elements 0 .. end of each axis (the end included), in ROW_MAJOR layout."""

def fill_implicit_tile_padding(input_tensor: Tensor, fill_value: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """A copy: padding of tiles is never visible."""

def indexed_fill(batch_id: Tensor, input_tensor_a: Tensor, input_tensor_b: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a, with slices of axis 0 replaced by those of b at the positions batch_id."""

def update_cache(cache: Tensor, input_tensor: Tensor, update_idx: int, batch_offset: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The cache [B, H, S, D] with the rows of the input [1, H, B, D] or [B, H, 1, D] at position update_idx."""

def fill_cache(cache: Tensor, input_tensor: Tensor, batch_idx: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The cache [B, H, S, D] with the input [1, H, s, D] at the start of a batch entry."""

def softmax(input_tensor: Tensor, dim: int = ..., numeric_stable: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Softmax along an axis. The maximum is subtracted for both values of `numeric_stable`."""

def softmax_in_place(input_tensor: Tensor, dim: int = ..., numeric_stable: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Softmax along an axis. The maximum is subtracted for both values of `numeric_stable`."""

def log_softmax(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Logarithm of softmax along an axis."""

def scale_mask_softmax(input_tensor: Tensor, scale: float | None = ..., mask: Tensor | None = ..., is_causal_mask: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softmax(scale * x + mask) over the last axis."""

def scale_mask_softmax_in_place(input_tensor: Tensor, scale: float | None = ..., mask: Tensor | None = ..., is_causal_mask: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softmax(scale * x + mask) over the last axis."""

def layer_norm(input_tensor: Tensor, epsilon: float = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., residual_input_tensor: Tensor | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Normalization over the last axis, of x + residual, then times weight plus bias (of as many elements)."""

def rms_norm(input_tensor: Tensor, epsilon: float = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., residual_input_tensor: Tensor | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x / sqrt(mean(x^2) + epsilon) over the last axis, times weight plus bias."""

def group_norm(input_tensor: Tensor, num_groups: int, epsilon: float = ..., input_mask: Tensor | None = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Normalization of groups of channels of [N, 1, H*W, C] over the group and H*W, then per channel."""

def batch_norm(input_tensor: Tensor, running_mean: Tensor | None = ..., running_var: Tensor | None = ..., training: bool = ..., eps: float = ..., momentum: float = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Normalization of the channels (axis 1) by the running statistics, or by the batch with `training`."""

def upsample(input_tensor: Tensor, scale_factor: int | Sequence[int], mode: str = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """[N, H, W, C] enlarged by whole factors: "nearest", or "bilinear"."""

def sum(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., scalar: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Sum over axes (None: all) times `scalar`. `keepdim`: reduced axes stay with size 1."""

def mean(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Mean over axes (None: all)."""

def max(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Largest element over axes (None: all)."""

def min(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Smallest element over axes (None: all)."""

def var(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Variance over axes (None: all), divided by n - 1."""

def std(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Standard deviation over axes (None: all), divided by n - 1."""

def prod(input_tensor: Tensor, dim: int | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Product over one axis (None: all)."""

def all(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where all elements over the axes are not 0, else 0."""

def any(input_tensor: Tensor, dim: int | Sequence[int] | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where some element over the axes is not 0, else 0."""

def argmax(input_tensor: Tensor, dim: int | None = ..., keepdim: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Position of the first largest element along an axis (None: in the flattened tensor), as uint32."""

def topk(input_tensor: Tensor, k: int, dim: int = ..., largest: bool = ..., sorted: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis and their positions (uint32)."""

def sort(input_tensor: Tensor, dim: int = ..., descending: bool = ..., stable: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, Tensor]:
    """The elements in order along an axis, and their positions (uint32)."""

def cumsum(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Sums of the elements up to each position along an axis."""

def moreh_cumsum(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """As cumsum()."""

def cumprod(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Products of the elements up to each position along an axis."""

def global_avg_pool2d(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """Mean over height and width of [N, H, W, C]: [N, 1, 1, C]."""

moreh_sum = sum

moreh_mean = mean

def where(condition: Tensor, input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a where condition is not 0, else b. Either may be a number."""

def addcmul(input_tensor_a: Tensor, input_tensor_b: Tensor, input_tensor_c: Tensor, value: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + value * b * c."""

def addcdiv(input_tensor_a: Tensor, input_tensor_b: Tensor, input_tensor_c: Tensor, value: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + value * b / c."""

def mac(input_tensor_a: Tensor, input_tensor_b: Tensor | float, input_tensor_c: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * b + c."""

def lerp(input_tensor_a: Tensor, input_tensor_b: Tensor, weight: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + weight * (b - a)."""

def masked_fill(input_tensor: Tensor, mask: Tensor, value: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """value where mask is not 0, else the input."""

def abs(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """abs of each element. Any shape; the result has the shape of the operand."""

def acos(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """acos of each element. Any shape; the result has the shape of the operand."""

def acosh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """acosh of each element. Any shape; the result has the shape of the operand."""

def asin(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """asin of each element. Any shape; the result has the shape of the operand."""

def asinh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """asinh of each element. Any shape; the result has the shape of the operand."""

def atan(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """atan of each element. Any shape; the result has the shape of the operand."""

def atanh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """atanh of each element. Any shape; the result has the shape of the operand."""

def ceil(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """ceil of each element. Any shape; the result has the shape of the operand."""

def cos(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """cos of each element. Any shape; the result has the shape of the operand."""

def cosh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """cosh of each element. Any shape; the result has the shape of the operand."""

def erf(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """erf of each element. Any shape; the result has the shape of the operand."""

def erfc(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """erfc of each element. Any shape; the result has the shape of the operand."""

def erfinv(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """erfinv of each element. Any shape; the result has the shape of the operand."""

def exp(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """exp of each element. Any shape; the result has the shape of the operand."""

def exp2(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """exp2 of each element. Any shape; the result has the shape of the operand."""

def expm1(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """expm1 of each element. Any shape; the result has the shape of the operand."""

def floor(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """floor of each element. Any shape; the result has the shape of the operand."""

def log(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log of each element. Any shape; the result has the shape of the operand."""

def log10(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log10 of each element. Any shape; the result has the shape of the operand."""

def log1p(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log1p of each element. Any shape; the result has the shape of the operand."""

def log2(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log2 of each element. Any shape; the result has the shape of the operand."""

def logical_not(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_not of each element. Any shape; the result has the shape of the operand."""

def neg(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """neg of each element. Any shape; the result has the shape of the operand."""

def reciprocal(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """reciprocal of each element. Any shape; the result has the shape of the operand."""

def rsqrt(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """rsqrt of each element. Any shape; the result has the shape of the operand."""

def sigmoid(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sigmoid of each element. Any shape; the result has the shape of the operand."""

def sign(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sign of each element. Any shape; the result has the shape of the operand."""

def sin(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sin of each element. Any shape; the result has the shape of the operand."""

def sinh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sinh of each element. Any shape; the result has the shape of the operand."""

def sqrt(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sqrt of each element. Any shape; the result has the shape of the operand."""

def square(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """square of each element. Any shape; the result has the shape of the operand."""

def tan(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """tan of each element. Any shape; the result has the shape of the operand."""

def tanh(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """tanh of each element. Any shape; the result has the shape of the operand."""

def trunc(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """trunc of each element. Any shape; the result has the shape of the operand."""

def frac(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """frac of each element. Any shape; the result has the shape of the operand."""

def signbit(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """signbit of each element. Any shape; the result has the shape of the operand."""

def deg2rad(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """deg2rad of each element. Any shape; the result has the shape of the operand."""

def rad2deg(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """rad2deg of each element. Any shape; the result has the shape of the operand."""

def lgamma(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """lgamma of each element. Any shape; the result has the shape of the operand."""

def digamma(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """digamma of each element. Any shape; the result has the shape of the operand."""

def i0(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """i0 of each element. Any shape; the result has the shape of the operand."""

def i1(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """i1 of each element. Any shape; the result has the shape of the operand."""

def isinf(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """isinf of each element. Any shape; the result has the shape of the operand."""

def isnan(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """isnan of each element. Any shape; the result has the shape of the operand."""

def isfinite(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """isfinite of each element. Any shape; the result has the shape of the operand."""

def isposinf(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """isposinf of each element. Any shape; the result has the shape of the operand."""

def isneginf(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """isneginf of each element. Any shape; the result has the shape of the operand."""

def relu(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """relu of each element. Any shape; the result has the shape of the operand."""

def relu6(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """relu6 of each element. Any shape; the result has the shape of the operand."""

def hardsigmoid(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """hardsigmoid of each element. Any shape; the result has the shape of the operand."""

def hardswish(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """hardswish of each element. Any shape; the result has the shape of the operand."""

def silu(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """silu of each element. Any shape; the result has the shape of the operand."""

def softsign(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softsign of each element. Any shape; the result has the shape of the operand."""

def mish(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """mish of each element. Any shape; the result has the shape of the operand."""

def tanhshrink(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """tanhshrink of each element. Any shape; the result has the shape of the operand."""

def log_sigmoid(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log_sigmoid of each element. Any shape; the result has the shape of the operand."""

def gtz(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """gtz of each element. Any shape; the result has the shape of the operand."""

def gez(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """gez of each element. Any shape; the result has the shape of the operand."""

def ltz(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """ltz of each element. Any shape; the result has the shape of the operand."""

def lez(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """lez of each element. Any shape; the result has the shape of the operand."""

def eqz(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """eqz of each element. Any shape; the result has the shape of the operand."""

def nez(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """nez of each element. Any shape; the result has the shape of the operand."""

def cbrt(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """cbrt of each element. Any shape; the result has the shape of the operand."""

def identity(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """identity of each element. Any shape; the result has the shape of the operand."""

def bitwise_not(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """bitwise_not of each element. Any shape; the result has the shape of the operand."""

def alt_complex_rotate90(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """alt_complex_rotate90 of each element. Any shape; the result has the shape of the operand."""

swish = silu

recip = reciprocal

def gelu(input_tensor: Tensor, fast_and_approximate_mode: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x * Phi(x). The chip's table is used for both values of `fast_and_approximate_mode`."""

def softplus(input_tensor: Tensor, beta: float = ..., threshold: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log(1 + exp(beta x)) / beta, and x where beta x > threshold."""

def leaky_relu(input_tensor: Tensor, negative_slope: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x, or negative_slope * x for negative x."""

def elu(input_tensor: Tensor, alpha: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x, or alpha * (exp(x) - 1) for negative x."""

def celu(input_tensor: Tensor, alpha: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

def selu(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The scaled elu."""

def hardtanh(input_tensor: Tensor, min_val: float = ..., max_val: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x limited to min_val .. max_val."""

def clip(input_tensor: Tensor, min: float | None = ..., max: float | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x limited to min .. max; None: no limit."""

clamp = clip

def relu_max(input_tensor: Tensor, upper_limit: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """relu of min(x, upper_limit)."""

def relu_min(input_tensor: Tensor, lower_limit: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """relu of max(x, lower_limit)."""

def hardshrink(input_tensor: Tensor, lambd: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x where |x| > lambd, else 0."""

def softshrink(input_tensor: Tensor, lambd: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x - lambd, x + lambd, or 0 between."""

def threshold(input_tensor: Tensor, threshold: float, value: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x where x > threshold, else value."""

def heaviside(input_tensor: Tensor, value: float = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """0 for negative x, 1 for positive x, value for 0."""

def logit(input_tensor: Tensor, eps: float | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log(x / (1 - x)), of x limited to eps .. 1 - eps if eps is set."""

def round(input_tensor: Tensor, decimals: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """To the nearest multiple of 10^-decimals, ties to even."""

def polygamma(input_tensor: Tensor, k: int, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The k-th derivative of digamma."""

def multigammaln(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log of the multivariate gamma function of dimension 4."""

def polyval(input_tensor: Tensor, coeffs: list[float], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """A polynomial by its coefficients, the highest power first."""

def rpow(input_tensor: Tensor, exponent: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """exponent ^ x, of a positive base."""

def rdiv(input_tensor: Tensor, value: float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """value / x."""

def tril(input_tensor: Tensor, diagonal: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """0 above the diagonal of the last two axes."""

def triu(input_tensor: Tensor, diagonal: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """0 below the diagonal of the last two axes."""

def glu(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""

def reglu(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The first half along `dim` times the relu of the second."""

def geglu(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The first half along `dim` times the gelu of the second."""

def swiglu(input_tensor: Tensor, dim: int = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """The first half along `dim` times the silu of the second."""

def add_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a + b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def subtract_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a - b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def multiply_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def divide_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a / b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def rsub_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """b - a. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def relu_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """relu of each element. Any shape; the result has the shape of the operand."""

def exp_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """exp of each element. Any shape; the result has the shape of the operand."""

def sqrt_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sqrt of each element. Any shape; the result has the shape of the operand."""

def sigmoid_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """sigmoid of each element. Any shape; the result has the shape of the operand."""

def tanh_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """tanh of each element. Any shape; the result has the shape of the operand."""

def gelu_(input_tensor: Tensor, fast_and_approximate_mode: bool = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x * Phi(x). The chip's table is used for both values of `fast_and_approximate_mode`."""

def silu_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """silu of each element. Any shape; the result has the shape of the operand."""

def neg_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """neg of each element. Any shape; the result has the shape of the operand."""

def logical_and_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_and of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_or_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_or of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_xor_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_xor of a != 0 and b != 0, as 1 or 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logical_not_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """logical_not of each element. Any shape; the result has the shape of the operand."""

def eq_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a = b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ne_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a != b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def lt_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a < b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def le_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a <= b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def gt_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a > b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ge_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """1 where a >= b, else 0. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def squared_difference_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """(a - b)^2. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def ldexp_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """a * 2^b. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logaddexp_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log(e^a + e^b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def logaddexp2_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """log2(2^a + 2^b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def bias_gelu_(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, activations: list[str] | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """gelu(a + b). Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."""

def pow_(input_tensor: Tensor | float, exponent: Tensor | float, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """input ^ exponent. Shapes broadcast; either may be a number."""

def clamp_(input_tensor: Tensor, min: float | None = ..., max: float | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x limited to min .. max; None: no limit."""

def abs_(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """abs of each element. Any shape; the result has the shape of the operand."""
