"""Tensors and queues in other processes."""
import multiprocessing
import pickle

import pybuda
import pytest
import torch
from modules import Add


def doubled(inputs, outputs):
    """In a process of its own."""
    import pybuda
    while (item := inputs.get()) is not None:
        outputs.put([pybuda.Tensor.create_from_torch(tensor.value() * 2) for tensor in item])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.bool])
def test_tensors_pickle(dtype):
    value = (torch.rand(1, 3, 5) * 4).to(dtype)
    back = pickle.loads(pickle.dumps(pybuda.Tensor.create_from_torch(value)))
    assert torch.equal(back.value(), value) and back.value().dtype == dtype
    empty = pybuda.Tensor.create_from_trace(None, (1, 2), pybuda.DataFormat.Bfp8_b)
    back = pickle.loads(pickle.dumps(empty))
    assert not back.has_value() and back.shape == (1, 2) and back.data_format == pybuda.DataFormat.Bfp8_b


def test_a_queue_pickles_with_its_entries():
    a = torch.ones(1, 32, 32)
    results = pickle.loads(pickle.dumps(pybuda.run_inference(Add("a"), inputs=[(a, a), (a, a)])))
    assert results.qsize() == 2 and results.get()[0].value()[0, 0, 0] == 2


def test_results_go_to_a_queue_of_another_process():
    context = multiprocessing.get_context("spawn")
    results, back = context.Queue(), context.Queue()
    worker = context.Process(target=doubled, args=(results, back))
    worker.start()
    a = torch.ones(1, 32, 32)
    assert pybuda.run_inference(Add("a"), inputs=[(a, a), (a, 2 * a)], output_queue=results) is results
    results.put(None)
    assert [float(back.get(timeout=60)[0].value()[0, 0, 0]) for _ in range(2)] == [4, 6]
    worker.join(60)
    assert worker.exitcode == 0
