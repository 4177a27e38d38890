"""The training answer in one sentence, and the four figures under it."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.memory import Line
from calculator.domain.training import Method
from calculator.domain.training_scenario import TrainingEstimate, Utilisation
from calculator.domain.training_work import whole_steps
from calculator.language import gettext as _
from calculator.presenters import quantities, training_notices, training_words, words
from calculator.presenters.headline import plain
from calculator.presenters.stats import Stat


def subject(estimate: TrainingEstimate) -> SafeString:
    """“L’affinage QLoRA de Mistral-7B sur GPU-PRO”."""
    pattern = {
        Method.QLORA: _("L’affinage QLoRA de {} sur {}"),
        Method.LORA: _("L’affinage LoRA de {} sur {}"),
        Method.FULL: _("L’affinage complet de {} sur {}"),
        Method.PRETRAIN: _("Le pré-entraînement de {} sur {}"),
    }[estimate.scenario.method]
    model = words.nowrap(_model(estimate))
    where = words.nowrap(training_words.machine(estimate.sku, estimate.scenario.instances))
    return format_html(pattern, model, where)


def _model(estimate: TrainingEstimate) -> str:
    if estimate.scenario.params_count is None:
        return estimate.model.name
    return _("%(count)s de paramètres") % {"count": formats.tokens(estimate.model.params_total)}


def _bold(text: str) -> SafeString:
    return format_html('<b class="gpu">{}</b>', text)


def lead(estimate: TrainingEstimate) -> SafeString:
    """The answer, or the first thing that stands in its way."""
    what, memory = subject(estimate), estimate.fit.memory
    took = estimate.duration
    time = _bold(quantities.duration(took.with_retries_s)) if took else SafeString("")
    match estimate.headline.code:
        case "takes_and_costs":
            amount = _bold(_("%(amount)s HT") % {"amount": _cost(estimate)})
            return format_html(_("{} prend {} et coûte {}."), what, time, amount)
        case "price_on_request":
            return format_html(_("{} prend {}\u00a0; son prix est sur devis."), what, time)
        case "does_not_fit":
            needed, usable = training_words.needed(estimate.fit), training_words.gib(memory.usable_bytes)
            return format_html(
                _("{} ne tient pas en mémoire\u00a0: il faut {} par GPU, il y en a {}."),
                what,
                _bold(needed),
                words.nowrap(usable),
            )
        case "division_invalid":
            fault = next(message for message in estimate.warnings if message.code.startswith("fault_"))
            text = _("{} est impossible avec cette division. {}")
            return format_html(text, what, training_notices.notice_of(fault).text)
        case "no_work":
            return format_html(_("{}\u00a0: indiquez le travail à faire pour connaître sa durée."), what)
    return format_html(_("{}\u00a0: durée inconnue, faute de vitesse."), what)


def sentence(estimate: TrainingEstimate) -> str:
    """The same as plain text."""
    return plain(lead(estimate))


def _cost(estimate: TrainingEstimate) -> str:
    return training_words.eur(estimate.bill.eur if estimate.bill else None, estimate)


def eyebrow(estimate: TrainingEstimate) -> str:
    """The work that the sentence is about."""
    work = estimate.amount
    if work is None:
        return _("Travail non précisé")
    parts = [
        quantities.token_count(work.tokens),
        _("%(count)s séquences par pas") % {"count": formats.number(work.global_batch)},
        _("%(count)s pas") % {"count": formats.number(whole_steps(work))},
    ]
    if work.epochs is not None:
        parts.append(_("époques\u00a0: %(count)s") % {"count": quantities.digits(work.epochs)})
    return " · ".join(parts)


def short(estimate: TrainingEstimate) -> str:
    """The key figure for the bar at the bottom of a phone."""
    if estimate.headline.code == "does_not_fit":
        return _("ne tient pas")
    if estimate.duration is None:
        return _("durée inconnue")
    if estimate.bill is None or estimate.bill.eur is None:
        return quantities.duration(estimate.duration.with_retries_s)
    return formats.money(estimate.bill.eur)


def stats(estimate: TrainingEstimate) -> tuple[Stat, ...]:
    """Time, cost, speed and memory."""
    return (_time(estimate), _money(estimate), _speed(estimate), _memory(estimate))


def _time(estimate: TrainingEstimate) -> Stat:
    took = estimate.duration
    if took is None:
        return Stat(_("inconnue"), _("durée"))
    span, note = took.run_s, ""
    if span.low is not None and span.high is not None:
        note = training_words.banded(quantities.duration(span.low), quantities.duration(span.high))
    if estimate.scenario.retry_ratio:
        share = formats.percent(estimate.scenario.retry_ratio)
        note = _("dont %(share)s de marge pour reprises") % {"share": share}
    return Stat(quantities.duration(took.with_retries_s), _("durée"), note)


def _money(estimate: TrainingEstimate) -> Stat:
    bill = estimate.bill
    if bill is None:
        return Stat(_("inconnu"), _("coût HT"))
    note = _("%(hours)s h de GPU") % {"hours": quantities.digits(bill.gpu_h)}
    if bill.low_eur is not None and bill.high_eur is not None:
        note = training_words.banded(formats.money(bill.low_eur), formats.money(bill.high_eur))
    return Stat(_cost(estimate), _("coût HT"), note)


def _speed(estimate: TrainingEstimate) -> Stat:
    rate = estimate.rate
    if rate is None:
        return Stat(_("inconnue"), _("tokens traités par seconde"))
    shares = dict(rate.utilisations)
    note = ""
    if Utilisation.SIX in shares:
        note = _("MFU %(share)s à 6N") % {"share": formats.percent(shares[Utilisation.SIX], 1)}
    if estimate.gpu_count > 1:
        label = _("tok/s pour %(gpus)s GPU") % {"gpus": formats.number(estimate.gpu_count)}
        return Stat(quantities.digits(rate.total_tok_per_s), label, note)
    return Stat(quantities.digits(rate.total_tok_per_s), _("tokens traités par seconde"), note)


def _memory(estimate: TrainingEstimate) -> Stat:
    fit = estimate.fit
    usable = {"usable": training_words.gib(fit.memory.usable_bytes)}
    if not fit.memory.fits:
        failing = training_words.line_name(fit.memory.failing or Line.WEIGHTS).lower()
        note = _("sur %(usable)s\u00a0: ne tient pas (%(line)s)") % {**usable, "line": failing}
    elif fit.unknown:
        return Stat(_("inconnue"), _("mémoire par GPU"), f"{training_words.needed(fit)} {_('sur %(usable)s') % usable}")
    else:
        note = _("sur %(usable)s, tient") % usable
    return Stat(training_words.needed(fit), _("mémoire par GPU"), note)
