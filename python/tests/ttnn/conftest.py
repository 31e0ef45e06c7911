import logging

import pytest
import ttnn


logging.getLogger("torch.__trace").propagate = False  # torch.export logs every tensor; pytest would keep it all


@pytest.fixture()
def device():
    """An open device, closed at the end of the test."""
    opened = ttnn.open_device(device_id=0)
    yield opened
    ttnn.close_device(opened)


@pytest.fixture(scope="module")
def shared_device():
    """One device for the tests of a file."""
    opened = ttnn.open_device(device_id=7)
    yield opened
    ttnn.close_device(opened)
