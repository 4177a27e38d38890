"""The OpenAPI document: the keys of each question as its notation has them, generated and never written twice."""

import dataclasses
import datetime as dt
import json
import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ninja import Schema

from calculator import registry
from calculator.permalinks.notation import Choice, ReadError, parse_instant, write_instant
from sales.api import parameters, schemas
from sales.api.openapi import document
from tests.sales.apisite import ROOT, told

CALCULATORS = [tool.name for tool in registry.TOOLS]


def keys_of(path: str) -> dict[str, Any]:
    """The query parameters of a path, by name."""
    listed = document()["paths"][path]["get"]["parameters"]
    return {one["name"]: one for one in listed if one["in"] == "query"}


@pytest.mark.django_db
def test_the_document_is_served_as_it_is_made() -> None:
    assert told("openapi.json") == json.loads(json.dumps(document()))
    assert document()["openapi"].startswith("3.1.")


@pytest.mark.parametrize("name", CALCULATORS)
def test_an_estimate_takes_the_very_keys_of_its_link(name: str) -> None:
    notation = registry.CALCULATORS[name].notation
    assert list(keys_of(f"{ROOT}estimates/{name}")) == [*notation.by_name, "v", "lang"]


def test_limits_choices_defaults_and_units_are_those_of_the_page() -> None:
    keys = keys_of(f"{ROOT}estimates/economics")
    assert keys["volume"]["schema"] == {"type": "number", "minimum": 1, "maximum": 10**15, "default": 100_000_000}
    assert keys["util"]["schema"] == {"type": "number", "minimum": 0.01, "maximum": 1, "default": 0.65}
    assert "ratio" in keys["util"]["description"]
    assert keys["basis"]["schema"] == {"type": "string", "enum": ["hour", "month"], "default": "month"}
    assert keys["rate"]["schema"] == {"type": "number", "minimum": 0.01, "maximum": 1_000_000}
    assert "tokens per second" in keys["rate"]["description"]
    assert keys["conc"]["schema"]["type"] == "integer"
    assert keys["api"]["schema"]["default"][0] == "mistral-small-2603"


def test_words_are_in_english() -> None:
    keys = keys_of(f"{ROOT}estimates/tokens")
    assert keys["docs"]["description"] == "Documents in the corpus."
    every = [one["description"] for path in document()["paths"].values() for one in path["get"]["parameters"]]
    assert [text for text in every if re.search("[éèàç]", text)] == []


def test_what_is_left_to_the_calculator_may_be_said_so() -> None:
    schema = keys_of(f"{ROOT}estimates/inference")["tp"]["schema"]
    assert schema["anyOf"][1] == {"type": "string", "const": "auto"}
    assert schema["default"] == "auto"


def test_none_of_several_choices_is_a_word() -> None:
    schema = keys_of(f"{ROOT}estimates/training")["target"]["schema"]
    assert schema["anyOf"][0]["items"]["enum"][:4] == ["q", "k", "v", "o"]
    assert schema["anyOf"][1]["const"] == "none"


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_default_is_a_value_that_its_key_takes(name: str) -> None:
    for key in keys_of(f"{ROOT}estimates/{name}").values():
        if "default" in key["schema"]:
            jsonschema_rs.validate(key["schema"], key["schema"]["default"])


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_listed_choice_is_taken_by_the_notation(name: str) -> None:
    for key in registry.CALCULATORS[name].notation.keys:
        if isinstance(key.parse, Choice):
            assert parameters.one_value(key)["enum"] == list(key.parse.values)
            assert [key.write(key.parse(text)) for text in key.parse.values] == list(key.parse.values)


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_number_of_a_known_unit_says_it(name: str) -> None:
    """A number's attribute carries its unit; what is a plain count has none."""
    counts = re.compile(r"(_count|_id|version|concurrency|instances|_per_set|steps|rows|batch|accumulation|epochs|rank"
                        r"|gpus|parallel|replicas|sequences|layers|hidden|width|heads|dim|intermediate|vocab|context"
                        r"|experts|top_k|window|params|batches|requests|_ways)$")  # fmt: skip
    unnamed = [
        key.attribute
        for key in registry.CALCULATORS[name].notation.keys
        if key.quantity is not None and not parameters.unit_of(key.attribute) and not counts.search(key.attribute)
    ]
    assert unnamed == []


def test_every_answer_and_every_error_is_described() -> None:
    for path in document()["paths"].values():
        responses = path["get"]["responses"]
        assert {"200", "404", "422", "429", "500", "503"} <= {str(status) for status in responses}
        assert list(responses["422"]["content"]) == ["application/problem+json"]


@given(at=st.datetimes(dt.datetime(1999, 12, 25), dt.datetime(2100, 1, 5), timezones=st.just(dt.UTC)))  # noqa: DTZ001
def test_the_pattern_of_an_instant_is_what_the_notation_reads(at: dt.datetime) -> None:
    text = write_instant(at)
    try:
        parse_instant(text)
    except ReadError:
        assert re.search(parameters.INSTANT_PATTERN, text) is None
    else:
        assert re.search(parameters.INSTANT_PATTERN, text)


@pytest.mark.parametrize("day", ["2100-01-01", "2027-02-29", "2026-02-30", "2026-04-31", "2026-13-01", "2026-1-01"])
def test_a_day_that_is_none_fits_no_pattern(day: str) -> None:
    assert re.search(parameters.INSTANT_PATTERN, f"{day}T00:00:00Z") is None
    with pytest.raises(ReadError):
        parse_instant(f"{day}T00:00:00Z")


def test_a_leap_day_fits() -> None:
    assert re.search(parameters.INSTANT_PATTERN, "2028-02-29T23:59:59Z")
    assert parse_instant("2028-02-29T23:59:59Z").day == 29


def test_a_dataclass_is_described_from_its_fields() -> None:
    @dataclasses.dataclass
    class Sheet:
        name: str
        size_gb: float
        count: int | None = None
        peak: float | None = None
        hidden: str = ""

    found = schemas.described("Sheet", Sheet, frozenset({"hidden"}), kind=(str, ...))
    assert issubclass(found, Schema)
    told_fields = found.model_json_schema()["properties"]
    assert list(told_fields) == ["kind", "name", "size_gb", "count", "peak"]
    assert told_fields["size_gb"]["type"] == "string"
    assert [one["type"] for one in told_fields["count"]["anyOf"]] == ["integer", "null"]
    assert [one["type"] for one in told_fields["peak"]["anyOf"]] == ["string", "null"]


@pytest.mark.parametrize("name", CALCULATORS)
def test_the_key_schema_of_an_estimate_is_described_by_its_own_name(name: str) -> None:
    """The generated questions found it described with an underscore, as Python has to write it."""
    assert document()["paths"][f"{ROOT}estimates/{name}"]["get"]["operationId"] == f"estimate_{name}"
    assert "schema" in document()["components"]["schemas"]["Estimate"]["required"]


@pytest.mark.parametrize("name", CALCULATORS)
def test_no_calculator_has_a_key_that_the_interface_needs_for_itself(name: str) -> None:
    """`lang` chooses the language of an answer, `whole` the length of an assistant's; one's own would clash."""
    assert not {"v", "lang", "whole"} & set(registry.CALCULATORS[name].notation.by_name)
