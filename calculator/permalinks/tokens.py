"""The link of a corpus: numbers only. The visitor's text is never part of it."""

from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import fields
from calculator.domain.offers import Mode
from calculator.domain.precision import PRECISIONS
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens_scenario import TokensScenario, Work
from calculator.fields import Quantity, limits
from calculator.permalinks.notation import (
    Key,
    Notation,
    Problem,
    catalogue_state,
    code,
    enum,
    name,
    number,
    parse_choice,
    parse_code,
    problem,
)

TOKENIZERS = ("cl100k_base", "o200k_base", "mistral-v1", "mistral-v3", "tekken", "other")
"""Those we ship, and one for a count that was made elsewhere."""
CONFIDENCES = ("0.90", "0.95", "0.99")
MODES = (Mode.STANDARD, Mode.BATCH)

DOCUMENTS = Quantity(limits("1", "1000000000000"), ("documents", "docs"), scaled=True, whole=True)
MEAN = Quantity(limits("0.01", "1000000000"), fields.TOKENS)
SPREAD = Quantity(limits("0", "1000000000"), fields.TOKENS)
SAMPLE = Quantity(limits("1", "1000000000"), ("documents", "docs"), whole=True)
CHUNK = Quantity(limits("1", "10000000"), fields.TOKENS, whole=True)
OVERLAP = Quantity(limits("0", "9999999"), fields.TOKENS, whole=True)
INSTANCES = Quantity(limits("1", "10000"), whole=True)

KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    number("docs", "documents_count", DOCUMENTS),
    number("mean", "mean_tokens", MEAN),
    Key("tokenizer", "tokenizer", parse_choice(TOKENIZERS)),
    number("n", "sample_count", SAMPLE),
    number("sd", "sd_tokens", SPREAD),
    number("p50", "p50_tokens", SPREAD),
    number("p95", "p95_tokens", SPREAD),
    Key("conf", "confidence_ratio", parse_choice(CONFIDENCES, Decimal)),
    number("chunk", "chunk_tokens", CHUNK),
    number("overlap", "overlap_tokens", OVERLAP),
    code("embed", "embedding"),
    Key("api", "apis", parse_code, many=True),
    enum("mode", "mode", Mode),
    enum("work", "work", Work),
    code("sku", "sku"),
    number("count", "instances", INSTANCES),
    name("model", "model"),
    Key("prec", "precision", parse_choice(tuple(PRECISIONS))),
    enum("step", "billing_step", BillingStep),
    number("price", "price_eur", fields.PRICE),
    number("read", "read_tok_per_s", fields.PREFILL),
    number("fx", "usd_per_eur", fields.USD_PER_EUR),
    code("cal", "calibration"),
)
# Keys that may stay out of a canonical link: unknown, or the catalogue's own value is taken.
OPTIONAL = frozenset({"n", "sd", "p50", "p95", "price", "read", "fx", "cal"})


def consistency_problems(scenario: TokensScenario) -> list[Problem]:
    """What single values cannot show: chunks must move on, and quantiles must rise."""
    found = []
    if scenario.overlap_tokens >= scenario.chunk_tokens:
        found.append(problem("overlap", _("le recouvrement doit rester plus petit que le morceau")))
    low, high = scenario.p50_tokens, scenario.p95_tokens
    if low is not None and high is not None and low > high:
        found.append(problem("p95", _("le 95ᵉ centile ne peut pas être sous la médiane")))
    return found


NOTATION = Notation(TokensScenario, KEYS, OPTIONAL, consistency_problems)
