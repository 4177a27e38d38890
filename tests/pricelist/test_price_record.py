"""The whole record as a file: every event with person, file and reason; formulas disarmed, private prices left out."""

import csv
import io
import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from calculator.models import PriceEvent
from calculator.pricelist import publish
from tests import factories as make
from tests.pricelist.sending import alice, hour, pro, sent

__all__ = ["alice", "pro"]
pytestmark = pytest.mark.django_db


def written(*arguments: str) -> str:
    output = io.StringIO()
    call_command("price_record", *arguments, stdout=output)
    return output.getvalue()


def as_rows(*arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written(*arguments))))


def test_every_step_is_a_row_with_its_person_file_and_reason(alice: User) -> None:
    upload = sent(alice, hour("1,60"))
    publish.apply(upload, alice, reason="list of December", request_id="r1")
    found = as_rows()
    assert [row["action"] for row in found] == ["received", "validated", "price", "applied"]
    change = found[2]
    assert (change["actor"], change["file"], change["sha256"]) == ("alice", "prices.csv", upload.sha256)
    assert (change["before"], change["after"], change["version"]) == ("1.5", "1.6", "2")
    assert (change["reason"], change["request_id"]) == ("list of December", "r1")
    assert change["subject"] == "GPU-PRO instance_hour on_demand EUR"


def test_json_holds_the_same_one_object_a_line(alice: User) -> None:
    publish.apply(sent(alice, hour("1,60")), alice)
    found = [json.loads(line) for line in written("--json").splitlines()]
    assert [row["action"] for row in found] == [row["action"] for row in as_rows()]
    assert (found[0]["version"], found[2]["version"]) == (None, 2)


@pytest.mark.parametrize("text", ["=1+1", "+33", "@x", "\t=1", "-2+3+cmd|x"])
def test_p24_formulas_in_the_record_are_disarmed_in_csv_and_kept_in_json(text: str) -> None:
    make.make_event(reason=text)
    assert as_rows()[0]["reason"] == f"'{text}"
    assert json.loads(written("--json"))["reason"] == text


def test_private_prices_are_left_out_unless_asked_for() -> None:
    make.make_event(subject="public")
    make.make_event(subject="secret", audience="sales")
    assert [row["subject"] for row in as_rows()] == ["public"]
    assert [row["subject"] for row in as_rows("--private")] == ["public", "secret"]


def test_an_empty_record_is_a_header() -> None:
    assert not PriceEvent.objects.exists()
    assert written().startswith("id,at,actor,action,audience,version")
    assert written("--json") == ""
