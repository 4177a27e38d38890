"""The verdict in words: who is cheaper, the published rules with the customer's numbers, and what is not of price."""

from decimal import Decimal
from typing import NamedTuple

from calculator import formats
from calculator.domain.provenance import Kind
from calculator.domain.scenario import BreakEven, Outcome, Verdict
from calculator.language import gettext as _
from calculator.presenters import words
from calculator.presenters.badges import Badge, badge, of_kind
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.rules import Judged, Measure
from sales.outlook.words import FINDINGS, RULES, SAID_WORDS


class Plain(NamedTuple):
    """Who is cheaper, without a hedge, and by how much."""

    text: str
    css: str
    reserve: str


class RuleLine(NamedTuple):
    """A published rule, the customer's case, the computed threshold, and what the calculation says."""

    rule: str
    own: str
    computed: str
    finding: str
    css: str


class Reason(NamedTuple):
    """A reason that is not of price: whether it counts here, what each side offers and where that is from."""

    name: str
    counts: str
    gpu: str
    gpu_badge: Badge | None
    api: str
    api_badge: Badge | None


def plain(both: Sides) -> Plain:
    """The verdict against the reference API."""
    api = both.api
    if api is None:
        return Plain(_("Aucune API n’est cochée\u00a0: rien à comparer."), "", "")
    names = {"gpu": both.gpu.sku.name, "api": api.bill.api.label}
    if api.verdict is Verdict.UNKNOWN:
        return Plain(_("%(gpu)s et %(api)s ne se comparent pas\u00a0: un prix ou un débit manque.") % names, "", "")
    values = {**names, "gap": formats.money(abs(both.gap_eur or Decimal(0))), "size": _size(both)}
    texts = {
        Verdict.API: _("L’API est moins chère\u00a0: %(api)s coûte %(gap)s de moins par mois que %(gpu)s (%(size)s)."),
        Verdict.GPU: _(
            "Le GPU dédié est moins cher\u00a0: %(gpu)s coûte %(gap)s de moins par mois que %(api)s (%(size)s)."
        ),
        Verdict.EQUIVALENT: _("%(gpu)s et %(api)s coûtent autant\u00a0: %(gap)s d’écart par mois."),
    }
    reserve = _("Verdict incomplet\u00a0: un coût manque d’un côté.") if api.incomplete else ""
    return Plain(texts[api.verdict] % values, words.CSS[api.verdict], reserve)


def _size(both: Sides) -> str:
    """The gap as a share of the dearer side."""
    dearer = max(both.gpu_eur or Decimal(0), both.api_eur or Decimal(0))
    return formats.percent((both.gap_eur or Decimal(0)).copy_abs() / dearer) if dearer else ""


def lines(found: OutlookEstimate, *, profiles: bool) -> tuple[RuleLine, ...]:
    """The published rules, or the published profiles."""
    return tuple(_line(one) for one in found.rules if one.rule.is_profile is profiles)


def _line(one: Judged) -> RuleLine:
    text, css = FINDINGS[one.finding]
    computed = threshold(one.computed) if one.rule.measure is Measure.VOLUME else ""
    return RuleLine(str(RULES[one.rule.code]), own(one), computed, str(text), css)


def own(one: Judged) -> str:
    """The customer's number behind a rule; dollars are what this traffic costs on the reference API."""
    if one.rule.measure is Measure.SAID:
        return _("précisé") if one.finding.value == "not_price" else _("non précisé")
    if one.value is None:
        return _("non précisé") if one.rule.measure is Measure.LATENCY else _("inconnu")
    if one.rule.measure is Measure.VOLUME:
        return formats.tokens(one.value)
    if one.rule.measure is Measure.LATENCY:
        return f"{formats.number(one.value)}{formats.NBSP}ms"
    amount = formats.money(one.value, "USD", 0)
    return (_("%(amount)s par an") if one.rule.measure is Measure.YEAR_USD else _("%(amount)s par mois")) % {
        "amount": amount
    }


def threshold(found: BreakEven | None) -> str:
    """The volume from which the GPU costs less, by this calculation."""
    if found is None or found.outcome is Outcome.UNKNOWN:
        return _("inconnu")
    if not found.intervals:
        return _("à aucun volume")
    if found.outcome is Outcome.ALWAYS:
        return _("à tout volume")
    return _("dès %(volume)s") % {"volume": formats.tokens(found.intervals[0].start_tokens, digits=3)}


def reasons(found: OutlookEstimate) -> tuple[Reason, ...]:
    """Each strategic reason, with what is promised and what is known; no amount is added or taken away for it."""
    scenario, both = found.scenario, found.both
    promised = of_kind(Kind.CLAIM)
    texts = {
        "eu": (_("régions GPU en Europe"), _european(scenario)),
        "weights": (_("poids et points de reprise exportables"), _in_contract()),
        "capacity": (_capacity(both), _("limites de débit\u00a0: à lire dans le contrat")),
        "no_training": (_("aucun entraînement sur vos données"), _in_contract()),
    }
    lines = [
        Reason(str(SAID_WORDS[code]), _counts(code in scenario.said), gpu, promised, api, None)
        for code, (gpu, api) in texts.items()
    ]
    return (*lines, _latency(scenario, found.facts))


def _counts(said: bool) -> str:
    return _("compte pour vous") if said else _("non précisé")


def _in_contract() -> str:
    return _("à lire dans le contrat du fournisseur")


def _european(scenario: OutlookScenario) -> str:
    if scenario.api_uplift_ratio:
        share = formats.percent(scenario.api_uplift_ratio)
        return _("majoration saisie de %(share)s, comptée dans le prix") % {"share": share}
    return _("parfois vendu avec une majoration\u00a0: saisissez-la")


def _capacity(both: Sides) -> str:
    tokens = both.gpu.capacity_tokens
    if tokens is None:
        return _("capacité inconnue")
    return _("%(tokens)s tokens par instance et par mois, à vous seul") % {"tokens": formats.tokens_before(tokens)}


def _latency(scenario: OutlookScenario, facts: OutlookFacts) -> Reason:
    target, measured = scenario.latency_ms, facts.api_first_token_ms
    wanted = _("non précisé") if target is None else f"{formats.number(target)}{formats.NBSP}ms"
    known = _("non mesurée d’ici")
    if measured is not None:
        known = _("%(time)s au premier token") % {"time": f"{formats.number(measured.value, 0)}{formats.NBSP}ms"}
    gpu = _("se calcule sur la page Inférence")
    return Reason(_("Latence"), wanted, gpu, None, known, badge(measured))
