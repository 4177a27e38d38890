"""The query string is the state: a scenario as a canonical link, and a link back as a scenario.

Canonical means: every key is written, also where it equals a default; numbers have dot decimals and no groups; `v` is
the version of this notation, `catalog` the version of the prices, `at` the UTC instant they are asked for. An optional
value that is unknown stays out. Nothing here asks the database: whether a code exists is the catalogue's to say.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote_plus

from django.utils.translation import gettext as _

from calculator import fields
from calculator.domain.offers import Basis, EconomicsFacts, Mode
from calculator.domain.scenario import BillingStep, EconomicsScenario, Rental, TrafficBy
from calculator.fields import Quantity

VERSION = "1"
NO_API = "none"
CACHE_TTLS = ("5m", "1h")
MAX_CODE_CHARACTERS = 100
MAX_APIS = 40
FIRST_YEAR, LAST_YEAR = 2000, 2099
INSTANT_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
# Keys that steer the page and are no part of a scenario: raw form text, the pressed button.
PAGE_KEYS = frozenset({"form", "go"})

CODE = re.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
NUMBER = re.compile("[0-9]{1,18}(\\.[0-9]{1,12})?")
# Characters that stand in a query as they are; nearly every value is made of them.
UNQUOTED = re.compile("[A-Za-z0-9._~:/-]*")
INSTANT = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class Query(Protocol):
    """What is asked of a QueryDict: its keys, and all values of one."""

    def keys(self) -> Any: ...

    def getlist(self, key: str) -> list[str]: ...


class ReadError(ValueError):
    """A value that its key cannot take; the message is the sentence to show."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One key of a link that cannot be read: the key, the sentence, the text as it stood."""

    key: str
    message: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A link as read. `kept` holds all that could be read; `scenario` is None when anything could not.

    `defaults` are the keys that were absent, `unknown` those that mean nothing here.
    """

    kept: EconomicsScenario
    problems: tuple[Problem, ...] = ()
    defaults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def scenario(self) -> EconomicsScenario | None:
        return None if self.problems else self.kept


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the link: the scenario's attribute behind it, and both directions between text and value."""

    name: str
    attribute: str
    parse: Callable[[str], object]
    write: Callable[[Any], str] = str
    quantity: Quantity | None = field(default=None)


def parse_number(quantity: Quantity) -> Callable[[str], Decimal]:
    """A reader of canonical numbers (dot decimals; ratios 0–1) within the limits of `quantity`."""

    def parse(text: str) -> Decimal:
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and quantity.takes(value):
            return value
        low, high = fields.plain(quantity.limits.low), fields.plain(quantity.limits.high)
        if quantity.whole:
            raise ReadError(_("un nombre entier de %(low)s à %(high)s est attendu") % {"low": low, "high": high})
        raise ReadError(
            _("un nombre de %(low)s à %(high)s est attendu, avec un point décimal et sans groupes")
            % {"low": low, "high": high}
        )

    return parse


def parse_choice(values: Sequence[str], build: Callable[[str], object] = str) -> Callable[[str], object]:
    """A reader that takes one of `values`."""

    def parse(text: str) -> object:
        if text not in values:
            raise ReadError(_("les valeurs possibles sont %(values)s") % {"values": ", ".join(values)})
        return build(text)

    return parse


def parse_code(text: str) -> str:
    """A catalogue code as it stands in the offer; only its characters are checked here."""
    if len(text) > MAX_CODE_CHARACTERS or not CODE.fullmatch(text):
        raise ReadError(_("ce n’est pas un code du catalogue"))
    return text


def parse_instant(text: str) -> dt.datetime:
    """A UTC instant to the second, as in 2026-11-30T14:00:00Z."""
    try:
        at = dt.datetime.strptime(text, INSTANT_FORMAT).replace(tzinfo=dt.UTC) if INSTANT.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ReadError(_("un instant UTC est attendu, par exemple 2026-11-30T14:00:00Z"))
    return at


def write_instant(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).strftime(INSTANT_FORMAT)


def _number(name: str, attribute: str, quantity: Quantity) -> Key:
    if quantity.whole:
        number = parse_number(quantity)
        return Key(name, attribute, lambda text: int(number(text)), str, quantity)
    return Key(name, attribute, parse_number(quantity), fields.plain, quantity)


def _enum(name: str, attribute: str, members: type[Basis | Rental | BillingStep | TrafficBy | Mode]) -> Key:
    return Key(name, attribute, parse_choice([member.value for member in members], members))


KEYS: tuple[Key, ...] = (
    _number("catalog", "catalog_version", fields.CATALOG_VERSION),
    Key("at", "at", parse_instant, write_instant),
    Key("sku", "sku", parse_code),
    _enum("basis", "basis", Basis),
    _enum("rental", "rental", Rental),
    _enum("step", "billing_step", BillingStep),
    _number("price", "price_eur", fields.PRICE),
    Key("model", "model", parse_code),
    _number("fig", "figure_id", fields.FIGURE),
    _number("rate", "rate_tok_per_s", fields.RATE),
    _number("conc", "rate_concurrency", fields.CONCURRENCY),
    _number("prefill", "prefill_tok_per_s", fields.PREFILL),
    _number("util", "utilisation_ratio", fields.UTILISATION),
    _number("hours", "hours_per_month_h", fields.HOURS),
    _enum("traffic", "traffic", TrafficBy),
    _number("volume", "volume_tokens", fields.VOLUME),
    _number("requests", "requests_count", fields.REQUESTS),
    _number("in", "input_tokens", fields.INPUT_TOKENS),
    _number("out", "output_tokens", fields.OUTPUT_TOKENS),
    _number("hit", "prefix_hit_ratio", fields.SHARE),
    _number("write", "cache_write_ratio", fields.SHARE),
    Key("ttl", "cache_write_ttl", parse_choice(CACHE_TTLS)),
    _number("rcache", "response_cache_ratio", fields.RESPONSE_CACHE),
    _enum("mode", "mode", Mode),
    _number("batch", "batch_share_ratio", fields.SHARE),
    Key("api", "apis", parse_code),
    Key("ref", "reference", parse_code),
    _number("fx", "usd_per_eur", fields.USD_PER_EUR),
    _number("ops", "operations_eur_per_month", fields.EXTRA_COST),
    _number("storage", "storage_eur_per_month", fields.EXTRA_COST),
    _number("network", "network_eur_per_month", fields.EXTRA_COST),
    _number("vat", "vat_ratio", fields.VAT),
    _number("tie", "tie_ratio", fields.TIE),
)
BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}
REPEATED = "api"
# Keys that may stay out of a canonical link: unknown, or the catalogue's own value is taken.
OPTIONAL = frozenset({"price", "model", "fig", "rate", "conc", "prefill", "requests", "fx"})


def write(scenario: EconomicsScenario) -> str:
    """The canonical query string of `scenario`; `read` gives the scenario back."""
    pairs = [f"v={VERSION}"]
    for key in KEYS:
        value = getattr(scenario, key.attribute)
        if key.name == REPEATED:
            pairs += [f"{key.name}={_quoted(code)}" for code in value or (NO_API,)]
        elif value is not None and value != "":
            pairs.append(_pair(key.name, value))
    return "&".join(pairs)


@lru_cache(maxsize=2048)
def _pair(name: str, value: Any) -> str:
    """One key with its value: a page holds a dozen links that differ in two or three of thirty."""
    return f"{name}={_quoted(BY_NAME[name].write(value))}"


def _quoted(text: str) -> str:
    return text if UNQUOTED.fullmatch(text) else quote_plus(text, safe=":/")


def read(query: Query, base: EconomicsScenario) -> Reading:
    """The scenario that `query` describes; `base` gives the value of every key that is absent."""
    versions = query.getlist("v") or [VERSION]
    if versions != [VERSION]:
        return Reading(base, (_unknown_version(versions),))
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for key in KEYS:
        texts = query.getlist(key.name)
        if texts:
            _take(key, texts, values, problems)
    kept = replace(base, **values)  # type: ignore[arg-type]
    problems += consistency_problems(kept)
    present = set(query.keys())
    return Reading(
        kept=kept,
        problems=tuple(problems),
        defaults=tuple(key.name for key in KEYS if key.name not in present and key.name not in OPTIONAL),
        unknown=tuple(sorted(fields.printable(name) for name in present - set(BY_NAME) - PAGE_KEYS - {"v"})),
    )


def _take(key: Key, texts: list[str], values: dict[str, object], problems: list[Problem]) -> None:
    """Reads one key into `values`, or says in `problems` why it cannot be read."""
    try:
        if key.name == REPEATED:
            values[key.attribute] = parse_apis(texts)
        elif len(texts) > 1:
            raise ReadError(_("cette clé est donnée %(count)s fois") % {"count": len(texts)})
        else:
            values[key.attribute] = key.parse(present(texts[0]))
    except ReadError as error:
        problems.append(problem(key.name, str(error), texts[-1]))


def present(text: str) -> str:
    """`text`, refused when it is empty: in a link, a key without a value says nothing."""
    if not text.strip():
        raise ReadError(_("la valeur est vide\u00a0; retirez la clé pour prendre la valeur par défaut"))
    return text


def parse_apis(texts: list[str]) -> tuple[str, ...]:
    """API codes in the order given, each once; the single word `none` compares with no API."""
    if texts == [NO_API]:
        return ()
    if len(texts) > MAX_APIS:
        raise ReadError(_("%(count)s API au plus peuvent être comparées") % {"count": MAX_APIS})
    return tuple(dict.fromkeys(parse_code(present(text)) for text in texts))


def problem(key: str, reason: str, text: str = "") -> Problem:
    """A problem whose sentence names the key and quotes what was given."""
    shown = fields.printable(text)
    if not shown.strip():
        return Problem(key, _("%(key)s\u00a0: %(reason)s.") % {"key": key, "reason": reason}, text)
    return Problem(
        key,
        _("%(key)s = «\u00a0%(text)s\u00a0»\u00a0: %(reason)s.") % {"key": key, "text": shown, "reason": reason},
        text,
    )


def consistency_problems(scenario: EconomicsScenario) -> list[Problem]:
    """What single values cannot show: the sentence names the value that is missing beside another one."""
    if scenario.traffic is TrafficBy.REQUESTS and scenario.requests_count is None:
        return [Problem("requests", _("Indiquez le nombre de requêtes par mois (requests)."))]
    return []


def _unknown_version(versions: list[str]) -> Problem:
    shown = fields.printable(", ".join(versions))
    message = _(
        "Lien d’une version inconnue (v = «\u00a0%(version)s\u00a0»)\u00a0; ce calculateur lit la version %(known)s."
    )
    return Problem("v", message % {"version": shown, "known": VERSION}, shown)


def pinned(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsScenario:
    """`scenario` with the figure and the exchange rate that it took from the catalogue written down."""
    throughput = facts.sku.throughput
    used = throughput.figure_id if throughput and scenario.rate_tok_per_s is None else None
    return replace(
        scenario,
        figure_id=used or scenario.figure_id,
        usd_per_eur=scenario.usd_per_eur or (facts.usd_per_eur.value if facts.usd_per_eur else None),
    )


def released(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsScenario:
    """`scenario` without an exchange rate that is only the catalogue's own, so that its source stays named."""
    if facts.usd_per_eur is None or scenario.usd_per_eur != facts.usd_per_eur.value:
        return scenario
    return replace(scenario, usd_per_eur=None)
