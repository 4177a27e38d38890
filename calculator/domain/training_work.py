"""The work of a training run before any GPU is chosen: parameters, tokens, steps, epochs, FLOP by convention."""

from dataclasses import replace
from math import ceil

from calculator.domain.llm import MISTRAL_7B, LanguageModel, lora_params
from calculator.domain.training import Method, attention_flop_a_token, flop_factor, training_tokens
from calculator.domain.training_scenario import Amount, FlopCount, TrainingScenario, Work

ASPECT = 80
"""Hidden width ÷ layers of the assumed shape: that of GPT-3 2.7B, between the narrow and the wide models published."""
SHAPE_VOCABULARY = 64_000
SHAPE_COLUMNS = 128
SHAPE_HEAD_DIM = 64
"""Vocabulary, multiple of the width, and head size of the assumed shape."""
SHAPE_NAME = "params"


def assumed_shape(params: float) -> LanguageModel:
    """A dense model of `params` parameters in usual proportions: 12·L·d² + V·d, d ÷ L ≈ 80, heads of 64.

    Only attention, activations and logits read the shape; FLOP and weights take `params` itself.

    >>> shape = assumed_shape(2.7e9)
    >>> shape.layers, shape.hidden, shape.params_total
    (33, 2560, 2700000000)
    """
    layers = max(1, round((params / (12 * ASPECT**2)) ** (1 / 3)))
    hidden = max(1, round((params / (12 * layers)) ** 0.5 / SHAPE_COLUMNS)) * SHAPE_COLUMNS
    heads = hidden // SHAPE_HEAD_DIM
    embeddings = min(SHAPE_VOCABULARY * hidden, round(params / 2))
    return replace(
        MISTRAL_7B,
        name=SHAPE_NAME,
        params_total=round(params),
        params_active=round(params),
        params_non_embedding=round(params) - embeddings,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=SHAPE_HEAD_DIM,
        intermediate=4 * hidden,
        vocab=SHAPE_VOCABULARY,
        tied_embeddings=True,
        gated_mlp=False,
        attention="MHA",
    )


def data_parallel(gpu_count: int, tensor_parallel: int, pipeline_parallel: int) -> int:
    """Copies of the model: GPUs ÷ (TP × PP); at least one, since a division that does not go up is a fault elsewhere.

    >>> data_parallel(16, 4, 2)
    2
    """
    return max(1, gpu_count // (tensor_parallel * pipeline_parallel))


def _tokens_of_data(scenario: TrainingScenario) -> float | None:
    """Rows × mean length × epochs; a mean above the sequence length is cut to it."""
    if scenario.data_rows is None or scenario.mean_tokens is None:
        return None
    length = min(float(scenario.mean_tokens), scenario.sequence_tokens)
    return scenario.data_rows * length * float(scenario.epochs)


def amount(scenario: TrainingScenario, copies: int) -> Amount | None:
    """Tokens, steps, sequences and epochs of a run; None where what states the work is missing.

    Sequences are full by `Work.STEPS`, and packed from the data otherwise: nothing is counted for padding.
    """
    one = training_tokens(scenario.micro_batch, scenario.sequence_tokens, scenario.accumulation, copies, 1)
    batch = one // scenario.sequence_tokens
    if scenario.work is Work.STEPS:
        sequences = float(batch * scenario.steps_count)
        epochs = sequences / scenario.data_rows if scenario.data_rows else None
        return Amount(float(one * scenario.steps_count), one, batch, float(scenario.steps_count), sequences, epochs)
    if scenario.work is Work.DATASET:
        tokens = _tokens_of_data(scenario)
        epochs = float(scenario.epochs)
    else:
        tokens = None if scenario.total_tokens is None else float(scenario.total_tokens)
        epochs = None
    if tokens is None:
        return None
    return Amount(tokens, one, batch, tokens / one, tokens / scenario.sequence_tokens, epochs)


def whole_steps(found: Amount) -> int:
    """Optimizer steps as the run counts them.

    >>> whole_steps(Amount(1e6, 4096, 8, 244.14, 1953.1, None))
    245
    """
    return ceil(found.steps)


def adapter_params(scenario: TrainingScenario, model: LanguageModel) -> float | None:
    """Parameters of the adapters; 0 where none are trained, None for a model whose adapters are not modelled."""
    if not scenario.method.frozen_base:
        return 0.0
    targets = [target for target in scenario.targets if target != "gate" or model.gated_mlp]
    try:
        return float(lora_params(model, scenario.lora_rank, targets))
    except ValueError:
        return None


def trained_params(scenario: TrainingScenario, model: LanguageModel) -> float | None:
    """Parameters that get a gradient."""
    return adapter_params(scenario, model) if scenario.method.frozen_base else float(model.params_total)


def flop_count(method: Method, model: LanguageModel, sequence_tokens: int, recomputed: bool) -> FlopCount:
    """FLOP of one token, part by part: factor × active parameters, causal attention, and what recomputing repeats.

    6N of Mistral-7B, and 4N of its QLoRA, in GFLOP:

    >>> [round(flop_count(m, MISTRAL_7B, 512, False).linear / 1e9, 2) for m in (Method.FULL, Method.QLORA)]
    [43.45, 28.97]
    """
    factor, again = flop_factor(method, False), flop_factor(method, True)
    plain = attention_flop_a_token(model, sequence_tokens, False)
    repeated = attention_flop_a_token(model, sequence_tokens, True) - plain
    linear = factor * model.params_active
    recomputation = (again - factor) * model.params_active + repeated if recomputed else 0.0
    return FlopCount(factor, float(model.params_active), float(linear), plain, float(recomputation))
