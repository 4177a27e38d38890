"""The whole answer of the outlook: what the economics estimate says, and everything asked around it."""

from dataclasses import dataclass

from calculator.domain import economics
from calculator.domain.provenance import Kind
from calculator.domain.scenario import EconomicsEstimate
from sales.domain.commitments import Commitments, commitments
from sales.domain.energy import Energy, energy
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides, sides
from sales.domain.ramp import Ramp, ramp
from sales.domain.rules import Judged, judged
from sales.domain.sensitivity import Sensitivity, sensitivity
from sales.domain.solving import Solution, solutions


@dataclass(frozen=True, slots=True)
class OutlookEstimate:
    """What page, files and JSON of an outlook read. `both` is the month that every part starts from."""

    economics: EconomicsEstimate
    facts: OutlookFacts
    both: Sides
    rules: tuple[Judged, ...]
    solutions: tuple[Solution, ...]
    sensitivity: Sensitivity
    ramp: Ramp | None
    commitments: Commitments
    energy: Energy

    @property
    def scenario(self) -> OutlookScenario:
        """What was asked."""
        return self.both.scenario

    @property
    def trust(self) -> Kind | None:
        """The weakest kind behind the comparison."""
        return self.economics.trust


def estimate(scenario: OutlookScenario, facts: OutlookFacts) -> OutlookEstimate:
    """The outlook of a scenario. Money in EUR without VAT, unrounded; unknown stays None."""
    both = sides(scenario, facts.prices)
    return OutlookEstimate(
        economics=economics.estimate(scenario, facts.prices),
        facts=facts,
        both=both,
        rules=judged(scenario, both, facts),
        solutions=solutions(both, facts),
        sensitivity=sensitivity(both, facts),
        ramp=ramp(both, facts),
        commitments=commitments(both, facts),
        energy=energy(both, facts),
    )
