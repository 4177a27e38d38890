"""What the training calculator reads: machine, offers with their sheets, model, calibration, the vendor’s runs."""

import datetime as dt
import json
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.conf import settings

from calculator import catalog, figures, sheets
from calculator.calibrated import calibration
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import ApiModel, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.training import Method
from calculator.domain.training_scenario import PublishedReading, PublishedRun, TrainingFacts, TrainingScenario
from calculator.domain.training_work import assumed_shape
from calculator.snapshots import API, PARIS, SKU, NotFound, item_called, nearest_code, snapshot

RUNS_FILE = "training_runs.json"
MINUTE_S = 60


def with_sheets(skus: Iterable[Sku]) -> tuple[Sku, ...]:
    """The offers that training can be sized on: those whose GPU has a data sheet."""
    return tuple(sku for sku in skus if sku.gpu and sheets.gpu(sku.gpu) is not None)


def machine(scenario: TrainingScenario) -> Sku:
    """The offer of the scenario. Raises NotFound for a code that does not exist and for a host without a GPU."""
    known = snapshot(scenario.catalog_version)
    sku = catalog.sku_of(known, item_called(known, SKU, scenario.sku, scenario.at), scenario.at)
    if not with_sheets((sku,)):
        raise NotFound("sku", scenario.sku, TrainingScenario(known.number, scenario.at).sku)
    return sku


def model_of(scenario: TrainingScenario) -> LanguageModel:
    """The model of that name, or a usual shape of the typed parameters. Raises NotFound with the nearest name."""
    if scenario.params_count is not None:
        return assumed_shape(float(scenario.params_count))
    found = sheets.language_model(scenario.model)
    if found is None:
        raise NotFound("model", scenario.model, nearest_code(scenario.model, (one.name for one in sheets.models())))
    return found


def reference(scenario: TrainingScenario) -> ApiModel:
    """The API whose input price a shorter prompt saves. Raises NotFound for a code that does not exist."""
    known = snapshot(scenario.catalog_version)
    return catalog.api_of(known, item_called(known, API, scenario.reference, scenario.at), scenario.at)


def run_of(row: dict[str, Any]) -> PublishedRun:
    """One published run; a speed that is not printed follows from its tokens, time and GPUs."""
    printed = row["tok_per_s_per_gpu"]
    rate = float(printed or row["tokens"] / (row["minutes"] * MINUTE_S) / row["gpus"])
    day = dt.date.fromisoformat(row["as_of"])
    return PublishedRun(
        code=row["code"],
        sku=row["sku"],
        model=row["model"],
        method=Method(row["method"]),
        tok_per_s_per_gpu=Sourced(rate, "tok/s", Kind.CLAIM, "vendor_training_rate", date=day, note=row["note"]),
        tokens=float(row["tokens"]),
        mfu_ratio=row["mfu_ratio"],
        minutes=row["minutes"],
        eur=None if row["eur"] is None else Decimal(row["eur"]),
        params_count=row["params"],
        readings=tuple(PublishedReading(**reading) for reading in row.get("readings", ())),
    )


@lru_cache(maxsize=1)
def published_runs() -> tuple[PublishedRun, ...]:
    """The runs that the vendor publishes, from fixtures/training_runs.json, read once a process."""
    rows = json.loads((settings.BASE_DIR / "fixtures" / RUNS_FILE).read_text(encoding="utf-8"))
    return tuple(run_of(row) for row in rows)


def for_training(scenario: TrainingScenario) -> TrainingFacts:
    """Everything that the training answer may use for one scenario.

    Raises NotFound for a version, SKU, model or API that does not exist.
    """
    known = snapshot(scenario.catalog_version)
    sku = machine(scenario)
    offered = with_sheets(one for one in catalog.sku_choices(known.number, scenario.at) if not one.is_test_host)
    found = {one.gpu: sheets.gpu(one.gpu) for one in (sku, *offered)}
    return TrainingFacts(
        catalog_version=known.number,
        catalog_date=known.date,
        at=scenario.at,
        day=scenario.at.astimezone(PARIS).date(),
        sku=sku,
        skus=offered,
        gpus={name: gpu for name, gpu in found.items() if gpu is not None},
        model=model_of(scenario),
        calibration=calibration(),
        published=published_runs(),
        api=reference(scenario),
        usd_per_eur=catalog.latest_rate(known.number, scenario.at),
        roofs=figures.current().roofs(scenario.at),
    )
