"""The models of the public project's table, from configurations of transformers with random weights, or written out."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from .networks import MobileNetV2, Mnist, ResNet, with_statistics

Make = Callable[..., tuple[torch.nn.Module, Any]]


@dataclass(frozen=True)
class Entry:
    """A model. `make(layers, **settings)`: the module and its inputs, a tuple or a mapping; `layers`: None for all;
    settings of the configuration. `counts`: aten calls and different ones of the public table, for torch 2.2 and
    transformers 4.38. `narrow`: settings for small weights, with the same calls. `most_layers`: those that are run, if the
    weights of all do not fit."""
    name: str
    make: Make
    layers: int | None
    counts: tuple[int, int]
    narrow: dict[str, Any] = field(default_factory=dict)
    training: bool = False
    most_layers: int | None = None


def _generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _ids(vocabulary: int, length: int, pad: int = 0, batch: int = 1) -> dict[str, torch.Tensor]:
    """Token ids, and a mask with `pad` positions of padding on the left."""
    ids = torch.randint(1, vocabulary, (batch, length), generator=_generator())
    mask = torch.ones_like(ids)
    mask[:, :pad] = 0
    return {"input_ids": ids, "attention_mask": mask}


def _pixels(channels: int, height: int, width: int) -> torch.Tensor:
    return torch.randn(1, channels, height, width, generator=_generator())


def _transformer(name: str, config_name: str, inputs: Callable[[Any], Any], depth: str = "num_hidden_layers",
                 **settings: Any) -> Make:
    def make(layers: int | None = None, **others: Any) -> tuple[torch.nn.Module, Any]:
        import transformers
        given = {**settings, **others}
        if layers is not None:
            given[depth] = layers
        config = getattr(transformers, config_name)(**given)
        config._attn_implementation = "eager"
        config.use_cache = False
        torch.manual_seed(0)
        module = getattr(transformers, name)(config).eval()
        return module, inputs(config)
    return make


def _bert(config: Any) -> Any:
    made = _ids(config.vocab_size, 256, 64)
    return {**made, "token_type_ids": torch.zeros_like(made["input_ids"])}


def _text(length: int, pad: int = 0) -> Callable[[Any], Any]:
    return lambda config: _ids(config.vocab_size, length, pad)


def _albert(name: str, length: int = 9, **settings: Any) -> Make:
    return _transformer(name, "AlbertConfig", _text(length), **{
        "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072, **settings})


def _network(make: Callable[[], torch.nn.Module], inputs: Callable[[], Any],
             training: bool = False) -> Make:
    def made(layers: int | None = None) -> tuple[torch.nn.Module, Any]:
        torch.manual_seed(0)
        module = with_statistics(make())
        return module.train() if training else module.eval(), (inputs(),)
    return made


_BEIT: dict[str, Any] = {"use_absolute_position_embeddings": False, "use_relative_position_bias": True, "use_mean_pooling": True,
         "num_labels": 1000}
_IMAGE: Callable[[Any], Any] = lambda config: {"pixel_values": _pixels(3, 224, 224)}  # noqa: E731

_SMALL = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128}
_WORDS = {**_SMALL, "vocab_size": 500}
_ALBERT = {**_WORDS, "embedding_size": 32}

ENTRIES = [
    Entry("BERT", _transformer("BertForQuestionAnswering", "BertConfig", _bert, hidden_size=1024, num_hidden_layers=24,
                               num_attention_heads=16, intermediate_size=4096), 24, (1393, 21), _WORDS),
    Entry("Bloom", _transformer("BloomForCausalLM", "BloomConfig", _text(32, 24), "n_layer", hidden_size=1536, n_layer=24,
                                n_head=16, vocab_size=250880), 24, (1407, 29), {"hidden_size": 64, "n_head": 4, "vocab_size": 500}),
    Entry("Falcon", _transformer("FalconForCausalLM", "FalconConfig", _text(7), hidden_size=4544, num_hidden_layers=32,
                                 num_attention_heads=71, vocab_size=65024, multi_query=True, parallel_attn=True, bias=False,
                                 new_decoder_architecture=False), 32, (2139, 30), {"hidden_size": 64, "num_attention_heads": 4, "vocab_size": 500}, most_layers=2),
    Entry("GPT-2", _transformer("GPT2ForSequenceClassification", "GPT2Config", _text(7), "n_layer", pad_token_id=0), 12, (748, 31), {"n_embd": 64, "n_head": 4, "vocab_size": 500}),
    Entry("Llama", _transformer("LlamaForCausalLM", "LlamaConfig", _text(32), hidden_size=4096, num_hidden_layers=32,
                                num_attention_heads=32, intermediate_size=11008, vocab_size=32000), 32, (3679, 32), _WORDS, most_layers=2),
    Entry("Mnist (Eval)", _network(Mnist, lambda: _pixels(1, 28, 28)), None, (14, 8)),
    Entry("Mnist (Train)", _network(lambda: Mnist((0.0, 0.0)), lambda: _pixels(1, 28, 28), True), None, (14, 8), training=True),
    Entry("MobileNetV2", _network(MobileNetV2, lambda: _pixels(3, 224, 224)), None, (154, 9)),
    Entry("ResNet18", _network(ResNet, lambda: _pixels(3, 224, 224)), None, (70, 9)),
    Entry("YOLOS", _transformer("YolosForObjectDetection", "YolosConfig", lambda config: {"pixel_values": _pixels(3, 512, 672)},
                                hidden_size=192, num_attention_heads=3, intermediate_size=768, image_size=[800, 1333], use_mid_position_embeddings=False,
                                num_labels=91), 12, (964, 28), _SMALL),
    Entry("albert/albert-base-v2", _albert("AlbertForTokenClassification", 12), 12, (779, 21), _ALBERT),
    Entry("albert/albert-large-v2", _albert("AlbertForMaskedLM", num_hidden_layers=24, hidden_size=1024, num_attention_heads=16,
                                            intermediate_size=4096), 24, (1547, 21), _ALBERT),
    Entry("albert/albert-xlarge-v2", _albert("AlbertForMaskedLM", num_hidden_layers=24, hidden_size=2048, num_attention_heads=16,
                                             intermediate_size=8192), 24, (1547, 21), _ALBERT),
    Entry("albert/albert-xxlarge-v2", _albert("AlbertForMaskedLM", hidden_size=4096, num_attention_heads=64,
                                              intermediate_size=16384), 12, (791, 21), _ALBERT),
    Entry("distilbert-base-uncased", _transformer("DistilBertModel", "DistilBertConfig", _text(16), "n_layers"), 6, (367, 17), {"dim": 64, "n_heads": 4, "hidden_dim": 128, "vocab_size": 500}),
    Entry("facebook/deit-base-patch16-224", _transformer("ViTForImageClassification", "ViTConfig", _IMAGE, num_labels=1000),
          12, (685, 17), _SMALL),
    Entry("microsoft/beit-base-patch16-224", _transformer("BeitForImageClassification", "BeitConfig", _IMAGE, **_BEIT), 12, (793, 21), _SMALL),
    Entry("microsoft/beit-large-patch16-224", _transformer(
        "BeitForImageClassification", "BeitConfig", _IMAGE, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
        intermediate_size=4096, layer_scale_init_value=1e-5, **_BEIT), 24, (1573, 21), _SMALL),
    Entry("textattack/albert-base-v2-imdb", _albert("AlbertForSequenceClassification"), 12, (782, 22), _ALBERT),
]


def entry_of(name: str) -> Entry:
    """A model by name. KeyError with the names for another."""
    for one in ENTRIES:
        if one.name == name:
            return one
    raise KeyError(f"there is no model '{name}'; there are {', '.join(one.name for one in ENTRIES)}")
