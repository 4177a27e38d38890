"""The sections that the tokens calculator adds to its JSON document."""

from typing import Any

from calculator.domain.tokens_scenario import GpuReading, PaidReading, TokensEstimate
from calculator.jsonable import data, sourced_data, step_data
from calculator.presenters.tokens_words import sentence


def sections(answer: Any) -> dict[str, Any]:
    """The tokens answer as data: sentence, totals, every table, the formulas with their terms."""
    estimate: TokensEstimate = answer.estimate
    return {
        "answer": {
            "sentence": sentence(estimate),
            "code": estimate.headline.code,
            "values": data(estimate.headline.values),
            "trust": data(estimate.trust),
            "total_tokens": data(estimate.total),
            "margin_ratio": data(estimate.margin_ratio),
            "chunks_a_document": data(estimate.chunks_a_document),
            "chunks_count": data(estimate.chunks_count),
            "embedded_tokens": data(estimate.embedded),
            "typed_time_s": data(estimate.typed_time_s),
        },
        "inputs": [sourced_data("usd_per_eur", estimate.usd_per_eur)] if estimate.usd_per_eur else [],
        "embeddings": [_paid(item) for item in estimate.embeddings],
        "apis": [_paid(item) for item in estimate.apis],
        "gpus": [_gpu(item) for item in estimate.gpus],
        "indexing_gpus": [_gpu(item) for item in estimate.indexing],
        "steps": [step_data(step) for step in estimate.steps],
        "warnings": data(estimate.warnings),
    }


def _paid(item: PaidReading) -> dict[str, Any]:
    return {
        "code": item.model.code,
        "label": item.model.label,
        "tokens": data(item.tokens_count),
        "rate": sourced_data("input", item.rate) if item.rate else None,
        "usd": data(item.usd),
        "eur": data(item.eur),
        "counts_alike": item.counts_alike,
        "reasons": data(item.reasons),
    }


def _gpu(item: GpuReading) -> dict[str, Any]:
    return {
        "code": item.offer.sku.code,
        "instances": item.instances,
        "gpus_a_replica": item.gpus_a_replica,
        "tok_per_s": data(item.rate),
        "time_s": data(item.time_s),
        "price": sourced_data("price_hour", item.price) if item.price else None,
        "eur": data(item.eur),
        "eur_low": data(item.eur_low),
        "eur_high": data(item.eur_high),
        "reasons": data(item.reasons),
    }
