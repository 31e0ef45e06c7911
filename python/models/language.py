"""Transformers of the library `transformers`, from configurations, with random weights."""
from __future__ import annotations

from typing import Any

import torch
from torch import nn

Made = tuple[nn.Module, tuple, dict[str, Any]]


def _sizes(small: bool, **names: str) -> dict[str, Any]:
    """Sizes of BERT-base, or of a small variant; `names`: the configuration's names of hidden, layers, heads,
    inside."""
    values = {"hidden": 128, "layers": 2, "heads": 4, "inside": 256} if small else \
        {"hidden": 768, "layers": 12, "heads": 12, "inside": 3072}
    return {names.get(key, default): values[key] for key, default in
            (("hidden", "hidden_size"), ("layers", "num_hidden_layers"), ("heads", "num_attention_heads"),
             ("inside", "intermediate_size")) if names.get(key, default)}


def _ids(small: bool, vocabulary: int, length: int = 128) -> torch.Tensor:
    return torch.randint(3, vocabulary, (1, 32 if small else length))


def _masked(ids: torch.Tensor) -> dict[str, torch.Tensor]:
    """The last quarter is padding."""
    mask = torch.ones_like(ids)
    mask[:, -ids.shape[1] // 4:] = 0
    return {"attention_mask": mask}


def bert(small: bool) -> Made:
    from transformers import BertConfig, BertModel
    ids = _ids(small, 30522)
    return BertModel(BertConfig(**_sizes(small))), (ids,), _masked(ids)


def distilbert(small: bool) -> Made:
    from transformers import DistilBertConfig, DistilBertModel
    ids = _ids(small, 30522)
    sizes = _sizes(small, hidden="dim", layers="n_layers", heads="n_heads", inside="hidden_dim")
    return DistilBertModel(DistilBertConfig(**{**sizes, "n_layers": 2 if small else 6})), (ids,), _masked(ids)


def albert(small: bool) -> Made:
    from transformers import AlbertConfig, AlbertModel
    ids = _ids(small, 30000)
    return AlbertModel(AlbertConfig(embedding_size=128, **_sizes(small))), (ids,), _masked(ids)


def roberta(small: bool) -> Made:
    from transformers import RobertaConfig, RobertaModel
    ids = _ids(small, 50265)
    config = RobertaConfig(vocab_size=50265, max_position_embeddings=514, **_sizes(small))
    return RobertaModel(config), (ids,), _masked(ids)


def gpt2(small: bool) -> Made:
    from transformers import GPT2Config, GPT2LMHeadModel
    vocabulary = 2000 if small else 50257
    sizes = _sizes(small, hidden="n_embd", layers="n_layer", heads="n_head", inside="n_inner")
    config = GPT2Config(vocab_size=vocabulary, bos_token_id=1, eos_token_id=1, use_cache=False, **sizes)
    return GPT2LMHeadModel(config), (_ids(small, vocabulary, 64),), {}


def t5(small: bool) -> Made:
    from transformers import T5Config, T5Model
    sizes = {"d_model": 128, "d_ff": 256, "num_layers": 2, "num_heads": 2} if small else {}
    ids = _ids(small, 32128, 64)
    model = T5Model(T5Config(use_cache=False, **sizes))
    return model, (), {"input_ids": ids, "decoder_input_ids": ids[:, :ids.shape[1] // 2]}


def _picture(small: bool) -> tuple[torch.Tensor]:
    return (torch.randn(1, 3, *(2 * [64 if small else 224])),)


def _pictures(small: bool, patch: int = 16) -> dict[str, Any]:
    return {"image_size": 64 if small else 224, "patch_size": patch, **_sizes(small)}


def vit(small: bool) -> Made:
    from transformers import ViTConfig, ViTForImageClassification
    return ViTForImageClassification(ViTConfig(num_labels=1000, **_pictures(small))), _picture(small), {}


def deit(small: bool) -> Made:
    from transformers import DeiTConfig, DeiTModel
    sizes = _pictures(small) | ({} if small else {"hidden_size": 384, "num_attention_heads": 6,
                                                  "intermediate_size": 1536})
    return DeiTModel(DeiTConfig(**sizes)), _picture(small), {}


def beit(small: bool) -> Made:
    from transformers import BeitConfig, BeitModel
    return BeitModel(BeitConfig(use_relative_position_bias=True, **_pictures(small))), _picture(small), {}


def swin(small: bool) -> Made:
    from transformers import SwinConfig, SwinModel
    few = {"image_size": 64, "embed_dim": 32, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
    sizes = few if small else {}
    return SwinModel(SwinConfig(patch_size=4, **sizes)), _picture(small), {}


def whisper_encoder(small: bool) -> Made:
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    positions, layers = (96, 2) if small else (1500, 4)
    config = WhisperConfig(d_model=384, encoder_layers=layers, encoder_attention_heads=6, encoder_ffn_dim=1536,
                           max_source_positions=positions)
    return WhisperEncoder(config), (torch.randn(1, 80, 2 * positions),), {}


def llama(small: bool) -> Made:
    """Two layers of Llama 7B's shape."""
    from transformers import LlamaConfig, LlamaForCausalLM
    few = {"hidden_size": 128, "intermediate_size": 352, "num_attention_heads": 4, "num_key_value_heads": 2}
    sizes = few if small else {"hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32}
    vocabulary = 2000 if small else 32000
    config = LlamaConfig(num_hidden_layers=2, vocab_size=vocabulary, use_cache=False, **sizes)
    return LlamaForCausalLM(config), (_ids(small, vocabulary, 32),), {}


def falcon(small: bool) -> Made:
    """Two layers of Falcon 7B's shape."""
    from transformers import FalconConfig, FalconForCausalLM
    few = {"hidden_size": 128, "num_attention_heads": 4}
    sizes = few if small else {"hidden_size": 4544, "num_attention_heads": 71}
    vocabulary = 2000 if small else 65024
    config = FalconConfig(num_hidden_layers=2, vocab_size=vocabulary, use_cache=False, **sizes)
    return FalconForCausalLM(config), (_ids(small, vocabulary, 32),), {}
