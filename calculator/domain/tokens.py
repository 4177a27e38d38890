"""A corpus in tokens: how many, how sure that is, in how many chunks, and what reading it once costs and takes.

`estimate` reads nothing but its two arguments and raises on no scenario that the form lets through. Counting itself is
`calculator.counting`'s; only its numbers come in here.
"""

from dataclasses import replace
from decimal import Decimal

from calculator.domain.apibill import Usage, request_cost, tier_for
from calculator.domain.chunking import embedded_tokens, mean_chunks
from calculator.domain.offers import ApiModel, Mode
from calculator.domain.provenance import Kind, Sourced, weakest_kind, with_defaults
from calculator.domain.samples import margin_tokens
from calculator.domain.scenario import Headline, Message
from calculator.domain.tokens_gpu import prompt_length, reading
from calculator.domain.tokens_scenario import (
    GpuReading,
    PaidReading,
    Spread,
    TokensEstimate,
    TokensFacts,
    TokensScenario,
    Work,
)
from calculator.domain.tokens_steps import Parts, steps
from calculator.domain.units import to_decimal, usd_to_eur

FEW_DOCUMENTS = 30
INPUTS_BEHIND = {
    "documents": ("documents_count",),
    "student": ("confidence_ratio", "sample_count"),
    "sd_tokens": ("sd_tokens",),
    "sample": ("sample_count",),
    "overlap_tokens": ("overlap_tokens",),
    "instances": ("instances",),
}
"""The visitor's inputs behind the terms of the formulas, by the term's label."""
"""Below this, Student's interval leans on token counts being nearly normal, which they are not."""
TOKENIZER_OF_MODEL = {
    "text-embedding-3-small": "cl100k_base",
    "text-embedding-3-large": "cl100k_base",
    "gpt-4.1": "o200k_base",
    "gpt-5.4": "o200k_base",
    "gpt-5.4-mini": "o200k_base",
}
"""From tiktoken 0.14's list of models; the other vendors publish none for these models."""
TOKENIZER_OF_OPEN_MODEL = {
    "Mistral-7B": "mistral-v1",
    "Mistral-7B-v0.2": "mistral-v1",
    "Mistral-7B-v0.3": "mistral-v3",
    "Mixtral-8x7B": "mistral-v1",
    "Mixtral-8x22B": "mistral-v3",
    "Mistral-Large-2407": "mistral-v3",
    "Mistral-Nemo-12B": "tekken",
    "Ministral-8B": "tekken",
    "gpt-oss-20b": "o200k_base",
    "gpt-oss-120b": "o200k_base",
}
"""The vocabularies that ship with these models; others count with one that is not among ours. Sources: mistral-common
1.13.1's list of models and the size of each vocabulary (its v1 and v2 differ in control tokens only); tiktoken 0.14,
whose o200k_harmony of gpt-oss merges as o200k_base does and adds special tokens. Mistral-Small-2409 is left out: that
list and the size of its vocabulary disagree.
"""


def margin_ratio(scenario: TokensScenario) -> float | None:
    """Half the interval of the mean ÷ the mean; None where the sample does not give one.

    >>> import datetime as dt
    >>> asked = TokensScenario(1, dt.datetime.now(dt.UTC), mean_tokens=Decimal(1000), sample_count=10,
    ...                        sd_tokens=Decimal(100))
    >>> round(margin_ratio(asked), 4)
    0.0715
    """
    count, spread = scenario.sample_count, scenario.sd_tokens
    if count is None or spread is None:
        return None
    half = margin_tokens(float(spread), count, scenario.documents_count, float(scenario.confidence_ratio))
    return None if half is None else half / float(scenario.mean_tokens)


def _spread(value: float, ratio: float | None) -> Spread:
    """A total with its interval, which ends at zero at the lowest."""
    return Spread(value) if ratio is None else Spread(value, max(0.0, value * (1 - ratio)), value * (1 + ratio))


def _counts_alike(code: str, tokenizer: str) -> bool | None:
    known = TOKENIZER_OF_MODEL.get(code)
    return None if known is None else known == tokenizer


def paid_reading(
    model: ApiModel, mode: Mode, each_tokens: Decimal, times: Decimal, scenario: TokensScenario, fx: Decimal | None
) -> PaidReading:
    """`times` requests of `each_tokens` input tokens; the context tier is a request's. No answer is bought."""
    tiers = model.modes.get(mode, ())
    cost = request_cost(Usage(input_tokens=each_tokens), tiers)
    tier = tier_for(tiers, each_tokens)
    usd = None if cost.usd is None else cost.usd * times
    reasons = () if cost.usd is not None else (Message("no_input_price", {"model": model.label}, "api"),)
    return PaidReading(
        model=model,
        tokens_count=float(each_tokens * times),
        rate=None if tier is None else tier.input,
        usd=usd,
        eur=None if usd is None or fx is None else usd_to_eur(usd, fx),
        counts_alike=_counts_alike(model.code, scenario.tokenizer),
        reasons=reasons,
    )


def _rate(scenario: TokensScenario, facts: TokensFacts) -> Sourced[Decimal] | None:
    """Dollars for one euro: the visitor's, or the catalogue's, or none."""
    if scenario.usd_per_eur is not None:
        return Sourced(scenario.usd_per_eur, "USD/EUR", Kind.INPUT, "usd_per_eur", replaces=True)
    return facts.usd_per_eur


def sample_warnings(scenario: TokensScenario) -> list[Message]:
    """What the sample does not allow to say."""
    count = scenario.sample_count
    if count is None:
        return [Message("no_sample", {}, "n")]
    if count == 1:
        return [Message("one_document", {}, "n")]
    if scenario.sd_tokens is None:
        return [Message("no_spread", {}, "sd")]
    if count >= scenario.documents_count:
        return [Message("whole_corpus", {}, "docs")]
    return [Message("few_documents", {"count": count}, "n")] if count < FEW_DOCUMENTS else []


def model_warnings(scenario: TokensScenario, facts: TokensFacts, embedding: PaidReading) -> list[Message]:
    """What the chosen models do not take, or count another way."""
    found, limit = [], embedding.model.context_window_tokens
    if limit is not None and scenario.chunk_tokens > limit:
        found.append(Message("chunk_over_context", {"model": embedding.model.label, "limit": limit}, "chunk"))
    if embedding.counts_alike is False:
        found.append(Message("embedding_counts_otherwise", {"model": embedding.model.label}, "tokenizer"))
    if prompt_length(float(scenario.mean_tokens), facts.model) < float(scenario.mean_tokens):
        found.append(Message("documents_cut", {"model": facts.model.name, "limit": facts.model.max_context}, "model"))
    if TOKENIZER_OF_OPEN_MODEL.get(facts.model.name) != scenario.tokenizer:
        found.append(Message("gpu_counts_otherwise", {"model": facts.model.name}, "tokenizer"))
    return found


def gpu_warnings(gpu: GpuReading, fx: Sourced[Decimal] | None) -> list[Message]:
    """Why the chosen SKU has no time or no price, and a missing exchange rate."""
    return [*gpu.reasons, *([] if fx is not None else [Message("no_exchange_rate", {}, "fx")])]


def headline(
    scenario: TokensScenario, total: Spread, chunks_count: float, embedding: PaidReading, gpu: GpuReading
) -> Headline:
    """The one sentence: tokens with their interval, then the embedding's price and the time to read on the chosen SKU,
    or, where that is to index, its chunks, time and price."""
    code = "corpus" if scenario.work is Work.READ else "indexed"
    return Headline(
        code if total.low is None else f"{code}_interval",
        {
            "documents": scenario.documents_count,
            "tokens": total.value,
            "low": total.low,
            "high": total.high,
            "embedding": embedding.model.label,
            "eur": embedding.eur,
            "usd": embedding.usd,
            "sku": gpu.offer.sku.code,
            "seconds": None if gpu.time_s is None else gpu.time_s.value,
            "chunks": chunks_count,
            "gpu_eur": gpu.eur,
        },
    )


def estimate(scenario: TokensScenario, facts: TokensFacts) -> TokensEstimate:
    """The whole answer of the tokens calculator, unrounded. Unknown stays None with its reason.

    2 000 000 documents of 4 000 tokens: 8·10⁹ tokens; in chunks of 512 that overlap by 64, 9 a document if all are
    alike, 9.024·10⁹ tokens to embed; at 0.02 $ a million 180.48 $.
    """
    ratio = margin_ratio(scenario)
    documents, mean = Decimal(scenario.documents_count), scenario.mean_tokens
    spread = None if scenario.sd_tokens is None else float(scenario.sd_tokens)
    chunks = mean_chunks(float(mean), spread, scenario.chunk_tokens, scenario.overlap_tokens)
    each = embedded_tokens(float(mean), chunks, scenario.overlap_tokens)
    rate = _rate(scenario, facts)
    fx = None if rate is None else rate.value

    def embedded(model: ApiModel) -> PaidReading:
        times = documents * to_decimal(chunks)
        return paid_reading(model, Mode.STANDARD, to_decimal(each) / to_decimal(chunks), times, scenario, fx)

    def read(model: ApiModel) -> PaidReading:
        return paid_reading(model, scenario.mode, mean, documents, scenario, fx)

    total = _spread(float(documents * mean), ratio)
    gpus = tuple(reading(scenario, facts, offer, total.value) for offer in facts.offers)
    # Our own runs read whole prompts: a chunk is another length, so that this is always an estimate.
    by_chunk, unmeasured = replace(scenario, mean_tokens=to_decimal(each / chunks)), replace(facts, measured={})
    indexing = tuple(reading(by_chunk, unmeasured, offer, each * scenario.documents_count) for offer in facts.offers)
    done = gpus if scenario.work is Work.READ else indexing
    gpu = next(item for item in done if item.offer.sku.code == scenario.sku)
    embedding, apis = embedded(facts.embedding), tuple(map(read, facts.apis))
    found = steps(Parts(scenario, total, chunks, each, embedding, apis[0] if apis else None, gpu, rate))
    typed = total.value if scenario.work is Work.READ else each * scenario.documents_count
    return TokensEstimate(
        scenario=scenario,
        headline=headline(scenario, total, chunks * scenario.documents_count, embedding, gpu),
        total=total,
        margin_ratio=ratio,
        chunks_a_document=chunks,
        chunks_count=chunks * scenario.documents_count,
        embedded=_spread(each * scenario.documents_count, ratio),
        repeated_ratio=each / float(mean) - 1,
        embeddings=tuple(map(embedded, facts.embeddings)),
        embedding=embedding,
        apis=apis,
        gpus=gpus,
        gpu=gpu,
        typed_time_s=_typed_time_s(scenario, typed),
        usd_per_eur=rate,
        steps=with_defaults(found, scenario, INPUTS_BEHIND),
        trust=weakest_kind(step.trust for step in found),
        warnings=(
            *sample_warnings(scenario),
            *model_warnings(scenario, facts, embedding),
            *gpu_warnings(gpu, rate),
        ),
        indexing=indexing,
    )


def _typed_time_s(scenario: TokensScenario, tokens_count: float) -> float | None:
    return None if scenario.read_tok_per_s is None else tokens_count / float(scenario.read_tok_per_s)
