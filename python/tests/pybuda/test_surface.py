"""Names, values, argument orders and defaults that programs rely on."""
import inspect
import os
import subprocess
import sys

import pybuda
import pytest
import torch
from pybuda import _C
from pybuda.config_fields import FIELDS

TOP = """Module PyBudaModule PyTorchModule TFModule TFGraphDefModule OnnxModule MXNetModule JaxModule TFLiteModule
Device CPUDevice GPUDevice TTDevice TTDeviceImage TTCluster run_inference run_training shutdown initialize_pipeline
run_forward run_backward run_optimizer run_schedulers run_generate run_generative_inference get_parameter_checkpoint
get_parameter_gradients update_device_parameters error_raised get_loss_queue sync get_intermediates_queue pybuda_compile
compile_torch CompiledGraphState CompilerConfig CompileDepth VerifyConfig PerfTraceLevel set_configuration_options
set_epoch_break set_chip_break override_op_size insert_nop insert_buffering_nop override_dram_queue_placement
configure_mixed_precision pybuda_reset set_device_pipeline is_silicon get_tenstorrent_device Tensor SomeTensor
TensorShape Parameter SGD Adam AdamW LAMB LARS BackendType BackendDevice DataFormat MathFidelity k_dim
detect_available_devices op transformers config optimizers schedulers verify tensor utils tools tti parameter module
query ci run pybudaglobal torch_optimizers torch_schedulers ttdevice _internal_insert_fj_buffering_nop"""

OPS = """Matmul SparseMatmul Conv2d Conv2dTranspose Conv3d MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d Add Divide
Subtract Multiply Max Min Heaviside BinaryStack Power Greater GreaterEqual Less LessEqual Equal NotEqual LogicalAnd Exp
Identity Reciprocal Relu Gelu Sqrt Log Buffer Sigmoid Argmax Abs Clip Sine Cosine Tanh LeakyRelu CumSum LogicalNot
Dropout Pow Tilize ReduceSum ReduceAvg ReduceMax GroupedReduceAvg HSlice HStack VSlice VStack Transpose Reshape Index
Select Pad PadTile Broadcast Repeat AdvIndex Narrow Unsqueeze Squeeze PixelShuffle BudaPad BudaUnpad Constant
Concatenate Where IndexCopy Stack Interleave Resize2d Resize3d Embedding DRAMQueue Quantize Dequantize Requantize
BudaRequantize nn.Softmax nn.LogSoftmax nn.Layernorm nn.Batchnorm nn.Linear nn.Conv2dModule nn.ConvTranspose2dModule
nn.MaxPool1dModule nn.MaxPool2dModule nn.AvgPool2dModule nn.SparseMatmulModule loss.CrossEntropyLoss loss.L1Loss
eval.compare_tensor_to_golden eval.calculate_pcc"""

DEEP = """_C.backend_api.BackendDevice _C.backend_api.BackendType _C.backend_api.DeviceMode
_C.backend_api.detect_available_silicon_devices _C.balancer.OpOverride _C.balancer.PolicyType
_C.graph.RuntimeTensorTransformType _C.placer.DRAMPlacementAlgorithm _C.NodeEpochType _C.UnsupportedHWOpsError
_C.Float16_b config._get_global_compiler_config config._set_global_compiler_config
config._clear_global_compiler_config config._set_pybuda_override_veto config.set_configuration_options
config.add_schedule_constraint config.insert_fracture_group config.override_op_placement config.override_t_stream_shape
config.override_t_stream_dir config.override_u_kt config.override_dram_parameters
config.override_input_buffer_multiplier config.internal_override_output_buffer_multiplier
config.override_multi_op_fracture_factor config.add_cpu_fallback_ops config.remove_cpu_fallback_ops
config.set_num_repeated_patterns config.set_auto_transposing_placement config.PerfTraceLevel config.CompileDepth
pybudaglobal.TILE_DIM pybudaglobal.get_devices pybudaglobal.align_up_tile pybudaglobal.round_up_div
utils.align_up_tile utils.round_up_div utils.get_pybuda_parameters_from_state_dict tensor.to_pt_tensors
run.api.detect_available_devices run.api.get_checkpoint_queue ttdevice.get_device_config verify.verify_module
verify.verify_module_pipeline verify.TestKind verify.VerifyConfig schedulers.LearningRateScheduler
schedulers.LinearWarmupScheduler torch_schedulers.TorchLearningRateScheduler
torch_schedulers.TorchLinearWarmupScheduler _C.run_pre_placer_buda_passes _C.backend_api.get_output
_C.balancer.BalancerConfig _C.balancer.OpShape tensor.consteval_input op.eval.does_prestriding_improve_perf
op.eval.sparse_utils.create_conv2d_sparse_picker_matrix op.eval.sparse_utils.can_conv2d_prestride
op.eval.sparse_utils.calculate_conv2d_prestride_weights_and_padding op.eval.sparse_utils.interleave_tiles
op.eval.sparse_utils.vslice query.name_regex query.layer_regex query.op_type
transformers.pipeline"""


def reached(path):
    found = pybuda
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("names, prefix", [(TOP, ""), (OPS, "op."), (DEEP, "")])
def test_names_are_there(names, prefix):
    for name in names.split():
        reached(prefix + name)


def test_paths_are_importable():
    for statement in ("from pybuda.op.eval.buda.splice import Splice", "from pybuda.op.eval.buda.tm import eval",
                      "from pybuda.op.eval.pybuda import get_f_pybuda_eval",
                      "from pybuda._C.backend_api import BackendDevice, BackendType, DeviceMode",
                      "from pybuda.transformers.pipeline import NLPPipelineWrapper, pipeline",
                      "from pybuda.tools.tti_merge import merge_models", "from pybuda.op.common import PyBudaOp",
                      "from pybuda.op.eval.common import calculate_pcc", "from pybuda.tti import TTDeviceImage",
                      "from pybuda.verify.config import NebulaGalaxy, TestKind", "import pybuda.op.nn as nn",
                      "from pybuda.verify.utils import CPUCombiner", "from pybuda.verify.backend import verify_module",
                      "from pybuda.run.api import run_inference", "import pybuda.torch_compile"):
        exec(statement, {})


@pytest.mark.parametrize("kind, values", [
    (_C.DataFormat, {"Float32": 0, "Float16": 1, "Bfp8": 2, "Bfp4": 3, "Float16_b": 5, "Bfp8_b": 6, "Bfp4_b": 7,
                     "Int32": 8, "UInt16": 9, "Lf8": 10, "Bfp2": 11, "Int8": 14, "Bfp2_b": 15, "RawUInt8": 0xF0,
                     "RawUInt16": 0xF1, "RawUInt32": 0xF2, "Invalid": 0xFF}),
    (_C.MathFidelity, {"LoFi": 0, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4, "Invalid": 0xFF}),
    (pybuda.BackendType, {"Model": 0, "Versim": 1, "Silicon": 2, "Golden": 3, "Emulation": 5, "NoBackend": 0xFF}),
    (_C.NodeEpochType, {"Forward": 0, "Backward": 1, "Optimizer": 2}),
    (pybuda.DeviceMode, {"CompileAndRun": 0, "CompileOnly": 1, "RunOnly": 2}),
])
def test_enumerations(kind, values):
    assert {member.name: member.value for member in kind} == values
    for member in kind:
        assert kind.from_json(member.to_json()) is member
    with pytest.raises(ValueError, match="not one of"):
        kind.from_json("Nothing")


def test_names_of_kinds_of_devices():
    assert [member.to_string() for member in pybuda.BackendDevice][:3] == ["grayskull", "wormhole_b0", "blackhole"]
    assert pybuda.BackendType.from_string("silicon") is pybuda.BackendType.Silicon
    assert [member.value for member in pybuda.CompileDepth] == list(range(15))
    assert pybuda.CompileDepth.has_value(14) and not pybuda.CompileDepth.has_value(15)
    assert pybuda.k_dim == -(2**31)
    kinds = pybuda.verify.TestKind
    assert kinds.get(False) is kinds.INFERENCE and kinds.get(True, True) is kinds.TRAINING_RECOMPUTE
    assert kinds.TRAINING_RECOMPUTE.is_training() and kinds.TRAINING_RECOMPUTE.is_recompute()


def test_rates_warm_up_as_torchs_do():
    weights = [torch.nn.Parameter(torch.zeros(2))]
    ours = pybuda.SGD(learning_rate=0.5, device_params=True)
    scheduler = pybuda.schedulers.LinearWarmupScheduler(ours, 4)
    mirrored, plain = (torch.optim.SGD(weights, lr=0.5) for _ in range(2))
    mirror = scheduler.get_pytorch_scheduler(mirrored)
    torchs = torch.optim.lr_scheduler.LinearLR(plain, start_factor=0.25, total_iters=3)  # a quarter before it steps
    for _ in range(6):
        scheduler.step()
        mirror.step()
        assert ours.learning_rate == mirrored.param_groups[0]["lr"] == pytest.approx(plain.param_groups[0]["lr"])
        plain.step()
        torchs.step()


def test_names_of_modules_may_have_a_part_in_front(monkeypatch):
    monkeypatch.setenv("PYBUDA_GRAPH_NAME_SUFFIX", "run1_")
    assert pybuda.PyBudaModule("net").get_name() == "run1_net"


def test_devices_are_there_without_hardware(monkeypatch):
    wormhole, grayskull = pybuda.BackendDevice.Wormhole_B0, pybuda.BackendDevice.Grayskull
    assert pybuda.detect_available_devices() == [wormhole] and pybuda.TTDevice("tt").arch == wormhole
    monkeypatch.setenv("TTSIM_DEVICES", "gs_e75, wh_n300")
    assert pybuda.detect_available_devices() == [grayskull, wormhole, wormhole]
    monkeypatch.setenv("TTSIM_DEVICES", "wh_n151")
    with pytest.raises(RuntimeError, match="no product 'wh_n151'; products are"):
        pybuda.detect_available_devices()
    monkeypatch.delenv("TTSIM_DEVICES")
    monkeypatch.setenv("GOLDEN_WORMHOLE_B0", "1")
    assert pybuda.detect_available_devices()[0] == pybuda.BackendDevice.Wormhole_B0
    assert pybuda.TTDevice("tt0").arch == pybuda.BackendDevice.Wormhole_B0
    assert not pybuda.is_silicon()


SIGNATURES = {
    "run_inference": "module inputs input_count output_queue _sequential _perf_trace _verify_cfg",
    "run_training": "epochs steps accumulation_steps microbatch_count checkpoint_queue loss_queue checkpoint_interval "
                    "_sequential _perf_trace _verify_cfg",
    "initialize_pipeline": "training output_queue checkpoint_queue sample_inputs sample_targets microbatch_count "
                           "d2d_fwd_queues d2d_bwd_queues _sequential _verify_cfg _device_mode",
    "run_forward": "input_count _sequential", "run_backward": "input_count zero_grad _sequential",
    "run_generate": "input_count write_index tokens_per_iter token_id _sequential",
    "TTDevice.__init__": "self name num_chips chip_ids arch devtype device_mode optimizer scheduler fp32_fallback "
                         "mp_context module",
    "CPUDevice.__init__": "self name optimizer_f scheduler_f mp_context retain_backward_graph module input_dtypes",
    "op.Conv2d": "name activations weights bias stride padding dilation groups channel_last",
    "op.MaxPool2d": "name activations kernel_size stride padding dilation ceil_mode return_indices "
                    "max_pool_add_sub_surround max_pool_add_sub_surround_value channel_last",
    "op.AvgPool2d": "name activations kernel_size stride padding ceil_mode count_include_pad divisor_override "
                    "channel_last",
    "op.Resize2d": "name operandA sizes method align_corners extrapolation_value channel_last",
    "op.Transpose": "name operandA dim0 dim1 z_dim_slice out_dtype", "op.Clip": "name operandA min max",
    "op.Index": "name operandA dim start stop stride", "op.Pad": "name operandA pad mode channel_last",
    "op.nn.Softmax": "name operandA dim stable", "op.nn.Layernorm": "name operandA weights bias dim epsilon",
    "verify.verify_module": "module input_shapes verify_cfg input_params device_type params_centered_on_zero "
                            "scale_params inputs loss_module uniform_inputs inputs_centered_on_zero",
    "tools.tti_merge.merge_models": "model_bin_location models arch merged_model_location "
                                    "switch_chans_if_capacity_hit overlap_dynamic_queues",
    "optimizers.Adam.__init__": "self learning_rate beta1 beta2 epsilon weight_decay bias_correction parameters "
                                "device_params enable_adam_w",
    "config.configure_mixed_precision": "op_type epoch_type output_df intermediate_df accumulate_df math_fidelity "
                                        "name_regex input_df is_gradient_op input_parameter_indices_to_optimize",
}


@pytest.mark.parametrize("path", SIGNATURES)
def test_arguments_are_in_their_order(path):
    import pybuda.tools.tti_merge  # noqa: F401 (reached below)
    assert list(inspect.signature(reached(path)).parameters) == SIGNATURES[path].split()


def test_options_are_33_keywords():
    kinds = [given.kind for given in inspect.signature(pybuda.set_configuration_options).parameters.values()]
    assert len(kinds) == 34 and kinds[-1] == inspect.Parameter.VAR_KEYWORD
    pybuda.set_configuration_options(default_accumulate_df=pybuda.DataFormat.Float16_b, tm_cpu_fallback_max_depth=5)
    config = pybuda.config._get_global_compiler_config()
    assert (config.default_accumulate_df, config.tm_cpu_fallback_max_depth) == (pybuda.DataFormat.Float16_b, 5)
    with pytest.raises(TypeError, match="no option 'amp_levels'; did you mean 'amp_level'"):
        pybuda.set_configuration_options(amp_levels=1)


def test_defaults_of_the_configuration():
    config = pybuda.config._get_global_compiler_config()
    for field in FIELDS:
        if field.name != "backend_output_dir":
            assert getattr(config, field.name) == field.make_default(), field.name
    assert config.balancer_policy == "default" and config.default_math_fidelity == pybuda.MathFidelity.HiFi3
    assert config.cpu_fallback_ops == {"embedding"} and config.default_df_override is None
    assert config.compile_depth == pybuda.CompileDepth.FULL and os.path.isdir(config.backend_output_dir)


def test_defaults_of_verification():
    config = pybuda.VerifyConfig()
    assert (config.enabled, config.relative_atol, config.pcc, config.scale_loss) == (True, 0.1, None, 50.0)
    assert config.devtype == pybuda.BackendType.Golden and config.arch == pybuda.BackendDevice.Grayskull
    assert config.optimizer == {"type": "sgd", "params": {"learning_rate": 50.0}}
    assert config.test_kind == pybuda.verify.TestKind.INFERENCE and config.sequential and config.verify_last
    assert pybuda.VerifyConfig(epochs=2, steps=3, microbatch_count=2).total_number_of_inputs() == 12
    assert not pybuda.VerifyConfig.disabled().enabled


def test_tensors():
    x = torch.rand(1, 3, 33, 5)
    tensor = pybuda.Tensor.create_from_torch(x)
    assert torch.equal(tensor.value(), x) and torch.equal(tensor.to_pytorch(), x) and tensor.has_value()
    assert torch.equal(tensor.to_framework("pytorch"), x)
    with pytest.raises(RuntimeError, match="no framework 'caffe'"):
        tensor.to_framework("caffe")
    assert (tensor.shape.w, tensor.shape.z, tensor.shape.r, tensor.shape.c) == (1, 3, 33, 5)
    assert (tensor.shape.rt, tensor.shape.ct, len(tensor.shape), tensor.shape[1]) == (2, 1, 4, 3)
    assert tensor.shape.get_pytorch_shape() == (1, 3, 33, 5)
    assert tensor.data_format == pybuda.DataFormat.Float32 and tensor.pt_data_format == torch.float32
    assert tensor.to_format(pybuda.DataFormat.Bfp8_b).value().dtype == torch.bfloat16
    tiles = tensor.to_buda_shape()
    assert tiles.shape == (1, 3, 64, 32)
    assert torch.equal(tiles.narrow_to_original_shape((1, 3, 33, 5)).value(), x)
    with pytest.raises(RuntimeError, match="no value"):
        pybuda.Tensor.create_from_trace(None, (1, 2), pybuda.DataFormat.Float32).value()
    assert pybuda.Tensor.create_from_torch(torch.zeros(2, dtype=torch.bfloat16)).data_format == \
        pybuda.DataFormat.Float16_b


def test_importing_is_quick_and_brings_no_framework_but_torch():
    code = ("import torch, sys, time; before = time.process_time(); import pybuda; "
            "took = time.process_time() - before; print(took, [name for name in ('tensorflow', 'jax', 'onnx', 'onnxruntime', 'transformers') "
            "if name in sys.modules])")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    took, rest = out.split(" ", 1)
    assert float(took) < 1.5 and rest.strip() == "[]"


def test_ops_as_data_list_all_ops():
    from pybuda.op_repo import pybuda_operator_repository as known
    for operator in known.operators:
        reached(operator.full_name.removeprefix("pybuda."))
    assert {known.get_by_name(name).full_name for name in ("nop", "maximum", "minimum", "tilizer")} == {
        "pybuda.op.Identity", "pybuda.op.Max", "pybuda.op.Min", "pybuda.op.Tilize"}
    assert known.get_by_name("matmul").input_num == 2 and known.get_by_name("linear").is_layer
    assert 7 in known.get_by_name("concatenate").input_num_range


@pytest.mark.parametrize("padding", ["same", 1, [1, 2, 0, 3]])
@pytest.mark.parametrize("stride", [1, 2])
def test_sizes_of_convolutions(padding, stride):
    from pybuda.op.eval import sparse_utils
    left, right, top, bottom = sparse_utils.conv2d_padding_to_canonical(padding, (3, 5))
    x = torch.nn.functional.pad(torch.rand(1, 1, 16, 18), (left, right, top, bottom))
    want = torch.nn.functional.conv2d(x, torch.rand(1, 1, 3, 5), stride=stride).shape[2:]
    assert sparse_utils.calculate_conv2d_output_dimensions(16, 18, (3, 5), stride, padding) == tuple(want)
    want = torch.nn.functional.conv_transpose2d(torch.rand(1, 1, 8, 9), torch.rand(1, 1, 3, 3), None, stride, 1).shape
    assert sparse_utils.calculate_conv2d_transpose_output_dimensions(8, 9, 3, stride, 1) == tuple(want[2:])
