"""What the reader must know beside the figures: the domain's message codes as sentences, with the way out."""

import datetime as dt
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.apibill import Conversion, price_with_prompt
from calculator.domain.offers import Mode, Rates
from calculator.domain.scenario import Comparison, EconomicsEstimate, Message
from calculator.fields import Text
from calculator.language import gettext as _
from calculator.presenters import labels, words
from calculator.presenters.stats import reference
from calculator.staleness import is_stale_price, price_days, rate_mark

LEVEL_OF_MARK = {"amber": "warn", "red": "bad"}
EXAMPLE_INPUT_PER_OUTPUT = 4
# Said elsewhere on the page: in the figures, in the sentence, or beside the API's own line.
SILENT = frozenset({"implied_utilisation", "capacity_exceeded", "price_on_request", "no_throughput"})
OF_AN_API = frozenset(
    {
        "mode_not_sold",
        "mode_not_read",
        "component_price_missing",
        "component_price_varies",
        "api_retired",
        "api_retiring",
        "context_window_exceeded",
    }
)
FIELD_IDS = {
    "input_tokens": "id_in",
    "prefill_tok_per_s": "id_prefill",
    "usd_per_eur": "id_fx",
    "rate_tok_per_s": "id_rate",
    "price_eur": "id_price",
    "instances_per_set": "id_count",
    "mode": "id_mode",
    "batch_share_ratio": "id_batch",
    "reference": "id_ref",
    "output_tokens": "id_out",
    "requests_count": "id_requests",
    "response_cache_ratio": "id_rcache",
    "api_uplift_ratio": "id_uplift",
    "api_token_ratio": "id_tokratio",
}


class Notice(NamedTuple):
    """A sentence, how serious it is (CSS class), its bold beginning, and the field that settles it."""

    lead: str
    text: SafeString
    level: str = ""
    field: str = ""
    action: str = ""
    code: str = ""


class Wording(NamedTuple):
    """The words of one message code: bold beginning, rest, level, what the link to the field says."""

    lead: Text
    text: Text
    level: str = ""
    action: Text = ""


SENTENCES: Mapping[str, Wording] = {
    "prompt_time_not_counted": Wording(
        gettext_lazy("Temps du prompt non compté."),
        gettext_lazy(
            "La vitesse de lecture du prompt est inconnue\u00a0: le GPU paraît plus rapide qu’il ne sera. "
            "Verdict incomplet."
        ),
        "warn",
        gettext_lazy("Saisir cette vitesse"),
    ),
    "single_stream": Wording(
        gettext_lazy("Débit en un seul flux."),
        gettext_lazy(
            "C’est le débit d’une requête à la fois. Servi par lots, un GPU produit plusieurs fois plus "
            "en tout, et le coût par token baisse d’autant."
        ),
        action=gettext_lazy("Saisir un débit mesuré"),
    ),
    "set_of_instances": Wording(
        gettext_lazy("Loué par lots\u00a0: %(set)s."),
        gettext_lazy(
            "Une instance de cette page est un lot entier, à réunir dans une même machine\u00a0: prix, capacité et "
            "paliers sont les siens."
        ),
    ),
    "test_model": Wording(
        gettext_lazy("Modèle d’essai."),
        gettext_lazy(
            "Ses poids sont aléatoires\u00a0: ce débit montre la machine au travail et n’entre dans aucune comparaison."
        ),
        "warn",
    ),
    "all_answered_by_cache": Wording(
        gettext_lazy("Tout vient du cache."),
        gettext_lazy("Aucune requête n’atteint le modèle\u00a0: le coût par token n’a pas de sens."),
        "warn",
        gettext_lazy("Régler le cache"),
    ),
    "mode_not_standard": Wording(
        gettext_lazy("Tarif %(mode)s."),
        gettext_lazy("Ces prix d’API ne valent pas pour des réponses immédiates au tarif standard."),
    ),
    "batch_share": Wording(
        gettext_lazy("%(share)s en batch."),
        gettext_lazy("Cette part du trafic est comptée au tarif batch de chaque API, réponses différées."),
        action=gettext_lazy("Régler la part"),
    ),
    "api_uplift": Wording(
        gettext_lazy("API majorées de %(share)s."),
        gettext_lazy("C’est votre hypothèse\u00a0: le tarif public de chaque API est compté avec cette majoration."),
        action=gettext_lazy("Régler la majoration"),
    ),
    "api_token_ratio": Wording(
        gettext_lazy("Tokens d’API\u00a0: %(signed)s."),
        gettext_lazy(
            "C’est votre hypothèse\u00a0: pour le même texte, les API comptent cet écart de tokens face au modèle "
            "du GPU."
        ),
        action=gettext_lazy("Régler ce rapport"),
    ),
    "no_exchange_rate": Wording(
        gettext_lazy("Taux de change indisponible."),
        gettext_lazy("Les prix d’API restent en dollars, sans comparaison en euros."),
        "bad",
        gettext_lazy("Saisir un cours"),
    ),
    "reference_not_compared": Wording(
        gettext_lazy("Référence absente."),
        gettext_lazy("L’API de référence n’est pas cochée\u00a0: une autre des API cochées en tient lieu."),
        "warn",
        gettext_lazy("Changer de référence"),
    ),
    "output_tokens_needed": Wording(
        gettext_lazy("Longueur de sortie manquante."),
        gettext_lazy("Sans tokens de sortie par requête, le volume ne donne pas de nombre de requêtes."),
        "bad",
        gettext_lazy("La saisir"),
    ),
    "no_gpu_time": Wording(
        gettext_lazy("Rien à produire."),
        gettext_lazy("Ces requêtes ne demandent aucun temps au GPU\u00a0: indiquez des tokens de sortie ou d’entrée."),
        "bad",
        gettext_lazy("Les saisir"),
    ),
    "requests_needed": Wording(
        gettext_lazy("Nombre de requêtes manquant."),
        gettext_lazy("Le trafic est donné en requêtes."),
        "bad",
        gettext_lazy("Le saisir"),
    ),
}


def notices(estimate: EconomicsEstimate) -> tuple[Notice, ...]:
    """Every notice of the page, the most serious first."""
    found = [*_messages(estimate), *_stale_rate(estimate), *_stale_prices(estimate)]
    order = {"bad": 0, "warn": 1, "": 2}
    return tuple(sorted(found, key=lambda notice: order[notice.level]))


def api_reasons(estimate: EconomicsEstimate) -> dict[str, tuple[str, ...]]:
    """What is said beside one API's own line, by its code; under `gpu` what is said beside the GPU's."""
    found: dict[str, tuple[str, ...]] = {}
    for message in dict.fromkeys(_key(message) for message in estimate.warnings if message.code in OF_AN_API):
        code = str(dict(message[1])["api"])
        found[code] = (*found.get(code, ()), _api_sentence(message[0], dict(message[1])))
    return found


def _key(message: Message) -> tuple[str, tuple[tuple[str, object], ...]]:
    return message.code, tuple(message.values.items())


def _api_sentence(code: str, values: dict[str, object]) -> str:
    if code == "mode_not_sold":
        return _("pas de tarif %(mode)s") % {"mode": words.mode_name(Mode(str(values["mode"])))}
    if code == "mode_not_read":
        text = _("tarif %(mode)s non lu\u00a0: en euros, d’une région ou de certaines heures")
        return text % {"mode": words.mode_name(Mode(str(values["mode"])))}
    if code == "component_price_varies":
        return _("prix variable\u00a0: %(component)s") % {"component": labels.component_name(str(values["component"]))}
    if code == "component_price_missing":
        return _("prix inconnu\u00a0: %(component)s") % {"component": labels.component_name(str(values["component"]))}
    if code in ("api_retired", "api_retiring"):
        text = _("retirée le %(date)s") if code == "api_retired" else _("sera retirée le %(date)s")
        return text % {"date": formats.date(_as_date(values["on"]))}
    window = formats.number(Decimal(str(values["window_tokens"])))
    return _("requête plus longue que sa fenêtre de %(count)s tokens") % {"count": window}


def _as_date(value: object) -> dt.date | None:
    return value if isinstance(value, dt.date) else None


def _messages(estimate: EconomicsEstimate) -> Iterator[Notice]:
    for message in estimate.warnings:
        if message.code in SILENT or message.code in OF_AN_API:
            continue
        notice = _output_only(estimate) if message.code == "output_only" else _plain(message)
        yield notice._replace(field=FIELD_IDS.get(message.field, ""), code=message.code)


def _plain(message: Message) -> Notice:
    """A message whose sentence needs no amount; a code without words shows as itself, which a test forbids."""
    found = SENTENCES.get(message.code, Wording(message.code, ""))
    lead = str(found.lead) % _placeholders(message)
    return Notice(lead, SafeString(format_html("{}", found.text)), found.level, action=str(found.action))


def _placeholders(message: Message) -> dict[str, str]:
    ratio, mode = message.values.get("ratio"), message.values.get("mode")
    return {
        "share": "" if ratio is None else formats.percent(Decimal(str(ratio))),
        "signed": "" if ratio is None else formats.percent(Decimal(str(ratio)), signed=True),
        "mode": "" if mode is None else words.mode_name(Mode(str(mode))),
        "set": f"{message.values.get('count', '')}{formats.NBSP}×{formats.NBSP}{message.values.get('sku', '')}",
    }


def _output_only(estimate: EconomicsEstimate) -> Notice:
    """Output alone is counted: what the reference would cost with the prompt, computed from its own rates."""
    lead = _("Sortie seule.")
    row = reference(estimate)
    with_input = None if row is None else with_prompt(row, estimate)
    if row is None or with_input is None or row.bill.eur_per_mtok is None:
        text = format_html("{}", _("Une API facture aussi le prompt, et le GPU passe du temps à le lire."))
        return Notice(lead, text, "warn", action=_("Régler l’entrée"))
    text = format_html(
        _(
            "Une API facture aussi le prompt\u00a0: avec {} tokens d’entrée par token de sortie, "
            "{} revient à {} par million de tokens de sortie et non {}."
        ),
        formats.number(EXAMPLE_INPUT_PER_OUTPUT),
        words.nowrap(row.bill.api.label),
        words.nowrap(formats.unit_price(with_input)),
        words.nowrap(formats.unit_price(row.bill.eur_per_mtok)),
    )
    return Notice(lead, text, "warn", action=_("Régler l’entrée"))


def with_prompt(row: Comparison, estimate: EconomicsEstimate) -> Decimal | None:
    """€ per million output tokens of one API with four input tokens for each; None if a rate is unknown."""
    scenario = estimate.scenario
    price = price_with_prompt(
        row.bill.api,
        row.bill.mode,
        scenario.batch_share_ratio,
        scenario.output_tokens,
        EXAMPLE_INPUT_PER_OUTPUT,
        Conversion(estimate.usd_per_eur, scenario.vat_ratio),
    )
    return None if price is None else price * scenario.api_token_ratio * (1 + scenario.api_uplift_ratio)


def _base_rates(row: Comparison) -> Rates | None:
    tiers = row.bill.api.modes.get(row.bill.mode, ())
    return next((tier for tier in tiers if tier.context_over_tokens == 0), None)


def _stale_rate(estimate: EconomicsEstimate) -> Iterator[Notice]:
    rate = estimate.usd_per_eur
    if rate is None or rate.date is None:
        return
    level = LEVEL_OF_MARK.get(rate_mark(rate.date, timezone.localdate(estimate.scenario.at)))
    if level:
        text = _("Taux %(source)s du %(date)s\u00a0: 1\u00a0€ = %(rate)s. Aucun cours plus récent n’est chargé.") % {
            "source": labels.rate_source(rate),
            "date": formats.date(rate.date),
            "rate": formats.money(rate.value, "USD", 4),
        }
        yield Notice(_("Cours ancien."), format_html("{}", text), level, "id_fx", _("Saisir un cours"), "stale_rate")


def _stale_prices(estimate: EconomicsEstimate) -> Iterator[Notice]:
    """Prices in use that nobody has checked for 90 days."""
    today = timezone.localdate(estimate.scenario.at)
    old = [name for name, date in _price_dates(estimate) if is_stale_price(date, today)]
    if old:
        text = format_html(_("Non vérifiés depuis plus de {} jours\u00a0: {}."), price_days(), words.listing(old))
        yield Notice(_("Prix anciens."), text, "warn", code="stale_price")


def _price_dates(estimate: EconomicsEstimate) -> Iterator[tuple[str, dt.date]]:
    if estimate.gpu.price is not None and estimate.gpu.price.date is not None:
        yield estimate.gpu.sku.name, estimate.gpu.price.date
    for row in estimate.comparisons:
        rates = _base_rates(row)
        if rates is not None and rates.output is not None and rates.output.date is not None:
            yield row.bill.api.label, rates.output.date
