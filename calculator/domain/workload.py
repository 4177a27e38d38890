"""The month's traffic, stated once and used on both sides: the GPU reads and writes what the API bills."""

from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.apibill import Usage
from calculator.domain.scenario import EconomicsScenario, Message, TrafficBy


@dataclass(frozen=True, slots=True)
class Demand:
    """A month of identical requests.

    `input_tokens` and `output_tokens` are one request's; `kept_ratio` is the share of requests that the response
    cache does not answer. Costs are linear in a *unit*: an output token, or a whole request where nothing is output.
    """

    requests_count: Decimal
    volume_tokens: Decimal
    input_tokens: Decimal
    output_tokens: Decimal
    prefix_hit_ratio: Decimal
    kept_ratio: Decimal

    @property
    def units(self) -> Decimal:
        """The stated month in units, before the response cache."""
        return self.volume_tokens if self.output_tokens else self.requests_count

    @property
    def unit_tokens(self) -> Decimal:
        """Units in one request: its output tokens, or 1."""
        return self.output_tokens or Decimal(1)

    @property
    def served_tokens(self) -> Decimal:
        """Output tokens that are really produced."""
        return self.volume_tokens * self.kept_ratio

    @property
    def prompt_tokens(self) -> Decimal:
        """Input tokens of a request that the GPU has to read, prefix-cache hits left out."""
        return self.input_tokens * (1 - self.prefix_hit_ratio)


def demand(scenario: EconomicsScenario) -> Demand:
    """The month that the scenario states, by tokens or by requests. What cannot be known counts as an empty month,
    and `problems` names it."""
    output = scenario.output_tokens
    if scenario.traffic is TrafficBy.REQUESTS:
        requests = scenario.requests_count or Decimal(0)
        volume = requests * output
    else:
        volume = scenario.volume_tokens if output else Decimal(0)
        requests = volume / output if output else Decimal(0)
    return Demand(
        requests_count=requests,
        volume_tokens=volume,
        input_tokens=scenario.input_tokens,
        output_tokens=output,
        prefix_hit_ratio=scenario.prefix_hit_ratio,
        kept_ratio=1 - scenario.response_cache_ratio,
    )


def usage(scenario: EconomicsScenario) -> Usage:
    """One request as an API bills it: hits are read from the cache, `cache_write_ratio` of the rest is written.

    Counted in the API's own tokens, `api_token_ratio` of them for each token of the scenario.
    """
    whole = scenario.input_tokens * scenario.api_token_ratio
    read = whole * scenario.prefix_hit_ratio
    written = (whole - read) * scenario.cache_write_ratio
    one_hour = scenario.cache_write_ttl == "1h"
    return Usage(
        input_tokens=whole,
        cache_read_tokens=read,
        cache_write_5m_tokens=Decimal(0) if one_hour else written,
        cache_write_1h_tokens=written if one_hour else Decimal(0),
        output_tokens=scenario.output_tokens * scenario.api_token_ratio,
    )


def problems(scenario: EconomicsScenario) -> tuple[Message, ...]:
    """What contradicts itself across fields; each field's own range is checked where it is typed."""
    found = []
    if scenario.traffic is TrafficBy.TOKENS and not scenario.output_tokens and scenario.volume_tokens:
        found.append(Message("output_tokens_needed", field="output_tokens"))
    if scenario.traffic is TrafficBy.REQUESTS and scenario.requests_count is None:
        found.append(Message("requests_needed", field="requests_count"))
    return tuple(found)
