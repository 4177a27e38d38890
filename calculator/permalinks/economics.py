"""The link of an economics scenario."""

from dataclasses import replace

from django.utils.translation import gettext as _

from calculator import fields
from calculator.domain.offers import Basis, EconomicsFacts, Mode
from calculator.domain.scenario import BillingStep, EconomicsScenario, RateOrigin, Rental, TrafficBy
from calculator.permalinks import rates
from calculator.permalinks.notation import (
    Key,
    Notation,
    Problem,
    catalogue_state,
    code,
    enum,
    number,
    parse_choice,
    parse_code,
)

CACHE_TTLS = ("5m", "1h")

KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    code("sku", "sku"),
    enum("basis", "basis", Basis),
    enum("rental", "rental", Rental),
    enum("step", "billing_step", BillingStep),
    number("price", "price_eur", fields.PRICE),
    code("model", "model"),
    number("fig", "figure_id", fields.FIGURE),
    number("rate", "rate_tok_per_s", fields.RATE),
    number("conc", "rate_concurrency", fields.CONCURRENCY),
    number("prefill", "prefill_tok_per_s", fields.PREFILL),
    enum("origin", "rate_origin", RateOrigin),
    number("count", "instances_per_set", fields.INSTANCES),
    number("util", "utilisation_ratio", fields.UTILISATION),
    number("hours", "hours_per_month_h", fields.HOURS),
    enum("traffic", "traffic", TrafficBy),
    number("volume", "volume_tokens", fields.VOLUME),
    number("requests", "requests_count", fields.REQUESTS),
    number("in", "input_tokens", fields.INPUT_TOKENS),
    number("out", "output_tokens", fields.OUTPUT_TOKENS),
    number("hit", "prefix_hit_ratio", fields.SHARE),
    number("write", "cache_write_ratio", fields.SHARE),
    Key("ttl", "cache_write_ttl", parse_choice(CACHE_TTLS)),
    number("rcache", "response_cache_ratio", fields.RESPONSE_CACHE),
    enum("mode", "mode", Mode),
    number("batch", "batch_share_ratio", fields.SHARE),
    number("tokratio", "api_token_ratio", fields.TOKEN_RATIO),
    number("uplift", "api_uplift_ratio", fields.UPLIFT),
    Key("api", "apis", parse_code, many=True),
    code("ref", "reference"),
    number("fx", "usd_per_eur", fields.USD_PER_EUR),
    number("ops", "operations_eur_per_month", fields.EXTRA_COST),
    number("storage", "storage_eur_per_month", fields.EXTRA_COST),
    number("network", "network_eur_per_month", fields.EXTRA_COST),
    number("vat", "vat_ratio", fields.VAT),
    number("tie", "tie_ratio", fields.TIE),
)
# Keys that may stay out of a canonical link: unknown, or the catalogue's own value is taken.
OPTIONAL = frozenset({"price", "model", "fig", "rate", "conc", "prefill", "origin", "count", "requests", "fx"})


def consistency_problems(scenario: EconomicsScenario) -> list[Problem]:
    """What single values cannot show: the sentence names the value that is missing beside another one."""
    if scenario.traffic is TrafficBy.REQUESTS and scenario.requests_count is None:
        return [Problem("requests", _("Indiquez le nombre de requêtes par mois (requests)."))]
    return []


NOTATION = Notation(EconomicsScenario, KEYS, OPTIONAL, consistency_problems)


def pinned(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsScenario:
    """`scenario` with the figure and the exchange rate that it took from the catalogue written down."""
    throughput = facts.sku.throughput
    used = throughput.figure_id if throughput and scenario.rate_tok_per_s is None else None
    return replace(rates.pinned(scenario, facts), figure_id=used or scenario.figure_id)
