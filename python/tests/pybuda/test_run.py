"""run_inference and the run in steps: what is returned, when, and what is refused."""
import queue
import threading

import pybuda
import pytest
import torch
from modules import Add, TwoProducts, close


def pair(scale=1.0, batch=1):
    return torch.rand(batch, 32, 64) * scale, torch.rand(batch, 32, 64) * scale


class Sum(pybuda.PyBudaModule):
    def forward(self, x, cache):
        total = pybuda.op.Add("total", cache, x)
        return pybuda.op.Buffer("out", total), total


def test_links_name_arguments_of_forward():
    pybuda.config._get_global_compiler_config().loopback_outputs = {"cache": 1}
    device = pybuda.TTDevice("tt0", module=Sum("sum"))
    results = pybuda.initialize_pipeline(False, sample_inputs=(torch.ones(1, 32, 32), torch.zeros(1, 32, 32)))
    for turn in range(1, 4):
        device.push_to_inputs((torch.ones(1, 32, 32),))
        pybuda.run_generate(input_count=1, write_index=0)
        assert (results.get()[0].value() == turn).all()


def test_a_module_and_inputs_are_all_it_takes():
    module = TwoProducts("direct")
    inputs = [pair(), pair()]
    results = pybuda.run_inference(module, inputs=inputs)
    for one in inputs:
        outputs = results.get()
        assert [type(output) for output in outputs] == [pybuda.Tensor] * 2
        assert outputs[0].value().dtype == torch.bfloat16 and outputs[0].shape == (1, 32, 64)
        assert all(close(got, want) for got, want in zip(outputs, module.reference(*one)))
    assert results.empty()


def test_inputs_are_tensors_tuples_and_mappings():
    class Double(pybuda.PyBudaModule):
        def forward(self, x):
            return pybuda.op.Multiply("double", x, 2.0)

    x = torch.rand(1, 32, 32).bfloat16().float()
    results = pybuda.run_inference(Double("d"), inputs=[x, (x,), [x], {"x": x}, pybuda.Tensor.create_from_torch(x),
                                                        (x.numpy(),)])
    assert all(torch.equal(results.get()[0].value().float(), 2 * x) for _ in range(6))


def test_mappings_name_arguments():
    class Minus(pybuda.PyBudaModule):
        def forward(self, a, b):
            return pybuda.op.Subtract("minus", a, b)

    a, b = torch.full((1, 32, 32), 3.0), torch.full((1, 32, 32), 1.0)
    assert pybuda.run_inference(Minus("m"), inputs=[{"b": b, "a": a}]).get()[0].value()[0, 0, 0] == 2


@pytest.mark.parametrize("first", ["mapping", "tuple"])
def test_mappings_may_come_in_any_order(first):
    class Minus(pybuda.PyBudaModule):
        def forward(self, a, b):
            return pybuda.op.Subtract("minus", a, b)

    class TorchMinus(torch.nn.Module):
        def forward(self, a, b):
            return a - b

    a, b = torch.full((1, 32, 32), 3.0), torch.full((1, 32, 32), 1.0)
    for module in (Minus("m"), pybuda.PyTorchModule("t", TorchMinus())):
        results = pybuda.run_inference(module, inputs=[{"b": b, "a": a} if first == "mapping" else (a, b)])
        pybuda.run_inference(module, inputs=[{"a": a, "b": b}])
        pybuda.run_inference(module, inputs=[{"b": b, "a": a}])
        assert [float(results.get()[0].value()[0, 0, 0]) for _ in range(3)] == [2, 2, 2]
        with pytest.raises(RuntimeError, match="was compiled for"):
            pybuda.run_inference(module, inputs=[{"a": a, "c": b}])


def test_a_micro_batch_comes_back_whole():
    module = TwoProducts("batch")
    a, b = pair(batch=5)
    outputs = pybuda.run_inference(module, inputs=[(a, b)]).get()
    assert outputs[0].shape == (5, 32, 64)
    assert all(close(got, want) for got, want in zip(outputs, module.reference(a, b)))


def test_a_run_under_way_goes_on_without_compiling_and_keeps_its_queue():
    module = Add("again")
    first = pybuda.run_inference(module, inputs=[pair()])
    compiled = pybuda.get_tenstorrent_device()._compile_output
    other = queue.Queue()
    assert pybuda.run_inference(module, inputs=[pair()], output_queue=other) is first
    assert pybuda.get_tenstorrent_device()._compile_output is compiled
    first.get(), first.get()
    assert other.empty()
    pybuda.run_inference(Add("another"), inputs=[pair()]).get()
    assert pybuda.get_tenstorrent_device()._compile_output is not compiled


def test_queues_of_the_caller_get_the_results():
    mine = queue.Queue()
    assert pybuda.run_inference(Add("mine"), inputs=[pair()], output_queue=mine) is mine
    assert len(mine.get()) == 1


def test_counts():
    module = Add("counts")
    with pytest.raises(RuntimeError, match="input_count is 3, but there are 2 inputs"):
        pybuda.run_inference(module, inputs=[pair(), pair()], input_count=3)
    pybuda.pybuda_reset()
    device = pybuda.TTDevice("tt0", module=Add("counts"))
    for _ in range(3):
        device.push_to_inputs(pair())
    results = pybuda.run_inference(input_count=2)
    assert results.qsize() == 2
    pybuda.run_inference()
    assert results.qsize() == 3
    with pytest.raises(RuntimeError, match="input_count=0"):
        pybuda.run_inference(input_count=0, _sequential=True)


def test_inputs_that_come_later_run_when_they_come():
    device = pybuda.TTDevice("tt0", module=Add("later"))
    results = pybuda.initialize_pipeline(training=False, sample_inputs=pair())
    pybuda.run_forward(input_count=2)
    assert results.empty()
    device.push_to_inputs(pair())
    assert results.qsize() == 1
    device.push_to_inputs(pair())
    device.push_to_inputs(pair())
    assert results.qsize() == 2
    pybuda.run_forward(0)
    device.push_to_inputs(pair())
    assert results.qsize() == 4


def test_threads_push_and_take_at_once():
    device = pybuda.TTDevice("tt0", module=Add("threads"))
    a = torch.ones(1, 32, 32)
    device.push_to_inputs(a, a)
    results = pybuda.run_inference()
    pybuda.run_forward(0)
    pusher = threading.Thread(target=lambda: [device.push_to_inputs(a * k, a) for k in range(100)])
    pusher.start()
    assert [int(results.get()[0].value()[0, 0, 0]) for _ in range(101)] == [2, *range(1, 101)]
    pusher.join()


def test_a_thousand_pushes_before_the_first_get():
    device = pybuda.TTDevice("tt0", module=Add("many"))
    a = torch.ones(1, 32, 32)
    for k in range(1000):
        device.push_to_inputs(a * (k % 100), a)
    results = pybuda.run_inference(input_count=1000)
    assert [int(results.get()[0].value()[0, 0, 0]) for _ in range(1000)] == [k % 100 + 1 for k in range(1000)]


def test_steps_need_a_pipeline():
    for call in (pybuda.run_forward, lambda: pybuda.run_generate(write_index=0)):
        with pytest.raises(RuntimeError, match="initialize_pipeline"):
            call()
    with pytest.raises(RuntimeError, match="write_index"):
        pybuda.run_generate()
    with pytest.raises(RuntimeError, match="no devices"):
        pybuda.initialize_pipeline(training=False, sample_inputs=pair())
    pybuda.TTDevice("tt0", module=Add("steps"))
    with pytest.raises(RuntimeError, match="Inputs must be pushed"):
        pybuda.initialize_pipeline(training=False)
    with pytest.raises(AssertionError, match="sample_targets"):
        pybuda.initialize_pipeline(training=False, sample_inputs=pair(), sample_targets=pair())
    with pytest.raises(RuntimeError, match="checkpoint_queue"):
        pybuda.initialize_pipeline(training=False, sample_inputs=pair(), checkpoint_queue=queue.Queue())


def test_nothing_runs_without_devices_and_a_warning_says_so(caplog):
    with pytest.raises(RuntimeError, match="there is no device"):
        pybuda.run_inference(inputs=[pair()])
    mine = queue.Queue()
    assert pybuda.run_inference(output_queue=mine) is mine
    assert "no devices" in caplog.text
    assert pybuda.get_loss_queue() is None and pybuda.get_intermediates_queue() is None


def test_after_shutdown_a_run_compiles_anew_and_steps_are_refused():
    module = Add("shut")
    pybuda.run_inference(module, inputs=[pair()]).get()
    pybuda.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        pybuda.run_forward()
    assert pybuda.run_inference(module, inputs=[pair(batch=2)]).get()[0].shape[0] == 2


def test_a_queue_without_a_producer_reports_it(monkeypatch):
    monkeypatch.setenv("TT_BACKEND_TIMEOUT", "1")  # where some library has threads
    results = pybuda.run_inference(Add("empty"), inputs=[pair()])
    results.get()
    with pytest.raises(RuntimeError, match="Timeout while reading"):
        results.get()
    with pytest.raises(queue.Empty):
        results.get(timeout=0.01)


def test_a_failed_run_sets_the_flag_and_its_queue_gives_the_reason(monkeypatch):
    device = pybuda.TTDevice("tt0", module=Add("fails"))
    device.push_to_inputs(pair())
    results = pybuda.run_inference()
    results.get()
    assert not pybuda.error_raised()

    def broken(values):
        raise ValueError("a wire came off")

    monkeypatch.setattr(device, "forward_values", broken)
    device.push_to_inputs(pair())
    pybuda.run_forward()
    assert pybuda.error_raised()
    pybuda.run_forward()
    with pytest.raises(RuntimeError, match="a wire came off"):
        results.get()


def test_intermediates_come_by_name_in_the_order_of_the_tags():
    module = TwoProducts("tapped")
    pybuda.set_configuration_options(op_intermediates_to_save=["matmul2", "matmul1"])
    a, b = pair()
    pybuda.run_inference(module, inputs=[(a, b), (a, b)])
    intermediates = pybuda.get_intermediates_queue()
    for _ in range(2):
        second, first = intermediates.get()
        assert close(first, a @ module.weights1.value()) and close(second, b @ module.weights2.value())


def test_parameters_are_read_and_replaced():
    module = TwoProducts("weights")
    a, b = pair()
    results = pybuda.run_inference(module, inputs=[(a, b)])
    results.get()
    checkpoint = pybuda.get_parameter_checkpoint()
    assert list(checkpoint[0]) == ["weights.weights1", "weights.weights2"]
    assert torch.equal(checkpoint[0]["weights.weights1"].value(), module.weights1.value())
    pybuda.update_device_parameters(parameters=[{"weights.weights1": torch.eye(64)}])
    pybuda.run_inference(module, inputs=[(a, b)])
    assert close(results.get()[0], a + b @ module.weights2.value())
    with pytest.raises(RuntimeError, match="has no parameter 'nobody'"):
        pybuda.update_device_parameters(parameters=[{"nobody": torch.eye(64)}])


def test_a_report_has_cycles_rates_and_ops():
    with pytest.raises(RuntimeError, match="no run to report on"):
        pybuda.get_report()
    pybuda.run_inference(TwoProducts("report"), inputs=[pair(), pair()])
    report = pybuda.get_report()
    assert report.samples == 2 and report.cycles > 0
    assert {op.name for op in report.devices[0].ops} >= {"matmul1", "matmul2"}
    assert 0 < report.devices[0].busy_share <= 1
    assert report.devices[0].end_to_end_per_second > 0
    assert "cycles" in str(report)


def test_a_trace_is_written(tmp_path):
    pybuda.set_configuration_options(performance_trace=pybuda.PerfTraceLevel.LIGHT, backend_output_dir=str(tmp_path))
    pybuda.run_inference(Add("traced"), inputs=[pair()]).get()
    pybuda.shutdown()
    assert (tmp_path / "auto_tt0.ttperf").stat().st_size > 0


def test_halves_of_a_batch_stand_apart_for_two_chips(monkeypatch):
    monkeypatch.setenv("PYBUDA_N300_DATA_PARALLEL", "1")
    a, b = pair(batch=4)
    first, second = pybuda.run_inference(Add("halves"), inputs=[(a, b)]).get()
    assert close(torch.cat([first.value(), second.value()]), a + b)


def test_the_configuration_is_dumped_and_loaded(monkeypatch, tmp_path):
    monkeypatch.setenv("PYBUDA_DUMP_CONFIG", str(tmp_path / "config.json"))
    pybuda.set_configuration_options(balancer_policy="Ribbon")
    pybuda.run_inference(Add("dump"), inputs=[pair()]).get()
    pybuda.pybuda_reset()
    monkeypatch.setenv("PYBUDA_LOAD_CONFIG", str(tmp_path / "config.json"))
    assert pybuda.config._get_global_compiler_config().balancer_policy == "Ribbon"
