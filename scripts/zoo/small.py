"""Small relatives of the models, quick to make, with random weights: for everyday tests."""
import torch

from zoo import trained, transformers


def bert_small():
    mask = torch.ones(1, 64, dtype=torch.int64)
    mask[:, 50:] = 0
    model = transformers.Bert(layers=1, width=256, heads=4, inner=512, words=1000, length=64)
    return model, {"input_ids": transformers.tokens(1000, 64, 1), "attention_mask": mask}


def gpt2_small():
    return transformers.Gpt2(layers=1, width=256, heads=4, words=1000, length=64), {
        "input_ids": transformers.tokens(1000, 64, 2)}


def lenet_random():
    return trained.LeNet(), {"pixels": torch.rand((4, 1, 28, 28), generator=torch.Generator().manual_seed(5))}
