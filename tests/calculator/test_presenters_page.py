"""The page as a whole: badges, status sentence, quote notes, placeholders, definitions, and the tags that show them."""

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from babel.numbers import format_currency, format_decimal
from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.template import Context, Template
from django.test import RequestFactory
from django.urls import reverse
from django.utils import translation

from calculator import formats
from calculator.domain.economics import estimate
from calculator.domain.offers import Mode
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import EconomicsEstimate
from calculator.domain.units import half_up
from calculator.forms import Choices, EconomicsForm
from calculator.presenters import badge, badges, of_kind, page, terms
from calculator.templatetags import economics as tags
from calculator.templatetags import formfields
from tests.domain import factories as offer

NB, THIN = "\u00a0", "\u202f"
TEMPLATES = Path(settings.BASE_DIR) / "templates"


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_has_a_word_a_meaning_and_a_class_of_its_own(kind: Kind) -> None:
    shown = of_kind(kind)
    assert shown is not None and shown.kind == kind.value and shown.word and shown.title
    css = (Path(settings.BASE_DIR) / "static/css/components.css").read_text()
    assert f".src.{kind.value}" in css or kind is Kind.DATA_SHEET


def test_badges_lead_to_their_source_and_say_its_day() -> None:
    price = offer.usd("15.00")
    shown = badge(price)
    assert shown is not None and shown.href == "https://vendor.example/prices"
    assert shown.title == "prix public du vendeur · le 30/11/2026"
    assert str(shown).startswith('<a class="src list_price" href="https://vendor.example/prices"')


def test_a_measured_value_leads_to_its_run() -> None:
    measured = Sourced(64.0, "tok/s", Kind.MEASURED, "run", "2026-0007", dt.date(2026, 11, 30))
    assert badges.href(measured) == reverse("run", args=["2026-0007"])


def test_a_value_without_an_address_is_no_link_and_never_a_script() -> None:
    shown = badge(Sourced(1.0, "tok/s", Kind.CLAIM, "x", "javascript:alert(1)"))
    assert shown is not None and shown.href == "" and str(shown).startswith("<span")


def test_a_badge_escapes_what_it_quotes() -> None:
    assert "<b>" not in str(badge(Sourced(1.0, "tok/s", Kind.CLAIM, "x", "<b>bold</b>")))


def test_a_badge_speaks_the_readers_language() -> None:
    price = offer.usd("15.00")
    with translation.override("en"):
        english = badge(price)
    french = badge(price)
    assert english is not None and french is not None
    assert (english.word, french.word) == ("list price", "tarif public")


def test_no_number_has_no_badge() -> None:
    assert badge(None) is None and of_kind(None) is None and badges.html(None) == ""


def test_the_status_is_one_sentence_with_the_two_main_figures() -> None:
    text = page.economics(answer()).status
    assert text == f"GPU-PRO{NB}: 830,64{NB}€ HT par mois, 8,31{NB}€ par million de tokens."


def test_the_status_of_a_price_on_request_says_what_to_do() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    shown = page.economics(asked)
    assert "saisissez un prix" in shown.status and shown.month == "sur devis" and shown.price_missing


def test_the_quote_states_its_assumptions() -> None:
    notes = " ".join(page.economics(answer()).assumptions)
    assert f"liste n°{NB}1" in notes and "standard" in notes
    assert f"1{NB}€ = 1,1172{NB}$ (BCE, 30/10/2026)" in notes
    assert f"65{NB}%" in notes and "720 h" in notes and "un seul flux" in notes


def test_the_quote_of_a_day_without_a_rate_says_so() -> None:
    notes = page.economics(estimate(offer.scenario(), offer.facts(usd_per_eur=None))).assumptions
    assert any("Aucun taux de change" in note for note in notes)


def test_a_quote_holds_for_thirty_days() -> None:
    shown = page.economics(answer())
    assert (shown.quote_date, shown.quote_until) == ("30/11/2026", "30/12/2026")


def test_empty_fields_show_what_stands_for_them() -> None:
    shown = page.economics(answer()).placeholders
    assert shown == {"rate": "64", "price": "830,64", "prefill": "inconnu"}


def test_each_field_has_the_badge_of_the_value_behind_it() -> None:
    kinds = {name: item.kind for name, item in page.economics(answer()).badges.items() if item}
    assert kinds == {
        "volume": "assumption", "sku": "list_price", "rate": "claim", "util": "assumption", "hours": "assumption",
        "fx": "list_price",
    }  # fmt: skip


def test_the_throughput_in_use_is_said_with_its_conditions() -> None:
    assert page.economics(answer()).throughput_text == "64 tok/s, un seul flux"


def test_single_stream_is_labelled_wherever_a_table_rests_on_it() -> None:
    assert page.economics(answer()).single_stream
    batched = replace(offer.PRO, throughput=offer.claim(900.0, single_stream=False, concurrency=16))
    result = estimate(offer.scenario(), offer.facts(sku=batched, skus=(batched,)))
    assert not page.economics(result).single_stream


def test_every_term_a_template_asks_for_is_defined() -> None:
    asked = {
        code
        for path in TEMPLATES.rglob("*.html")
        for code in re.findall(r'{% term "(\w+)"|{% defined [\w.]+ "(\w+)"', path.read_text())
        for code in code
        if code
    }
    assert asked <= set(terms.BY_CODE)
    assert set(formfields.TERM_OF_FIELD.values()) <= set(terms.BY_CODE)


def test_terms_that_people_ask_about_are_defined() -> None:
    assert {"ttft", "single_stream", "utilisation", "prefix_cache", "response_cache", "tax"} <= set(terms.BY_CODE)


def test_a_definition_is_a_button_that_opens_its_popover() -> None:
    markup = str(tags.term("utilisation"))
    assert 'popovertarget="def-utilisation"' in markup and 'aria-label="Définition\u00a0: Utilisation"' in markup


def test_a_definition_never_stands_alone_on_a_line() -> None:
    markup = str(tags.defined("HT par million de tokens", "full_use"))
    assert re.search(r'<span class="nw">tokens\u00a0<button', markup)


@pytest.mark.parametrize(
    ("mode", "text"),
    [(Mode.STANDARD, f"15,00{NB}$ / 1M"), (Mode.BATCH, f"7,50{NB}$ / 1M"), (Mode.FLEX, "pas de tarif flex")],
)
def test_an_apis_price_is_that_of_the_mode(mode: Mode, text: str) -> None:
    assert tags.api_price(offer.GPT_54, mode) == text


def form(data: dict[str, list[str]] | None = None) -> EconomicsForm:
    choices = Choices(skus=offer.SKUS, apis=offer.APIS)
    if data is None:
        return EconomicsForm.from_scenario(offer.scenario(), choices)
    query = QueryDict(mutable=True)
    for key, values in data.items():
        query.setlist(key, values)
    return EconomicsForm.from_texts(query, offer.scenario(), choices)


def rendered(source: str, **values: object) -> str:
    loaded = "{% load site economics formfields %}" + source
    return Template(loaded).render(Context(values))


def test_a_field_is_label_hint_error_box_in_that_order() -> None:
    markup = rendered("{% field form.volume %}", form=form({"volume": ["beaucoup"]}))
    order = [markup.index(part) for part in ("<label", 'class="hint"', 'class="err"', "<input")]
    assert order == sorted(order)
    assert 'aria-invalid="true"' in markup and 'value="beaucoup"' in markup
    assert re.search(r'aria-describedby="id_volume-e id_volume-h id_volume-u"', markup)


def test_a_field_shows_its_new_value_and_language_though_it_is_kept() -> None:
    source = "{% field form.volume %}"
    assert 'value="5"' in rendered(source, form=form({"volume": ["5"]}))
    assert 'value="7"' in rendered(source, form=form({"volume": ["7"]}))
    with translation.override("en"):
        assert "Output volume" in rendered(source, form=form({"volume": ["7"]}))
    assert "Volume de sortie" in rendered(source, form=form({"volume": ["7"]}))


def test_what_is_typed_into_a_field_is_escaped() -> None:
    markup = rendered("{% field form.volume %}", form=form({"volume": ['"><script>']}))
    assert "<script>" not in markup


def test_kept_fields_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formfields, "KEPT_AT_MOST", 3)
    formfields._rendered.clear()
    for number in range(10):
        rendered("{% field form.volume %}", form=form({"volume": [str(number)]}))
    assert len(formfields._rendered) <= 3


def test_gpus_are_offered_by_code_and_card_and_on_request_is_said() -> None:
    options = dict(tags.sku_options(form()))
    assert options["GPU-SUPERCOMPUTE"].endswith("(sur devis)")
    assert options["GPU-PRO"].startswith("GPU-PRO — ")


def test_the_billing_shows_the_price_of_the_chosen_gpu() -> None:
    assert tags.basis_options(form()) == [("month", f"Au mois, 830,64{NB}€"), ("hour", f"À l’heure, 1,50{NB}€")]
    titan = form({"sku": ["gpu-titan"]})
    assert tags.basis_options(titan) == [("month", "Au mois"), ("hour", f"À l’heure, 5,40{NB}€")]


def test_apis_are_checked_as_the_scenario_says_and_none_is_said_by_its_word() -> None:
    shown = form()
    assert all(option.is_checked for option in tags.api_options(shown))
    markup = rendered("{% api_options form as apis %}{% checks form.api apis %}", form=shown)
    assert markup.count("checked") == 5
    assert '<input type="hidden" name="api" value="none">' in markup


def test_a_group_with_an_error_is_open() -> None:
    assert formfields.any_errors([form({"hours": ["abc"]})["hours"]])
    assert not formfields.any_errors([form()["hours"]])


def request(path: str) -> HttpRequest:
    return RequestFactory().get(path)


def test_the_language_switch_keeps_path_and_query() -> None:
    markup = rendered("{% language_links %}", request=request("/fr/economics?v=1&volume=5"))
    assert 'href="/en/economics?v=1&amp;volume=5"' in markup
    assert markup.count("aria-current") == 1


def test_the_language_switch_of_a_page_without_language_leads_home() -> None:
    assert 'href="/en/"' in rendered("{% language_links %}", request=request("/healthz"))


def test_the_navigation_marks_the_page_we_are_on() -> None:
    here = rendered("{% nav_link 'economics' 'É' %}", request=request(reverse("economics")))
    away = rendered("{% nav_link 'economics' 'É' %}", request=request("/fr/prices"))
    assert "aria-current" in here and "aria-current" not in away


@pytest.mark.parametrize(
    ("contact", "href"),
    [
        ("sales@example.test", "mailto:sales@example.test"),
        ("https://example.test/ask", "https://example.test/ask"),
        ("au 01 23 45 67 89", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_a_contact_becomes_an_address_to_follow(contact: str, href: str) -> None:
    assert rendered("{{ contact|contact_href }}", contact=contact) == href


def test_a_price_is_asked_from_the_contact_and_a_missing_one_is_said() -> None:
    source = "{% include 'includes/ask_price.html' %}"
    assert 'href="mailto:a@b.test"' in rendered(source, seller={"contact": "a@b.test"})
    by_phone = rendered(source, seller={"contact": "au 01 23 45 67 89"})
    assert "au 01 23 45 67 89" in by_phone and "href" not in by_phone
    assert "contact du vendeur non renseigné" in rendered(source, seller={"contact": ""})


def test_what_the_settings_leave_empty_of_the_seller_is_said() -> None:
    nothing = dict.fromkeys(("address", "legal", "contact", "terms"), "") | {"name": "VMCloud"}
    quote = rendered("{% include 'includes/calculator_quote.html' %}", seller=nothing)
    for missing in ("adresse", "mentions légales", "contact du vendeur", "conditions de vente"):
        assert f"{missing} non renseigné" in quote
    assert "mentions légales non renseignées" in rendered("{% include 'includes/footer.html' %}", seller=nothing)


@pytest.mark.parametrize(("language", "locale"), [("fr", "fr_FR"), ("en", "en_GB")])
@pytest.mark.parametrize("value", ["0", "0.5", "-1234.5", "1234567.891", "999.995", "12345678901234", "-0.001"])
def test_numbers_are_written_as_babel_writes_them(language: str, locale: str, value: str) -> None:
    with translation.override(language):
        for decimals in (0, 2, 4):
            pattern = "#,##0" + ("." + "0" * decimals if decimals else "")
            # Babel keeps the sign of what rounds to zero; a page does not.
            wanted = format_decimal(half_up(Decimal(value), decimals) or 0, pattern, locale=locale)
            assert formats.number(Decimal(value), decimals) == wanted.replace("-", "−")
        euros = format_currency(Decimal("1234.5"), "EUR", locale=locale)
        assert formats.money(Decimal("1234.5")) == euros


def test_the_page_prints_no_bare_zero_for_what_is_unknown() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    shown = page.economics(asked)
    assert [stat.value for stat in shown.stats] == ["inconnu", "inconnu", "inconnue", "inconnu"]
    assert shown.chart is None
    assert all(line.gpu.text == "sur devis" for line in shown.volumes)
