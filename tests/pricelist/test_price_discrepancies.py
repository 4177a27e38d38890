"""`manage.py price_discrepancies`: what cron and a person read of our prices beside the library's."""

import datetime as dt
import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from calculator import catalog
from calculator.models import CatalogItem
from calculator.presenters import pricelist_discrepancies as words
from calculator.pricelist import discrepancies
from tests import factories as make

pytestmark = pytest.mark.usefixtures("noon")


def run(*arguments: str, status: int = 0) -> str:
    out = io.StringIO()
    if status:
        with pytest.raises(SystemExit) as ended:
            call_command("price_discrepancies", *arguments, stdout=out)
        assert ended.value.code == status
    else:
        call_command("price_discrepancies", *arguments, stdout=out)
    return out.getvalue()


def dearer() -> None:
    """Our output price of gpt-5.4-mini is twice the library's, entered by hand ten days ago."""
    item = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(
        item, "output", "9.00", origin="manual", valid_from=make.NOW - dt.timedelta(days=1),
        checked_on=dt.date(2026, 11, 20),
    )  # fmt: skip


def test_where_no_rate_differs_the_command_ends_well(seeded: None) -> None:
    shown = run("--lang", "en")
    assert "Price list no. 1 of 30 Nov 2026 13:00, genai-prices 0.2.3: same 77, different 0" in shown
    assert "mistral-embed, input, batch: only in the library, ours none, genai-prices $0.05" in shown
    assert "deepseek-chat: not compared (model retired)" in shown


def test_a_rate_that_differs_ends_with_status_1_and_both_amounts(catalogue: None) -> None:
    dearer()
    shown = run("--lang", "en", status=1)
    assert "gpt-5.4-mini, output, standard: different, ours $9.00, genai-prices $4.50, −50.0%" in shown
    assert "checked on 20 Nov 2026" in shown


def test_json_holds_every_rate_as_text(catalogue: None) -> None:
    dearer()
    found: dict[str, Any] = json.loads(run("--json", status=1))
    assert found["counts"]["differs"] == 1
    (one,) = [rate for rate in found["rates"] if rate["verdict"] == "differs"]
    assert (one["model"], one["ours"], one["theirs"], one["our_checked_on"]) == (
        "gpt-5.4-mini",
        "9",
        "4.5",
        "2026-11-20",
    )
    assert len(json.loads(run("--json", "--all", status=1))["rates"]) == sum(found["counts"].values())


def test_an_earlier_instant_is_compared_with_what_the_library_had_then(seeded: None) -> None:
    """Before 2026-10-12 the library has no mode but the standard one, and ours begin on the same days."""
    found = json.loads(run("--json", "--all", "--at", "2026-10-01"))
    assert {rate["mode"] for rate in found["rates"] if rate["verdict"] != "not_compared"} == {"standard"}


def test_an_empty_catalogue_and_a_day_that_is_none_are_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> int:
        raise catalog.NotFound("version", "")

    monkeypatch.setattr(catalog, "latest_version", nothing)
    for arguments in ((), ("--at", "yesterday")):
        with pytest.raises(CommandError) as error:
            call_command("price_discrepancies", *arguments)
        assert error.value.returncode == 2


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_verdict_and_reason_has_words(language: str) -> None:
    verdicts = (
        discrepancies.SAME, discrepancies.DIFFERS, discrepancies.ONLY_OURS, discrepancies.ONLY_THEIRS,
        discrepancies.NOT_COMPARED,
    )  # fmt: skip
    with translation.override(language):
        assert all(words.verdict_name(verdict) for verdict in verdicts)
        reasons = ("retired", "provider_unknown", "model_unknown", "other_model", "daily_window")
        assert all(words.reason_name(reason) for reason in reasons)
        assert words.reason_name("") == ""
