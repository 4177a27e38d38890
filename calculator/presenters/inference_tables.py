"""The tables of the inference page: memory, ways out, ranking, goodput, curve, cost."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from calculator import calibrated, formats, permalinks
from calculator.domain.misfit import WayOut
from calculator.domain.ranking import Candidate
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_cost import PriceRange
from calculator.domain.serving_load import Served
from calculator.domain.serving_outcome import Outcome, ServingMemory
from calculator.domain.serving_scenario import InferenceScenario, KnownRun, LoadBy
from calculator.language import gettext as _
from calculator.presenters import inference_lead, quantities
from calculator.presenters import inference_words as words
from calculator.presenters.badges import Badge, badge
from calculator.presenters.inference_notices import notice


class MemoryLine(NamedTuple):
    """One part of a GPU's memory, with the role of its colour."""

    name: str
    size: str
    role: str
    bytes: float


class Way(NamedTuple):
    """A way out: what to change, what it gives, what it costs more, and the link that applies it."""

    title: str
    effect: str
    price: str
    mark: str
    css: str
    query: str


class RankLine(NamedTuple):
    """One offer of the ranking."""

    code: str
    detail: str
    first_token: str
    user: str
    per_mtok: str
    mark: str
    css: str
    reason: str
    query: str
    is_chosen: bool
    on_front: bool


class CurveLine(NamedTuple):
    """One point of the throughput–latency curve."""

    clients: str
    total: str
    user: str
    first_token: str
    token: str
    is_chosen: bool
    is_best: bool


class RunLine(NamedTuple):
    """One of our own runs: its rate with the badge that leads to it, its conditions, the link that asks for them."""

    load: str
    lengths: str
    setup: str
    rate: str
    badge: Badge | None
    run: str
    query: str


class CostLine(NamedTuple):
    """One way of counting the cost of a million tokens."""

    name: str
    value: str
    band: str


def runs(estimate: InferenceEstimate) -> tuple[RunLine, ...]:
    """Our own runs of this model on this SKU, in words."""
    return tuple(run_line(estimate.scenario, run) for run in ordered(estimate))


def ordered(estimate: InferenceEstimate) -> list[KnownRun]:
    """Our own runs by engine, format and load."""
    return sorted(estimate.runs, key=lambda run: (run.engine, run.precision, run.concurrency, run.run))


def run_line(scenario: InferenceScenario, run: KnownRun) -> RunLine:
    """A run in words."""
    asked = replace(
        scenario,
        load=LoadBy.CONCURRENCY,
        concurrency=run.concurrency,
        prompt_tokens=run.prompt_tokens,
        output_tokens=run.output_tokens,
        precision=run.precision,
        engine=run.engine,
        calibration=calibrated.mark(),
    )
    return RunLine(
        load=words.streams(run.concurrency),
        lengths=f"{formats.number(run.prompt_tokens)} + {formats.number(run.output_tokens)}",
        setup=f"{run.engine.value}, {words.precision(run.precision)}",
        rate=words.rate(run.output_tok_per_s.value),
        badge=badge(run.output_tok_per_s),
        run=run.run,
        query=permalinks.write(asked),
    )


def memory_lines(memory: ServingMemory) -> tuple[MemoryLine, ...]:
    """What fills one GPU, what stays free, what the engine leaves alone."""
    roles = {"weights": "gpu", "runtime": "mute", "kv_cache": "api"}
    lines = [
        MemoryLine(str(words.LINES[line]), words.bytes_text(size), roles[line.value], size)
        for line, size in memory.estimate.lines
    ]
    reserved = max(0.0, memory.total_bytes - max(memory.estimate.usable_bytes, memory.estimate.needed_bytes))
    lines.append(MemoryLine(_("libre"), words.bytes_text(memory.free_bytes), "free", memory.free_bytes))
    lines.append(MemoryLine(_("laissé hors du moteur"), words.bytes_text(reserved), "rest", reserved))
    return tuple(line for line in lines if line.bytes > 0)


def memory_title(estimate: InferenceEstimate) -> str:
    """The finding of the memory bar."""
    memory = estimate.chosen.memory
    if memory is None:
        return ""
    needed, usable = (words.bytes_text(size) for size in (memory.estimate.needed_bytes, memory.estimate.usable_bytes))
    if not estimate.chosen.fits:
        return _("Mémoire\u00a0: il faut %(needed)s, %(usable)s sont utilisables") % {
            "needed": needed,
            "usable": usable,
        }
    return _("Mémoire\u00a0: %(needed)s sur %(usable)s utilisables") % {"needed": needed, "usable": usable}


def memory_note(estimate: InferenceEstimate) -> str:
    """The room of the cache: tokens, sequences at the mean and at the whole context."""
    memory = estimate.chosen.memory
    if memory is None or not estimate.chosen.fits:
        return ""
    return _(
        "Le cache tient %(tokens)s tokens par réplique\u00a0: %(mean)s séquences au contexte moyen, %(full)s au "
        "contexte entier."
    ) % {
        "tokens": formats.tokens_before(int(memory.room_tokens), digits=3),
        "mean": formats.number(int(memory.mean_sequences)),
        "full": formats.number(int(memory.full_sequences)),
    }


def ways(estimate: InferenceEstimate) -> tuple[Way, ...]:
    """The ways out, cheapest first."""
    return tuple(_way(way, estimate.scenario) for way in estimate.ways_out)


def way_title(way: WayOut, asked: InferenceScenario) -> str:
    """What to change, in words."""
    title = change_title(way, asked)
    return _("%(title)s, et cache KV en fp16") % {"title": title} if way.with_wide_cache else title


def change_title(way: WayOut, asked: InferenceScenario) -> str:
    """The change itself."""
    found = way.scenario
    machine = words.machine(way_code(way), found.instances)
    titles = {
        "cache_fp8": _("Cache KV en fp8"),
        "fewer_sequences": _("%(streams)s au lieu de %(asked)s")
        % {"streams": words.streams(found.concurrency), "asked": formats.number(asked.concurrency)},
        "cache_fp16": _("Cache KV en fp16"),
        "shorter_prompt": _("Prompt de %(count)s tokens au plus") % {"count": formats.number(found.prompt_tokens)},
        "prefix_cache": _("Moitié du prompt commune, lue dans le cache de préfixes"),
        "tensor_parallel": _("Réplique sur %(count)s GPU (%(machine)s)")
        % {"count": formats.number(found.replica_gpus), "machine": machine},
        "more_instances": _("%(machine)s au lieu de %(asked)s")
        % {"machine": machine, "asked": formats.number(asked.instances)},
        "other_offer": _other(way, machine),
    }
    return titles.get(way.code) or _("Poids %(precision)s") % {"precision": words.precision(found.precision)}


def way_code(way: WayOut) -> str:
    """The code of a way's machine."""
    held = way.outcome.layout
    return held.offer.sku.code if held else way.scenario.sku


def _other(way: WayOut, machine: str) -> str:
    size = way.scenario.replica_gpus
    if size == 1:
        return machine
    named = _("%(machine)s, répliques sur %(count)s GPU") % {"machine": machine, "count": formats.number(size)}
    held = way.outcome.layout
    return named + (inference_lead.condition(way.scenario, held.offer.sku.gpu_count) if held else "")


def _way(way: WayOut, asked: InferenceScenario) -> Way:
    effect = reached(way.outcome)
    if not way.hardware_support:
        effect = words.joined((effect, _("place gagnée, sans unités 8\u00a0bits dans ce GPU")))
    meets = way.outcome.meets
    return Way(
        title=way_title(way, asked),
        effect=effect,
        price=_more(way),
        mark=_("tient tout") if meets else _("tient en mémoire"),
        css="good" if meets else "warn",
        query=permalinks.write(replace(way.scenario, calibration=calibrated.mark())),
    )


def reached(found: Outcome) -> str:
    """What a setup misses; where it holds everything, its first token and the rate of a stream."""
    if found.served is None or found.misses:
        return inference_lead.reasons(found.misses)
    point = found.served.point
    return _("premier token %(ttft)s, %(rate)s par flux") % {
        "ttft": words.milliseconds(point.first_token_s),
        "rate": words.rate(1 / point.token_s),
    }


def _more(way: WayOut) -> str:
    if way.outcome.eur_per_h is None:
        return _("sur devis")
    total = _("%(price)s/h") % {"price": formats.unit_price(way.outcome.eur_per_h)}
    added = way.added_eur_per_h
    if added is None or not added:
        return total
    sign = "+" if added > 0 else formats.MINUS
    return f"{total} ({sign}{formats.unit_price(abs(added))})"


def ranking(estimate: InferenceEstimate) -> tuple[RankLine, ...]:
    """The best line of each offer."""
    return tuple(rank_line(one, estimate) for one in estimate.ranking.by_sku)


def front(estimate: InferenceEstimate) -> tuple[RankLine, ...]:
    """The setups that no other undercuts in both € an hour and latency, the cheapest first."""
    found = [one for one in estimate.ranking.candidates if one.on_front]
    return tuple(rank_line(one, estimate) for one in sorted(found, key=lambda one: one.eur_per_h or Decimal(0)))


def rank_line(one: Candidate, estimate: InferenceEstimate) -> RankLine:
    """One candidate in words."""
    found, scenario = one.outcome, one.scenario
    point = found.served.point if found.served else None
    mark, css = verdict(found)
    return RankLine(
        code=words.machine(one.offer.sku.code, scenario.instances),
        detail=detail(one),
        first_token=words.milliseconds(point.first_token_s) if point else "–",
        user=words.rate(1 / point.token_s) if point else "–",
        per_mtok=per_mtok(one),
        mark=mark,
        css=css,
        reason=reason(one, estimate),
        query=permalinks.write(replace(scenario, calibration=calibrated.mark())),
        is_chosen=one.offer.sku.code == estimate.headline.values["sku"],
        on_front=one.on_front,
    )


def detail(one: Candidate) -> str:
    """Card, division and price of one line."""
    scenario = one.scenario
    parts = [one.offer.sku.label]
    if scenario.also_ranked:
        parts.append(words.precision(scenario.precision))
    if scenario.tensor > 1:
        parts.append(f"TP\u00a0{scenario.tensor}")
    if scenario.stages > 1:
        parts.append(f"PP\u00a0{scenario.stages}")
    if one.with_wide_cache:
        parts.append(_("cache KV en fp16"))
    if one.needs_one_machine:
        parts.append(words.together(scenario, one.offer.sku.gpu_count))
    hourly = one.eur_per_h
    parts.append(_("sur devis") if hourly is None else _("%(price)s/h") % {"price": formats.unit_price(hourly)})
    return " · ".join(part for part in parts if part)


def verdict(found: Outcome) -> tuple[str, str]:
    """Whether a setup holds everything, as words and CSS class."""
    if found.meets:
        return _("oui"), "good"
    return _("non"), "bad"


def per_mtok(one: Candidate) -> str:
    """€ per million output tokens at full planned use; a dash where nothing is served."""
    found = one.outcome
    if found.served is None:
        return "–"
    if one.eur_per_h is None:
        return _("sur devis")
    tokens_an_hour = Decimal(repr(found.served.output_tok_per_s)) * 3600 * one.scenario.utilisation_ratio
    return formats.unit_price(one.eur_per_h * 10**6 / tokens_an_hour)


def reason(one: Candidate, estimate: InferenceEstimate) -> str:
    """Why a line fails, or what it has to spare."""
    found = one.outcome
    if found.reasons:
        return notice(found.reasons[0]).lead
    if not found.fits and found.memory is not None and found.failing is not None:
        return _("ne tient pas\u00a0: %(line)s, il manque %(size)s") % {
            "line": str(words.LINES[found.failing]),
            "size": words.bytes_text(found.memory.lacking_bytes),
        }
    if found.misses:
        return inference_lead.reasons(found.misses)
    return _("le moins cher qui convient") if one == estimate.ranking.cheapest else ""


def curve(estimate: InferenceEstimate) -> tuple[CurveLine, ...]:
    """The points of the curve."""
    best = estimate.best.served.concurrency if estimate.best else None
    chosen = estimate.chosen.served.concurrency if estimate.chosen.served else None
    return tuple(_point(one, chosen, best) for one in estimate.curve)


def _point(one: Served, chosen: float | None, best: float | None) -> CurveLine:
    return CurveLine(
        clients=words.clients(one.concurrency),
        total=words.rate(one.output_tok_per_s),
        user=words.rate(1 / one.point.token_s),
        first_token=words.milliseconds(one.point.first_token_s),
        token=words.milliseconds(one.point.token_s),
        is_chosen=one.concurrency == chosen,
        is_best=one.concurrency == best,
    )


def goodput(estimate: InferenceEstimate) -> str:
    """Requests a second that hold the targets, between its bounds."""
    found = estimate.goodput
    if found is None:
        return ""
    rate = quantities.digits(found.requests_per_s)
    share, most = formats.percent(found.low_ratio), formats.percent(found.high_ratio)
    if share == most:
        return _("Indication\u00a0: %(share)s des %(rate)s requêtes/s dans les objectifs") % {
            "share": share,
            "rate": rate,
        }
    shares = {"low": share, "high": most, "rate": rate}
    return _("Indication\u00a0: %(low)s à %(high)s des %(rate)s requêtes/s dans les objectifs") % shares


def costs(estimate: InferenceEstimate) -> tuple[CostLine, ...]:
    """Every way of counting the cost of a million tokens at this point, then at the best one."""
    return tuple(_costs(estimate))


def _costs(estimate: InferenceEstimate) -> Iterator[CostLine]:
    cost = estimate.cost
    if cost is None:
        return
    yield _cost(_("sortie, tout compris"), cost.output)
    yield _cost(_("sortie, part des étapes de décodage"), cost.output_share)
    if cost.input_share is not None:
        yield _cost(_("entrée, part de la lecture des prompts"), cost.input_share)
    yield _cost(_("entrée et sortie confondues"), cost.total)
    if estimate.scenario.volume_tokens is not None:
        yield _cost(_("sortie, à pleine capacité prévue"), cost.planned)
    best = estimate.best
    if best is not None and best.cost is not None:
        name = _("sortie, au meilleur point (%(streams)s)") % {"streams": words.streams(best.served.concurrency)}
        yield _cost(name, best.cost.output)


def _cost(name: str, price: PriceRange) -> CostLine:
    return CostLine(name, formats.unit_price(price.value), words.price_band(price.low, price.high))
