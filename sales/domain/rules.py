"""Rules of thumb that others publish for choosing between dedicated GPUs and APIs, put to the customer's own numbers.

They contradict each other (500, 300 and 50 M tokens a month), so none of them is law: each is quoted, and beside it
stands what the estimate says of this very month. What is not of price is never decided by a price.
"""

import enum
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.scenario import BreakEven, Verdict
from calculator.domain.units import MONTHS_A_YEAR, MTOK
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides


class Side(enum.StrEnum):
    """Which option a rule speaks for."""

    GPU = "gpu"
    API = "api"


class Measure(enum.StrEnum):
    """What of the customer a rule looks at."""

    VOLUME = "volume"
    YEAR_USD = "year_usd"
    MONTH_USD = "month_usd"
    LATENCY = "latency"
    SAID = "said"


class Finding(enum.StrEnum):
    """What the calculation makes of a rule.

    AGREES and DISAGREES: the rule applies, and the estimate (or a measured latency) says the same, or not. EVEN: it
    applies, and both sides cost the same. ELSEWHERE: it does not apply to this customer. NOT_PRICE: it applies, and no
    price decides it. ASK: the customer has not said. UNKNOWN: a number that would decide is missing.
    """

    AGREES = "agrees"
    DISAGREES = "disagrees"
    EVEN = "even"
    ELSEWHERE = "elsewhere"
    NOT_PRICE = "not_price"
    ASK = "ask"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Rule:
    """One published rule: above `over` and up to `to` (either None) it speaks for `side`; `said` is the code of what
    must be said for it. `is_profile` = published as a profile of a customer, shown as a question."""

    code: str
    side: Side
    measure: Measure
    over: Decimal | None = None
    to: Decimal | None = None
    said: str = ""
    is_profile: bool = False

    def applies(self, value: Decimal) -> bool:
        """Whether a value lies where the rule speaks.

        >>> Rule("v", Side.GPU, Measure.VOLUME, over=Decimal(50)).applies(Decimal(50))
        False
        """
        return (self.over is None or value > self.over) and (self.to is None or value <= self.to)


def _said(code: str, side: Side, *, is_profile: bool = False) -> Rule:
    return Rule(code, side, Measure.SAID, said=code, is_profile=is_profile)


JUST_UNDER = Decimal("0.000001")
"""“Less than 20” as “up to”: the notation of a latency has no more than twelve decimals, and none so small matters."""
MILLION_USD = Decimal(10**6)

RULES: tuple[Rule, ...] = (
    Rule("volume_500", Side.GPU, Measure.VOLUME, over=500 * MTOK),
    Rule("volume_300", Side.GPU, Measure.VOLUME, over=300 * MTOK),
    Rule("volume_50", Side.GPU, Measure.VOLUME, over=50 * MTOK),
    _said("daily", Side.GPU),
    _said("sensitive", Side.GPU),
    Rule("latency_20", Side.GPU, Measure.LATENCY, to=20 - JUST_UNDER),
    _said("outside", Side.GPU),
    _said("large", Side.GPU),
    Rule("volume_api", Side.API, Measure.VOLUME, over=MTOK - JUST_UNDER, to=100 * MTOK),
    _said("prototype", Side.API),
    _said("several", Side.API),
    _said("small_team", Side.API),
    Rule("year_5m", Side.API, Measure.YEAR_USD, to=5 * MILLION_USD - JUST_UNDER, is_profile=True),
    _said("saas", Side.API, is_profile=True),
    _said("payment", Side.API, is_profile=True),
    Rule("latency_50", Side.API, Measure.LATENCY, over=50 - JUST_UNDER, is_profile=True),
    Rule("month_1m", Side.GPU, Measure.MONTH_USD, over=MILLION_USD, is_profile=True),
    _said("mlops", Side.GPU, is_profile=True),
    _said("audited", Side.GPU, is_profile=True),
    Rule("latency_10", Side.GPU, Measure.LATENCY, to=10 - JUST_UNDER, is_profile=True),
)
"""As published; the order is that of the page."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A rule with the customer's own number (None where it takes none, or is not known) and what the calculation says.

    `computed` is the break-even of this very scenario, to stand beside a published threshold.
    """

    rule: Rule
    value: Decimal | None
    finding: Finding
    computed: BreakEven | None = None


def by_price(side: Side, verdict: Verdict) -> Finding:
    """What a verdict on price makes of a rule that applies.

    >>> by_price(Side.GPU, Verdict.API).value
    'disagrees'
    """
    if verdict is Verdict.UNKNOWN:
        return Finding.UNKNOWN
    if verdict is Verdict.EQUIVALENT:
        return Finding.EVEN
    return Finding.AGREES if verdict.value == side.value else Finding.DISAGREES


def by_latency(side: Side, target_ms: Decimal, measured_ms: float | None) -> Finding:
    """What a measured first token makes of a rule that applies: an API that keeps the target speaks for the API.

    >>> by_latency(Side.GPU, Decimal(15), 180.0).value, by_latency(Side.GPU, Decimal(15), None).value
    ('agrees', 'unknown')
    """
    if measured_ms is None:
        return Finding.UNKNOWN
    fitting = Side.API if measured_ms <= float(target_ms) else Side.GPU
    return Finding.AGREES if fitting is side else Finding.DISAGREES


def judged(scenario: OutlookScenario, both: Sides, facts: OutlookFacts) -> tuple[Judged, ...]:
    """Every published rule with this customer's numbers, in the order of the page."""
    return tuple(_judged(rule, scenario, both, facts) for rule in RULES)


def _judged(rule: Rule, scenario: OutlookScenario, both: Sides, facts: OutlookFacts) -> Judged:
    if rule.measure is Measure.SAID:
        return Judged(rule, None, Finding.NOT_PRICE if rule.said in scenario.said else Finding.ASK)
    if rule.measure is Measure.LATENCY:
        return _of_latency(rule, scenario.latency_ms, facts)
    return _of_amount(rule, both)


def _of_latency(rule: Rule, target_ms: Decimal | None, facts: OutlookFacts) -> Judged:
    if target_ms is None:
        return Judged(rule, None, Finding.ASK)
    if not rule.applies(target_ms):
        return Judged(rule, target_ms, Finding.ELSEWHERE)
    measured = facts.api_first_token_ms
    return Judged(rule, target_ms, by_latency(rule.side, target_ms, measured.value if measured else None))


def _of_amount(rule: Rule, both: Sides) -> Judged:
    value, api = amount(rule.measure, both), both.api
    computed = api.break_even if api else None
    if value is None:
        return Judged(rule, None, Finding.UNKNOWN, computed)
    if not rule.applies(value):
        return Judged(rule, value, Finding.ELSEWHERE, computed)
    return Judged(rule, value, by_price(rule.side, api.verdict if api else Verdict.UNKNOWN), computed)


def amount(measure: Measure, both: Sides) -> Decimal | None:
    """The customer's number behind a rule: output tokens a month, or dollars that this traffic costs on option B."""
    if measure is Measure.VOLUME:
        return both.inputs.terms.month.volume_tokens
    usd = both.api.bill.usd if both.api else None
    if usd is None:
        return None
    return usd * MONTHS_A_YEAR if measure is Measure.YEAR_USD else usd
