"""The whole inference page of one estimate, and the numbered assumptions of its print."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.safestring import SafeString

from calculator import formats
from calculator.charts import inference as charts
from calculator.deploy.point import ServingPoint, is_loadable
from calculator.domain.calibration import Engine
from calculator.domain.provenance import Kind, asked_kind
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_scenario import CachePrecision, InferenceFacts, InferenceScenario
from calculator.language import gettext as _
from calculator.presenters import deploy, inference_formulas, inference_lead, inference_notices, quantities
from calculator.presenters import inference_tables as tables
from calculator.presenters import inference_words as words
from calculator.presenters.badges import Badge, of_kind
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.notices import Notice
from calculator.presenters.page import QUOTE_VALID_DAYS
from calculator.presenters.stats import Stat

PUBLISHED_MEMORY_RATIO, PUBLISHED_SEQUENCES = Decimal("0.9"), 16
"""What the published assistant sets, beside an 8-bit cache."""
CONTEXT_STEP = 256
"""A context length is written rounded up to this many tokens."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure under the sentence that it proves."""

    title: str
    subtitle: str
    figure: charts.Figure


@dataclass(frozen=True, slots=True)
class InferencePage:
    """Everything that inference.html prints of an estimate, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    short: str
    machine: str
    stats: tuple[Stat, ...]
    notices: tuple[Notice, ...]
    ways: tuple[tables.Way, ...]
    runs: tuple[tables.RunLine, ...]
    latency: Drawn | None
    latency_bars: tuple[tuple[str, ...], ...]
    memory: Drawn | None
    memory_lines: tuple[tables.MemoryLine, ...]
    memory_note: str
    curve: Drawn | None
    curve_lines: tuple[tables.CurveLine, ...]
    roofline: Drawn | None
    roofline_lines: tuple[tuple[str, str], ...]
    goodput: str
    ranking: tuple[tables.RankLine, ...]
    ranking_title: str
    front: tuple[tables.RankLine, ...]
    costs: tuple[tables.CostLine, ...]
    cost_note: str
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]
    model_note: str
    deploy: deploy.DeployPage | None


@formats.one_language()
def page(estimate: InferenceEstimate, facts: InferenceFacts) -> InferencePage:
    """The page of an estimate in the active language."""
    at = estimate.scenario.at
    return InferencePage(
        lead=inference_lead.lead(estimate),
        eyebrow=inference_lead.eyebrow(estimate),
        status=inference_lead.sentence(estimate),
        short=short(estimate),
        machine=words.machine(str(estimate.headline.values["sku"]), estimate.scenario.instances),
        stats=inference_lead.stats(estimate),
        notices=inference_notices.notices(estimate),
        ways=tables.ways(estimate),
        runs=tables.runs(estimate),
        latency=latency(estimate),
        latency_bars=latency_bars(estimate),
        memory=memory(estimate),
        memory_lines=tables.memory_lines(estimate.chosen.memory) if estimate.chosen.memory else (),
        memory_note=tables.memory_note(estimate),
        curve=curve(estimate),
        curve_lines=tables.curve(estimate),
        roofline=roofline(estimate),
        roofline_lines=roofline_lines(estimate),
        goodput=tables.goodput(estimate),
        ranking=tables.ranking(estimate),
        ranking_title=ranking_title(estimate),
        front=tables.front(estimate),
        costs=tables.costs(estimate),
        cost_note=cost_note(estimate),
        formulas=inference_formulas.formulas(estimate),
        trust=of_kind(estimate.trust),
        assumptions=assumptions(estimate, facts),
        quote_date=formats.date(at),
        quote_until=formats.date(at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        badges=field_badges(estimate, facts),
        placeholders=placeholders(estimate),
        model_note=model_note(facts),
        deploy=deployed(estimate, facts),
    )


def short(estimate: InferenceEstimate) -> str:
    """A few words for a narrow bar and for the notice of an old link."""
    if estimate.measured is not None:
        return _("%(rate)s mesurés") % {"rate": words.rate(estimate.measured.output_tok_per_s.value)}
    if estimate.speeds is None:
        return _("ne tient pas") if estimate.headline.code == "does_not_fit" else _("sans estimation")
    return _("%(ttft)s, %(rate)s") % {
        "ttft": words.milliseconds(estimate.speeds.first_token_s.value),
        "rate": words.rate(estimate.speeds.user_tok_per_s.value),
    }


def latency(estimate: InferenceEstimate) -> Drawn | None:
    """What the first token waits for, by share."""
    figure, served = charts.latency(estimate), estimate.chosen.served
    if figure is None or served is None:
        return None
    point = served.point
    parts = {
        _("La file d’attente"): point.queue_s,
        _("La lecture du prompt"): point.prefill_s,
        _("L’attente des étapes en cours"): point.first_step_s,
    }
    name, size = max(parts.items(), key=lambda part: part[1])
    share = formats.percent(size / point.first_token_s)
    title = _("%(part)s fait %(share)s du temps jusqu’au premier token") % {"part": name, "share": share}
    return Drawn(title, _("Temps jusqu’au premier token, en ms, à cette charge"), figure)


def latency_bars(estimate: InferenceEstimate) -> tuple[tuple[str, ...], ...]:
    """The data of the first-token figure."""
    return tuple(
        (bar.name, *(words.milliseconds(size) for size in (bar.queue_s, bar.prefill_s, bar.first_step_s)))
        for bar in charts.latency_bars(estimate)
    )


def memory(estimate: InferenceEstimate) -> Drawn | None:
    """What fills one GPU."""
    if estimate.chosen.memory is None or estimate.chosen.layout is None:
        return None
    lines = tables.memory_lines(estimate.chosen.memory)
    usable = estimate.chosen.memory.estimate.usable_bytes
    figure = charts.memory(((line.name, line.bytes, line.role) for line in lines), usable)
    gpu = estimate.chosen.layout.deployment.gpu.name
    held = estimate.chosen.layout.deployment.gpu_count
    subtitle = _("%(gpu)s, un GPU sur %(count)s par réplique") % {"gpu": gpu, "count": formats.number(held)}
    return Drawn(tables.memory_title(estimate), gpu if held == 1 else subtitle, figure)


def curve(estimate: InferenceEstimate) -> Drawn | None:
    """Throughput against latency, titled by what the targets allow."""
    figure = charts.curve(estimate)
    if figure is None:
        return None
    subtitle = _("Temps par token en ms selon le débit total. Cercles vides\u00a0: estimés.")
    best = estimate.best
    if not inference_lead.has_targets(estimate.scenario):
        most = words.streams(estimate.most_clients or 0)
        title = _("Jusqu’à %(streams)s en même temps") % {"streams": most}
    elif best is None:
        title = _("Aucun nombre de flux ne tient vos objectifs ici")
    else:
        title = _("Vos objectifs tiennent jusqu’à %(streams)s") % {"streams": words.streams(best.served.concurrency)}
    return Drawn(title, subtitle, figure)


def roofline(estimate: InferenceEstimate) -> Drawn | None:
    """The roofline, titled by what binds."""
    if estimate.roofline is None:
        return None
    title = _("Une étape de décodage est limitée par %(limit)s") % {
        "limit": str(words.LIMITS[estimate.roofline.binding])
    }
    subtitle = _("TFLOP/s atteints par une réplique, toits de la fiche technique à 100\u00a0%")
    if estimate.chosen.layout is not None and estimate.chosen.layout.deployment.gpu.roofs is not None:
        subtitle = _("TFLOP/s atteints par une réplique, toits mesurés par nos sondes où il y en a")
    return Drawn(title, subtitle, charts.roofline(estimate.roofline))


def roofline_lines(estimate: InferenceEstimate) -> tuple[tuple[str, str], ...]:
    """The data of the roofline, and the parts of a decode step."""
    found = estimate.roofline
    if found is None:
        return ()
    marks = ((_("décodage"), found.decode), (_("lecture du prompt"), found.prefill))
    lines = [
        (_("toit de la mémoire"), quantities.scaled(found.memory_bytes_per_s, "B/s")),
        (_("toit du calcul"), quantities.scaled(found.compute_flop_per_s, "FLOP/s")),
        (_("crête"), f"{quantities.digits(found.ridge_flop_per_byte)}{formats.NBSP}{_('FLOP/octet')}"),
    ]
    for name, mark in marks:
        intensity = f"{quantities.digits(mark.flop_per_byte)}{formats.NBSP}{_('FLOP/octet')}"
        lines.append((name, f"{intensity}, {quantities.scaled(mark.flop_per_s, 'FLOP/s')}"))
    step = sum(size for _limit, size in found.decode_s)
    for limit, size in found.decode_s:
        if size:
            text = f"{words.milliseconds(size)} ({formats.percent(size / step)})"
            lines.append((_("étape\u00a0: %(limit)s") % {"limit": str(words.LIMITS[limit])}, text))
    return tuple(lines)


def ranking_title(estimate: InferenceEstimate) -> str:
    """The finding of the ranking."""
    cheapest = estimate.ranking.cheapest
    if cheapest is None:
        return _("Aucune offre à prix publié ne convient")
    return _("Le moins cher qui convient\u00a0: %(machine)s, %(price)s/h%(supposed)s") % {
        "supposed": inference_lead.condition(cheapest.scenario, cheapest.offer.sku.gpu_count),
        "machine": words.machine(cheapest.offer.sku.code, cheapest.scenario.instances),
        "price": formats.unit_price(cheapest.eur_per_h),
    }


def cost_note(estimate: InferenceEstimate) -> str:
    """What the cost rests on."""
    cost, scenario = estimate.cost, estimate.scenario
    if cost is None:
        return ""
    values = {
        "bill": formats.money(cost.bill_eur),
        "machine": words.machine(str(estimate.headline.values["sku"]), scenario.instances * cost.sets),
        "volume": formats.tokens_before(cost.volume_tokens),
        "use": formats.percent(scenario.utilisation_ratio),
        "share": formats.percent(cost.prompt_time_ratio),
    }
    return (
        _(
            "%(bill)s HT par mois pour %(machine)s et %(volume)s tokens de sortie, à %(use)s d’utilisation. "
            "La lecture des prompts prend %(share)s du temps du GPU."
        )
        % values
    )


def field_badges(estimate: InferenceEstimate, facts: InferenceFacts) -> dict[str, Badge | None]:
    """Where the value behind each field comes from, by the field's name."""
    return {
        "model": of_kind(Kind.INPUT if facts.is_own_model else Kind.DATA_SHEET),
        "sku": of_kind(estimate.cost.price.kind) if estimate.cost else None,
        "util": of_kind(asked_kind(estimate.scenario, "utilisation_ratio")),
        "hours": of_kind(asked_kind(estimate.scenario, "hours_per_month_h")),
    }


def placeholders(estimate: InferenceEstimate) -> dict[str, str]:
    """What an empty field stands for, by the field's name."""
    held, cost = estimate.chosen.layout, estimate.cost
    found = {"price": formats.number(cost.price.value, 2) if cost else _("sur devis"), "volume": ""}
    if held is not None:
        found |= {
            "replicas": formats.number(held.replicas),
            "tp": formats.number(held.deployment.tensor_parallel),
            "pp": formats.number(held.deployment.pipeline_parallel),
            "mem": formats.number(round(held.constants.memory_ratio * 100, 1)),
            "maxseq": formats.number(round(held.constants.max_sequences)),
        }
    if cost is not None:
        found["volume"] = formats.tokens(cost.volume_tokens)
    return found


def model_note(facts: InferenceFacts) -> str:
    """The model's sizes under its field."""
    model = facts.model
    return _("%(params)s de paramètres, %(layers)s couches, attention %(attention)s, %(heads)s têtes KV.") % {
        "params": formats.tokens(model.params_total, digits=3),
        "layers": formats.number(model.layers),
        "attention": model.attention,
        "heads": formats.number(model.kv_heads),
    }


def assumptions(estimate: InferenceEstimate, facts: InferenceFacts) -> tuple[str, ...]:
    """The numbered notes of the print."""
    scenario, calibration = estimate.scenario, facts.calibration
    return (
        _("Prix HT de la liste n°\u00a0%(number)s.") % {"number": scenario.catalog_version},
        _(
            "Vitesses estimées avec l’étalonnage %(hash)s du %(date)s\u00a0; fourchettes\u00a0: p10 à p90 des écarts "
            "mesurés."
        )
        % {"hash": calibration.data_hash[:12], "date": formats.date(calibration.date)},
        _("%(engine)s, poids %(precision)s, cache KV %(cache)s, prompts en cache de préfixes\u00a0: %(hits)s.")
        % {
            "engine": scenario.engine.value,
            "precision": words.precision(scenario.precision),
            "cache": scenario.cache.value,
            "hits": formats.percent(scenario.prefix_hit_ratio),
        },
        _("Utilisation %(use)s et mois de %(hours)s h (hypothèses).")
        % {
            "use": formats.percent(scenario.utilisation_ratio),
            "hours": formats.number(scenario.hours_per_month_h),
        },
    )


def is_published(scenario: InferenceScenario) -> bool:
    """Whether the scenario is the published set-up: its cache, memory share and limit of sequences."""
    asked = (scenario.cache, scenario.memory_ratio, scenario.max_sequences)
    return asked == (CachePrecision.FP8, PUBLISHED_MEMORY_RATIO, PUBLISHED_SEQUENCES)


def deployed(estimate: InferenceEstimate, facts: InferenceFacts) -> deploy.DeployPage | None:
    """The vLLM configuration of the chosen point; None for another engine, where nothing fits, and for a typed model
    whose name does not say where to load it from."""
    held, scenario = estimate.chosen.layout, estimate.scenario
    if held is None or not estimate.chosen.fits or scenario.engine is not Engine.VLLM:
        return None
    if facts.is_own_model and not is_loadable(facts.model.name):
        return None
    context = -(-(scenario.prompt_tokens + scenario.output_tokens) // CONTEXT_STEP) * CONTEXT_STEP
    point = ServingPoint(
        model=facts.model,
        gpu=held.deployment.gpu,
        precision=scenario.precision,
        kv_precision="fp8" if scenario.cache is CachePrecision.FP8 else "auto",
        tensor_parallel=scenario.tensor,
        pipeline_parallel=scenario.stages,
        replicas=held.replicas,
        max_sequences=max(1, round(held.constants.max_sequences)),
        context_tokens=context,
        memory_ratio=round(held.constants.memory_ratio, 2),
        published_example=is_published(scenario),
    )
    return deploy.page(point)
