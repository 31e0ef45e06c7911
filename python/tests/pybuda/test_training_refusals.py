"""What cannot train is refused with its name and a remedy, before anything runs where that can be known."""
import pybuda
import pytest
import torch
from pybuda.verify import TestKind, VerifyConfig, verify_module

from training import mlp, pipeline

X, TARGET = (torch.rand(2, size, generator=torch.Generator().manual_seed(size)) for size in (20, 4))
SAMPLES = {"training": True, "sample_inputs": (X,), "sample_targets": (TARGET,)}


def sgd():
    return pybuda.SGD(0.1, device_params=True)


@pytest.mark.parametrize("call", [pybuda.run_backward, pybuda.run_optimizer, pybuda.run_schedulers,
                                  lambda: pybuda.get_tenstorrent_device().get_parameter_gradients()])
def test_calls_before_a_pipeline_is_compiled(call):
    pipeline(mlp(), sgd())
    with pytest.raises(RuntimeError, match=r"compiled for training; call pybuda.initialize_pipeline\(training=True"):
        call()


@pytest.mark.parametrize("name", ["epochs", "steps", "accumulation_steps", "microbatch_count"])
def test_counts_below_1(name):
    with pytest.raises(RuntimeError, match=f"{name}=0 trains nothing"):
        pybuda.run_training(**{name: 0})


def test_no_loss_and_a_loss_in_the_middle():
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", mlp()))
    device.push_to_inputs(X)
    with pytest.raises(RuntimeError, match="training needs a loss.*tt0.place_loss_module"):
        pybuda.run_training()
    device.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("after", torch.nn.Linear(4, 4)))
    with pytest.raises(RuntimeError, match="not the last one of the pipeline; place it on 'cpu0'"):
        pybuda.run_training()


def test_too_few_pushes_name_the_call():
    first, last = pipeline(mlp(), sgd())
    first.push_to_inputs(X)
    with pytest.raises(RuntimeError, match=r"Targets must be pushed to device 'cpu0', .*call push_to_target_inputs\(\)"):
        pybuda.run_training()
    first.push_to_target_inputs(TARGET)
    pybuda.initialize_pipeline(**SAMPLES)
    with pytest.raises(RuntimeError, match=r"device 'tt0' has some, push them to 'cpu0'"):
        pybuda.run_forward()
    last.push_to_target_inputs(TARGET)
    with pytest.raises(RuntimeError, match="a step of training needs 1 micro-batches of device 'tt0', and 0 are left"):
        pybuda.run_forward()


def test_passes_in_another_order():
    first, last = pipeline(mlp(), sgd())
    pybuda.initialize_pipeline(**SAMPLES)
    for _ in range(3):
        first.push_to_inputs(X)
        last.push_to_target_inputs(TARGET)
    with pytest.raises(RuntimeError, match="so call run_forward"):
        pybuda.run_backward()
    with pytest.raises(RuntimeError, match=r"input_count=2.*compiled for 1 micro-batches.*larger microbatch_count"):
        pybuda.run_forward(2)
    with pytest.raises(RuntimeError, match="at least one micro-batch"):
        pybuda.run_forward(0)
    pybuda.run_forward()
    for call, message in ((pybuda.run_forward, "1 micro-batches wait for run_backward"),
                          (pybuda.run_optimizer, "run it before run_optimizer"),
                          (lambda: pybuda.run_backward(2), "1 micro-batches of the last run_forward.* give 1 to 1")):
        with pytest.raises(RuntimeError, match=message):
            call()
    pybuda.run_backward()


def test_targets_of_another_shape():
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", mlp()), optimizer=sgd())
    device.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    pybuda.initialize_pipeline(**SAMPLES)
    device.push_to_inputs(X)
    device.push_to_target_inputs(torch.rand(2, 5))
    with pytest.raises(RuntimeError, match=r"\[2, 5\] were pushed to device 'tt0'; it was compiled for \[2, 4\]"):
        pybuda.run_forward()


def test_a_loss_with_nothing_to_train():
    class Dropped(pybuda.PyBudaModule):
        def forward(self, x):
            return pybuda.op.Dropout("drop", x)

    pybuda.TTDevice("tt0", module=Dropped("dropped")).place_loss_module(pybuda.op.loss.L1Loss("loss"))
    with pytest.raises(RuntimeError, match="device 'tt0' has the loss, and nothing to train"):
        pybuda.initialize_pipeline(training=True, sample_inputs=(X,), sample_targets=(X,))


def test_ops_that_have_no_gradient_or_no_conversion():
    class Unknown(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(20, 4)

        def forward(self, x):
            return torch.lgamma(self.layer(x))

    pipeline(Unknown(), sgd())
    with pytest.raises(pybuda.ttdevice.ttsim.UnsupportedError, match="lgamma at forward .* it has no conversion"):
        pybuda.initialize_pipeline(**SAMPLES)


@pytest.mark.parametrize("name, value, remedy", [("compile_subgraphs", True, False), ("loopback_outputs", {"y": 1}, {})])
def test_settings_of_the_configuration(name, value, remedy):
    pipeline(mlp(), sgd())
    config = pybuda.config._get_global_compiler_config()
    setattr(config, name, value)
    with pytest.raises(RuntimeError, match=f"cannot train with {name}: set it to {remedy}"):
        pybuda.initialize_pipeline(**SAMPLES)
    setattr(config, name, remedy)
    pybuda.initialize_pipeline(**SAMPLES)


def test_optimizers_that_are_not_there():
    class Own(pybuda.optimizers.Optimizer):
        def generate_op_trace(self, ac, parameter, gradient):
            return parameter

    first, _ = pipeline(mlp(), Own(device_params=True))
    with pytest.raises(NotImplementedError, match=r"Own.generate_op_trace.*define get_pytorch_optimizer\(\)"):
        pybuda.initialize_pipeline(**SAMPLES)
    first.optimizer = pybuda.SGD(0.1, parameters=[pybuda.Parameter(torch.rand(3), name="other")])
    with pytest.raises(RuntimeError, match="the optimizer of device 'tt0' has a parameter 'other'"):
        pybuda.initialize_pipeline(**SAMPLES)
    with pytest.raises(RuntimeError, match="optimizer of VerifyConfig is .*'rmsprop'.*a type of sgd, adam"):
        verify_module(pybuda.PyTorchModule("m", mlp()), [(1, 20)],
                      VerifyConfig(test_kind=TestKind.TRAINING, optimizer={"type": "rmsprop"}))
    cpu = pybuda.CPUDevice("cpu1", optimizer_f=lambda module: None)
    cpu.place_loss_module(pybuda.PyTorchModule("l", torch.nn.Linear(4, 1)))
    first.optimizer = sgd()
    pybuda.set_device_pipeline((first, cpu))
    with pytest.raises(RuntimeError, match="optimizer_f of device 'cpu1' returned a NoneType.*torch.optim.Optimizer"):
        pybuda.initialize_pipeline(**SAMPLES)


def test_a_loss_of_the_host_is_one_number():
    first, last = pipeline(mlp(), sgd(), loss=pybuda.PyTorchModule("loss", torch.nn.MSELoss(reduction="none")))
    pybuda.initialize_pipeline(**SAMPLES)
    first.push_to_inputs(X)
    last.push_to_target_inputs(TARGET)
    with pytest.raises(RuntimeError, match=r"returned a tensor of shape \[2, 4\].*must be one number"):
        pybuda.run_forward()


def test_verification_by_an_image_is_of_inference():
    with pytest.raises(RuntimeError, match="tti_path is for inference"):
        verify_module(pybuda.PyTorchModule("m", mlp()), [(1, 20)],
                      VerifyConfig(test_kind=TestKind.TRAINING, tti_path="a.tti"))


def test_a_device_that_is_only_compiled(caplog):
    first, last = pipeline(mlp(), sgd(), device_mode=pybuda.DeviceMode.CompileOnly)
    first.push_to_inputs(X)
    last.push_to_target_inputs(TARGET)
    assert pybuda.run_training().empty() and "devices are only compiled" in caplog.text
    assert "run_bwd_0" in first.get_compiled_results().netlist
    with pytest.raises(RuntimeError, match="run_forward: devices are only compiled"):
        pybuda.run_forward()
