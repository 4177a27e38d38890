"""The link of an outlook: every key of an economics link, and a few of its own behind them."""

from calculator import fields, permalinks
from calculator.domain.scenario import EconomicsScenario
from calculator.fields import Quantity, limits
from calculator.permalinks import economics
from calculator.permalinks.notation import Key, Notation, number, parse_choice
from sales.domain.outlook import SAID, OutlookScenario

LATENCY = Quantity(limits("0.1", "600000"), ("ms",))
GROWTH = Quantity(limits("0", "10"), ("%",), percent=True)
SPAN = Quantity(limits("0", "0.95"), ("%",), percent=True)
FACTOR = Quantity(limits("0.01", "100"), ("×",))
PUE = Quantity(limits("1", "3"))
GRID = Quantity(limits("0", "2000"), ("g/kwh", "gco2e/kwh", "g"))

OWN: tuple[Key, ...] = (
    Key("said", "said", parse_choice(SAID), many=True),
    number("latency", "latency_ms", LATENCY),
    number("growth", "growth_ratio", GROWTH),
    number("target", "target_tokens", fields.VOLUME),
    number("util_low", "utilisation_low_ratio", fields.UTILISATION),
    number("util_high", "utilisation_high_ratio", fields.UTILISATION),
    number("volume_span", "volume_span_ratio", SPAN),
    number("price_span", "price_span_ratio", SPAN),
    number("api_span", "api_span_ratio", SPAN),
    number("rate_low", "rate_low_ratio", FACTOR),
    number("rate_high", "rate_high_ratio", FACTOR),
    number("fx_low", "usd_per_eur_low", fields.USD_PER_EUR),
    number("fx_high", "usd_per_eur_high", fields.USD_PER_EUR),
    number("floor", "floor_eur", fields.PRICE),
    number("hour_price", "hour_eur", fields.PRICE),
    number("month_price", "month_eur", fields.PRICE),
    number("year_price", "year_eur_per_month", fields.PRICE),
    number("pue", "pue_ratio", PUE),
    number("grid", "grid_g_per_kwh", GRID),
)
UNKNOWN = frozenset(
    {
        *("latency", "target", "rate_low", "rate_high", "fx_low", "fx_high", "floor"),
        *("hour_price", "month_price", "year_price", "pue", "grid"),
    }
)
KEYS = (*economics.KEYS, *OWN)
NOTATION = Notation(OutlookScenario, KEYS, economics.OPTIONAL | UNKNOWN, economics.consistency_problems)
permalinks.add(NOTATION)


def economics_query(scenario: OutlookScenario) -> str:
    """The link of the same month on the economics page."""
    own = {key.attribute: getattr(scenario, key.attribute) for key in economics.KEYS}
    return permalinks.write(EconomicsScenario(**own))
