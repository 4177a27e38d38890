"""The inference answer in one sentence, and the four figures under it."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.memory import Line
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_outcome import Miss, Target
from calculator.domain.serving_scenario import InferenceScenario
from calculator.language import gettext as _
from calculator.presenters import inference_notices
from calculator.presenters import inference_words as words
from calculator.presenters.headline import plain
from calculator.presenters.stats import Stat
from calculator.presenters.words import nowrap


def machine(estimate: InferenceEstimate) -> SafeString:
    """The chosen machines in bold."""
    values = estimate.headline.values
    return format_html('<b class="gpu">{}</b>', words.machine(str(values["sku"]), estimate.scenario.instances))


def lead(estimate: InferenceEstimate) -> SafeString:
    """The sentence as markup."""
    told = {
        "meets": _meets,
        "misses": _misses,
        "beyond_capacity": _beyond,
        "does_not_fit": _does_not_fit,
        "not_modelled": _not_modelled,
        "measured_only": _measured,
    }[estimate.headline.code](estimate)
    return format_html("{}{}", told, _cache(estimate))


def _cache(estimate: InferenceEstimate) -> str:
    """That the configuration of this answer asks for another cache than the one that is estimated."""
    if any(message.code == "fp8_cache_not_written" for message in estimate.warnings):
        return _(" Ce cache fp8 est émulé : la configuration écrit 16 bits.")
    return ""


def condition(scenario: InferenceScenario, gpus: int) -> str:
    """What one replica over several instances supposes; empty where each has its own. `gpus` are an instance's."""
    if scenario.replica_gpus <= gpus:
        return ""
    return f", {words.together(scenario, gpus)}"


def sentence(estimate: InferenceEstimate) -> str:
    """The same sentence as plain text, for the status region, the command line and the exports."""
    return plain(lead(estimate))


def eyebrow(estimate: InferenceEstimate) -> str:
    """What the sentence is about: model, lengths, load."""
    scenario = estimate.scenario
    return _("%(model)s, prompt de %(prompt)s tokens, réponse de %(output)s, %(load)s") % {
        "model": estimate.headline.values["model"],
        "prompt": formats.number(scenario.prompt_tokens),
        "output": formats.number(scenario.output_tokens),
        "load": words.load(scenario),
    }


def has_targets(scenario: InferenceScenario) -> bool:
    """Whether the visitor set any target."""
    return any((scenario.first_token_ms, scenario.token_ms, scenario.end_to_end_ms))


def _reached(estimate: InferenceEstimate) -> dict[str, str]:
    speed = estimate.speeds
    return {
        "ttft": words.milliseconds(speed.first_token_s.value if speed else None),
        "user": words.rate(speed.user_tok_per_s.value if speed else None),
    }


def _meets(estimate: InferenceEstimate) -> SafeString:
    reached = _reached(estimate)
    text = _("{} tient vos objectifs\u00a0: premier token en {}, {} par flux{}.")
    if not has_targets(estimate.scenario):
        text = _("{} donne le premier token en {}, puis {} par flux{}.")
    held = estimate.chosen.layout
    supposed = condition(estimate.scenario, held.offer.sku.gpu_count) if held else ""
    return format_html(text, machine(estimate), reached["ttft"], reached["user"], _margin(estimate) + supposed)


def _margin(estimate: InferenceEstimate) -> str:
    """What is said of a target held by less than the band."""
    tight = any(message.code == "margin_within_band" for message in estimate.warnings)
    return _(", mais sans marge") if tight else ""


def _misses(estimate: InferenceEstimate) -> SafeString:
    worst = max(estimate.chosen.misses, key=lambda item: item.excess_ratio)
    return format_html(_("{} manque un objectif\u00a0: {}.{}"), machine(estimate), words.miss(worst), _way(estimate))


def _way(estimate: InferenceEstimate) -> SafeString:
    """The cheapest setup that holds everything, where there is one."""
    cheapest = estimate.ranking.cheapest
    if cheapest is None:
        return SafeString("")
    name = nowrap(words.machine(cheapest.offer.sku.code, cheapest.scenario.instances))
    supposed = condition(cheapest.scenario, cheapest.offer.sku.gpu_count)
    return format_html(_(" {} convient pour {}/h{}."), name, formats.unit_price(cheapest.eur_per_h), supposed)


def _beyond(estimate: InferenceEstimate) -> SafeString:
    rate = next(item for item in estimate.chosen.misses if item.target is Target.RATE)
    return format_html(_("{} est débordé\u00a0: {}.{}"), machine(estimate), words.miss(rate), _way(estimate))


def _does_not_fit(estimate: InferenceEstimate) -> SafeString:
    failing, memory = estimate.chosen.failing, estimate.chosen.memory
    lacking = words.bytes_text(memory.lacking_bytes) if memory else _("inconnu")
    if failing is Line.WEIGHTS:
        text = _("Ne tient pas sur {}\u00a0: les poids débordent, il manque {}.{}")
    elif failing is Line.RUNTIME:
        text = _("Ne tient pas sur {}\u00a0: les poids ne laissent pas la place du moteur, il manque {}.{}")
    else:
        text = _("Ne tient pas sur {}\u00a0: aucune séquence n’entre dans le cache KV, il manque {}.{}")
    return format_html(text, machine(estimate), lacking, _way(estimate))


def _not_modelled(estimate: InferenceEstimate) -> SafeString:
    """The reason itself: the notices come with the most serious first."""
    reason = inference_notices.notices(estimate)[0]
    return format_html(_("Pas d’estimation pour {} avec ces réglages. {}"), machine(estimate), reason.text)


def _measured(estimate: InferenceEstimate) -> SafeString:
    """What we measured, with its own conditions: they need not be those asked for."""
    run = estimate.measured
    assert run is not None
    text = _("{} a produit {} avec {}, à {}, prompts de {} tokens et réponses de {}\u00a0: mesure {}.")
    lengths = (formats.number(run.prompt_tokens), formats.number(run.output_tokens))
    rate = words.rate(run.output_tok_per_s.value)
    return format_html(text, machine(estimate), rate, run.model, words.streams(run.concurrency), *lengths, run.run)


def stats(estimate: InferenceEstimate) -> tuple[Stat, ...]:
    """First token, rate of a stream, rate in total, cost per million; none where nothing is served."""
    if estimate.speeds is None:
        return ()
    return (_first_token(estimate), _user(estimate), _total(estimate), _cost(estimate))


def _first_token(estimate: InferenceEstimate) -> Stat:
    speed, target = estimate.speeds, estimate.scenario.first_token_ms
    assert speed is not None
    wanted = _("objectif %(limit)s") % {"limit": words.target_ms(target)} if target else ""
    note = words.joined((words.band(speed.first_token_s), wanted))
    return Stat(words.milliseconds(speed.first_token_s.value), _("jusqu’au premier token"), note)


def _user(estimate: InferenceEstimate) -> Stat:
    speed = estimate.speeds
    assert speed is not None
    note = words.band(speed.user_tok_per_s, "tok/s")
    return Stat(
        words.rate(speed.user_tok_per_s.value),
        _("par flux, à %(load)s") % {"load": words.load(estimate.scenario)},
        note,
    )


def _total(estimate: InferenceEstimate) -> Stat:
    speed = estimate.speeds
    assert speed is not None
    note = words.band(speed.total_tok_per_s, "tok/s")
    return Stat(words.rate(speed.total_tok_per_s.value), _("débit total de sortie"), note)


def _cost(estimate: InferenceEstimate) -> Stat:
    cost = estimate.cost
    if cost is None:
        return Stat(_("sur devis"), _("HT par million de tokens de sortie"), "")
    note = words.price_band(cost.output.low, cost.output.high)
    return Stat(formats.unit_price(cost.output.value), _("HT par million de tokens de sortie"), note)


def reasons(misses: tuple[Miss, ...]) -> str:
    """Missed targets, one after the other."""
    return words.joined(words.miss(item) for item in misses)
