"""The sections that the advisor adds to its JSON document."""

from typing import Any

from calculator import permalinks
from calculator.jsonable import data, sourced_data, step_data
from sales.advising import lead, page
from sales.domain.advice import Advice
from sales.domain.indexing_offers import IndexingOption
from sales.domain.need import peak_per_s, requests_a_month, utilisation_ceiling, volume_tokens
from sales.domain.options import Option
from sales.domain.training_offers import TrainingOption


def sections(answer: Any) -> dict[str, Any]:
    """The advice as data: sentence, load, every option with the links of its scenarios, what was left out."""
    advice: Advice = answer.estimate
    need, serving = advice.scenario, advice.serving
    return {
        "answer": {
            "sentence": lead.sentence(advice),
            "code": advice.headline.code,
            "values": data(advice.headline.values),
            "trust": data(advice.trust),
        },
        "load": {
            "requests_a_month": data(requests_a_month(need)),
            "volume_tokens": data(volume_tokens(need)),
            "peak_per_s": data(peak_per_s(need)),
            "utilisation_ceiling_ratio": data(utilisation_ceiling(need)),
        },
        "inputs": [sourced_data("usd_per_eur", advice.usd_per_eur)] if advice.usd_per_eur else [],
        "options": [_option(option) for option in (serving.options if serving else ())],
        "training": [_training(option) for option in advice.training],
        "indexing": [_indexing(option) for option in (advice.indexing.options if advice.indexing else ())],
        "excluded": data(serving.excluded) if serving else [],
        "steps": [step_data(step) for step in advice.steps],
        "warnings": data(advice.warnings),
    }


def _option(option: Option) -> dict[str, Any]:
    sized = option.sized
    return {
        "way": option.way.value,
        "sku": sized.sku.code if sized else None,
        "instances": option.instances,
        "model": sized.scenario.model if sized else None,
        "precision": sized.scenario.precision if sized else None,
        "api": option.api.code if option.api else None,
        "range": data(option.range),
        "month_eur": data(option.month_eur),
        "eur_per_mtok": data(option.eur_per_mtok),
        "targets": option.targets.value,
        "utilisation_ratio": data(option.utilisation_ratio),
        "gpu_share_ratio": data(option.share),
        "trust": data(option.trust),
        "loses": data(option.loses),
        "economics": permalinks.write(option.month),
        "economics_rest": permalinks.write(option.rest) if option.rest else None,
        "inference": page.peak_query(option.peak) or None,
    }


def _training(option: TrainingOption) -> dict[str, Any]:
    return {
        "sku": option.sku.code,
        "verdict": option.verdict.value,
        "time_s": data(option.seconds),
        "eur": data(option.eur),
        "month_eur": data(option.month_eur),
        "runs_a_month": option.runs_a_month,
        "eur_per_mtok": data(option.eur_per_mtok),
        "in_time": option.in_time,
        "speed": option.speed.value,
        "trust": data(option.trust),
        "training": permalinks.write(option.scenario),
    }


def _indexing(option: IndexingOption) -> dict[str, Any]:
    return {
        "api": option.api.code if option.api else None,
        "sku": option.sku.code if option.sku else None,
        "time_s": data(option.seconds),
        "eur": data(option.eur),
        "eur_per_mtok": data(option.eur_per_mtok),
        "trust": data(option.trust),
        "tokens": permalinks.write(option.scenario),
    }
