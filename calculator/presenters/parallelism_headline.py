"""The one-sentence answer of the multi-GPU page: days, speed-up against the ideal, bill."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from calculator import formats
from calculator.domain.parallel_scenario import ParallelismEstimate, Point
from calculator.language import gettext as _
from calculator.presenters import parallelism_notices, parallelism_units, quantities, words
from calculator.presenters.headline import plain

ALMOST_ALL_RATIO = 0.999
ONE_DECIMAL_FROM = 0.98
HARDLY_LESS_RATIO = 0.99
"""From this share of the ideal on, the lead leaves it out: it would boast of what the model leaves out."""


def machine(estimate: ParallelismEstimate) -> str:
    """The GPUs by number and name."""
    return f"{formats.number(estimate.scenario.gpu_count)}{formats.NBSP}× {estimate.gpu.name}"


def lead(estimate: ParallelismEstimate) -> SafeString:
    """The sentence as markup, the answer in bold."""
    if estimate.chosen is None or estimate.one_gpu_days is None:
        return format_html(
            _("Pas de réponse pour {}\u00a0: {}"),
            words.nowrap(machine(estimate)),
            parallelism_notices.sentence_of(estimate.faults[0]),
        )
    if estimate.memory is not None and not estimate.memory.fits:
        return format_html(
            _("{} ne tient pas sur {}\u00a0: il faut {} par GPU pour {}. Si cela tenait, l’entraînement durerait {}."),
            words.nowrap(estimate.model.name if estimate.model else ""),
            words.nowrap(machine(estimate)),
            _bold(parallelism_units.memory(estimate.memory.needed_bytes)),
            words.nowrap(parallelism_units.memory(estimate.memory.usable_bytes)),
            words.nowrap(parallelism_units.days(estimate.chosen.days)),
        )
    if estimate.headline.code == "one_gpu":
        return format_html(
            _("Sur {}, l’entraînement dure {}{}."),
            words.nowrap(machine(estimate)),
            _bold(parallelism_units.days(estimate.chosen.days)),
            _cost(estimate),
        )
    return format_html(
        _("Sur {}, l’entraînement dure {}{}, {}, au lieu de {} sur un seul\u00a0: {} fois plus vite{}{}."),
        words.nowrap(machine(estimate)),
        _bold(parallelism_units.days(estimate.chosen.days)),
        _beside(estimate),
        left_out(estimate.chosen),
        words.nowrap(parallelism_units.days(estimate.one_gpu_days)),
        formats.number(estimate.chosen.speed_up, 2),
        _share(estimate.chosen),
        _cost(estimate),
    )


def _beside(estimate: ParallelismEstimate) -> SafeString:
    """What the offer publishes for this very run, else the band of the fitted speed, where there is one."""
    found = estimate.explanation
    if found is not None and estimate.scenario.observed_days is None:
        return format_html(_(" (l’offre publie {})"), words.nowrap(parallelism_units.days(found.observed_days)))
    return format_html(", {}", days_note(estimate)) if days_note(estimate) else SafeString("")


def days_note(estimate: ParallelismEstimate) -> str:
    """The days with the band of the fitted speed, where there is one."""
    chosen, band = estimate.chosen, estimate.mfu_band
    if chosen is None or band is None:
        return ""
    low, high = chosen.days / band.high_ratio, chosen.days / band.low_ratio
    return _("de %(low)s à %(high)s (8 mesures sur 10)") % {
        "low": parallelism_units.number(low),
        "high": parallelism_units.days(high),
    }


def left_out(point: Point) -> str:
    """What the days do not hold. What machines lose by waiting for one another is fitted, inside one it is not."""
    if point.machines > 1:
        return _("hors attente des données et sauvegardes")
    return _("hors attente des données, sauvegardes et GPU en retard")


def _share(point: Point) -> SafeString:
    """The share of the ideal, where exchanges cost enough to speak of."""
    if point.efficiency >= HARDLY_LESS_RATIO:
        return SafeString("")
    return format_html(_(", {} de l’idéal"), words.nowrap(efficiency(point)))


def share_note(point: Point) -> str:
    """The share of the ideal in a note, or that exchanges hardly cost anything."""
    if point.efficiency >= HARDLY_LESS_RATIO and point.gpu_count > 1:
        return _("les échanges coûtent moins de 1\u00a0% du temps")
    return _("%(share)s de l’idéal") % {"share": efficiency(point)}


def _bold(text: str) -> SafeString:
    return format_html('<b class="gpu">{}</b>', text)


def _cost(estimate: ParallelismEstimate) -> SafeString:
    if estimate.chosen is None or estimate.chosen.eur is None:
        return SafeString("")
    return format_html(_(", pour {}"), words.nowrap(_("%(amount)s HT") % {"amount": _amount(estimate.chosen)}))


def _amount(point: Point) -> str:
    return formats.money(point.eur, decimals=0)


def efficiency(point: Point) -> str:
    """The share of the ideal speed-up; never 100 % where something is lost."""
    if ALMOST_ALL_RATIO <= point.efficiency < 1:
        return f">{formats.NBSP}{formats.percent(ALMOST_ALL_RATIO, 1)}"
    return formats.percent(point.efficiency, 1 if point.efficiency >= ONE_DECIMAL_FROM and point.gpu_count > 1 else 0)


def sentence(estimate: ParallelismEstimate) -> str:
    """The same sentence as plain text."""
    return plain(lead(estimate))


def short(estimate: ParallelismEstimate) -> str:
    """The days alone, or why there are none."""
    if estimate.chosen is not None and estimate.chosen.fits is False:
        return _("ne tient pas")
    return parallelism_units.days(estimate.chosen.days) if estimate.chosen else _("pas de réponse")


def eyebrow(estimate: ParallelismEstimate) -> str:
    """What is trained."""
    tokens = quantities.token_count(estimate.scenario.tokens_count)
    size = parallelism_units.params(estimate.params_count)
    if estimate.model is not None:
        return _("%(model)s (%(size)s de paramètres), %(tokens)s") % {
            "model": estimate.model.name,
            "size": size,
            "tokens": tokens,
        }
    return _("%(size)s de paramètres, %(tokens)s") % {"size": size, "tokens": tokens}


def machines(point: Point) -> str:
    """The number of machines in words."""
    text = ngettext("%(count)s machine", "%(count)s machines", point.machines)
    return text % {"count": formats.number(point.machines)}
