"""What the template is given: errors in reading order, links that hold the state, nothing where there is no answer."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.utils import translation

from calculator import answers, pagestate, registry

pytestmark = pytest.mark.django_db
TOOL = registry.CALCULATORS["economics"]


def context(query: str) -> dict[str, object]:
    read = answers.from_form if "form=1" in query else answers.from_link
    with translation.override("fr"):
        return pagestate.context(TOOL, read(TOOL, QueryDict(query)))


def test_errors_come_in_the_order_of_the_fields_with_those_of_the_page_first(seeded: None) -> None:
    found = context("form=1&catalog=77&fx=x&volume=abc&util=")
    lines = [line.field_id for line in found["errors"]]  # type: ignore[attr-defined]
    assert lines == ["", "id_volume", "id_util", "id_fx"]
    assert all(line.message for line in found["errors"])  # type: ignore[attr-defined]


def test_errors_of_choices_lead_to_their_group(seeded: None) -> None:
    found = context("form=1&basis=year&api=zork&mode=cheap")
    assert {line.field_id for line in found["errors"]} == {"id_basis", "id_api", "id_mode"}  # type: ignore[attr-defined]


def test_without_an_answer_there_is_no_page_and_no_file_but_the_form_and_the_cases(seeded: None) -> None:
    found = context("volume=abc")
    assert found["page"] is None
    assert found["estimate"] is None
    assert found["exports"] == ()
    assert len(found["presets"]) == 6  # type: ignore[arg-type]
    assert len(found["profiles"]) == 3  # type: ignore[arg-type]


def test_no_case_is_marked_as_shown_while_an_input_cannot_be_read(seeded: None) -> None:
    wrong, right = context("form=1&volume=abc"), context("form=1&volume=100000000")
    for name in ("presets", "profiles"):
        assert not [link for link in wrong[name] if link.is_current]  # type: ignore[attr-defined]
    assert [link.code for link in right["presets"] if link.is_current] == ["internal"]  # type: ignore[attr-defined]


def test_every_file_has_the_query_of_the_page(seeded: None) -> None:
    found = context("volume=50000000")
    permalink = urlsplit(str(found["permalink"]))
    assert parse_qs(permalink.query)["volume"] == ["50000000"]
    files = {link.suffix: urlsplit(link.href) for link in found["exports"]}  # type: ignore[attr-defined]
    assert {suffix: link.path for suffix, link in files.items()} == {
        suffix: f"/fr/economics.{suffix}" for suffix in ("csv", "xlsx", "json")
    }
    assert {link.query for link in files.values()} == {permalink.query}


def test_an_address_without_query_is_the_page(seeded: None) -> None:
    with translation.override("en"):
        assert pagestate.address("economics", "") == "/en/economics"
        assert pagestate.address("economics", "v=1") == "/en/economics?v=1"


def test_an_old_answer_brings_today_s_in_words(seeded: None) -> None:
    found = context("at=2026-11-01T12:00:00Z")
    assert str(found["today"]).replace("\u00a0", " ").replace("\u202f", " ") == "830,64 € HT par mois"
    assert context("")["today"] == ""
