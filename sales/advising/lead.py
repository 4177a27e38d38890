"""The advisor's sentence: which way wins, at what cost, and the best of the other ways beside it."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from calculator import formats
from calculator.language import gettext as _
from calculator.presenters import inference_words, quantities, words
from calculator.presenters.headline import plain
from calculator.tool import Answer
from sales.advising import jobs
from sales.advising.words import USES
from sales.domain.advice import Advice, rival
from sales.domain.need import volume_tokens
from sales.domain.options import Option, Targets, Way
from sales.domain.training_offers import TrainingOption


def eyebrow(advice: Advice) -> str:
    """What the sentence is about."""
    use, volume = str(USES[advice.scenario.use]), volume_tokens(advice.scenario)
    if volume is None:
        return use
    count = formats.tokens_before(volume)
    return _("%(use)s, %(count)s tokens de sortie par mois") % {"use": use, "count": count}


def name(option: Option) -> str:
    """“2 × GPU-PRO”, “gpt-5.4-mini”, “GPU-PRO + gpt-5.4-mini”."""
    parts = []
    if option.sized is not None:
        parts.append(inference_words.machine(option.sized.sku.code, option.instances or 1))
    if option.api is not None:
        parts.append(option.api.label)
    return " + ".join(parts)


def month(option: Option) -> str:
    """What a month of an option costs; a price on request is said to be one."""
    return formats.money(option.month_eur, unknown=_("sur devis"))


def bold(text: str, way: Way) -> SafeString:
    """An amount in the colour of its way."""
    return format_html('<b class="{}">{}</b>', "api" if way is Way.API else "gpu", text)


def cost(option: Option) -> SafeString:
    """“830,64 € HT par mois” in bold."""
    if option.month_eur is None:
        return bold(_("sur devis"), option.way)
    return bold(_("%(amount)s HT par mois") % {"amount": month(option)}, option.way)


def lead(advice: Advice) -> SafeString:
    """The sentence as markup: the job that the need is about first, what is served after it."""
    parts = [trained(advice), indexed(advice)]
    parts = [*parts, served(advice)] if jobs.is_main(advice) else [served(advice), *parts]
    return format_html_join(" ", "{}", ((part,) for part in parts if part))


def trained(advice: Advice) -> SafeString:
    """Which GPU trains best, how long and for how much."""
    if not advice.training:
        return SafeString("")
    options = jobs.fitting(advice)
    if not options:
        return format_html("{}", _("Aucun GPU de l’offre ne tient cet entraînement."))
    best = options[0]
    text = _("Pour entraîner, {} en {}\u00a0: {}.")
    return format_html(text, words.nowrap(best.sku.code), words.nowrap(quantities.duration(best.seconds)), run(best))


def run(option: TrainingOption) -> SafeString:
    """What a training costs, in bold."""
    if option.eur is None:
        return bold(_("sur devis"), Way.GPU)
    return bold(f"{formats.money(option.month_eur)} {jobs.once(option)}", Way.GPU)


def indexed(advice: Advice) -> SafeString:
    """Which way indexes cheapest, with the best GPU beside it."""
    options = advice.indexing.options if advice.indexing else ()
    if not options:
        return SafeString("")
    best = jobs.indexing_line(options[0])
    amount = bold(f"{best.amount} {best.note}", Way.GPU if options[0].sku else Way.API)
    return format_html(_("Pour indexer, {}\u00a0: {}."), words.nowrap(best.title), amount)


def served(advice: Advice) -> SafeString:
    """Which way serves best."""
    found = advice.serving
    match advice.headline.code:
        case "nothing_served":
            return SafeString("")
        case "nothing_possible":
            return format_html(
                _("Aucune offre ne répond à ce besoin avec {}."), words.nowrap(advice.scenario.open_model)
            )
    assert found is not None
    best = found.options[0]
    shown = words.nowrap(name(best))
    sentences = {
        "none_meets": _("Aucune offre ne tient les délais demandés. La plus proche, {}, coûte {}."),
        "api_wins": _("L’API gagne\u00a0: {} coûte {}"),
        "hybrid_wins": _("L’hybride gagne\u00a0: {} coûtent {}"),
        "gpu_wins": _("Le GPU dédié gagne\u00a0: {} coûte {}"),
        "equivalent": _("Équivalent, à 5\u00a0% près\u00a0: {} coûte {}"),
    }
    if advice.headline.code == "on_request":
        return format_html(_("{} convient, son prix est sur devis."), shown)
    start = format_html(sentences[advice.headline.code], shown, cost(best))
    return start if advice.headline.code == "none_meets" else format_html("{}{}", start, beside(advice))


def beside(advice: Advice) -> SafeString:
    """The best option of another way, as the end of the sentence."""
    best = advice.serving.options[0] if advice.serving else None
    if best is None:
        return SafeString("")
    other = rival(advice.serving.options) if advice.serving else None
    if other is None:
        return SafeString(".")
    if other.targets is Targets.MISSED:
        return format_html("{}", _("\u00a0; aucun GPU ne tient vos délais."))
    texts = {
        Way.GPU: _(", le GPU le moins cher, {}, {}."),
        Way.API: _(", l’API la moins chère, {}, {}."),
        Way.HYBRID: _(", l’hybride le moins cher, {}, {}."),
    }
    return format_html(texts[other.way], words.nowrap(name(other)), cost(other))


def sentence(advice: Advice) -> str:
    """The sentence as plain text."""
    return plain(lead(advice))


def short(found: Answer) -> str:
    """The month of the best option, for the notice of an old link."""
    return headline_amount(found.estimate)


def headline_amount(advice: Advice) -> str:
    """What the first job costs, or that there is no offer."""
    if jobs.is_main(advice):
        lines = (*jobs.training_lines(advice), *jobs.indexing_lines(advice))
        if lines:
            return f"{lines[0].amount} {lines[0].note}".strip()
    options = advice.serving.options if advice.serving else ()
    if not options:
        return _("aucune offre")
    if options[0].month_eur is None:
        return _("sur devis")
    return _("%(amount)s HT par mois") % {"amount": month(options[0])}
