"""Text generation with a transformers pipeline; the GPT-2 model runs on the chip."""
from pybuda.transformers.pipeline import pipeline
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

words = ["[PAD]", "[UNK]", "the", "chip", "runs", "a", "small", "model", "fast"]
made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
made.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]")
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), n_positions=64, n_embd=64, n_layer=1, n_head=2,
                                   bos_token_id=0, eos_token_id=None, pad_token_id=0)).eval()
generator = pipeline("text-generation", model=model, tokenizer=tokenizer, pybuda_max_length=32)
print(generator("the chip runs", max_new_tokens=5, do_sample=False, use_cache=False)[0]["generated_text"])
