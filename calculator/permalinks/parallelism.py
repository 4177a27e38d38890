"""The link of a multi-GPU scenario."""

from django.utils.translation import gettext as _

from calculator import fields, interconnects
from calculator.domain.collectives import Reduction
from calculator.domain.interconnects import Reach
from calculator.domain.parallel_scenario import MOST_GPUS, BatchBy, ParallelismScenario, Sharing
from calculator.fields import Quantity, limits
from calculator.permalinks.notation import (
    Choice,
    Key,
    Notation,
    Problem,
    catalogue_state,
    code,
    enum,
    flag,
    name,
    number,
    parse_choice,
    problem,
)

GRADIENT_BYTES = ("2", "4")

PARAMS = Quantity(limits("1000000", "10000000000000"), ("paramètres", "parameters", "params"), scaled=True)
CORPUS = Quantity(limits("1", "1000000000000000"), fields.TOKENS, scaled=True)
GPUS = Quantity(limits("1", str(MOST_GPUS)), ("gpu",), whole=True)
MACHINE_GPUS = Quantity(limits("1", "72"), ("gpu",), whole=True)
DEGREE = Quantity(limits("1", str(MOST_GPUS)), ("gpu",), whole=True)
LAYERS = Quantity(limits("1", "1000"), ("couches", "layers"), whole=True)
WIDTH = Quantity(limits("16", "131072"), whole=True)
CARDS = Quantity(limits("1", "32"), ("cartes", "cards"), whole=True)
STEP_TOKENS = Quantity(limits("1", "1000000000"), fields.TOKENS, scaled=True)
SEQUENCE = Quantity(limits("1", "1000000"), fields.TOKENS, whole=True)
MICRO_BATCHES = Quantity(limits("1", "4096"), whole=True)
MFU = Quantity(limits("0.01", "1"), ("%",), percent=True)
DAYS = Quantity(limits("0.001", "100000"), ("jours", "jour", "days", "day", "j", "d"))


def parse_interconnect(reach: Reach) -> Choice:
    """A reader of the codes of links or of networks."""
    return parse_choice([one.code for one in interconnects.of_reach(reach)])


KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    code("sku", "sku"),
    name("gpu", "gpu"),
    number("price", "price_eur", fields.PRICE),
    name("model", "model"),
    number("params", "params_count", PARAMS),
    number("layers", "layers_count", LAYERS),
    number("width", "hidden_width", WIDTH),
    number("tokens", "tokens_count", CORPUS),
    number("gpus", "gpu_count", GPUS),
    number("machine", "machine_gpus", MACHINE_GPUS),
    enum("sharing", "sharing", Sharing),
    number("tp", "tensor_parallel", DEGREE),
    number("pp", "pipeline_parallel", DEGREE),
    Key("link", "link", parse_interconnect(Reach.MACHINE)),
    Key("net", "network", parse_interconnect(Reach.NETWORK)),
    number("cards", "cards_count", CARDS),
    enum("algo", "reduction", Reduction),
    Key("grad", "gradient_bytes", parse_choice(GRADIENT_BYTES, int)),
    enum("batchby", "batch_by", BatchBy),
    number("steptok", "step_tokens", STEP_TOKENS),
    number("seq", "sequence_tokens", SEQUENCE),
    number("micro", "micro_batches", MICRO_BATCHES),
    flag("recomp", "recomputed"),
    number("mfu", "mfu_ratio", MFU),
    number("overlap", "overlap_ratio", fields.SHARE),
    number("floor", "floor_ratio", fields.SHARE),
    number("day", "day_eur", fields.EXTRA_COST),
    number("observed", "observed_days", DAYS),
    number("vat", "vat_ratio", fields.VAT),
    code("cal", "calibration"),
)
# Keys that may stay out of a canonical link: unknown, or the catalogue's own value is taken.
OPTIONAL = frozenset(
    {"gpu", "price", "model", "layers", "width", "machine", "link", "cards", "mfu", "day", "observed", "cal"}
)


def consistency_problems(scenario: ParallelismScenario) -> list[Problem]:
    """Layers and width make a shape only together."""
    if (scenario.layers_count is None) == (scenario.hidden_width is None):
        return []
    missing = "layers" if scenario.layers_count is None else "width"
    return [problem(missing, _("les couches et la largeur se donnent ensemble"))]


NOTATION = Notation(ParallelismScenario, KEYS, OPTIONAL, consistency_problems)
