"""What nobody typed is an assumption, what the visitor typed is his own: page, formulas, files, JSON and command."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client

from calculator import answers, registry
from calculator.domain.provenance import Kind, Sourced, Step, Term, asked_kind, assumed, is_default, with_defaults
from calculator.domain.scenario import EconomicsScenario
from calculator.tool import Answer
from tests import factories

OWN, ASSUMED = "votre saisie", "hypothèse"
# One key of each calculator: its value as the default has it, another one, and the label of its row in files.
KEYS: dict[str, tuple[str, str, str, str]] = {
    "economics": ("out", "500", "400", "Sortie par requête"),
    "inference": ("in", "1024", "2048", "Prompt"),
    "training": ("mbs", "2", "4", "Micro-batch"),
    "parallelism": ("micro", "8", "4", "Micro-batchs par pas"),
    "tokens": ("docs", "2000000", "12000", "Documents du corpus"),
}
TERMS = {
    "economics": ("volume=300000000", "volume_tokens"),
    "inference": ("out=512", "output_tokens"),
    "training": ("accum=8", "accumulation"),
    "parallelism": ("tokens=20000000000", "tokens_count"),
    "tokens": ("docs=12000", "documents"),
}


def answered(name: str, query: str = "") -> Answer:
    found = answers.from_link(registry.CALCULATORS[name], QueryDict(query)).answer
    assert found is not None
    return found


def kind_of_row(found: Answer, name: str, label: str) -> str:
    rows = registry.CALCULATORS[name].rows(found.estimate)
    return next(row.kind for row in rows if row.label == label and row.section == "Saisies")


def sources(found: Answer, label: str) -> list[Any]:
    return [term.source for step in found.estimate.steps for term in step.terms if term.source.label == label]


@pytest.mark.django_db
@pytest.mark.parametrize("name", KEYS)
class TestEveryCalculator:
    def test_an_untouched_value_is_an_assumption_in_the_files(self, seeded: None, name: str) -> None:
        key, default, _other, label = KEYS[name]
        assert kind_of_row(answered(name), name, label) == ASSUMED
        assert kind_of_row(answered(name, f"{key}={default}"), name, label) == ASSUMED

    def test_a_typed_value_is_the_visitors_own_in_the_files(self, seeded: None, name: str) -> None:
        key, _default, other, label = KEYS[name]
        assert kind_of_row(answered(name, f"{key}={other}"), name, label) == OWN

    def test_the_formulas_say_the_same(self, seeded: None, name: str) -> None:
        query, label = TERMS[name]
        before, after = sources(answered(name), label), sources(answered(name, query), label)
        assert before and after
        assert {source.shown_kind for source in before} == {Kind.ASSUMPTION}
        assert {source.shown_kind for source in after} == {Kind.INPUT}

    def test_a_default_does_not_lower_the_trust_of_a_result(self, seeded: None, name: str) -> None:
        """Lengths and volumes do not rank, typed or not: the same result is worth the same."""
        query, _label = TERMS[name]
        before, after = answered(name).estimate, answered(name, query).estimate
        assert before.trust is after.trust

    def test_a_link_says_it_again(self, seeded: None, name: str) -> None:
        """Every key stands in a link: the answer of the link calls its defaults what the first visit does."""
        label = KEYS[name][3]
        first = answered(name)
        assert kind_of_row(answered(name, first.query), name, label) == ASSUMED

    def test_the_command_says_it_and_lists_the_defaults(self, seeded: None, name: str) -> None:
        key, _default, other, label = KEYS[name]
        out = StringIO()
        call_command("estimate", name, f"{key}={other}", stdout=out)
        text = out.getvalue()
        line = next(line for line in text.splitlines() if line.strip().startswith(label))
        assert line.endswith(f"[{OWN}]")
        assert f"\n  {key}=" not in text.split("Valeurs par défaut")[1]


@pytest.mark.django_db
def test_json_names_the_kind_of_every_input(seeded: None) -> None:
    out = StringIO()
    call_command("estimate", "economics", "volume=300000000", json=True, stdout=out)
    kinds = {item["name"]: item["kind"] for item in json.loads(out.getvalue())["inputs"]}
    assert (kinds["volume"], kinds["tie"], kinds["utilisation"]) == ("input", "assumption", "assumption")


@pytest.mark.django_db
def test_the_badge_beside_a_field_follows_the_value(client: Client, seeded: None) -> None:
    for query, kind in (("", "assumption"), ("volume=300000000", "input")):
        page = client.get(f"/fr/economics?{query}").context["page"]
        assert page.badges["volume"].kind == kind
    for query, kind in (("", "assumption"), ("util=0.9", "input")):
        page = client.get(f"/fr/inference?{query}").context["page"]
        assert page.badges["util"].kind == kind


@pytest.mark.django_db
def test_a_division_that_was_chosen_here_is_an_estimate(seeded: None) -> None:
    found = answered("inference", "model=Llama-3-70B&sku=GPU-TITAN&count=4")
    assert kind_of_row(found, "inference", "Parallélisme tensoriel") == "estimation"
    typed = answered("inference", "model=Llama-3-70B&sku=GPU-TITAN&count=4&tp=4")
    assert kind_of_row(typed, "inference", "Parallélisme tensoriel") == OWN


class TestProvenance:
    BASE = EconomicsScenario(catalog_version=1, at=factories.NOW)

    def test_a_value_equal_to_its_default_was_left_alone(self) -> None:
        assert is_default(self.BASE, "tie_ratio")
        assert asked_kind(self.BASE, "tie_ratio") is Kind.ASSUMPTION
        assert asked_kind(self.BASE, "catalog_version") is Kind.INPUT

    def test_typed_hours_are_the_visitors_and_rank_as_an_assumption(self) -> None:
        kept = assumed(self.BASE, "hours_per_month_h", 720, "h", "hours")
        assert (kept.kind, kept.rank_kind) == (Kind.ASSUMPTION, Kind.ASSUMPTION)
        typed = EconomicsScenario(catalog_version=1, at=factories.NOW, hours_per_month_h=Decimal(730))
        own = assumed(typed, "hours_per_month_h", 730, "h", "hours")
        assert (own.kind, own.rank_kind) == (Kind.INPUT, Kind.ASSUMPTION)

    def test_what_is_computed_from_defaults_alone_is_an_assumption_too(self) -> None:
        volume = Term("V", Sourced(1, "tok", Kind.INPUT, "volume"))
        computed = Term("C", Sourced(2, "tok", Kind.INPUT, "computed"))
        told = (Step("a", (volume,), 1, "tok"), Step("b", (computed,), 2, "tok"))
        kept = with_defaults(told, self.BASE, {"volume": ("volume_tokens",)})
        assert [step.terms[0].source.untouched for step in kept] == [True, True]
        typed = EconomicsScenario(catalog_version=1, at=factories.NOW, volume_tokens=Decimal(7))
        own = with_defaults(told, typed, {"volume": ("volume_tokens",)})
        assert [step.terms[0].source.untouched for step in own] == [False, False]

    def test_a_price_and_a_measurement_keep_their_kind(self) -> None:
        price = Term("P", Sourced(1, "EUR", Kind.LIST_PRICE, "price"))
        own = Term("p", Sourced(1, "EUR", Kind.INPUT, "own_price", replaces=True))
        step = with_defaults((Step("a", (price, own), 1, "EUR"),), self.BASE, {})[0]
        assert [term.source.shown_kind for term in step.terms] == [Kind.LIST_PRICE, Kind.INPUT]
        assert step.trust is Kind.ASSUMPTION
