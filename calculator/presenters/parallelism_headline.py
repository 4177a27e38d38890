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
        _("Sur {}, l’entraînement dure {} au lieu de {} sur un seul\u00a0: {} fois plus vite, {} de l’idéal{}."),
        words.nowrap(machine(estimate)),
        _bold(parallelism_units.days(estimate.chosen.days)),
        words.nowrap(parallelism_units.days(estimate.one_gpu_days)),
        formats.number(estimate.chosen.speed_up, 2),
        words.nowrap(efficiency(estimate.chosen)),
        _cost(estimate),
    )


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
