"""TP and PP left open: links, form, command and JSON say "auto", and the answer says what was chosen."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client

from calculator import answers, permalinks, registry
from calculator.tool import Answer
from tests import pagetext

pytestmark = pytest.mark.django_db
DIVIDED = ("inference", "training")
SEVENTY = "model=Llama-3-70B&sku=GPU-TITAN&count=4"


def answered(name: str, query: str) -> Answer:
    found = answers.from_link(registry.CALCULATORS[name], QueryDict(query)).answer
    assert found is not None
    return found


def told(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("estimate", *arguments, stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("name", DIVIDED)
@pytest.mark.parametrize("query", ["", "tp=auto", "tp=auto&pp=auto"])
def test_an_absent_key_and_auto_say_the_same_and_are_written_out(seeded: None, name: str, query: str) -> None:
    found = answered(name, query)
    assert (found.scenario.tensor_parallel, found.scenario.pipeline_parallel) == (None, None)
    assert "&tp=auto&pp=auto&" in found.query


@pytest.mark.parametrize("name", DIVIDED)
def test_an_old_link_with_numbers_is_read_and_written_as_it_was(seeded: None, name: str) -> None:
    found = answered(name, "tp=1&pp=1")
    assert (found.scenario.tensor_parallel, found.scenario.pipeline_parallel) == (1, 1)
    assert "&tp=1&pp=1&" in found.query


@pytest.mark.parametrize("name", DIVIDED)
def test_the_link_reads_back(seeded: None, name: str) -> None:
    tool = registry.CALCULATORS[name]
    scenario = answered(name, "tp=auto").scenario
    assert permalinks.read(QueryDict(permalinks.write(scenario)), tool.default()).scenario == scenario


@pytest.mark.parametrize("name", DIVIDED)
@pytest.mark.parametrize("text", ["automatique", "AUTO", "0", ""])
def test_anything_else_is_refused_by_its_key(seeded: None, name: str, text: str) -> None:
    outcome = answers.from_link(registry.CALCULATORS[name], QueryDict(f"tp={text}"))
    assert outcome.answer is None
    assert [problem.key for problem in outcome.problems] == ["tp"]


def test_seventy_billion_on_four_cards_open_with_an_answer(client: Client, seeded: None) -> None:
    """141 GB on four A100 80 GB: two cards a copy, two copies, and how to have another division."""
    text = pagetext.words(client.get(f"/fr/inference?{SEVENTY}").content.decode())
    assert "Ne tient pas" not in text
    assert "Découpage choisi pour vous. Une réplique tient sur TP 2 × PP 1" in text
    assert "les 4 GPU en portent 2. Un nombre dans « Parallélisme tensoriel » l’impose." in text


def test_an_empty_field_of_the_form_leaves_it_open_and_shows_the_choice(client: Client, seeded: None) -> None:
    page = client.get(f"/fr/inference?form=1&tp=&pp=&{SEVENTY}", follow=True)
    assert "tp=auto" in page.redirect_chain[-1][0]
    html = page.content.decode()
    field = html[html.index('id="id_tp"') :]
    assert 'value=""' in field[:200]
    assert 'placeholder="2"' in field[:400]


def test_the_command_lists_the_open_division_among_the_defaults(seeded: None) -> None:
    text = told("inference", *SEVENTY.split("&"))
    assert "\n  tp=auto\n  pp=auto\n" in text
    assert "TP\u00a02 × PP\u00a01" in text


@pytest.mark.parametrize("name", DIVIDED)
def test_json_has_the_chosen_numbers_and_that_they_were_chosen(seeded: None, name: str) -> None:
    found = json.loads(told(name, json=True))
    assert found["scenario"]["tp"] == "auto"
    assert found["defaults"]["tp"] == "auto"
    held = found["division"]
    assert (held["tensor_parallel"], held["pipeline_parallel"], held["is_automatic"]) == (1, 1, True)
    typed = json.loads(told(name, "tp=1", json=True))
    assert typed["division"]["is_automatic"] is False


def test_a_training_hands_its_chosen_division_to_the_multi_gpu_page(seeded: None) -> None:
    """What the other page has no choice for is handed over as numbers."""
    tool = registry.CALCULATORS["training"]
    found = answered("training", "method=full&model=Llama-3.1-8B&sku=GPU-TITAN&count=8&recomp=1&mbs=1")
    scenario = found.estimate.scenario
    assert scenario.tensor > 1
    query = next(one.query for one in tool.handovers(found) if one.target == "parallelism")
    assert QueryDict(query)["tp"] == str(scenario.tensor)
