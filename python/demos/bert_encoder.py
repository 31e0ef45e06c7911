"""Compiles and runs a BERT encoder on a Wormhole, and compares it with torch."""
import pybuda
import torch
from transformers import BertConfig, BertModel

model = BertModel(BertConfig(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=512))
module = pybuda.PyTorchModule("bert_encoder", model.encoder.eval())
tt0 = pybuda.TTDevice("tt0", module=module, arch=pybuda.BackendDevice.Wormhole_B0,
                      devtype=pybuda.BackendType.Silicon)
hidden = torch.randn(1, 128, model.config.hidden_size)
output_queue = pybuda.run_inference(inputs=[hidden])
output = output_queue.get()[0].value()
print("correlation with torch:", pybuda.op.eval.calculate_pcc(module.cpu_eval_forward(hidden)[0], output))
