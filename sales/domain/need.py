"""What a customer needs, in his own words: what for, how many, when, how fast, and what must not be."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.training import Method
from calculator.domain.units import HOUR_S
from sales.domain.language import USUAL_TOKENIZER, Language, tokenizer_of, tokens_a_word
from sales.domain.ranges import Range
from sales.domain.week import DAYS_A_WEEK, HOURS_A_DAY, Shape, active_days, peak_factor


class Use(enum.StrEnum):
    """What the customer wants to do."""

    CHAT = "chat"
    RAG = "rag"
    CODE = "code"
    BATCH = "batch"
    INDEX = "index"
    TUNE = "tune"
    PRETRAIN = "pretrain"


class LoadBy(enum.StrEnum):
    """How the load is stated; NONE = nothing is served, there is only a job to run."""

    USERS = "users"
    REQUESTS = "requests"
    TOKENS = "tokens"
    NONE = "none"


class Unit(enum.StrEnum):
    """What the lengths of prompt and answer are counted in."""

    TOKENS = "tokens"
    WORDS = "words"


class Constraint(enum.StrEnum):
    """What must hold whatever it costs."""

    RESIDENCY = "eu"
    SENSITIVE = "sensitive"
    OWN_WEIGHTS = "weights"
    FIXED = "capacity"
    DAILY_TUNING = "tuning"
    FAST = "fast"


@dataclass(frozen=True, slots=True)
class Usual:
    """What stands for an empty field: lengths in tokens, targets in milliseconds (0 = none), an open model."""

    prompt_tokens: int
    output_tokens: int
    first_token_ms: Decimal
    token_ms: Decimal
    model: str


CHAT = Usual(1024, 256, Decimal(500), Decimal(50), "Mistral-7B-v0.3")
RAG = Usual(6000, 400, Decimal(3000), Decimal(50), "Mistral-Nemo-12B")
USUAL: Mapping[Use, Usual] = {
    Use.CHAT: CHAT,
    Use.RAG: RAG,
    Use.CODE: Usual(2048, 128, Decimal(500), Decimal(30), "Qwen2.5-7B"),
    Use.BATCH: Usual(1024, 512, Decimal(0), Decimal(0), "Mistral-7B-v0.3"),
    Use.INDEX: RAG,
    Use.TUNE: Usual(512, 64, Decimal(500), Decimal(50), "Mistral-7B"),
    Use.PRETRAIN: Usual(512, 64, Decimal(500), Decimal(50), "Mistral-7B"),
}
"""The lengths, targets and models of the inference calculator's own cases, by use. Assumptions, shown as such."""

DOCUMENTS_COUNT, DOCUMENT_TOKENS = 2_000_000, Decimal(4000)
ROWS_COUNT, ROW_TOKENS = 12_000, Decimal(256)
PARAMS_COUNT, CORPUS_TOKENS = Decimal(2_700_000_000), Decimal(40_000_000_000)
"""The offer's own cases stand for an empty field: legal documents, support tickets, a pre-trained encoder."""

INTERACTIVE_PEAK_RATIO = Decimal("0.8")
"""Planned load of the busiest hour. From 80 % of the capacity on, requests that bunch up make queues."""
BATCH_PEAK_RATIO = Decimal("0.9")
"""The same where nobody waits for an answer."""
UTILISATION_DECIMALS = Decimal("0.0001")
HOURS_A_MONTH = Decimal(720)
"""The month that the calculators assume; shown beside the answer."""
FAST_MS = Decimal(20)


@dataclass(frozen=True, slots=True)
class Need:
    """The customer's need. None or empty = what is usual for the use (`USUAL`), or no such job.

    `users_count` × `daily_requests` on every active day, or `requests_count` a month, or `volume_tokens` of output a
    month, as `load` says. Documents are to be indexed, rows to be fine-tuned on (`epochs` times), `corpus_tokens` to
    pre-train `params_count` parameters on. `ranges` are the classes of API models that may stand in for the open model.
    """

    catalog_version: int
    at: dt.datetime
    use: Use = Use.CHAT
    language: Language = Language.FRENCH
    load: LoadBy = LoadBy.USERS
    users_count: int | None = 200
    daily_requests: Decimal | None = Decimal(20)
    requests_count: Decimal | None = None
    volume_tokens: Decimal | None = None
    shape: Shape = Shape.OFFICE
    unit: Unit = Unit.TOKENS
    prompt_length: Decimal | None = None
    output_length: Decimal | None = None
    first_token_ms: Decimal | None = None
    token_ms: Decimal | None = None
    model: str = ""
    compressed: bool = False
    ranges: tuple[Range, ...] = (Range.SMALL,)
    constraints: tuple[Constraint, ...] = ()
    documents_count: int | None = None
    document_tokens: Decimal | None = None
    rows_count: int | None = None
    row_tokens: Decimal | None = None
    epochs: Decimal = Decimal(1)
    method: Method = Method.QLORA
    params_count: Decimal | None = None
    corpus_tokens: Decimal | None = None
    deadline_days: Decimal | None = None
    usd_per_eur: Decimal | None = None
    calibration: str = ""

    @property
    def usual(self) -> Usual:
        """What stands for the empty fields."""
        return USUAL[self.use]

    @property
    def open_model(self) -> str:
        """The model that the GPUs serve or train."""
        return self.model or self.usual.model

    @property
    def is_interactive(self) -> bool:
        """Whether somebody waits for the answer."""
        return self.use is not Use.BATCH

    @property
    def serves(self) -> bool:
        """Whether anything is to be answered."""
        return self.load is not LoadBy.NONE

    @property
    def trains(self) -> bool:
        """Whether there is a fine-tuning or a pre-training to run."""
        return self.use in (Use.TUNE, Use.PRETRAIN) or Constraint.DAILY_TUNING in self.constraints

    @property
    def indexes(self) -> bool:
        """Whether there are documents to index."""
        return self.use is Use.INDEX or self.documents_count is not None


def tokens_of(need: Need, length: Decimal | None, usual_tokens: int) -> int:
    """A length in tokens of the open model, at least one. Words are converted in the need's language; the tokenizer of
    a model that is not among ours is taken for cl100k."""
    if length is None:
        return usual_tokens
    if need.unit is Unit.TOKENS:
        return max(1, round(length))
    return max(1, round(length * tokens_a_word(need.language, tokenizer_of(need.open_model) or USUAL_TOKENIZER)))


def prompt_tokens(need: Need) -> int:
    """Tokens of one prompt."""
    return tokens_of(need, need.prompt_length, need.usual.prompt_tokens)


def output_tokens(need: Need) -> int:
    """Tokens of one answer."""
    return tokens_of(need, need.output_length, need.usual.output_tokens)


def requests_a_month(need: Need) -> Decimal | None:
    """Requests of a month of 720 hours; None where nothing is served or a number is missing.

    200 people who ask 20 times on each of five days a week: 200 × 20 × 720 ÷ 24 × 5 ÷ 7 = 85 714.
    """
    match need.load:
        case LoadBy.USERS if need.users_count and need.daily_requests:
            days = HOURS_A_MONTH / HOURS_A_DAY * active_days(need.shape) / DAYS_A_WEEK
            return need.users_count * need.daily_requests * days
        case LoadBy.REQUESTS:
            return need.requests_count
        case LoadBy.TOKENS if need.volume_tokens:
            return need.volume_tokens / output_tokens(need)
    return None


def volume_tokens(need: Need) -> Decimal | None:
    """Whole output tokens of a month."""
    if need.load is LoadBy.TOKENS:
        return need.volume_tokens
    requests = requests_a_month(need)
    return None if requests is None else max(Decimal(1), (requests * output_tokens(need)).to_integral_value())


def peak_per_s(need: Need) -> Decimal | None:
    """Requests a second of the busiest hour: requests ÷ (720 × 3600) × busiest ÷ mean hour."""
    requests = requests_a_month(need)
    if requests is None:
        return None
    factor = peak_factor(need.shape)
    return requests / (HOURS_A_MONTH * HOUR_S) * factor.numerator / factor.denominator


def peak_ratio(need: Need) -> Decimal:
    """Planned load of the busiest hour."""
    return INTERACTIVE_PEAK_RATIO if need.is_interactive else BATCH_PEAK_RATIO


def utilisation_ceiling(need: Need) -> Decimal:
    """Share of a month's hours that GPUs sized for the busiest hour may produce: planned peak load ÷ (busiest ÷ mean
    hour). Office hours: 0.8 ÷ 3.63 = 22 %; steady: 80 %."""
    factor = peak_factor(need.shape)
    return (peak_ratio(need) * factor.denominator / factor.numerator).quantize(UTILISATION_DECIMALS)


def first_token_ms(need: Need) -> Decimal:
    """The target for the first token, 0 for none; 20 ms at most where that is asked for."""
    wanted = need.usual.first_token_ms if need.first_token_ms is None else need.first_token_ms
    if Constraint.FAST not in need.constraints:
        return wanted
    return min(wanted, FAST_MS) if wanted else FAST_MS


def token_ms(need: Need) -> Decimal:
    """The target for each further token, 0 for none."""
    return need.usual.token_ms if need.token_ms is None else need.token_ms


def has_targets(need: Need) -> bool:
    """Whether any latency is asked for."""
    return bool(first_token_ms(need) or token_ms(need))
