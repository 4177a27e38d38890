"""The link of a training scenario."""

from django.utils.translation import gettext as _

from calculator import fields
from calculator.domain.calibration import Framework
from calculator.domain.memory import Sharding
from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep
from calculator.domain.training import Method
from calculator.domain.training_scenario import (
    TARGETS,
    Convention,
    Numbers,
    Optimizer,
    Reads,
    Speed,
    TrainingScenario,
    Work,
)
from calculator.fields import Quantity, limits
from calculator.permalinks.notation import (
    Key,
    Notation,
    Problem,
    automatic,
    catalogue_state,
    code,
    enum,
    flag,
    number,
    parse_choice,
)

STAGES = tuple(str(stage.value) for stage in Sharding)

PARAMS = Quantity(limits("1000000", "10000000000000"), ("paramètres", "parameters", "params"), scaled=True)
INSTANCES = Quantity(limits("1", "1024"), ("instances", "instance"), whole=True)
MICRO_BATCH = Quantity(limits("1", "4096"), whole=True)
SEQUENCE = Quantity(limits("1", "1000000"), fields.TOKENS, whole=True)
ACCUMULATION = Quantity(limits("1", "100000"), whole=True)
STEPS = Quantity(limits("1", "100000000"), whole=True)
ROWS = Quantity(limits("1", "100000000000"), whole=True)
MEAN = Quantity(limits("1", "1000000"), fields.TOKENS)
EPOCHS = Quantity(limits("0.001", "1000"))
CORPUS = Quantity(limits("1", "1000000000000000"), fields.TOKENS, scaled=True)
RANK = Quantity(limits("1", "4096"), whole=True)
DEGREE = Quantity(limits("1", "1024"), ("gpu",), whole=True)
MFU = Quantity(limits("0.01", "1"), ("%",), percent=True)
RETRIES = Quantity(limits("0", "10"), ("%",), percent=True)
KEPT = Quantity(limits("1", "10000"), whole=True)
MONTHS = Quantity(limits("0", "1200"), ("mois", "months"))
STORAGE_PRICE = Quantity(limits("0.000001", "1000"), fields.EURO)

KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    code("model", "model"),
    number("params", "params_count", PARAMS),
    code("sku", "sku"),
    number("count", "instances", INSTANCES),
    enum("method", "method", Method),
    enum("prec", "numbers", Numbers),
    enum("optim", "optimizer", Optimizer),
    number("rank", "lora_rank", RANK),
    Key("target", "targets", parse_choice(TARGETS), many=True),
    enum("work", "work", Work),
    number("mbs", "micro_batch", MICRO_BATCH),
    number("seq", "sequence_tokens", SEQUENCE),
    number("accum", "accumulation", ACCUMULATION),
    number("steps", "steps_count", STEPS),
    number("rows", "data_rows", ROWS),
    number("mean", "mean_tokens", MEAN),
    number("epochs", "epochs", EPOCHS),
    number("tokens", "total_tokens", CORPUS),
    flag("recomp", "recomputed"),
    Key("zero", "sharding", parse_choice(STAGES, lambda text: Sharding(int(text))), lambda stage: str(int(stage))),
    automatic(number("tp", "tensor_parallel", DEGREE)),
    automatic(number("pp", "pipeline_parallel", DEGREE)),
    enum("framework", "framework", Framework),
    enum("speed", "speed", Speed),
    number("train_rate", "rate_tok_per_s", fields.RATE),
    number("mfu", "mfu_ratio", MFU),
    enum("conv", "convention", Convention),
    enum("basis", "basis", Basis),
    enum("step", "billing_step", BillingStep),
    number("price", "price_eur", fields.PRICE),
    number("hours", "hours_per_month_h", fields.HOURS),
    number("retry", "retry_ratio", RETRIES),
    number("save", "save_steps", STEPS),
    number("kept", "kept_count", KEPT),
    flag("restart", "keeps_optimizer"),
    number("kept_months", "kept_months", MONTHS),
    number("storage_gb", "storage_eur_per_gb_month", STORAGE_PRICE),
    enum("reads", "reads", Reads),
    number("saved", "saved_tokens", fields.INPUT_TOKENS),
    number("requests", "requests_count", fields.REQUESTS),
    number("prefill", "prefill_tok_per_s", fields.PREFILL),
    code("ref", "reference"),
    number("fx", "usd_per_eur", fields.USD_PER_EUR),
    number("vat", "vat_ratio", fields.VAT),
    code("cal", "calibration"),
)
# Keys that may stay out of a canonical link: unknown, or the catalogue's own value is taken.
OPTIONAL = frozenset(
    {
        "params",
        "rows",
        "mean",
        "tokens",
        "train_rate",
        "mfu",
        "price",
        "save",
        "storage_gb",
        "saved",
        "requests",
        "prefill",
        "fx",
        "cal",
    }
)


def consistency_problems(scenario: TrainingScenario) -> list[Problem]:
    """Adapters need a matrix to sit on."""
    if scenario.method.frozen_base and not scenario.targets:
        return [Problem("target", _("Choisissez au moins une matrice à adapter."))]
    return []


NOTATION = Notation(TrainingScenario, KEYS, OPTIONAL, consistency_problems)
