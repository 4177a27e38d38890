"""From a query to an answer: what is kept, what is told, and which catalogue answers."""

import datetime as dt
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.utils import translation

from calculator import answers, catalog, permalinks
from calculator.domain.offers import Basis
from calculator.models import CatalogItem
from calculator.tool import Outcome
from calculator.tools import tokens
from calculator.tools.economics import TOOL
from tests import factories

pytestmark = pytest.mark.django_db
AT = "at=2026-11-30T12:00:00Z"


def link(query: str) -> Outcome:
    return answers.from_link(TOOL, QueryDict(query))


def form(query: str) -> Outcome:
    return answers.from_form(TOOL, QueryDict(query))


def test_a_link_and_the_form_that_says_the_same_have_the_same_answer(seeded: None) -> None:
    by_link = link(f"{AT}&catalog=1&volume=250000000&util=0.85&price=2.5&basis=hour&in=2000")
    by_form = form(f"form=1&{AT}&catalog=1&volume=250 M&util=85 %&price=2,50 €&basis=hour&in=2 000")
    assert by_link.answer is not None and by_form.answer is not None
    assert by_link.answer.scenario == by_form.answer.scenario
    assert by_link.answer.estimate == by_form.answer.estimate


def test_an_answer_writes_down_what_it_took_from_the_catalogue(seeded: None) -> None:
    found = link(AT).answer
    assert found is not None
    assert found.scenario.usd_per_eur == Decimal("1.1172")
    assert found.scenario.figure_id == found.facts.sku.throughput.figure_id  # type: ignore[union-attr]
    assert found.estimate.scenario.usd_per_eur is None  # not typed: its source stays the ECB
    again = link(found.query).answer
    assert again is not None
    assert again.scenario == found.scenario
    assert again.estimate.comparisons == found.estimate.comparisons


@pytest.mark.parametrize("name", ["gpt-5.4", "GPT-5.4", "gpt-5.4-2026-03-05"])
def test_the_reference_is_the_same_api_by_whatever_case_or_alias_it_is_asked(seeded: None, name: str) -> None:
    found = link(f"{AT}&ref={name}").answer
    assert found is not None
    assert (found.scenario.reference, found.estimate.scenario.reference) == ("gpt-5.4", "gpt-5.4")
    assert found.estimate.headline.values["reference"] == "gpt-5.4"
    assert "reference_not_compared" not in {message.code for message in found.estimate.warnings}


def test_codes_are_written_as_the_offer_writes_them(seeded: None) -> None:
    found = link(f"{AT}&sku=gpu-pro&api=Claude-Sonnet-4.6&api=GPT-5-4").answer
    assert found is not None
    assert found.estimate.scenario.sku == found.scenario.sku == "GPU-PRO"
    assert found.scenario.apis == ("gpt-5.4", "claude-sonnet-4-6")


def test_a_model_is_written_as_the_catalogue_names_it_and_never_dropped(seeded: None) -> None:
    """A figure of another model, asked for by number, leaves the model of the question alone: the overview is its."""
    sku = CatalogItem.objects.get(code="GPU-PRO")
    figure = factories.make_figure(sku, 80.0, language_model=factories.make_language_model("Model-A"))
    factories.make_language_model("Model-B")
    day = "at=2026-12-31T12:00:00Z"
    named = link(f"{day}&model=model-a").answer
    assert named is not None and named.scenario.model == "Model-A"
    other = link(f"{day}&model=Model-B&fig={figure.pk}").answer
    assert other is not None and other.scenario.model == "Model-B"


def test_defaults_are_named_only_where_a_key_was_absent(seeded: None) -> None:
    everything = link(AT).answer
    assert everything is not None
    assert link(everything.query).defaults == ()
    assert "sku" in link(AT).defaults
    assert "at" not in link(AT).defaults


def test_a_vanished_sku_gives_way_to_the_nearest_in_the_proposal_only(seeded: None) -> None:
    outcome = link(f"{AT}&sku=GPU-TITAM&volume=7000000")
    assert outcome.answer is None
    assert outcome.form.base.sku == "GPU-TITAN"
    assert [problem.key for problem in outcome.problems] == ["sku"]
    assert "GPU-TITAM" in outcome.problems[0].message
    proposed = permalinks.read(QueryDict(outcome.notices[0].query), outcome.form.base).kept
    assert (proposed.sku, proposed.volume_tokens) == ("GPU-TITAN", Decimal(7_000_000))


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("api=zork&api=gpt-5.4", "api"),
        ("ref=zork", "ref"),
        ("fig=123456", "fig"),
        ("model=zork", "model"),
        ("catalog=77", "catalog"),
    ],
)
def test_what_vanished_is_told_by_its_key_and_the_proposal_answers(seeded: None, query: str, key: str) -> None:
    outcome = link(f"{AT}&{query}")
    assert [problem.key for problem in outcome.problems] == [key]
    assert link(outcome.notices[-1].query).answer is not None


def test_a_figure_of_another_sku_is_refused_in_a_link_and_let_go_in_a_form(seeded: None) -> None:
    figure = catalog.throughputs("GPU-PRO", dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))[0].figure_id
    assert [problem.key for problem in link(f"{AT}&sku=GPU-TITAN&fig={figure}").problems] == ["fig"]
    found = form(f"form=1&{AT}&sku=GPU-TITAN&fig={figure}").answer
    assert found is not None
    assert found.scenario.figure_id != figure


def test_a_retired_api_is_offered_only_where_it_is_chosen(seeded: None) -> None:
    retired = next(
        api
        for api in catalog.api_choices(1, dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC), include_retired=True)
        if api.retired_on is not None and api.retired_on <= dt.date(2026, 11, 30)
    )
    offered = {code for code, _label in link(AT).form.fields["api"].choices}  # type: ignore[attr-defined]
    assert retired.code not in offered
    chosen = link(f"{AT}&api={retired.code}")
    assert chosen.answer is not None
    assert retired.code in {code for code, _label in chosen.form.fields["api"].choices}  # type: ignore[attr-defined]


def test_a_form_of_an_unknown_catalogue_version_is_told(seeded: None) -> None:
    outcome = form("form=1&catalog=77&volume=50M")
    assert outcome.answer is None
    assert [problem.key for problem in outcome.problems] == ["catalog"]
    assert outcome.form["volume"].value() == "50M"


def test_empty_hidden_fields_of_a_form_count_as_absent(seeded: None) -> None:
    assert form("form=1&catalog=&at=&v=&volume=50M").answer is not None


def test_today_is_asked_only_for_an_answer_of_another_day_or_version(seeded: None) -> None:
    assert link("").today is None
    old = link("at=2026-11-01T12:00:00Z")
    assert old.today is not None
    assert [notice.code for notice in old.notices] == ["outdated"]
    assert old.today.scenario.catalog_version == 1
    assert old.answer is not None
    assert old.today.scenario.at > old.answer.scenario.at


def test_today_s_answer_keeps_what_the_visitor_typed_and_asks_again_for_the_rest(seeded: None) -> None:
    version = factories.make_version()
    factories.make_fx(dt.date(2026, 11, 27), "1.25", catalog_version=version)
    old = link("at=2026-11-20T12:00:00Z&catalog=1&price=900&basis=month&volume=80000000")
    assert old.today is not None and old.answer is not None
    assert old.answer.scenario.usd_per_eur == Decimal("1.1172")
    assert old.today.scenario.usd_per_eur == Decimal("1.25")
    assert (old.today.scenario.price_eur, old.today.scenario.basis) == (Decimal(900), Basis.MONTH)
    typed = link("at=2026-11-20T12:00:00Z&catalog=1&fx=1.05")
    assert typed.today is not None
    assert typed.today.scenario.usd_per_eur == Decimal("1.05")


def test_sentences_follow_the_reader_s_language(seeded: None) -> None:
    with translation.override("en"):
        assert "is not in the catalogue. The nearest: GPU-PRO." in link("sku=GPU-PR0").problems[0].message
        assert "unknown version" in link("v=3").problems[0].message


def test_many_unknown_codes_end_with_an_answerable_proposal(seeded: None) -> None:
    query = "&".join(f"api=zork{index}" for index in range(8))
    outcome = link(f"{AT}&{query}")
    assert {problem.key for problem in outcome.problems} == {"api"}
    assert len(outcome.problems) == 8
    assert link(outcome.notices[-1].query).answer is not None


@pytest.mark.parametrize("query", ["chunk=512&overlap=512", "chunk=1&overlap=9999999", "p50=9&p95=1"])
def test_a_link_that_contradicts_itself_is_told_and_never_computed(seeded: None, query: str) -> None:
    outcome = answers.from_link(tokens.TOOL, QueryDict(query))
    assert outcome.answer is None
    assert [problem.key for problem in outcome.problems] == ["p95" if "p95" in query else "overlap"]
