"""Programs of the guides with models of transformers, made from their configurations."""
import os

import pybuda
import pytest
import torch
from modules import close

transformers = pytest.importorskip("transformers")


def bert(layers=2):
    config = transformers.BertConfig(vocab_size=200, hidden_size=64, num_hidden_layers=layers, num_attention_heads=2,
                                     intermediate_size=128, max_position_embeddings=64)
    return transformers.BertModel(config, add_pooling_layer=False).eval()


def tokenizer(words):
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]")


def test_the_first_program_of_the_guide():
    model = bert()
    module = pybuda.PyTorchModule("bert_encoder", model.encoder)
    tt0 = pybuda.TTDevice("tt0", module=module, arch=pybuda.BackendDevice.Wormhole_B0,
                          devtype=pybuda.BackendType.Silicon)
    input = torch.randn(1, 32, model.config.hidden_size)
    output_queue = pybuda.run_inference(inputs=[input])
    output = output_queue.get()
    assert close(output[0], module.cpu_eval_forward(input)[0], 0.05)
    assert os.path.basename(tt0._compile_output.netlist_filename) == "bert_encoder_netlist.yaml"


def test_embeddings_on_the_host_and_the_encoder_on_the_chip():
    model = bert()
    pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("embeddings", model.embeddings))
    pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("encoder", model.encoder))
    ids = torch.randint(0, 200, (1, 32))
    pybuda.pybudaglobal.get_devices()[0].push_to_inputs(ids)
    output = pybuda.run_inference().get()
    with torch.no_grad():
        want = model.encoder.original_forward(model.embeddings.original_forward(ids))[0]
    assert close(output[0], want, 0.05)


def test_a_whole_model_takes_the_output_of_a_tokenizer():
    model = bert()
    words = ["the", "chip", "runs", "models"]
    encoded = tokenizer(words)("the chip runs models", return_tensors="pt", padding="max_length", max_length=32)
    given = {name: encoded[name] for name in ("input_ids", "attention_mask")}
    output = pybuda.run_inference(pybuda.PyTorchModule("bert", model), inputs=[given]).get()
    with torch.no_grad():
        want = model.original_forward(**given)[0]
    assert close(output[0], want, 0.05)


def test_formats_of_a_program():
    pybuda.config._get_global_compiler_config().default_df_override = pybuda._C.DataFormat.Bfp8_b
    model = bert(1)
    x = torch.randn(2, 32, 64)
    module = pybuda.PyTorchModule("encoder", model.encoder)
    output = pybuda.run_inference(module, inputs=[(x,)]).get()[0].value()
    assert output.dtype == torch.bfloat16 and close(output, module.cpu_eval_forward(x)[0], 0.1)


def test_text_is_generated_as_on_the_host():
    config = transformers.GPT2Config(vocab_size=12, n_positions=64, n_embd=64, n_layer=1, n_head=2, bos_token_id=0,
                                     eos_token_id=None, pad_token_id=0)
    torch.manual_seed(3)
    model = transformers.GPT2LMHeadModel(config).eval()
    words = [f"w{k}" for k in range(10)]
    given = {"max_new_tokens": 4, "do_sample": False, "use_cache": False}
    host = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer(words))
    want = host("w1 w2 w3", **given)
    pipe = pybuda.transformers.pipeline("text-generation", model=model, tokenizer=tokenizer(words),
                                        pybuda_max_length=32)
    assert pipe("w1 w2 w3", **given) == want
    compiled = pybuda.get_tenstorrent_device()._compile_output
    assert len(pipe("w4", **given)) == 1
    assert pybuda.get_tenstorrent_device()._compile_output is compiled
    with pytest.raises(RuntimeError, match="pybuda_max_length=64"):
        pipe("w1 " * 40, **given)


def test_an_encoder_on_the_host_and_its_decoder_on_the_chip():
    config = transformers.T5Config(vocab_size=12, d_model=64, d_kv=32, d_ff=64, num_layers=1, num_heads=2,
                                   decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    model = transformers.T5ForConditionalGeneration(config).eval()
    ids = torch.tensor([[3, 4, 5, 6, 1]])
    given = {"max_new_tokens": 5, "do_sample": False, "use_cache": False, "num_beams": 2}
    want = model.generate(ids, **given)
    pybuda.transformers.NLPPipelineWrapper(model, "t5", 32, 0)
    assert torch.equal(model.generate(ids, **given), want)
    assert "fwd_0" in pybuda.get_tenstorrent_device()._compile_output.netlist
