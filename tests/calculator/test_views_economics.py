"""The economics page: one answer, one link, the same state kept through errors, and never a server error."""

import datetime as dt
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_htmx.middleware import HtmxDetails
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import catalog, snapshots, views
from calculator.permalinks import economics as notation
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/fr/economics"
HTMX = {"HX-Request": "true"}
RESTORE = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
QUERIES_AT_MOST = 6
NBSP = "\u00a0"


def page(client: Client, query: str = "", language: str = "fr", **headers: str) -> Any:
    return client.get(f"/{language}/economics?{query}", headers=headers)


def text_of(response: Any) -> str:
    """The page without its tags, spaces of any kind made plain."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def link_of(response: Any) -> str:
    """The canonical query that the answer carries."""
    return str(response.context["query"])


def usd_of(response: Any, code: str) -> Any:
    """What one API costs in the answer shown."""
    return next(row.bill.usd for row in response.context["estimate"].comparisons if row.bill.api.code == code)


def four_figures(client: Client, query: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/fr/economics.json?{query}").json()["eur_per_mtok"]
    return found


def test_the_first_view_is_a_full_answer(client: Client, seeded: None) -> None:
    response = page(client)
    assert response.status_code == 200
    assert response.context["errors"] == ()
    text = text_of(response)
    assert "830,64 €" in text
    assert "8,31 €" in text  # 830.64 ÷ 100 M
    assert "7,70 €" in text  # ÷ 107.8272 M, the planned month of one card


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "Temps du prompt non compté : verdicts incomplets."),
        ("en", "Prompt time not counted: verdicts incomplete."),
    ],
)
def test_each_table_says_that_the_prompt_is_not_counted(client: Client, seeded: None, language: str, said: str) -> None:
    """With four input tokens an output token: every GPU, by volume, by utilisation, and over a year."""
    assert text_of(page(client, "in=2000&out=500", language)).count(said) == 4
    assert said not in text_of(page(client, "in=0&out=500", language))


def test_the_data_file_marks_each_row_whose_prompt_is_not_counted(client: Client, seeded: None) -> None:
    found = client.get("/fr/economics.json?in=2000&out=500").json()
    assert [{row["incomplete"] for row in found[name]} for name in ("volumes", "utilisations")] == [{True}, {True}]
    assert {row["incomplete"] for row in found["overview"] if row["total_eur"]} == {True}


def test_the_four_figures_of_the_offer(client: Client, seeded: None) -> None:
    found = four_figures(client, "volume=100000000")
    assert [found["month"][key][:4] for key in ("at_volume", "full_use")] == ["8.30", "7.70"]
    assert found["hour"]["at_volume"] == "10.8"
    assert found["hour"]["full_use"].startswith("10.016")


def test_english_writes_its_own_notation(client: Client, seeded: None) -> None:
    text = text_of(page(client, language="en"))
    assert "€830.64" in text
    assert "€8.31" in text


def test_a_submitted_form_leads_to_its_canonical_link(client: Client, seeded: None) -> None:
    response = page(client, "form=1&volume=50+M&util=24+%25&sku=gpu-titan&basis=hour".replace("gpu-titan", "GPU-TITAN"))
    assert response.status_code == 302
    target = urlsplit(response.headers["Location"])
    assert target.path == URL
    query = parse_qs(target.query)
    assert query["volume"] == ["50000000"]
    assert query["util"] == ["0.24"]
    assert query["sku"] == ["GPU-TITAN"]
    assert "form" not in query
    assert set(query) >= {"v", "catalog", "at", "fx", "fig", "api", "ref", "hours", "vat", "tie"}


def test_the_redirect_never_leaves_the_site(client: Client, seeded: None) -> None:
    response = page(client, "form=1&next=//evil.example&volume=50M")
    assert response.headers["Location"].startswith("/fr/economics?")
    assert "evil" not in response.headers["Location"]


def test_the_link_of_an_answer_gives_the_same_answer(client: Client, seeded: None) -> None:
    first = page(client, "form=1&volume=75M&in=2+000&rate=500&price=1,40&basis=hour", **HTMX)
    again = page(client, link_of(first))
    assert link_of(again) == link_of(first)
    assert again.context["estimate"] == first.context["estimate"]


def test_htmx_gets_the_result_alone_with_its_address(client: Client, seeded: None) -> None:
    response = page(client, "form=1&volume=50M", **HTMX)
    assert response.status_code == 200
    assert b"<html" not in response.content
    assert 'id="result"' in response.content.decode()
    assert "volume=50000000" in response.headers["HX-Replace-Url"]
    assert "HX-Push-Url" not in response.headers


def test_pressing_the_button_pushes_the_address_and_typing_replaces_it(client: Client, seeded: None) -> None:
    response = page(client, "form=1&volume=50M&go=1", **HTMX)
    assert "HX-Replace-Url" not in response.headers
    assert response.headers["HX-Push-Url"].startswith("/fr/economics?v=1")


def test_going_back_in_history_gets_the_whole_page(client: Client, seeded: None) -> None:
    assert b"<html" in page(client, "volume=50000000", **RESTORE).content


@pytest.mark.parametrize("headers", [{}, HTMX, RESTORE], ids=["page", "htmx", "restore"])
def test_no_cache_mixes_up_page_and_fragment(client: Client, seeded: None, headers: dict[str, str]) -> None:
    response = page(client, "volume=50000000", **headers)
    vary = {name.strip() for name in response.headers["Vary"].split(",")}
    assert {"HX-Request", "HX-History-Restore-Request"} <= vary
    assert {"private", "no-cache"} <= {part.strip() for part in response.headers["Cache-Control"].split(",")}


def test_a_live_error_leaves_the_old_result_and_names_the_field(client: Client, seeded: None) -> None:
    response = page(client, "form=1&volume=1,234&util=70", **HTMX)
    assert response.status_code == 200
    assert response.headers["HX-Retarget"] == "#problems"
    assert "HX-Replace-Url" not in response.headers
    assert "peut se lire" in text_of(response)
    assert 'id="answer"' not in response.content.decode()


@pytest.mark.parametrize(
    ("query", "headers", "moves"), [("", HTMX, False), ("&go=1", HTMX, True), ("&go=1", {}, True)], ids=str
)
def test_errors_take_the_focus_on_submit_and_never_while_typing(
    client: Client, seeded: None, query: str, headers: dict[str, str], moves: bool
) -> None:
    body = page(client, f"form=1&volume=abc{query}", **headers).content.decode()
    assert ("autofocus" in body) is moves
    assert ('role="alert"' in body) is moves


def test_an_error_without_script_keeps_every_input_and_gives_no_result(client: Client, seeded: None) -> None:
    response = page(client, "form=1&volume=1,234&util=70&rate=512&sku=GPU-TITAN")
    assert response.status_code == 200
    assert response.context["estimate"] is None
    form = response.context["form"]
    assert (form["volume"].value(), form["util"].value(), form["rate"].value()) == ("1,234", "70", "512")
    assert form["sku"].value() == "GPU-TITAN"
    assert [line.field_id for line in response.context["errors"]] == ["id_volume"]
    assert f"1{NBSP}234" not in response.content.decode()


def test_an_unknown_sku_is_named_with_the_nearest_and_the_rest_is_kept(client: Client, seeded: None) -> None:
    response = page(client, "sku=GPU-PR0&volume=50000000&util=0.8")
    text = text_of(response)
    assert "GPU-PR0" in text
    assert "GPU-PRO" in text
    assert response.context["estimate"] is None
    proposal = parse_qs(response.context["notices"][-1].query)
    assert (proposal["sku"], proposal["volume"], proposal["util"]) == (["GPU-PRO"], ["50000000"], ["0.8"])


def test_every_vanished_code_is_told_at_once(client: Client, seeded: None) -> None:
    response = page(client, "sku=GPU-PR0&api=zork&api=gpt-5.4&ref=quux&fig=999999&model=nope&catalog=1")
    told = " ".join(line.message for line in response.context["errors"])
    for name in ("GPU-PR0", "zork", "quux", "nope"):
        assert name in told
    proposal = parse_qs(response.context["notices"][-1].query)
    assert proposal["api"] == ["gpt-5.4"]
    assert page(client, response.context["notices"][-1].query).context["estimate"] is not None


@pytest.mark.parametrize(("query", "words"), [("v=9", "version inconnue"), ("catalog=99", "n’existe pas")])
def test_an_unknown_version_is_a_readable_error(client: Client, seeded: None, query: str, words: str) -> None:
    response = page(client, query)
    assert response.status_code == 200
    assert words in text_of(response)
    assert response.context["estimate"] is None


def test_unknown_keys_are_named_and_do_not_hide_the_answer(client: Client, seeded: None) -> None:
    response = page(client, "volume=50000000&utm_source=mail")
    assert response.context["estimate"] is not None
    assert "utm_source" in text_of(response)


def test_codes_are_matched_in_any_case_and_written_canonically(client: Client, seeded: None) -> None:
    query = parse_qs(link_of(page(client, "sku=gpu-pro&api=GPT-5.4&ref=GPT-5.4")))
    assert (query["sku"], query["api"], query["ref"]) == (["GPU-PRO"], ["gpt-5.4"], ["gpt-5.4"])


def test_an_old_link_answers_with_its_own_state_and_shows_today_s(client: Client, seeded: None) -> None:
    api = catalog.CatalogItem.objects.get(code="gpt-5.4")
    old = link_of(page(client, "volume=100000000&at=2026-11-20T08:00:00Z"))
    version = factories.make_version()
    factories.make_price(
        api, "output", "30", catalog_version=version, valid_from=dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
    )
    response = page(client, old)
    assert parse_qs(link_of(response))["catalog"] == ["1"]
    assert [row.bill.usd for row in response.context["estimate"].comparisons if row.bill.api.code == "gpt-5.4"] == [
        1500
    ]
    notice = next(notice for notice in response.context["notices"] if notice.code == "outdated")
    today = page(client, notice.query)
    assert usd_of(today, "gpt-5.4") == 3000
    assert parse_qs(notice.query)["catalog"] == ["2"]
    assert not [notice for notice in today.context["notices"] if notice.code == "outdated"]


def test_a_link_of_today_shows_no_banner(client: Client, seeded: None) -> None:
    assert page(client, link_of(page(client))).context["notices"] == ()


def test_p46_a_frozen_rate_keeps_its_own_date_and_is_called_old(client: Client, seeded: None) -> None:
    response = page(client, "at=2026-11-30T12:00:00Z")
    text = text_of(response)
    assert "30/10/2026" in text
    assert "Aucun cours plus récent" in text
    rate = response.context["estimate"].usd_per_eur
    assert rate.date == dt.date(2026, 10, 30)
    assert rate.date != timezone.localdate()


def test_p46_the_pinned_rate_of_a_link_keeps_its_source_and_a_typed_one_is_an_assumption(
    client: Client, seeded: None
) -> None:
    pinned = link_of(page(client, "at=2026-11-30T12:00:00Z"))
    assert parse_qs(pinned)["fx"] == ["1.1172"]
    assert page(client, pinned).context["estimate"].usd_per_eur.date == dt.date(2026, 10, 30)
    typed = page(client, pinned.replace("fx=1.1172", "fx=1.25")).context["estimate"].usd_per_eur
    assert (typed.kind.value, typed.replaces, typed.date) == ("input", True, None)


@pytest.mark.parametrize(
    ("hours", "bill", "capacity", "month_full"),
    [("720", "1080", "107827200", "7.70"), ("730", "1095", "109324800", "7.59"), ("744", "1116", "111421440", "7.45")],
)
def test_p32_one_setting_of_hours_drives_bill_and_capacity(
    client: Client, seeded: None, hours: str, bill: str, capacity: str, month_full: str
) -> None:
    found = client.get(f"/fr/economics.json?hours={hours}&basis=hour").json()
    assert found["gpu"]["hour"]["bill_eur"] == bill
    assert found["gpu"]["hour"]["capacity_tokens"] == capacity
    assert found["eur_per_mtok"]["hour"]["full_use"].startswith("10.016")
    assert found["eur_per_mtok"]["month"]["full_use"].startswith(month_full)


@pytest.mark.parametrize("query", ["", "volume=50000000&sku=GPU-TITAN", "form=1&volume=abc", "sku=GPU-PRX"])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_a_page_asks_the_database_at_most_six_times(
    client: Client, seeded: None, query: str, headers: dict[str, str]
) -> None:
    catalog.forget()  # the very first request of a process
    with CaptureQueriesContext(connection) as asked:
        page(client, query, **headers)
    assert len(asked) <= QUERIES_AT_MOST


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_a_warm_process_asks_only_what_may_have_changed(client: Client, seeded: None, headers: dict[str, str]) -> None:
    page(client)
    with CaptureQueriesContext(connection) as asked:  # newest version and state of the figures, in one
        page(client, "volume=50000000", **headers)
    assert len(asked) == 1


def test_reflected_text_is_escaped(client: Client, seeded: None) -> None:
    attack = urlencode({"form": "1", "volume": '"><script>alert(1)</script>', "sku": "<img src=x>"})
    for headers in ({}, HTMX):
        body = page(client, attack, **headers).content.decode()
        assert "<script>alert" not in body
        assert "<img src=x" not in body


def test_an_empty_catalogue_is_told_and_is_no_server_error(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "newest_number", lambda: None)
    response = page(client)
    assert response.status_code == 503
    assert "seed" in text_of(response)


def test_only_calculators_have_doors(client: Client, seeded: None) -> None:
    assert client.get("/fr/coming/inference").headers["Location"] == "/fr/inference"
    assert client.get("/fr/coming/zork").status_code == 404


def test_pages_answer_reading_requests_only(client: Client, seeded: None) -> None:
    assert client.post(URL).status_code == 405
    assert client.get("/fr/economics/save?volume=7")["Location"] == "/fr/economics?volume=7"
    assert client.head(URL).status_code == 200


NAMES = st.sampled_from([*notation.NOTATION.by_name, "v", "form", "go", "x", "api[]", "volume ", "\x00", "é"])
NUMBERS = st.sampled_from(
    ["", " ", "0", "-1", "1,5", "1.5", "1,234", "1.234,5", "1e9", "NaN", "Infinity", "-inf", "9" * 400, "65", "0.65",
     "100M", "2 Md", "0x10", "1_000", "٣", "1 000", "\u202f1", "0.0000000000001",
     "none", "1", "500", "1000000000000000"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["GPU-PRO", "gpu-titan", "GPU-SUPERCOMPUTE", "CPU-LOCAL", "gpt-5.4", "claude-haiku-4-5", "zork", "month", "hour",
     "hours_used", "always_on", "second", "requests", "tokens", "batch", "flex", "5m", "1h", "2026-11-30T14:00:00Z",
     "2000-01-01T00:00:00Z", "2099-12-31T23:59:59Z", "0000-00-00T00:00:00Z", "<script>", "' OR 1=1", "../../etc"]
)  # fmt: skip
QUERIES = st.lists(st.tuples(NAMES, NUMBERS | WORDS | st.text(max_size=30)), max_size=7)


@pytest.mark.slow
@given(pairs=QUERIES, headers=st.sampled_from([{}, HTMX, HTMX, HTMX]))
@settings(max_examples=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_whatever_is_a_server_error(
    rf: RequestFactory, seeded: None, pairs: list[tuple[str, str]], headers: dict[str, str]
) -> None:
    request: Any = rf.get(URL, query_params=pairs_as_query(pairs), headers=headers)
    request.htmx, request.user = HtmxDetails(request), AnonymousUser()
    response = views.calculator(request, name="economics")
    assert response.status_code in {200, 302}
    if response.status_code == 200 and b'id="answer"' not in response.content:
        assert b'class="notice bad"' in response.content


def pairs_as_query(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value.encode("utf-8", "replace").decode())
    return found


@pytest.mark.slow
@given(pairs=QUERIES, suffix=st.sampled_from(["csv", "xlsx", "json"]))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_whatever_breaks_an_export(
    client: Client, seeded: None, pairs: list[tuple[str, str]], suffix: str
) -> None:
    response = client.get(f"{URL}.{suffix}", query_params=pairs_as_query(pairs))
    assert response.status_code in ({200, 400} if suffix == "json" else {200, 302})
    if suffix == "json":
        assert json.loads(response.content)


@pytest.fixture
def measured(seeded: None) -> Any:
    """A throughput measured on this machine with the test model of random weights."""
    host = catalog.CatalogItem.objects.get(is_test_host=True)
    model = factories.make_language_model("test-model", is_test=True)
    return factories.make_figure(
        host, 41.5, language_model=model, kind="measured", test_model=True, concurrency=4, reference="1", run="1"
    )


def test_a_measurement_of_the_test_model_is_offered_and_shown_only_where_it_is_picked(
    client: Client, measured: Any
) -> None:
    host = measured.sku.code
    form = page(client, f"sku={host}").context["form"]
    assert str(measured.pk) in {value for value, _label in form.fields["fig"].choices}
    sent = page(client, f"form=1&sku={host}&fig={measured.pk}&price=0,10&basis=hour")
    shown = page(client, urlsplit(sent.headers["Location"]).query).context["estimate"]
    assert shown.scenario.model == "test-model"
    assert shown.gpu.throughput.output_tok_per_s.kind.value == "measured"
    assert {row.verdict.value for row in shown.comparisons} == {"unknown"}
    elsewhere = page(client).context
    assert host not in {row.gpu.sku.code for row in elsewhere["estimate"].overview}
    assert str(measured.pk) not in {value for value, _label in elsewhere["form"].fields["fig"].choices}


def test_changing_the_gpu_in_the_form_takes_that_gpu_s_own_throughput(client: Client, seeded: None) -> None:
    figure = parse_qs(link_of(page(client)))["fig"][0]
    sent = page(client, f"form=1&sku=GPU-TITAN&basis=hour&fig={figure}")
    shown = page(client, urlsplit(sent.headers["Location"]).query).context["estimate"]
    assert shown.gpu.throughput.output_tok_per_s.value == 124
