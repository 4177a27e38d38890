"""What an inference answer supposes stands where it is recommended; page, configuration and facts agree."""

from decimal import Decimal

import pytest
from django.http import QueryDict
from django.utils import translation

from calculator import answers, registry
from calculator.deploy import arguments
from calculator.deploy.number_formats import WEIGHTS
from calculator.domain.serving_layout import MINIMUM_CAPABILITY
from calculator.tool import Answer

pytestmark = pytest.mark.django_db
TOOL = registry.CALCULATORS["inference"]


def asked(query: str) -> Answer:
    outcome = answers.from_link(TOOL, QueryDict(query))
    assert outcome.answer is not None, outcome.problems
    return outcome.answer


def published() -> str:
    return next(preset.query for preset in TOOL.presets if preset.code == "assistant")


def test_the_capabilities_that_refuse_a_format_are_those_of_the_deploy_room() -> None:
    facts = arguments.arguments().minimum_capability
    for precision, needed in MINIMUM_CAPABILITY.items():
        assert divmod(facts[WEIGHTS[precision].method], 10) == needed, precision


def test_three_cards_are_found_where_two_are_too_slow_and_four_too_dear(seeded: None) -> None:
    """3 × 1.50 € = 4.50 € an hour, below one GPU-TITAN at 5.40."""
    found = asked("sku=GPU-PRO&count=2&conc=48&ttft=450&tpot=33").estimate.ranking.cheapest
    assert (found.offer.sku.code, found.scenario.instances, found.eur_per_h) == ("GPU-PRO", 3, Decimal("4.5"))


def test_the_published_cache_is_said_to_be_dropped_and_the_ranking_takes_the_one_written(seeded: None) -> None:
    found = asked(published())
    page = TOOL.page(found)
    assert page.notices[0].code == "fp8_cache_not_written"
    assert "la configuration écrit 16" in TOOL.sentence(found.estimate)
    for one in found.estimate.ranking.candidates:
        assert one.offer.gpu.fp8_native or one.scenario.cache.value == "fp16"


def test_the_notes_of_the_published_setup_stand_on_it_alone(seeded: None) -> None:
    named = {True: asked(published()), False: asked("")}
    texts = {on: str(TOOL.page(one).deploy) for on, one in named.items()}
    assert "swap" in texts[True].casefold()
    assert "swap" not in texts[False].casefold()


@pytest.mark.parametrize("language", ["fr", "en"])
def test_several_cards_under_one_replica_state_their_condition_in_the_sentence(seeded: None, language: str) -> None:
    query = "sku=GPU-TITAN&count=4&tp=4&model=Llama-3-70B&ttft=0&tpot=0"
    with translation.override(language):
        found = asked(query)
        said = TOOL.sentence(found.estimate)
        condition = {"fr": "si ces 4 instances sont dans une même machine", "en": "if these 4 instances are in one"}
        assert condition[language] in said
        single = TOOL.page(found).ranking
        assert all(
            ("même machine" in line.detail or "one machine" in line.detail)
            for line in single
            if "TP" in line.detail and "SUPER" not in line.code
        )


@pytest.mark.parametrize("language", ["fr", "en"])
def test_several_copies_state_the_condition_of_one_of_them(seeded: None, language: str) -> None:
    """Sixteen cards with TP 8 are two copies: eight of them in one machine, not sixteen."""
    query = "sku=GPU-TITAN&count=16&tp=8&model=Llama-3-70B&ttft=0&tpot=0"
    with translation.override(language):
        said = TOOL.sentence(asked(query).estimate)
    condition = {
        "fr": "si les 8 instances de chaque copie sont dans une même machine",
        "en": "if the 8 instances of each copy are in one machine",
    }
    assert condition[language] in said


@pytest.mark.parametrize("language", ["fr", "en"])
def test_whole_machines_under_one_copy_are_linked_not_put_into_one(seeded: None, language: str) -> None:
    """16 cards under one copy of DeepSeek-V3 are two machines of eight; four such machines hold two copies."""
    query = "sku=GPU-SUPERCOMPUTE&model=DeepSeek-V3&prec=fp8&ttft=0&tpot=0&tp=8&pp=2"
    conditions = {
        "fr": (
            "si ces 2 machines sont reliées aussi vite que leurs GPU entre eux",
            "si les 2 machines de chaque copie sont reliées aussi vite que leurs GPU entre eux",
        ),
        "en": (
            "if these 2 machines are linked as fast as their own GPUs",
            "if the 2 machines of each copy are linked as fast as their own GPUs",
        ),
    }
    with translation.override(language):
        for count, condition in zip((2, 4), conditions[language], strict=True):
            assert condition in TOOL.sentence(asked(f"{query}&count={count}").estimate)


def test_goodput_and_throughput_have_their_own_names(seeded: None) -> None:
    told = TOOL.sections(asked(""))["limits"]["goodput"]
    assert set(told) == {
        "low_ratio",
        "high_ratio",
        "low_requests_per_s",
        "high_requests_per_s",
        "throughput_requests_per_s",
    }
    assert float(told["low_requests_per_s"]) <= float(told["throughput_requests_per_s"])


def test_goodput_is_called_an_indication_on_the_page(seeded: None) -> None:
    assert TOOL.page(asked("")).goodput.startswith("Indication")


def test_memory_is_counted_as_the_cards_are_in_page_file_and_step(seeded: None) -> None:
    """14 496 047 104 bytes of weights are 13.5 GiB."""
    found = asked("")
    page = TOOL.page(found)
    sizes = {line.name: line.size for line in page.memory_lines}
    assert sizes["poids"] == "13,5\u00a0Gio"
    assert "Go" not in page.memory.title
    row = next(row for row in TOOL.rows(found.estimate) if row.label == "poids")
    assert (round(row.value, 4), row.unit) == (Decimal("13.5005"), "Gio")
    assert page.formulas[0].result == "13,5\u00a0Gio"


def test_a_row_is_worth_what_its_own_step_is(seeded: None) -> None:
    rows = {row.label: row.kind for row in TOOL.rows(asked("").estimate)}
    assert rows["poids"] == "fiche technique"
    assert rows["moteur"] == "estimation"
    assert rows["Facture du mois"] == "hypothèse"
    ranked = [row for row in TOOL.rows(asked("").estimate) if row.section == "Classement" and row.unit == "€ HT / h"]
    assert {row.kind for row in ranked if not isinstance(row.value, str)} == {"tarif public"}


@pytest.mark.parametrize(
    ("query", "reason"),
    [("pp=999", "there are 32 layers for 999 stages."), ("tp=3&count=3", "32")],
)
def test_a_division_that_is_impossible_is_told_by_its_key(seeded: None, query: str, reason: str) -> None:
    """Mistral-7B has 32 layers and 32 heads: neither 999 stages nor 3 parts of its heads."""
    with translation.override("en"):
        outcome = answers.from_link(TOOL, QueryDict(query))
    assert outcome.answer is None
    assert outcome.problems[0].key == query[:2]
    assert reason in outcome.problems[0].message
