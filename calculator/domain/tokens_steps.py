"""The formulas of the tokens answer with the visitor's numbers in them, in reading order."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt

from calculator.domain.provenance import Kind, Sourced, Step, Term, derived
from calculator.domain.samples import student_quantile
from calculator.domain.tokens_scenario import GpuReading, PaidReading, Spread, TokensScenario, Work
from calculator.domain.units import HOUR_S, half_up, to_decimal


@dataclass(frozen=True, slots=True)
class Parts:
    """What the formulas are made of. `each_tokens` = tokens of one document that the embedding model reads."""

    scenario: TokensScenario
    total: Spread
    chunks: float
    each_tokens: float
    embedding: PaidReading
    api: PaidReading | None
    gpu: GpuReading
    usd_per_eur: Sourced[Decimal] | None


def _stated(value: Decimal | float | int, unit: str, label: str) -> Sourced[Decimal]:
    return Sourced(to_decimal(value), unit, Kind.INPUT, label)


def _documents(parts: Parts) -> Term:
    return Term("N", _stated(parts.scenario.documents_count, "document", "documents"))


def mean_kind(scenario: TokensScenario) -> Kind:
    """A mean that was counted on a sample is stated; without one it is assumed."""
    return Kind.INPUT if scenario.sample_count else Kind.ASSUMPTION


def _total(parts: Parts) -> Term:
    return Term("T", Sourced(to_decimal(parts.total.value), "tok", mean_kind(parts.scenario), "total_tokens"))


def _embedded_tokens(parts: Parts) -> Decimal:
    return to_decimal(parts.each_tokens) * parts.scenario.documents_count


def _worked_on(parts: Parts) -> Term:
    """The tokens that the chosen machine reads: those of the documents, or those of the chunks."""
    if parts.scenario.work is Work.READ:
        return _total(parts)
    return Term("E", Sourced(_embedded_tokens(parts), "tok", chunks_kind(parts.scenario), "embedded_tokens"))


def total_step(parts: Parts) -> Step:
    """T = N × m."""
    scenario = parts.scenario
    mean = Term("m", Sourced(to_decimal(scenario.mean_tokens), "tok", mean_kind(scenario), "mean_tokens"))
    return Step("tokens_total", (_documents(parts), mean), to_decimal(parts.total.value), "tok")


def margin_step(parts: Parts) -> Iterator[Step]:
    """e = N × t × s ÷ √n × √(1 − n/N), where the sample gives an interval."""
    scenario, count, spread = parts.scenario, parts.scenario.sample_count, parts.scenario.sd_tokens
    if parts.total.low is None or parts.total.high is None or count is None or spread is None:
        return
    quantile = student_quantile(float(scenario.confidence_ratio), count - 1)
    left = sqrt(max(0.0, 1 - count / scenario.documents_count))
    half = scenario.documents_count * quantile * float(spread) / sqrt(count) * left
    terms = (
        _documents(parts),
        Term("t", _stated(quantile, "ratio", "student")),
        Term("s", _stated(spread, "tok", "sd_tokens")),
        Term("n", _stated(count, "document", "sample")),
    )
    yield Step("tokens_margin", terms, to_decimal(half), "tok")


def chunks_kind(scenario: TokensScenario) -> Kind:
    """Chunks a document follow from the lengths; where these spread, from an assumption on how."""
    return Kind.ASSUMPTION if scenario.sd_tokens else mean_kind(scenario)


def chunk_steps(parts: Parts) -> Iterator[Step]:
    """K = N × k, then E = T + N × (k − 1) × o. The mean of chunks rests on a shape of lengths where they spread."""
    scenario = parts.scenario
    a_document = Term("k", Sourced(to_decimal(parts.chunks), "ratio", chunks_kind(scenario), "chunks_a_document"))
    count = half_up(to_decimal(parts.chunks) * scenario.documents_count, 0)
    yield Step("tokens_chunks", (_documents(parts), a_document), count, "chunk")
    total = _total(parts)
    overlap = Term("o", _stated(scenario.overlap_tokens, "tok", "overlap_tokens"))
    yield Step("tokens_embedded", (total, _documents(parts), a_document, overlap), _embedded_tokens(parts), "tok")


def paid_step(code: str, symbol: str, parts: Parts, read: PaidReading | None, label: str, kind: Kind) -> Iterator[Step]:
    """Tokens × dollars a million ÷ dollars a euro, where all three are known; `kind` is what the tokens are worth."""
    rate = parts.usd_per_eur
    if read is None or read.rate is None or read.eur is None or rate is None:
        return
    tokens = Term(symbol, Sourced(to_decimal(read.tokens_count), "tok", kind, label))
    yield Step(code, (tokens, Term("p", read.rate), Term("x", rate)), read.eur, "EUR")


def _rate_term(parts: Parts) -> Term | None:
    rate = parts.gpu.rate
    return None if rate is None else Term("f", Sourced(rate.value, "tok/s", rate.kind, "prompt_rate"))


def gpu_steps(parts: Parts) -> Iterator[Step]:
    """t = T ÷ f on the chosen SKU (E ÷ f where it indexes), then its hours at the hourly price."""
    gpu, rate = parts.gpu, _rate_term(parts)
    if rate is None or gpu.time_s is None:
        return
    took = Step("tokens_gpu_time", (_worked_on(parts), rate), to_decimal(gpu.time_s.value), "s")
    yield took
    if gpu.price is None or gpu.eur is None:
        return
    hours = derived(to_decimal(gpu.time_s.value) / HOUR_S, "h", "hours", (term.source for term in took.terms))
    terms = (
        Term("t", hours),
        Term("c", _stated(gpu.instances, "instance", "instances")),
        Term("P", gpu.price),
    )
    yield Step("tokens_gpu_bill", terms, gpu.eur, "EUR")


def typed_step(parts: Parts) -> Iterator[Step]:
    """t = T ÷ f at a throughput that the visitor typed; E ÷ f where the machine indexes."""
    typed = parts.scenario.read_tok_per_s
    if typed is None:
        return
    rate = Sourced(typed, "tok/s", Kind.INPUT, "read_tok_per_s", replaces=True)
    tokens = _worked_on(parts)
    assert isinstance(tokens.source.value, Decimal)
    yield Step("tokens_typed_time", (tokens, Term("f", rate)), tokens.source.value / typed, "s")


def steps(parts: Parts) -> tuple[Step, ...]:
    """Every formula of the answer, as far as its inputs are known."""
    return (
        total_step(parts),
        *margin_step(parts),
        *chunk_steps(parts),
        *paid_step("tokens_embed_bill", "E", parts, parts.embedding, "embedded_tokens", chunks_kind(parts.scenario)),
        *paid_step("tokens_read_bill", "T", parts, parts.api, "total_tokens", mean_kind(parts.scenario)),
        *gpu_steps(parts),
        *typed_step(parts),
    )
