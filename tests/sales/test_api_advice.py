"""The advisor as interface, command and tool: the numbers of its page, and one rule for its language."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from sales.advising.tool import TOOL
from sales.api import advice, assistant
from sales.api.openapi import document
from sales.api.problems import RefusedError
from tests.sales.apisite import asked, keys, refused, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
AT = "2026-11-30T14:00:00Z"
INDEX = f"use=index&load=none&docs=2000000&doc=4000&at={AT}"
OFFICE = f"users=200&daily=20&at={AT}"


def lasting(held: dict[str, Any]) -> dict[str, Any]:
    """An answer without its instant, its address and the key that the interface calls otherwise."""
    found = json.loads(json.dumps(held))
    for name in ("created_at", "permalink", "scenario", "defaults"):
        found.pop(name)
    return found  # type: ignore[no-any-return]


def command(*pairs: str, **options: Any) -> str:
    out = StringIO()
    call_command("advise", *pairs, stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("query", [INDEX, OFFICE, f"use=tune&load=none&model=Mistral-7B&at={AT}"])
@pytest.mark.parametrize("language", ["fr", "en"])
def test_page_interface_command_and_tool_give_the_same_numbers(query: str, language: str) -> None:
    page = Client().get(f"/{language}/advice/advice.json?{query}").json()
    by_interface = told(f"advice?{query}&lang={language}")
    by_command = json.loads(command(*query.split("&"), json=True, lang=language))
    arguments = dict(pair.split("=") for pair in query.split("&"))
    by_tool = assistant.answer("advice", {**arguments, "lang": language, "whole": True})
    assert lasting(by_interface) == lasting(page) == lasting(by_command) == lasting(by_tool)
    assert by_interface["permalink"] == "http://testserver" + by_command["permalink"]


def test_the_amounts_are_those_of_the_offer() -> None:
    """311 h × 4.20 € to index on GPU-ENTERPRISE; 200 × 20 × 720 ÷ 24 × 5 ÷ 7 = 85 714.29 requests a month."""
    found = told(f"advice?{INDEX}")
    assert [one["eur"] for one in found["indexing"] if one["sku"] == "GPU-ENTERPRISE"] == ["1306.2"]
    assert found["options"] == []
    assert told(f"advice?{OFFICE}")["load"]["requests_a_month"].startswith("85714.2857")


def test_the_language_of_the_need_and_that_of_the_answer_are_two_keys() -> None:
    """1 000 words are more tokens in French than in English, whatever language the answer is in."""
    words = f"unit=words&in=1000&out=200&at={AT}"
    found = {
        (need, answer): told(f"advice?{words}&need_lang={need}&lang={answer}")
        for need in ("fr", "en")
        for answer in ("fr", "en")
    }
    volume = {pair: held["load"]["volume_tokens"] for pair, held in found.items()}
    assert volume["fr", "fr"] == volume["fr", "en"] != volume["en", "fr"] == volume["en", "en"]
    sentence = {pair: held["answer"]["sentence"] for pair, held in found.items()}
    assert sentence["fr", "fr"] != sentence["fr", "en"]
    assert found["en", "fr"]["scenario"]["need_lang"] == "en" and "lang" not in found["en", "fr"]["scenario"]
    assert "&lang=en&" in found["en", "fr"]["permalink"]
    assert told(f"advice?at={AT}")["defaults"]["need_lang"] == "fr"


@pytest.mark.parametrize(
    ("query", "status", "fault"),
    [
        ("colour=red", 422, ("colour", "unknown")),
        ("need_lang=de", 422, ("need_lang", "unreadable")),
        ("lang=de", 422, ("lang", "unreadable")),
        ("use=", 422, ("use", "unreadable")),
        ("load=tokens", 422, ("volume", "together")),
        ("model=No-Model", 404, ("model", "missing")),
        ("catalog=99", 404, ("catalog", "missing")),
    ],
)
def test_what_is_wrong_is_a_problem_document_that_names_the_key(
    query: str, status: int, fault: tuple[str, str]
) -> None:
    assert keys(refused(f"advice?{query}", status)) == [fault]
    if fault[0] != "lang":
        with pytest.raises(RefusedError) as caught:
            assistant.answer("advice", dict([query.split("=")]))
        assert [(one.key, one.code) for one in caught.value.problems] == [fault]


def test_the_command_refuses_what_the_interface_refuses_and_tells_in_text() -> None:
    text = command(*INDEX.split("&"), lang="en")
    assert "GPU-ENTERPRISE" in text and "/en/advice/?v=1" in text and "1,306.20" not in text.split("\n")[-1]
    for wrong in ("colour=red", "use=gold", "model=No-Model", "use"):
        with pytest.raises(CommandError) as caught:
            command(wrong)
        assert caught.value.returncode == 2


def test_it_is_described_like_every_other_operation() -> None:
    operation = document()["paths"]["/api/v1/advice"]["get"]
    names = [one["name"] for one in operation["parameters"]]
    assert names.count("lang") == names.count("need_lang") == 1
    assert {*advice.NOTATION.by_name, "v", "lang"} == set(names)
    assert set(TOOL.notation.by_name) - set(advice.NOTATION.by_name) == {"lang"}
    assert {"422", "404", "429"} <= set(operation["responses"])
    tool = next(one for one in assistant.described() if one.name == "advice")
    assert tool.schema["properties"]["must"]["anyOf"][0]["items"]["enum"][0] == "eu"


def test_an_unchanged_piece_of_advice_is_not_sent_again() -> None:
    first = asked(f"advice?{OFFICE}&lang=fr")
    assert asked(f"advice?{OFFICE}&lang=fr", if_none_match=first.headers["ETag"]).status_code == 304


def test_the_page_of_the_interface_lists_it() -> None:
    assert "/api/v1/advice" in Client().get("/en/api-docs/").content.decode()
