"""The form: localised text in, a scenario out, and what it shows reads back as itself."""

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator import fields, permalinks
from calculator.domain.offers import ApiModel, Basis, Mode, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import BillingStep, EconomicsScenario, Rental, TrafficBy
from calculator.forms import Choices, EconomicsForm
from calculator.permalinks import economics as notation

NBSP = "\u00a0"
AT = dt.datetime(2026, 11, 30, 14, 0, tzinfo=dt.UTC)
BASE = EconomicsScenario(catalog_version=1, at=AT)
TITAN_FIGURE = 4
EXAMPLE = re.compile("\\d[\\d\u202f]*(?:,\\d+)?(?:\u00a0Md?)?")


def throughput(figure_id: int, model: str = "") -> Throughput:
    return Throughput(Sourced(64.0, "tok/s", Kind.CLAIM), figure_id=figure_id, model=model)


CHOICES = Choices(
    skus=tuple(Sku(code, code, "GPU", 1, 24.0) for code in ("GPU-PRO", "GPU-TITAN")),
    apis=tuple(ApiModel(code, code.title(), "x", {}) for code in (*BASE.apis, "extra")),
    figures=(throughput(2), throughput(7, "Mistral-7B")),
)


def bound(text: str, base: EconomicsScenario = BASE) -> EconomicsForm:
    return EconomicsForm.from_texts(QueryDict(text), base, CHOICES)


def scenario_of(text: str) -> EconomicsScenario:
    form = bound(text)
    assert form.is_valid(), form.errors
    return form.to_scenario()


def test_every_key_of_the_link_is_a_field_or_travels_unseen() -> None:
    form = EconomicsForm.from_scenario(BASE, CHOICES)
    unseen = {name for name, _value in form.hidden()} | {"model"}
    assert set(form.fields) | unseen == set(notation.NOTATION.by_name) | {"v", "form"}


def test_every_field_stands_once_in_the_fieldsets() -> None:
    form = EconomicsForm.from_scenario(BASE, CHOICES)
    names = [field.name for field in form.basic()]
    names += [field.name for group in form.advanced() for field in group.fields]
    assert sorted(names) == sorted(form.fields)
    assert [field.name for field in form.basic()] == ["volume", "sku", "basis", "rate", "util", "mode", "api"]
    assert all(group.title for group in form.advanced())


def test_every_number_field_tells_an_example_of_what_it_accepts() -> None:
    form = EconomicsForm.from_scenario(BASE, CHOICES)
    with translation.override("fr"):
        for name in EconomicsForm.NUMBERS:
            hint = str(form.fields[name].help_text)
            assert re.search(r"[Pp]ar exemple", hint), name


@pytest.mark.parametrize("name", sorted(EconomicsForm.NUMBERS))
def test_the_examples_of_the_hints_are_accepted_by_their_own_field(name: str) -> None:
    with translation.override("fr"):
        spec = EconomicsForm.NUMBERS[name]
        for example in EXAMPLE.findall(str(spec.hint).split("xemple")[1]):
            assert fields.read(example, spec.quantity) > 0 or example == "0"


def test_typed_text_becomes_typed_values() -> None:
    scenario = scenario_of(
        "volume=1,5 Md&util=24 %&sku=GPU-TITAN&basis=hour&rental=hours_used&price=5,40 €&conc=16&fx=1,1"
    )
    assert scenario.volume_tokens == Decimal(1_500_000_000)
    assert scenario.utilisation_ratio == Decimal("0.24")
    assert (scenario.sku, scenario.basis, scenario.rental) == ("GPU-TITAN", Basis.HOUR, Rental.HOURS_USED)
    assert scenario.price_eur == Decimal("5.40")
    assert scenario.rate_concurrency == 16
    assert scenario.usd_per_eur == Decimal("1.1")
    assert scenario.at == AT


def test_a_field_that_was_not_sent_keeps_its_value_and_an_empty_one_is_unknown() -> None:
    base = replace(BASE, rate_tok_per_s=Decimal(500), utilisation_ratio=Decimal("0.9"))
    form = bound("rate=", base)
    assert form.is_valid()
    assert form.to_scenario() == replace(base, rate_tok_per_s=None)


def test_an_empty_required_field_is_an_error_and_never_a_default() -> None:
    form = bound("util=&volume=")
    assert not form.is_valid()
    assert set(form.errors) == {"util", "volume"}


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("volume=1,234", "volume", "peut se lire"),
        ("util=0,65", "util", "comprise entre"),
        ("hours=1000", "hours", "comprise entre"),
        ("rate=-3", "rate", "négatif"),
        ("price=NaN", "price", "fini"),
        ("fx=1e3", "fx", "exposant"),
        ("sku=GPU-ZORK", "sku", "GPU-ZORK"),
        ("api=zork", "api", "zork"),
        ("basis=year", "basis", "year"),
        ("traffic=requests", "requests", "requêtes"),
        ("traffic=requests&requests=abc", "requests", "pas un nombre"),
    ],
)
def test_an_error_stands_beside_its_field_and_the_rest_is_kept(text: str, name: str, words: str) -> None:
    form = bound(f"{text}&out=750")
    assert not form.is_valid()
    assert set(form.errors) == {name}
    assert words in " ".join(form.errors[name])
    assert form["out"].value() == "750"


def test_the_typed_text_stays_in_the_field_without_control_characters() -> None:
    form = bound("volume=12%00abc<b>")
    assert form["volume"].value() == "12abc<b>"
    assert "&lt;b&gt;" in str(form["volume"])
    assert "<b>" not in str(form["volume"])


def test_volume_may_stay_empty_where_requests_count() -> None:
    scenario = scenario_of("traffic=requests&requests=200k&volume=&out=500")
    assert scenario.requests_count == Decimal(200_000)
    assert scenario.volume_tokens == BASE.volume_tokens


def test_no_ticked_api_is_no_api_and_an_unsent_field_keeps_the_defaults() -> None:
    assert scenario_of("api=none").apis == ()
    assert scenario_of("api=none&api=extra&api=gpt-5.4").apis == ("extra", "gpt-5.4")
    assert scenario_of("util=65").apis == BASE.apis


def test_a_figure_of_another_gpu_is_let_go_when_the_gpu_changes() -> None:
    assert scenario_of("sku=GPU-PRO&fig=2").figure_id == 2
    assert scenario_of(f"sku=GPU-PRO&fig={TITAN_FIGURE}").figure_id is None


def test_the_model_follows_the_figure_that_was_chosen() -> None:
    assert scenario_of("fig=7").model == "Mistral-7B"
    assert scenario_of("fig=2").model == ""
    assert scenario_of("fig=").model == ""


def test_the_form_sends_version_and_instant_unseen() -> None:
    hidden = EconomicsForm.from_scenario(BASE, CHOICES).hidden()
    assert ("catalog", "1") in hidden
    assert ("at", "2026-11-30T14:00:00Z") in hidden
    assert ("form", "1") in hidden


def test_every_label_and_hint_is_translated() -> None:
    def texts(language: str) -> list[str]:
        with translation.override(language):
            form = EconomicsForm.from_scenario(BASE, CHOICES)
            return [f"{field.label} {field.help_text}" for name, field in form.fields.items() if name != "api"]

    assert not set(texts("fr")) & set(texts("en"))


def number(name: str) -> st.SearchStrategy[Decimal]:
    quantity = EconomicsForm.NUMBERS[name].quantity
    return st.decimals(quantity.limits.low, quantity.limits.high, places=4) | st.decimals(
        quantity.limits.low, quantity.limits.high, places=0
    ).filter(quantity.takes)


@st.composite
def scenarios(draw: Any) -> EconomicsScenario:
    """Scenarios that the form can hold: any numbers, codes from the catalogue."""
    values: dict[str, Any] = {
        "sku": draw(st.sampled_from(["GPU-PRO", "GPU-TITAN"])),
        "basis": draw(st.sampled_from(Basis)),
        "rental": draw(st.sampled_from(Rental)),
        "billing_step": draw(st.sampled_from(BillingStep)),
        "traffic": draw(st.sampled_from(TrafficBy)),
        "mode": draw(st.sampled_from(Mode)),
        "cache_write_ttl": draw(st.sampled_from(["5m", "1h"])),
        "apis": tuple(draw(st.lists(st.sampled_from([*BASE.apis, "extra"]), unique=True))),
        "reference": draw(st.sampled_from(BASE.apis)),
        "rate_concurrency": draw(st.none() | st.integers(1, 100_000)),
        "instances_per_set": draw(st.none() | st.integers(1, 1024)),
    }
    for name, spec in EconomicsForm.NUMBERS.items():
        key = notation.NOTATION.by_name[name]
        if key.quantity is not None and not key.quantity.whole:
            value = number(name)
            values[key.attribute] = draw(value if spec.required or name == "volume" else st.none() | value)
    if values["traffic"] is TrafficBy.REQUESTS:
        values["requests_count"] = draw(number("requests"))
    return replace(BASE, **values)


@given(scenario=scenarios(), language=st.sampled_from(["fr", "en"]))
def test_what_the_form_shows_reads_back_as_the_same_scenario(scenario: EconomicsScenario, language: str) -> None:
    with translation.override(language):
        shown = EconomicsForm.from_scenario(scenario, CHOICES)
        sent = QueryDict(mutable=True)
        for name in shown.fields:
            sent.setlist(name, shown.texts(name))
        sent.appendlist("api", permalinks.NONE)
        form = EconomicsForm.from_texts(sent, BASE, CHOICES)
        assert form.is_valid(), form.errors
        assert form.to_scenario() == scenario
