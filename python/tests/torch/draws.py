"""What random cases are made of: shapes of rank 0 to 5 with odd sizes, tensors whose values every format holds."""
import math

import torch
from hypothesis import strategies as st

FLOATS = (torch.float32,)
NUMBERS = (torch.float32, torch.float32, torch.int64, torch.int32)
ALL = (*NUMBERS, torch.bool)
SIDES = (1, 2, 3, 5, 7, 17, 33)
MOST = 3000  # elements


class Known(torch.Tensor):
    """An operand that does not depend on inputs, such as a buffer of indices."""


def known(tensor):
    return tensor.as_subclass(Known)


class Draw:
    """`draw` of a hypothesis strategy, with what cases ask for."""

    def __init__(self, draw):
        self.draw = draw

    def one(self, *choices):
        return self.draw(st.sampled_from(choices))

    def integer(self, low, high):
        return self.draw(st.integers(low, high))

    def flag(self):
        return self.draw(st.booleans())

    def shape(self, low=1, high=5, most=MOST, sides=SIDES):
        shape = []
        for _ in range(self.integer(low, high)):
            left = most // math.prod(shape)
            shape.append(self.one(*[side for side in sides if side <= left]) if left > 1 else 1)
        return self.draw(st.permutations(shape)) if shape else []

    def values(self, shape, dtype=torch.float32, low=-4.0, high=4.0, step=0.125):
        """Multiples of `step` from low to high; integers of integers."""
        generator = torch.Generator().manual_seed(self.integer(0, 1 << 20))
        if dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=generator).bool()
        step = step if dtype.is_floating_point else 1
        whole = torch.randint(math.ceil(low / step), math.floor(high / step) + 1, shape, generator=generator)
        return (whole * step).to(dtype)

    def distinct(self, shape, axes=None):
        """Floats of which no two are equal, in random order."""
        count = math.prod(shape)
        generator = torch.Generator().manual_seed(self.integer(0, 1 << 20))
        return ((torch.randperm(count, generator=generator) - count // 2).float() / 8).reshape(shape)

    def tensor(self, dtypes=FLOATS, low=-4.0, high=4.0, ranks=(0, 5), **keywords):
        return self.values(self.shape(*ranks), self.one(*dtypes), low, high, **keywords)

    def pair(self, dtypes=FLOATS, others=None, low=-4.0, high=4.0, nonzero=False):
        """Two that are broadcast together; `nonzero`: the second."""
        shape = self.shape(0)

        def thinned():
            start = self.integer(0, len(shape))
            return [1 if self.integer(0, 3) == 0 else side for side in shape[start if self.flag() else 0:]]
        a = self.values(thinned(), self.one(*dtypes), low, high)
        b = self.values(thinned(), self.one(*(others or dtypes)), low, high)
        return a, torch.where(b == 0, torch.ones_like(b), b) if nonzero else b

    def axis(self, tensor):
        """Also from the end."""
        rank = max(tensor.dim(), 1)
        return self.integer(-rank, rank - 1)

    def axes(self, tensor):
        chosen = [axis for axis in range(tensor.dim()) if self.flag()]
        return [axis - tensor.dim() if self.flag() else axis for axis in chosen]
