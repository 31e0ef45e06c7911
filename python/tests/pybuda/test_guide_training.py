"""Programs of the guides for training, as they print them."""
import pybuda
import torch

from training import LeNet, emptied, losses_of, mlp, pipeline

X, TARGET = torch.rand(2, 20), torch.rand(2, 4)


def test_the_loop_of_the_guide():
    tt0, cpu0 = pipeline(mlp(), pybuda.SGD(0.1, device_params=True))
    tt0.push_to_inputs(X)
    cpu0.push_to_target_inputs(TARGET)
    checkpoints = pybuda.initialize_pipeline(training=True)

    for step in range(1):  # noqa: B007 - as printed
        for acc_step in range(1):

            pybuda.run_forward(input_count = 1)
            pybuda.run_backward(input_count = 1, zero_grad = (acc_step == 0))

        pybuda.run_optimizer(checkpoint=True)

    assert len(emptied(checkpoints)) == 1 and len(losses_of(pybuda.get_loss_queue())) == 1


def test_gradients_are_read_and_weights_of_an_own_optimizer_are_pushed():
    network = mlp()
    tt0, cpu0 = pipeline(network, None)
    pybuda.initialize_pipeline(training=True, sample_inputs=(X,), sample_targets=(TARGET,))
    losses = []
    for _ in range(8):
        tt0.push_to_inputs(X)
        cpu0.push_to_target_inputs(TARGET)
        pybuda.run_forward(input_count = 1)
        pybuda.run_backward(input_count = 1, zero_grad = True)
        losses += losses_of(pybuda.get_loss_queue())
        gradients = pybuda.get_parameter_gradients(tt0)[0]
        values = pybuda.get_parameter_checkpoint(tt0)[0]
        pybuda.update_device_parameters(tt0, [{name: values[name].value() - 0.5 * gradients[name].value()
                                               for name in values}])
    assert losses[-1] < losses[0] / 2


def test_checkpoints_at_an_interval_are_pushed_back():
    torch.manual_seed(0)
    tt0, cpu0 = pipeline(LeNet(), pybuda.Adam(0.01, device_params=True), loss=pybuda.PyTorchModule(
        "loss", torch.nn.CrossEntropyLoss()))
    for _ in range(4):
        tt0.push_to_inputs(torch.rand(2, 1, 12, 12))
        cpu0.push_to_target_inputs(torch.randint(0, 4, (2,)))
    checkpoint_queue = pybuda.run_training(steps=4, checkpoint_interval=2)
    first, second = emptied(checkpoint_queue)
    pybuda.update_device_parameters(tt0, [first[0]])
    now = pybuda.get_parameter_checkpoint(tt0)[0]
    assert all(torch.equal(now[name].value(), first[0][name].value()) for name in now)
    assert any(not torch.equal(now[name].value(), second[0][name].value()) for name in now)
