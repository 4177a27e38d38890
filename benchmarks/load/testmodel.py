"""A small language model with seeded random weights, written on the spot as a GGUF file that llama.cpp can serve.

Random weights answer nonsense at the speed of a real model of the same shape: good for measuring a server and a load
client, never for quality. The file's name carries the SHA-256 of the recipe: an old file is never taken for a new one.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

Weights = NDArray[np.float16] | NDArray[np.float32]

TRAINING_TEXT = (
    "Un jeton est un morceau de mot ; un serveur en écrit plusieurs par seconde.",
    "A token is a piece of a word; a server writes several of them each second.",
    "Le débit se mesure sur une fenêtre où tous les flux sont occupés.",
    "Throughput is measured over a window in which every stream is busy.",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The shape of the test model. The defaults make 1.0 M parameters in half precision, about 2 MB on disk."""

    name: str = "test-llama-1m"
    seed: int = 20261130
    layer_count: int = 4
    width: int = 128
    feed_forward_width: int = 448
    head_count: int = 4
    kv_head_count: int = 2
    context_tokens: int = 2048
    vocabulary_size: int = 300

    @property
    def head_width(self) -> int:
        return self.width // self.head_count

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the weights."""
        text = json.dumps([asdict(self), TRAINING_TEXT, np.__version__.split(".")[0]], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


TEST_MODEL = Recipe()


def parameter_count(recipe: Recipe) -> int:
    """Number of weights, embeddings and norms included."""
    return sum(int(np.prod(shape)) for _, shape in tensor_shapes(recipe))


def tensor_shapes(recipe: Recipe) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every tensor of a llama block stack by its GGUF name, rows first."""
    width, inner, kv_width = recipe.width, recipe.feed_forward_width, recipe.kv_head_count * recipe.head_width
    yield "token_embd", (recipe.vocabulary_size, width)
    yield "output_norm", (width,)
    yield "output", (recipe.vocabulary_size, width)
    for layer in range(recipe.layer_count):
        block = f"blk.{layer}"
        yield f"{block}.attn_norm", (width,)
        yield f"{block}.ffn_norm", (width,)
        yield f"{block}.attn_q", (width, width)
        yield f"{block}.attn_k", (kv_width, width)
        yield f"{block}.attn_v", (kv_width, width)
        yield f"{block}.attn_output", (width, width)
        yield f"{block}.ffn_gate", (inner, width)
        yield f"{block}.ffn_up", (inner, width)
        yield f"{block}.ffn_down", (width, inner)


def random_tensors(recipe: Recipe) -> Iterator[tuple[str, Weights]]:
    """Norms are ones in single precision, matrices are small normal numbers in half precision."""
    random = np.random.default_rng(recipe.seed)
    for name, shape in tensor_shapes(recipe):
        if name.endswith("_norm"):
            yield name, np.ones(shape, dtype=np.float32)
        else:
            yield name, (random.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float16)


def train_tokenizer(recipe: Recipe) -> Tokenizer:
    """A byte-level BPE: every byte is a token, plus the few merges that the training text suggests."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=recipe.vocabulary_size,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(TRAINING_TEXT, trainer)
    return tokenizer


def add_vocabulary(writer: GGUFWriter, recipe: Recipe) -> None:
    described = json.loads(train_tokenizer(recipe).to_str())["model"]
    pieces = sorted(described["vocab"], key=described["vocab"].__getitem__)
    if len(pieces) != recipe.vocabulary_size:
        raise ValueError(f"the tokenizer has {len(pieces)} pieces, not {recipe.vocabulary_size}")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces)
    writer.add_token_types([TokenType.CONTROL] + [TokenType.NORMAL] * (len(pieces) - 1))
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in described["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)


def write(path: Path, recipe: Recipe = TEST_MODEL) -> None:
    """Write the GGUF file of `recipe` at `path`."""
    writer = GGUFWriter(path, "llama")
    writer.add_name(recipe.name)
    writer.add_file_type(LlamaFileType.MOSTLY_F16)
    writer.add_context_length(recipe.context_tokens)
    writer.add_embedding_length(recipe.width)
    writer.add_block_count(recipe.layer_count)
    writer.add_feed_forward_length(recipe.feed_forward_width)
    writer.add_head_count(recipe.head_count)
    writer.add_head_count_kv(recipe.kv_head_count)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(recipe.head_width)
    writer.add_vocab_size(recipe.vocabulary_size)
    add_vocabulary(writer, recipe)
    for name, values in random_tensors(recipe):
        kind = GGMLQuantizationType.F32 if values.dtype == np.float32 else GGMLQuantizationType.F16
        writer.add_tensor(f"{name}.weight", values, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def ensure(folder: Path, recipe: Recipe = TEST_MODEL) -> Path:
    """The model's file in `folder`, made if it is not there; two processes may ask at once."""
    path = folder / f"{recipe.name}-{recipe.digest[:16]}.gguf"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(handle)
    try:
        write(Path(name), recipe)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    return path


def sha256(path: Path) -> str:
    """Digest of the file as it is on disk; recorded with each run."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
