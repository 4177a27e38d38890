"""The usage exports that are known: how each is recognised, what its columns are called, what its counts include.

Field names were read on 2026-12-01 off public documentation and public programs that read these exports:

- OpenAI, usage of completions (`GET /v1/organization/usage/completions`): the API reference; `input_tokens` includes
  `input_cached_tokens`, and reasoning is inside `output_tokens`; `batch` is a flag, `service_tier` the processing tier.
  The dashboard's CSV has the same names, with `start_time` and `end_time` in seconds beside their ISO forms.
- Anthropic, usage report (`GET /v1/organizations/usage_report/messages`): the Admin API reference;
  `uncached_input_tokens`, `cache_read_input_tokens` and `cache_creation` stand side by side and add up. The console's
  CSV calls them `usage_input_tokens_no_cache`, `…_cache_read`, `…_cache_write_5m`, `…_cache_write_1h`.
- Mistral, usage (`GET /api/admin/usage`): the Admin API page documents the endpoint, its categories, period and
  currency, not the entries. Those were read off public programs: `completion.models.<alias>::<model>` with lists
  `input`, `output` and `cached`, and `prices` by metric and group. Each group has a price of its own, so that cached
  tokens are taken to stand beside `input`. No CSV export of Mistral is documented: one goes through the mapping step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from calculator.domain.offers import Mode


class Meaning(StrEnum):
    """What a column holds."""

    START = "start"
    END = "end"
    MODEL = "model"
    INPUT = "input"
    CACHE_READ = "cache_read"
    WRITE_5M = "write_5m"
    WRITE_1H = "write_1h"
    OUTPUT = "output"
    REQUESTS = "requests"
    AMOUNT = "amount"
    BATCH = "batch"
    TIER = "tier"
    CONTEXT = "context"
    NOT_TEXT = "not_text"
    """Tokens of audio or images: inside the counts, billed at prices of their own."""
    EXTRA = "extra"
    """Calls that are billed apart: web searches."""
    MODIFIER = "modifier"
    """A region or speed that changes the price."""


COUNTS = (Meaning.INPUT, Meaning.CACHE_READ, Meaning.WRITE_5M, Meaning.WRITE_1H, Meaning.OUTPUT)
NEEDED = (Meaning.MODEL, Meaning.INPUT, Meaning.OUTPUT)
MAPPED = (
    Meaning.MODEL,
    Meaning.START,
    Meaning.INPUT,
    Meaning.CACHE_READ,
    Meaning.WRITE_5M,
    Meaning.WRITE_1H,
    Meaning.OUTPUT,
    Meaning.REQUESTS,
    Meaning.AMOUNT,
    Meaning.TIER,
)
"""What a visitor may call a column of his own."""
TIERS: Mapping[str, Mode] = {
    "": Mode.STANDARD,
    "standard": Mode.STANDARD,
    "default": Mode.STANDARD,
    "batch": Mode.BATCH,
    "flex": Mode.FLEX,
    "priority": Mode.PRIORITY,
}
"""Names of service levels; any other one is a problem, never the standard price."""
CONTEXTS: Mapping[str, int] = {
    "": 0,
    "0-200k": 0,
    "≤ 200k": 0,
    "<= 200k": 0,
    "200k-1m": 200_000,
    "> 200k": 200_000,
}
NEUTRAL = frozenset({"", "global", "not_available", "standard"})
"""Regions and speeds that leave the price as it is."""
FLAGS: Mapping[str, bool] = {"": False, "false": False, "0": False, "true": True, "1": True}


@dataclass(frozen=True, slots=True)
class Format:
    """One export. `columns` maps its names (in lower case) to what they hold; a meaning may have several.

    `includes_cache` = the input count holds cached tokens already. `marks` are names that only this export has.
    """

    code: str
    provider: str
    columns: Mapping[str, Meaning]
    includes_cache: bool
    marks: frozenset[str] = field(default_factory=frozenset)
    currency: str = "USD"
    deduces_mark: bool = False


OPENAI_CSV = Format(
    "openai_csv",
    "OpenAI",
    {
        "start_time": Meaning.START,
        "end_time": Meaning.END,
        "model": Meaning.MODEL,
        "batch": Meaning.BATCH,
        "service_tier": Meaning.TIER,
        "input_tokens": Meaning.INPUT,
        "input_cached_tokens": Meaning.CACHE_READ,
        "input_cache_write_tokens": Meaning.WRITE_5M,
        "output_tokens": Meaning.OUTPUT,
        "num_model_requests": Meaning.REQUESTS,
        "input_audio_tokens": Meaning.NOT_TEXT,
        "output_audio_tokens": Meaning.NOT_TEXT,
        "input_image_tokens": Meaning.NOT_TEXT,
        "output_image_tokens": Meaning.NOT_TEXT,
    },
    includes_cache=True,
    marks=frozenset({"start_time", "num_model_requests", "input_tokens", "output_tokens"}),
)
OPENAI_JSON = Format("openai_json", "OpenAI", OPENAI_CSV.columns, includes_cache=True)
ANTHROPIC_CSV = Format(
    "anthropic_csv",
    "Anthropic",
    {
        "usage_date_utc": Meaning.START,
        "model_version": Meaning.MODEL,
        "usage_type": Meaning.TIER,
        "context_window": Meaning.CONTEXT,
        "usage_input_tokens_no_cache": Meaning.INPUT,
        "usage_input_tokens_cache_read": Meaning.CACHE_READ,
        "usage_input_tokens_cache_write_5m": Meaning.WRITE_5M,
        "usage_input_tokens_cache_write_1h": Meaning.WRITE_1H,
        "usage_output_tokens": Meaning.OUTPUT,
        "web_search_count": Meaning.EXTRA,
        "inference_geo": Meaning.MODIFIER,
        "speed": Meaning.MODIFIER,
    },
    includes_cache=False,
    marks=frozenset({"usage_date_utc", "model_version", "usage_input_tokens_no_cache", "usage_output_tokens"}),
)
ANTHROPIC_JSON = Format(
    "anthropic_json",
    "Anthropic",
    {
        "starting_at": Meaning.START,
        "ending_at": Meaning.END,
        "model": Meaning.MODEL,
        "service_tier": Meaning.TIER,
        "context_window": Meaning.CONTEXT,
        "uncached_input_tokens": Meaning.INPUT,
        "cache_read_input_tokens": Meaning.CACHE_READ,
        "cache_creation.ephemeral_5m_input_tokens": Meaning.WRITE_5M,
        "cache_creation.ephemeral_1h_input_tokens": Meaning.WRITE_1H,
        "output_tokens": Meaning.OUTPUT,
        "server_tool_use.web_search_requests": Meaning.EXTRA,
        "inference_geo": Meaning.MODIFIER,
        "speed": Meaning.MODIFIER,
    },
    includes_cache=False,
)
MISTRAL_JSON = Format(
    "mistral_json",
    "Mistral",
    {
        "timestamp": Meaning.START,
        "model": Meaning.MODEL,
        "service_tier": Meaning.TIER,
        "input": Meaning.INPUT,
        "cached": Meaning.CACHE_READ,
        "output": Meaning.OUTPUT,
        "amount": Meaning.AMOUNT,
    },
    includes_cache=False,
)
GUESSES: Mapping[str, Meaning] = {
    **dict.fromkeys(("model", "modèle", "modele", "model_name"), Meaning.MODEL),
    **dict.fromkeys(("date", "day", "jour", "timestamp"), Meaning.START),
    **dict.fromkeys(("input", "input_tokens", "prompt_tokens", "entrée", "tokens d’entrée"), Meaning.INPUT),
    **dict.fromkeys(("cached_tokens", "cache_read", "input_cached_tokens", "dont cache"), Meaning.CACHE_READ),
    **dict.fromkeys(("output", "output_tokens", "completion_tokens", "sortie", "tokens de sortie"), Meaning.OUTPUT),
    **dict.fromkeys(("requests", "num_requests", "requêtes", "requetes"), Meaning.REQUESTS),
    **dict.fromkeys(("amount", "cost", "cost_usd", "montant", "coût"), Meaning.AMOUNT),
    **dict.fromkeys(("service_tier", "tier", "mode"), Meaning.TIER),
}
"""What a header proposes in the mapping step; the visitor confirms or changes it."""
CSV_FORMATS = (OPENAI_CSV, ANTHROPIC_CSV)
COSTS_MARKS = (frozenset({"amount_value", "line_item"}), frozenset({"cost_usd", "token_type"}))
"""Exports of amounts without tokens: told apart, so that the visitor knows which one to take."""


def generic(columns: Mapping[str, Meaning], includes_cache: bool, currency: str) -> Format:
    """A CSV whose columns the visitor has named."""
    return Format("generic", "", columns, includes_cache, currency=currency, deduces_mark=True)


def recognised(header: frozenset[str]) -> Format | None:
    """The export that a CSV header belongs to."""
    return next((known for known in CSV_FORMATS if known.marks <= header), None)
