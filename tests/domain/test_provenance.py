"""A result is worth its weakest input; what the visitor states as his case does not rank."""

import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.provenance import RANK, Kind, Sourced, Step, Term, weakest, weakest_kind

STRONGEST_FIRST = ["measured", "published", "data_sheet", "estimate", "claim", "assumption"]


def number(kind: Kind, *, replaces: bool = False) -> Sourced[Decimal]:
    return Sourced(Decimal(1), "", kind, replaces=replaces)


def test_the_order_of_kinds_is_the_stated_one() -> None:
    for stronger, weaker in itertools.pairwise(STRONGEST_FIRST):
        assert weakest([number(Kind(stronger)), number(Kind(weaker))]) == weaker


def test_a_data_sheet_and_a_list_price_weigh_the_same() -> None:
    assert RANK[Kind.DATA_SHEET] == RANK[Kind.LIST_PRICE]


@given(st.lists(st.sampled_from(sorted(RANK)), min_size=1))
def test_the_order_in_which_inputs_are_named_does_not_matter(kinds: list[Kind]) -> None:
    found = weakest(number(kind) for kind in kinds)
    again = weakest(number(kind) for kind in reversed(kinds))
    assert found is not None
    assert again is not None
    assert RANK[found] == RANK[again] == max(RANK[kind] for kind in kinds)


def test_a_scenario_value_does_not_rank() -> None:
    assert weakest([number(Kind.INPUT)]) is None
    assert weakest([number(Kind.INPUT), number(Kind.MEASURED)]) is Kind.MEASURED


def test_what_replaces_a_price_ranks_as_an_assumption() -> None:
    assert weakest([number(Kind.INPUT, replaces=True), number(Kind.CLAIM)]) is Kind.ASSUMPTION


def test_nothing_known_has_no_kind() -> None:
    assert weakest_kind([None, None]) is None
    assert weakest_kind([None, Kind.LIST_PRICE]) is Kind.LIST_PRICE


def test_a_scaled_measurement_is_an_estimate() -> None:
    measured = Sourced(64.0, "tok/s", Kind.MEASURED, "rate", "run 12")
    assert measured.scaled(128.0).kind is Kind.ESTIMATE
    assert measured.scaled(128.0).reference == "run 12"
    assert number(Kind.CLAIM).scaled(Decimal(2)).kind is Kind.CLAIM


def test_a_step_is_worth_its_weakest_term() -> None:
    terms = (Term("P", number(Kind.LIST_PRICE)), Term("d", number(Kind.CLAIM)), Term("V", number(Kind.INPUT)))
    assert Step("bill", terms, Decimal(1), "EUR").trust is Kind.CLAIM
