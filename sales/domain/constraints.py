"""What a hard constraint rules out, with the reason. What the catalogue does not say is unknown, and never granted."""

from collections.abc import Iterator, Mapping

from calculator.domain.offers import ApiModel
from calculator.domain.scenario import Message
from sales.domain.need import Constraint, Need
from sales.domain.ranges import range_of

API_REASONS: Mapping[Constraint, str] = {
    Constraint.RESIDENCY: "residency_unknown",
    Constraint.SENSITIVE: "shared_hardware",
    Constraint.OWN_WEIGHTS: "vendor_weights",
    Constraint.FIXED: "no_fixed_capacity",
    Constraint.DAILY_TUNING: "tuning_unknown",
    Constraint.FAST: "latency_unknown",
}
"""Why an API cannot be taken under each constraint. The catalogue holds no region, no latency and no fine-tuning of an
API as a fact: there the reason is that it is not known. Capacity, weights and hardware of an API are the vendor's."""


def api_refusals(need: Need) -> tuple[Message, ...]:
    """Why no API may be taken, one reason a constraint; empty where APIs are welcome."""
    return tuple(Message(API_REASONS[item]) for item in Constraint if item in need.constraints)


def range_refusals(need: Need, apis: tuple[ApiModel, ...]) -> Iterator[tuple[ApiModel, Message]]:
    """The APIs of a class that the customer does not accept."""
    for api in apis:
        found = range_of(api.label)
        if found not in need.ranges:
            yield api, Message("range_not_accepted", {"range": found.value})


def accepted(need: Need, apis: tuple[ApiModel, ...]) -> tuple[ApiModel, ...]:
    """The APIs that no constraint and no class rules out."""
    if api_refusals(need):
        return ()
    return tuple(api for api in apis if range_of(api.label) in need.ranges)
