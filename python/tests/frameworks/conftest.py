"""Each test begins with no device and no configuration. These tests need 'scripts/setup frameworks'."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import pybuda  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    before = dict(os.environ)
    pybuda.pybuda_reset()
    yield
    pybuda.pybuda_reset()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Files of one small convolutional net: a folder with net.tflite, int8.tflite, net.keras, saved_model, net.pb."""
    import small
    folder = tmp_path_factory.mktemp("files")
    small.write_files(folder)
    return folder
