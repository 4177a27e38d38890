"""Names of things: inputs, price components, outcomes, alternatives, the conditions of a throughput."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

from calculator import formats
from calculator.domain.offers import Rates, Throughput
from calculator.domain.provenance import Kind, Sourced, asked_kind
from calculator.domain.scenario import EconomicsEstimate, Outcome, Rental, TrafficBy
from calculator.domain.tables import GPU
from calculator.language import gettext as _
from calculator.presenters import words

GPU_CODE = GPU
COMPONENTS: Mapping[str, Promise] = {
    "input": gettext_lazy("entrée"),
    "cache_read": gettext_lazy("lecture du cache"),
    "cache_write_5m": gettext_lazy("écriture du cache, 5\u00a0min"),
    "cache_write_1h": gettext_lazy("écriture du cache, 1\u00a0h"),
    "output": gettext_lazy("sortie"),
    "instance_hour": gettext_lazy("instance, à l’heure"),
    "instance_month": gettext_lazy("instance, au mois"),
    "all": gettext_lazy("tous les composants"),
}


def component_name(code: str) -> str:
    """A price component in words; a code without words stays as it is."""
    return str(COMPONENTS.get(code, code))


def components(rates: Rates) -> Iterator[tuple[str, Sourced[Decimal]]]:
    """The priced components of an API, by name."""
    pairs = (
        (_("Entrée"), rates.input),
        (_("Lecture du cache"), rates.cache_read),
        (_("Écriture du cache, 5 min"), rates.cache_write_5m),
        (_("Écriture du cache, 1 h"), rates.cache_write_1h),
        (_("Sortie"), rates.output),
    )
    return ((name, item) for name, item in pairs if item is not None)


def rate_source(rate: Sourced[Decimal]) -> str:
    """Who published an exchange rate."""
    if rate.replaces:
        return _("saisi")
    return _("BCE") if rate.reference.upper().startswith("ECB") else rate.reference


def outcome(value: Outcome) -> str:
    """A break-even outcome in words."""
    return {
        Outcome.REACHED: _("atteinte"),
        Outcome.NEVER: _("jamais"),
        Outcome.ALWAYS: _("toujours"),
        Outcome.BEYOND: _("seulement au-delà d’un nombre de GPU"),
        Outcome.UNKNOWN: _("inconnue"),
    }[value]


def alternative(code: str, estimate: EconomicsEstimate) -> str:
    """The name of one side of the comparison: the chosen GPU or an API."""
    names = {row.bill.api.code: row.bill.api.label for row in estimate.comparisons}
    return estimate.gpu.sku.name if code in (GPU_CODE, estimate.gpu.sku.code) else names.get(code, code)


VENDOR_SINGLE_STREAM = "vendor_single_stream"


def throughput_conditions(rate: Throughput | None) -> str:
    """Model, precision, engine, concurrency: what the throughput is worth, single stream first of all."""
    if rate is None:
        return _("inconnu")
    lengths = f"{formats.number(rate.input_tokens)} → {formats.number(rate.output_tokens)} tokens"
    parts = (
        stream(rate),
        rate.model,
        rate.precision,
        rate.engine,
        lengths if rate.input_tokens is not None and rate.output_tokens is not None else "",
        _("modèle d’essai, poids aléatoires") if rate.test_model else "",
    )
    return ", ".join(part for part in parts if part)


def stream(rate: Throughput) -> str:
    """How many requests shared the GPU; a single stream is always said."""
    if rate.single_stream and rate.output_tok_per_s.label == VENDOR_SINGLE_STREAM:
        return _("un seul flux (lecture d’un chiffre annoncé sans conditions)")
    return _("un seul flux") if rate.single_stream else concurrency(rate.concurrency)


def concurrency(count: int | None) -> str:
    """How many requests at a time a throughput was obtained with."""
    if count is None:
        return _("concurrence non précisée")
    return ngettext("%(count)s requête à la fois", "%(count)s requêtes à la fois", count) % {
        "count": formats.number(count)
    }


def inputs(estimate: EconomicsEstimate) -> tuple[tuple[str, str, Decimal | str | None, str], ...]:
    """The visitor's scenario values by what they rest on (see `asked`), with unit, in the order of the form."""
    scenario = estimate.scenario
    by_requests = scenario.traffic is TrafficBy.REQUESTS
    always_on = scenario.rental is Rental.ALWAYS_ON
    return (
        ("sku", _("GPU"), scenario.sku, ""),
        ("basis", _("Facturation"), words.basis_name(scenario.basis), ""),
        ("rental", _("Location"), _("toujours allumé") if always_on else _("heures utilisées"), ""),
        ("traffic", _("Trafic donné en"), _("requêtes") if by_requests else _("tokens"), ""),
        ("volume", _("Volume de sortie"), estimate.volume_tokens, _("tokens / mois")),
        ("served", _("Volume servi après cache de réponses"), estimate.served_tokens, _("tokens / mois")),
        ("volume", _("Requêtes"), estimate.requests_count, _("requêtes / mois")),
        ("input_tokens", _("Entrée par requête"), scenario.input_tokens, "tokens"),
        ("output_tokens", _("Sortie par requête"), scenario.output_tokens, "tokens"),
        ("prefix_hit_ratio", _("Entrée déjà en cache"), scenario.prefix_hit_ratio, _("part de 1")),
        ("cache_write_ratio", _("Entrée écrite en cache"), scenario.cache_write_ratio, _("part de 1")),
        ("response_cache_ratio", _("Réponses servies par le cache"), scenario.response_cache_ratio, _("part de 1")),
        ("mode", _("Mode des API"), words.mode_name(scenario.mode), ""),
        ("batch_share_ratio", _("Part en batch"), scenario.batch_share_ratio, _("part de 1")),
        ("operations_eur_per_month", _("Exploitation"), scenario.operations_eur_per_month, _("€ HT / mois")),
        ("storage_eur_per_month", _("Stockage"), scenario.storage_eur_per_month, _("€ HT / mois")),
        ("network_eur_per_month", _("Réseau"), scenario.network_eur_per_month, _("€ HT / mois")),
        ("vat_ratio", _("TVA"), scenario.vat_ratio, _("part de 1")),
        ("api_token_ratio", _("Tokens d’API par token"), scenario.api_token_ratio, "×"),
        ("api_uplift_ratio", _("Majoration des API"), scenario.api_uplift_ratio, _("part de 1")),
        ("tie_ratio", _("Marge d’équivalence"), scenario.tie_ratio, _("part de 1")),
    )


TRAFFIC = ("traffic", "volume_tokens", "requests_count", "output_tokens")
BEHIND: Mapping[str, tuple[str, ...]] = {"volume": TRAFFIC, "served": (*TRAFFIC, "response_cache_ratio")}


def asked(estimate: EconomicsEstimate, name: str) -> Kind:
    """What an input is called: typed, or the assumption that an untouched default is."""
    kinds = {asked_kind(estimate.scenario, attribute) for attribute in BEHIND.get(name, (name,))}
    return Kind.INPUT if Kind.INPUT in kinds else Kind.ASSUMPTION
