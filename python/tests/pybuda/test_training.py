"""The calls of training: loops, queues, checkpoints, schedulers, state."""
import copy
import pickle
import queue
import threading

import pybuda
import pytest
import torch
import yaml

from training import WORMHOLE, emptied, losses_of, mlp, pipeline

X, TARGET = (torch.rand(2, size, generator=torch.Generator().manual_seed(size)) for size in (20, 4))
SAMPLES = {"training": True, "sample_inputs": (X,), "sample_targets": (TARGET,)}


def push(first, last, count=1):
    for _ in range(count):
        first.push_to_inputs(X)
        last.push_to_target_inputs(TARGET)


def sgd(rate=0.1):
    return pybuda.SGD(learning_rate=rate, device_params=True)


def bias(checkpoint):
    return checkpoint[0]["2.bias"].value()


def test_a_manual_loop_is_run_training():
    torch.manual_seed(5)
    first, last = pipeline(mlp(), sgd())
    checkpoints = pybuda.initialize_pipeline(**SAMPLES)
    for _ in range(3):
        for turn in range(2):
            push(first, last)
            pybuda.run_forward(input_count=1)
            pybuda.run_backward(input_count=1, zero_grad=turn == 0)
        pybuda.run_optimizer(checkpoint=True)
    losses, made = losses_of(pybuda.get_loss_queue()), emptied(checkpoints)
    assert checkpoints is pybuda.run.api.get_checkpoint_queue() and len(made) == 3 and losses[-1] < losses[0]

    pybuda.pybuda_reset()
    torch.manual_seed(5)
    first, last = pipeline(mlp(), sgd())
    push(first, last, 6)
    found = queue.Queue()
    again = emptied(pybuda.run_training(steps=3, accumulation_steps=2, checkpoint_interval=1, loss_queue=found))
    assert losses_of(found) == losses
    assert all(torch.equal(bias(one), bias(other)) for one, other in zip(made, again, strict=True))


@pytest.mark.parametrize("interval, count", [(0, 1), (1, 4), (2, 2), (3, 2), (5, 1)])
def test_checkpoints_have_an_interval_and_one_is_at_the_end(interval, count):
    first, last = pipeline(mlp(), sgd())
    push(first, last, 4)
    checkpoints = queue.Queue()
    assert pybuda.run_training(epochs=2, steps=2, checkpoint_interval=interval,
                               checkpoint_queue=checkpoints) is checkpoints
    made = emptied(checkpoints)
    assert len(made) == count
    assert torch.equal(bias(made[-1]), bias(pybuda.get_parameter_checkpoint())) or interval == 3


def test_a_second_call_goes_on_without_compiling():
    first, last = pipeline(mlp(), sgd())
    push(first, last, 2)
    pybuda.run_training()
    stages = first._stages
    middle = bias(pybuda.get_parameter_checkpoint())
    pybuda.run_training()
    assert first._stages is stages and len(emptied(pybuda.get_loss_queue())) == 2
    assert not torch.equal(bias(pybuda.get_parameter_checkpoint()), middle)


def test_a_call_that_compiles_again_goes_on_with_weights_and_state():
    def started():
        pybuda.pybuda_reset()
        torch.manual_seed(3)
        first, last = pipeline(mlp(), pybuda.Adam(0.01, device_params=True), data_format=pybuda.DataFormat.Float32)
        push(first, last, 5)
        return first

    first = started()
    pybuda.run_training(steps=3)
    stages = first._stages
    pybuda.run_training(microbatch_count=2)
    assert first._stages is not stages
    again = bias(pybuda.get_parameter_checkpoint())

    started()
    pybuda.initialize_pipeline(training=True, microbatch_count=2)
    for count in (1, 1, 1, 2):
        pybuda.run_forward(count)
        pybuda.run_backward(count, zero_grad=True)
        pybuda.run_optimizer()
    assert torch.allclose(again, bias(pybuda.get_parameter_checkpoint()), atol=1e-3)


def test_inference_after_training_has_the_trained_weights():
    network = mlp()
    before = network[2].bias.detach().clone()
    first, last = pipeline(network, sgd())
    push(first, last, 3)
    pybuda.run_training(steps=3)
    assert torch.equal(network[2].bias, before)  # the device has its own
    trained = {name: one.value() for name, one in pybuda.get_parameter_checkpoint()[0].items()}
    last.remove_loss_module()
    pybuda.set_device_pipeline((first,))
    first.push_to_inputs(X)
    got = pybuda.run_inference().get()[0].value().float()
    assert torch.allclose(got, torch.func.functional_call(network, trained, X), atol=0.01)


def test_parameters_are_set_and_read_by_name():
    first, last = pipeline(mlp(), sgd())
    pybuda.initialize_pipeline(**SAMPLES)
    saved = pybuda.get_parameter_checkpoint()
    push(first, last)
    pybuda.run_forward()
    pybuda.run_backward(zero_grad=True)
    gradients = pybuda.get_parameter_gradients(first)[0]
    assert list(gradients) == [name for name, _ in mlp().named_parameters()]
    pybuda.run_optimizer()
    assert not torch.equal(bias(pybuda.get_parameter_checkpoint()), bias(saved))
    pybuda.update_device_parameters(parameters=saved)
    assert torch.equal(bias(pybuda.get_parameter_checkpoint()), bias(saved))
    assert pybuda.get_parameter_gradients()[1] == {}  # of the CPUDevice, whose loss has no parameters
    with pytest.raises(RuntimeError, match="has no parameter 'bios'"):
        pybuda.update_device_parameters(first, [{"bios": torch.zeros(4)}])


def test_an_optimizer_of_the_host_reads_gradients_and_sets_parameters():
    """The guide's manual optimizer."""
    first, last = pipeline(mlp(), None)
    pybuda.initialize_pipeline(**SAMPLES)
    for _ in range(3):
        push(first, last)
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=True)
        values, gradients = pybuda.get_parameter_checkpoint(first)[0], pybuda.get_parameter_gradients(first)[0]
        pybuda.update_device_parameters(first, [{name: values[name].value() - 0.1 * gradients[name].value()
                                                 for name in gradients}])
    losses = losses_of(pybuda.get_loss_queue())
    assert losses[2] < 0.8 * losses[0]


def test_only_parameters_of_the_optimizer_are_trained():
    class Two(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.a, self.b = pybuda.Parameter(torch.rand(20, 4)), pybuda.Parameter(torch.rand(1, 4))

        def forward(self, x):
            return pybuda.op.Add("sum", pybuda.op.Matmul("product", x, self.a), self.b)

    module = Two("two")
    first = pybuda.TTDevice("tt0", module=module, optimizer=pybuda.SGD(0.1, parameters=[module.b]))
    last = pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    push(first, last)
    made = pybuda.run_training().get()[0]
    assert torch.equal(made["two.a"].value(), module.a.value()) and not torch.equal(made["two.b"].value(), module.b.value())
    assert list(pybuda.get_parameter_gradients()[0]) == ["two.b"]


def test_schedulers_step_once_an_epoch():
    class Halved(pybuda.schedulers.LearningRateScheduler):
        def get_lr(self):
            return self.optimizer.learning_rate / 2

    rates = []

    class Watched(torch.optim.lr_scheduler.StepLR):
        def step(self, *given):
            super().step(*given)
            rates.append(self.get_last_lr()[0])

    optimizer = sgd(0.2)
    network = torch.nn.Linear(20, 4, bias=False)
    cpu = pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("before", torch.nn.Linear(20, 20)),
                           optimizer_f=lambda module: torch.optim.SGD(module.parameters(), lr=1.0),
                           scheduler_f=lambda made: Watched(made, 1, 0.5))
    rates.clear()
    first = pybuda.TTDevice("tt0", optimizer=optimizer, scheduler=Halved(optimizer), devtype=pybuda.BackendType.Golden,
                            module=pybuda.PyTorchModule("network", network))
    last = pybuda.CPUDevice("cpu1")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    pybuda.set_configuration_options(default_df_override=pybuda.DataFormat.Float32)
    push(cpu, last, 6)
    checkpoints = pybuda.run_training(epochs=3, steps=2, checkpoint_interval=1)
    assert optimizer.learning_rate == 0.025 and rates[-3:] == [0.5, 0.25, 0.125]
    values = [one[1]["weight"].value() for one in emptied(checkpoints)]
    assert first.get_scheduler_params(False)["weight"]["lr"].value().item() == pytest.approx(0.025)
    # the last step of the device is its rate times the gradient that is still there
    change = values[-2] - values[-1]
    gradient = pybuda.get_parameter_gradients(first)[0]["weight"].value()
    assert torch.allclose(change, 0.05 * gradient, rtol=0.05, atol=0.002)


def test_a_saved_state_continues_the_run():
    def started(network, optimizer):
        first, last = pipeline(network, optimizer, data_format=pybuda.DataFormat.Float32)
        pybuda.initialize_pipeline(**SAMPLES)
        return first, last

    def step(first, last):
        push(first, last)
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=True)
        pybuda.run_optimizer()

    torch.manual_seed(7)
    first, last = started(mlp(), pybuda.Adam(0.01, device_params=True))
    for _ in range(3):
        step(first, last)
    saved = pickle.dumps((pybuda.get_parameter_checkpoint(first)[0], first.get_optimizer_params(False)))
    step(first, last)
    wanted = bias(pybuda.get_parameter_checkpoint())

    pybuda.pybuda_reset()
    values, state = pickle.loads(saved)
    assert set(state["2.bias"]) == {"lr", "mean", "variance", "residue", "remainder", "beta1_pow", "beta2_pow"}
    assert state["2.bias"]["beta1_pow"].value().item() == pytest.approx(0.9**3)
    optimizer = pybuda.Adam(0.01, device_params=True)
    optimizer.load_optimizer_params(state)
    first, last = started(mlp(), optimizer)
    pybuda.update_device_parameters(first, [values])
    step(first, last)
    assert torch.allclose(bias(pybuda.get_parameter_checkpoint()), wanted, atol=2e-4)


def test_tensors_between_devices_are_copied_to_queues():
    first, last = pipeline(mlp(), sgd())
    forward, backward = queue.Queue(), queue.Queue()
    pybuda.initialize_pipeline(**SAMPLES, d2d_fwd_queues=[forward], d2d_bwd_queues=[backward])
    push(first, last)
    pybuda.run_forward()
    pybuda.run_backward(zero_grad=True)
    assert forward.get()[0].shape.dims == backward.get()[0].shape.dims == (2, 4)


def test_another_thread_may_push():
    first, last = pipeline(mlp(), sgd())
    pybuda.initialize_pipeline(**SAMPLES)
    thread = threading.Timer(0.2, push, (first, last))
    thread.start()
    pybuda.run_forward()
    pybuda.run_backward()
    thread.join()
    assert len(emptied(pybuda.get_loss_queue())) == 1


def test_a_device_of_two_chips_trains_as_one_chip(eight_chips):
    found = []
    for chips in ([0], [0, 1]):
        torch.manual_seed(0)
        first, last = pipeline(mlp(), sgd(), chip_ids=chips)
        push(first, last, 2)
        losses = queue.Queue()
        checkpoints = pybuda.run_training(steps=2, loss_queue=losses)
        layout = first.get_compiled_results().netlist
        assert all(f"target_device: {chip}" in layout for chip in chips)
        found.append((losses_of(losses), checkpoints.get()[0]))
        pybuda.pybuda_reset()
    assert found[0][0] == pytest.approx(found[1][0])
    for name, value in found[0][1].items():
        assert torch.allclose(value.value(), found[1][1][name].value(), atol=1e-6), name


def test_gradients_go_back_over_ethernet_on_the_machine(eight_chips):
    torch.manual_seed(0)
    network = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(4)))
    reference, x, target = copy.deepcopy(network), torch.rand(2, 64), torch.rand(2, 64)
    first = pybuda.TTDevice("tt0", arch=WORMHOLE, devtype=pybuda.BackendType.Silicon, chip_ids=[0, 1], optimizer=sgd(),
                            module=pybuda.PyTorchModule("network", network))
    last = pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    for _ in range(2):
        first.push_to_inputs(x)
        last.push_to_target_inputs(target)
    values = pybuda.run_training(steps=1, microbatch_count=2).get()[0]
    netlist = yaml.safe_load(first.get_compiled_results().netlist)
    chip_of = {op: graph["target_device"] for graph in netlist["graphs"].values() for op, one in graph.items()
               if isinstance(one, dict)}
    sent = [name for name, one in netlist["queues"].items() if one["input"].startswith("bw_")
            and chip_of.get(one["input"]) == 1 and one["target_device"] == 0]
    assert sent, "no gradient is written by chip 1 to chip 0"
    (2 * torch.nn.functional.mse_loss(reference(x), target)).backward()
    for name, value in reference.named_parameters():
        wanted = value.detach() - first.optimizer.learning_rate * value.grad
        assert torch.allclose(values[name].value(), wanted, atol=2e-3), name


def test_the_report_has_the_cycles_of_all_programs():
    first = pybuda.TTDevice("tt0", optimizer=sgd(), module=pybuda.PyTorchModule("network", torch.nn.Linear(20, 4)))
    first.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    push(first, first)
    pybuda.run_training()
    report = pybuda.get_report()
    assert report.cycles > 10000 and {"fwd", "bwd", "opt"} <= {op.graph[:3] for one in report.devices for op in one.ops}
    *types, step = report.devices[0].training
    assert [one.epoch_type for one in types] == ["forward", "backward", "optimizer"] and step.epoch_type == "step"
    assert step.cycles == sum(one.cycles for one in types) and 0 < step.utilization <= step.math_utilization <= 1
    assert sum(one.step_share for one in types) == pytest.approx(1)
    assert "of step" in str(report)
    compiled = first.get_compiled_results()
    assert all(name in compiled.netlist for name in ("run_fwd_0", "run_bwd_0", "run_opt_0"))


def test_a_module_on_the_host_collects_gradients_and_gets_a_warning_without_optimizer(caplog):
    layer = torch.nn.Linear(20, 20)
    cpu = pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("before", layer))
    first = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", mlp()), devtype=pybuda.BackendType.Golden)
    first.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    push(cpu, first, 2)
    pybuda.run_training(steps=2)
    assert "device 'cpu0' has no optimizer" in caplog.text and "device 'tt0' has no optimizer" in caplog.text
    assert torch.equal(pybuda.get_parameter_gradients(cpu)[0]["bias"].value(), layer.bias.grad)
    assert float(layer.bias.grad.abs().max()) > 0


def test_a_frozen_network_on_the_chip_feeds_a_head_on_the_host():
    network, head = mlp().requires_grad_(False), torch.nn.Linear(4, 4)
    first = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), devtype=pybuda.BackendType.Golden)
    last = pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("head", head),
                            optimizer_f=lambda module: torch.optim.SGD(module.parameters(), lr=0.5))
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    push(first, last, 4)
    made = pybuda.run_training(steps=4, _verify_cfg=pybuda.VerifyConfig(scale_loss=1.0)).get()
    losses = losses_of(pybuda.get_loss_queue())
    assert losses[-1] < losses[0] and made[0] == {} and set(made[1]) == {"weight", "bias"}
    assert pybuda.get_parameter_gradients(first) == [{}] and pybuda.get_report().cycles == 0


def test_gradients_that_were_never_cleared_start_at_0():
    first, last = pipeline(mlp(), sgd())
    pybuda.initialize_pipeline(**SAMPLES)
    found = []
    for zero in (False, True):
        push(first, last)
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=zero)
        found.append(pybuda.get_parameter_gradients(first)[0]["2.bias"].value())
    assert torch.equal(found[0], found[1])


def test_an_optimizer_with_a_rule_of_its_own_runs_in_torch():
    class Nesterov(pybuda.SGD):
        def get_pytorch_optimizer(self, parameters, lr=None):
            return torch.optim.SGD(parameters.values(), lr=self.learning_rate, momentum=0.9, nesterov=True)

    first, last = pipeline(mlp(), Nesterov(0.05, device_params=True), data_format=pybuda.DataFormat.Float32)
    push(first, last, 3)
    with pytest.warns(UserWarning, match="the chip has no program for Nesterov, so torch updates the parameters"):
        pybuda.run_training(steps=3, _verify_cfg=pybuda.VerifyConfig(scale_loss=1.0, pcc=0.9999))
    assert "run_opt_0" not in first.get_compiled_results().netlist


def test_two_devices_may_share_an_optimizer():
    optimizer = pybuda.SGD(0.1)
    network = [pybuda.PyTorchModule(f"part{k}", torch.nn.Linear(20, 20 - 16 * k)) for k in range(2)]
    first, last = [pybuda.TTDevice(f"tt{k}", module=network[k], optimizer=optimizer, devtype=pybuda.BackendType.Golden)
                   for k in range(2)]
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    push(first, last, 4)
    pybuda.run_training(steps=2, accumulation_steps=2, _verify_cfg=pybuda.VerifyConfig())
    assert [len(one) for one in pybuda.get_parameter_gradients()] == [2, 2]


def test_rules_of_mixed_precision_select_epochs_and_gradients():
    first, last = pipeline(mlp(), sgd())
    epochs = pybuda._C.NodeEpochType
    pybuda.config.configure_mixed_precision(epoch_type=epochs.Optimizer, output_df=pybuda.DataFormat.Float32)
    pybuda.config.configure_mixed_precision(epoch_type=epochs.Backward, op_type="matmul",
                                            math_fidelity=pybuda.MathFidelity.LoFi)
    pybuda.config.configure_mixed_precision(is_gradient_op=True, output_df=pybuda.DataFormat.Float32)
    pybuda.initialize_pipeline(**SAMPLES)
    layout = first.training.stages[0].compiled.layout
    ops = {phase: [op for op in layout.ops if op.graph.startswith(phase)] for phase in ("fwd", "bwd", "opt")}
    assert {op.format for op in ops["opt"]} == {"Float32"} and "Float16_b" in {op.format for op in ops["fwd"]}
    assert {op.fidelity for op in ops["bwd"] if op.type == "matmul"} == {"LoFi"} != {op.fidelity for op in ops["fwd"]}
    assert {queue.format for queue in layout.queues if queue.name.startswith("grad_acc_")} == {"Float32"}
    push(first, last)
    pybuda.run_training(_verify_cfg=pybuda.VerifyConfig())


def test_after_shutdown_a_device_is_compiled_for_inference():
    first, last = pipeline(mlp(), sgd())
    push(first, last)
    pybuda.run_training()
    pybuda.shutdown()
    assert first.training is None
    with pytest.raises(RuntimeError, match="compiled for training"):
        pybuda.run_backward()
    assert "run_bwd_0" not in pybuda.pybuda_compile(first, "graph", X[:1]).netlist
