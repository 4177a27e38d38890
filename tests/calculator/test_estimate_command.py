"""`manage.py estimate`: the page's keys and answer, defaults that are listed, and sentences for what is wrong."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.http import QueryDict
from django.utils.translation import override

from calculator import answers, catalog, registry, snapshots
from calculator.management.commands.estimate import Command
from calculator.permalinks import economics as notation
from calculator.tool import Calculator

pytestmark = pytest.mark.django_db


def told(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("estimate", *arguments, stdout=out, **options)
    return out.getvalue()


def refused(*arguments: str, **options: Any) -> CommandError:
    with pytest.raises(CommandError) as caught:
        told(*arguments, **options)
    return caught.value


def readme_examples() -> list[list[str]]:
    """The arguments of each `manage.py estimate` line of the README."""
    text = (settings.BASE_DIR / "README.md").read_text(encoding="utf-8")
    return [line.split("estimate ", 1)[1].split() for line in text.splitlines() if "manage.py estimate" in line]


def test_the_readme_s_example_is_answered(seeded: None) -> None:
    examples = readme_examples()
    assert examples
    for arguments in examples:
        assert "GPU-PRO" in told(*arguments)


def test_json_gives_the_page_s_answer(seeded: None) -> None:
    found = json.loads(told("economics", "volume=100000000", "sku=gpu-pro", json=True))
    assert found["eur_per_mtok"]["month"]["at_volume"] == "8.3064"
    assert found["eur_per_mtok"]["hour"]["at_volume"] == "10.8"
    assert found["scenario"]["sku"] == "GPU-PRO"


def test_absent_keys_take_their_documented_defaults_and_are_listed(seeded: None) -> None:
    found = json.loads(told("economics", "volume=100000000", "util=0.65", json=True))
    assert found["defaults"]["hours"] == "720"
    assert found["defaults"]["api"][0] == "mistral-small-2603"
    assert not {"volume", "util"} & set(found["defaults"])
    text = told("economics", "volume=100000000")
    listed = text.split("Valeurs par défaut")[1]
    assert "util=0.65" in listed
    assert "volume=" not in listed.split("/fr/economics")[0]


def test_nothing_taken_by_default_is_said_too(seeded: None) -> None:
    link = told("economics").strip().splitlines()[-1].partition("?")[2]
    listed = told("economics", *link.split("&")).split("Valeurs par défaut")[1]
    assert "aucune" in listed


def test_the_answer_is_a_sentence_with_every_row_and_the_link(seeded: None) -> None:
    text = told("economics")
    assert text.startswith("Un GPU-PRO dédié coûte 830,64")
    assert "GPU-PRO, au mois" in text
    assert "1,1172" in text
    assert "/fr/economics?v=1&catalog=1" in text


def test_lang_en_answers_in_english_with_an_english_link(seeded: None) -> None:
    text = told("economics", lang="en")
    assert "€830.64" in text.splitlines()[0]
    assert "/en/economics?v=1" in text
    assert "Defaults" in text


def test_a_repeated_key_gives_several_apis(seeded: None) -> None:
    found = json.loads(told("economics", "api=gpt-5.4", "api=gpt-5.4-mini", json=True))
    assert found["scenario"]["api"] == ["gpt-5.4-mini", "gpt-5.4"]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["colour=red"], "colour"),
        (["volume="], "volume"),
        (["volume=abc"], "volume = "),
        (["volume=1e9"], "volume = "),
        (["volume=NaN"], "volume = "),
        (["volume=-1"], "volume = "),
        (["util=65"], "util = "),
        (["util=0,65"], "util = "),
        (["util=0.5", "util=0.6"], "2 fois"),
        (["sku=GPU-PR0"], "GPU-PRO"),
        (["api=zork"], "zork"),
        (["v=9"], "version"),
        (["catalog=9"], "9"),
        (["basis"], "clé=valeur"),
        (["=5"], "clé=valeur"),
        (["traffic=requests"], "requests"),
        (["form=1"], "form"),
    ],
)
def test_what_cannot_be_answered_ends_with_status_2_and_names_the_key(
    seeded: None, pairs: list[str], words: str
) -> None:
    error = refused("economics", *pairs)
    assert error.returncode == 2
    assert words in str(error)


def test_every_problem_is_named_at_once(seeded: None) -> None:
    message = str(refused("economics", "volume=abc", "hours=0", "rate=x"))
    assert all(key in message for key in ("volume", "hours", "rate"))


def test_a_calculator_that_does_not_exist_is_named_with_those_that_do(seeded: None) -> None:
    error = refused("zork")
    assert error.returncode == 2
    assert "zork" in str(error) and "economics, inference" in str(error)


def test_sentences_follow_the_language(seeded: None) -> None:
    assert "is not in the catalogue" in str(refused("economics", "sku=GPU-PR0", lang="en"))


def test_an_empty_catalogue_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "newest_number", lambda: None)
    assert "seed" in str(refused("economics"))


def test_a_database_without_tables_says_what_to_run(seeded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable() -> int:
        raise OperationalError("no such table: calculator_catalogversion")

    monkeypatch.setattr(catalog, "latest_version", unreadable)
    error = refused("economics")
    assert error.returncode == 1
    assert "migrate" in str(error)


def test_a_gpu_on_request_answers_without_inventing_a_price(seeded: None) -> None:
    found = json.loads(told("economics", "sku=GPU-SUPERCOMPUTE", json=True))
    assert found["eur_per_mtok"]["month"]["at_volume"] is None
    assert found["gpu"]["month"]["total_eur"] is None


def test_a_typed_price_is_taken_as_an_assumption(seeded: None) -> None:
    found = json.loads(told("economics", "basis=hour", "price=2.00", json=True))
    price = next(item for item in found["inputs"] if item["name"] == "price_hour")
    assert Decimal(price["value"]) == 2
    assert (price["kind"], price["replaces_catalogue"]) == ("input", True)
    assert found["gpu"]["hour"]["bill_eur"] == "1440"


def test_help_documents_every_key_with_its_default() -> None:
    text = Command().create_parser("manage.py", "estimate").format_help()
    for name in notation.NOTATION.by_name:
        assert f"\n  {name} " in text
    assert "  util       0.65" in text
    assert "  hours      720" in text


@pytest.mark.parametrize("tool", registry.TOOLS, ids=lambda tool: tool.name)
def test_the_page_s_notices_are_in_the_text_and_in_the_data(seeded: None, tool: Calculator) -> None:
    query = "cal=0123456789ab" if "cal" in tool.notation.by_name else "at=2026-08-01T00:00:00Z"
    with override("en"):
        shown = answers.from_link(tool, QueryDict(query)).notices
    found = json.loads(told(tool.name, query, json=True, lang="en"))
    assert found["notices"] == [{"code": notice.code, "text": notice.text} for notice in shown]
    lines = told(tool.name, query, lang="en").splitlines()
    assert all(notice.text in lines for notice in shown)


def test_a_changed_calibration_and_a_price_to_carry_over_are_in_the_data(seeded: None) -> None:
    found = json.loads(told("parallelism", "cal=0123456789ab", json=True, lang="en"))
    texts = {notice["code"]: notice["text"] for notice in found["notices"]}
    assert "calibration has changed" in texts["calibration"]
    assert "43.20" in texts["price_proposal"]
