import logging

import pytest
import torch
import torch_ttnn
import ttnn

logging.getLogger("torch.__trace").disabled = True  # torch.compile logs every tensor; pytest would keep it all


@pytest.fixture(scope="session")
def device():
    """One device for the whole run."""
    opened = ttnn.open_device(device_id=0)
    yield opened
    ttnn.close_device(opened)


@pytest.fixture(autouse=True)
def fresh():
    """Each test compiles anew, and draws the same numbers."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@pytest.fixture()
def compiled(device):
    """compiled(module, mode=..., **options) -> the compiled function and its option."""
    def make(module, **options):
        option = torch_ttnn.TorchTtnnOption(device=device, verbose=False, **options)
        return torch.compile(module, backend=torch_ttnn.backend, options=option), option
    return make
