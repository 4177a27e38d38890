"""Trainings and indexings of a piece of advice in words: one line for each way, and why others were left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from calculator import formats, permalinks
from calculator.domain.training import Method
from calculator.domain.training_scenario import Speed, Verdict
from calculator.language import gettext as _
from calculator.presenters import quantities
from calculator.presenters.badges import Badge, of_kind
from sales.advising.words import METHODS
from sales.domain.advice import Advice
from sales.domain.indexing_offers import IndexingOption
from sales.domain.need import Use
from sales.domain.training_offers import TrainingOption


@dataclass(frozen=True, slots=True)
class JobLine:
    """One way to do a job that is paid once, or as often as it is run. A quote is made only of what is sold: an API is
    bought from its vendor, and the page says so."""

    code: str
    title: str
    css: str
    amount: str
    note: str
    time: str
    time_css: str
    per_mtok: str
    facts: tuple[tuple[str, str], ...]
    losing: tuple[str, ...]
    trust: Badge | None
    calculator: str
    query: str
    is_sold: bool = True


def once(option: TrainingOption) -> str:
    """What the amount of a training is for."""
    if option.runs_a_month == 1:
        return _("HT, une fois")
    return _("HT par mois, %(count)s fois") % {"count": formats.number(option.runs_a_month)}


def per_mtok(value: Decimal | None) -> str:
    """What a million tokens costs; empty without a price, which the amount says already."""
    return "" if value is None else _("%(amount)s par million de tokens") % {"amount": formats.unit_price(value)}


def fitting(advice: Advice) -> tuple[TrainingOption, ...]:
    """The trainings that run."""
    return tuple(one for one in advice.training if one.seconds is not None)


def training_lines(advice: Advice) -> tuple[JobLine, ...]:
    """Every SKU that runs the training, best first."""
    return tuple(training_line(option) for option in fitting(advice))


def training_line(option: TrainingOption) -> JobLine:
    """One SKU for the training."""
    return JobLine(
        code=f"train-{option.sku.code.lower()}",
        title=option.sku.code,
        css="gpu",
        amount=formats.money(option.month_eur, unknown=_("sur devis")),
        note=once(option) if option.eur is not None else "",
        time=quantities.duration(option.seconds),
        time_css="good" if option.in_time else "bad",
        per_mtok=per_mtok(option.eur_per_mtok),
        facts=tuple(training_facts(option)),
        losing=tuple(training_losing(option)),
        trust=of_kind(option.trust),
        calculator="training",
        query=permalinks.write(option.scenario),
    )


def training_facts(option: TrainingOption) -> Iterator[tuple[str, str]]:
    """The card, the set-up and where the speed comes from."""
    scenario = option.scenario
    yield _("Carte"), option.sku.label
    yield (
        _("Réglage"),
        _("micro-batch %(micro)s, accumulation %(accumulation)s, séquences de %(length)s tokens")
        % {
            "micro": formats.number(scenario.micro_batch),
            "accumulation": formats.number(scenario.accumulation),
            "length": formats.number(scenario.sequence_tokens),
        },
    )
    yield _("Vitesse"), _("annoncée par le vendeur") if option.speed is Speed.PUBLISHED else _("estimée")


def training_losing(option: TrainingOption) -> Iterator[str]:
    """The deadline under which the option no longer does."""
    if option.in_time:
        yield _("Perd si le délai voulu passe sous %(time)s.") % {"time": quantities.duration(option.seconds)}
    else:
        yield _("Perd\u00a0: dépasse le délai voulu.")


def training_note(advice: Advice) -> str:
    """What is trained, in one sentence; empty without a training."""
    if not advice.training:
        return ""
    scenario = advice.training[0].scenario
    if scenario.method is Method.PRETRAIN:
        return _("Pré-entraînement de %(params)s paramètres sur %(tokens)s tokens.") % {
            "params": formats.tokens_before(scenario.params_count),
            "tokens": formats.tokens_before(scenario.total_tokens),
        }
    return _("%(method)s de %(model)s sur %(rows)s exemples de %(tokens)s tokens, passages\u00a0: %(epochs)s.") % {
        "method": str(METHODS[scenario.method]),
        "model": scenario.model,
        "rows": formats.number(scenario.data_rows),
        "tokens": formats.number(scenario.mean_tokens),
        "epochs": formats.number(scenario.epochs),
    }


def indexing_lines(advice: Advice) -> tuple[JobLine, ...]:
    """Every way to index, best first."""
    return tuple(indexing_line(option) for option in advice.indexing.options) if advice.indexing else ()


def indexing_line(option: IndexingOption) -> JobLine:
    """One embedding model, or one GPU."""
    name = option.api.label if option.api else getattr(option.sku, "code", "")
    reader = _("%(model)s, un morceau à la fois") % {"model": option.scenario.model}
    return JobLine(
        code=f"index-{(option.api.code if option.api else name).lower().replace('.', '-')}",
        title=name,
        css="api" if option.api else "gpu",
        amount=formats.money(option.eur, unknown=_("sur devis")),
        note=_("HT, une fois") if option.eur is not None else "",
        time=quantities.duration(option.seconds) if option.seconds is not None else _("durée inconnue"),
        time_css="idle",
        per_mtok=per_mtok(option.eur_per_mtok),
        facts=((_("Modèle"), reader),) if option.sku else (),
        losing=(),
        trust=of_kind(option.trust),
        calculator="tokens",
        query=permalinks.write(option.scenario),
        is_sold=option.sku is not None,
    )


def indexing_note(advice: Advice) -> str:
    """What is indexed, in one sentence; empty without documents."""
    if advice.indexing is None or not advice.indexing.options:
        return ""
    scenario = advice.indexing.scenario
    return _("%(documents)s documents de %(mean)s tokens\u00a0: %(tokens)s tokens à lire, morceaux compris.") % {
        "documents": formats.tokens_before(scenario.documents_count),
        "mean": formats.number(scenario.mean_tokens),
        "tokens": formats.tokens_before(advice.indexing.tokens),
    }


def left_out(advice: Advice) -> Iterator[tuple[str, str]]:
    """SKUs that the training does not fit, embedding models that a constraint rules out."""
    words = {
        Verdict.MISFIT: _("l’entraînement n’y tient pas en mémoire"),
        Verdict.IMPOSSIBLE: _("aucun découpage valide"),
        Verdict.BATCH: _("le batch ne se partage pas"),
    }
    for option in advice.training:
        if option.seconds is None:
            yield option.sku.code, words.get(option.verdict, _("vitesse non modélisée"))
    for api in advice.indexing.left if advice.indexing else ():
        yield api.label, _("écartée avec les autres API")


def is_main(advice: Advice) -> bool:
    """Whether the job, and not the serving, is what the need is about."""
    return advice.scenario.use in (Use.INDEX, Use.TUNE, Use.PRETRAIN) or not advice.scenario.serves
