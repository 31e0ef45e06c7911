"""Embeddings on the host, the encoder on the chip, a classifier on the host: a pipeline of three devices."""
import pybuda
import torch
from transformers import BertConfig, BertModel

model = BertModel(BertConfig(hidden_size=64, num_hidden_layers=1, num_attention_heads=2, intermediate_size=128),
                  add_pooling_layer=False).eval()
head = torch.nn.Linear(64, 3)
cpu0 = pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("embeddings", model.embeddings))
tt0 = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("encoder", model.encoder))
cpu1 = pybuda.CPUDevice("cpu1", module=pybuda.PyTorchModule("head", head))
ids = torch.randint(0, 1000, (4, 32))
for _ in range(3):
    cpu0.push_to_inputs(ids)
output_q = pybuda.run_inference(input_count=3)
for _ in range(3):
    print(output_q.get()[0].value()[:, 0].argmax(-1))
