"""A model folder that vLLM can serve with made-up weights: the shape and the tokenizer of our test model."""

import json
from pathlib import Path

from benchmarks.load.testmodel import TEST_MODEL, train_tokenizer

END = "<|endoftext|>"


def write(folder: Path) -> Path:
    """`folder` with config.json and a tokenizer, no weights."""
    folder.mkdir(parents=True, exist_ok=True)
    train_tokenizer(TEST_MODEL).save(str(folder / "tokenizer.json"))
    tokenizer = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": END, "bos_token": END}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    shape = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": TEST_MODEL.width,
        "intermediate_size": TEST_MODEL.feed_forward_width,
        "num_hidden_layers": TEST_MODEL.layer_count,
        "num_attention_heads": TEST_MODEL.head_count,
        "num_key_value_heads": TEST_MODEL.kv_head_count,
        "head_dim": TEST_MODEL.head_width,
        "vocab_size": TEST_MODEL.vocabulary_size,
        "max_position_embeddings": TEST_MODEL.context_tokens,
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(shape))
    return folder
