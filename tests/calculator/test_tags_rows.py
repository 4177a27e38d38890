"""Rows that tags join: the right cells in the right columns, what is best or chosen marked, every text escaped."""

from django.template import Context, Template
from django.utils import translation
from django.utils.safestring import SafeString

from calculator.charts import Point
from calculator.domain.economics import estimate
from calculator.presenters import badge, page
from calculator.presenters.tables import Amount, Column, HeatCell, Offer, OfferTable, SkuRow, VolumeLine, YearLine
from calculator.presenters.words import Mark
from calculator.templatetags import rows
from tests.domain import factories as offer

NB = "\u00a0"
ATTACK = "<b>&"
ESCAPED = "&lt;b&gt;&amp;"


def an_offer(**values: object) -> Offer:
    given = {
        "name": "gpt-5.4",
        "is_gpu": False,
        "width": "50.0%",
        "month": "5 €",
        "per_mtok": "1",
        "mark": Mark("de moins", "win"),
        "badge": badge(offer.usd("15.00")),
    }
    return Offer(**{**given, **values})  # type: ignore[arg-type]


def test_an_offer_shows_bar_line_costs_verdict_and_origin() -> None:
    markup = rows.offer_rows(OfferTable((an_offer(),), "62.5%"))
    assert markup.startswith('<tr><th scope="row">gpt-5.4</th>')
    assert '<rect class="api" y="6" height="8" width="50.0%"/><line x1="62.5%" x2="62.5%" y1="-10" y2="30"/>' in markup
    assert '<td class="n m">5 €</td><td class="n end" data-l="€ / 1M">1</td>' in markup
    assert '<td class="verd win">de moins</td><td class="opt"><a class="src list_price"' in markup


def test_the_gpu_is_the_reference_row_and_an_unknown_cost_has_no_bar() -> None:
    markup = rows.offer_rows(OfferTable((an_offer(is_gpu=True), an_offer(width="")), ""))
    first, second = markup.split("\n")
    assert first.startswith('<tr class="ref">') and '<rect class="gpu"' in first
    assert "<rect" not in second and "<line" not in markup


def test_reasons_and_incomplete_verdicts_are_said_and_escaped() -> None:
    markup = rows.offer_rows(OfferTable((an_offer(name=ATTACK, reasons=(ATTACK,), incomplete=True),), ""))
    assert f"{ESCAPED}<small>{ESCAPED}</small></th>" in markup
    assert "de moins <small>incomplet</small>" in markup
    assert ATTACK not in markup


def test_column_heads_carry_the_month_where_asked() -> None:
    columns = (Column("gpt-5.4", "1 343 €"), Column(ATTACK, ""))
    assert rows.column_heads(columns).count('<th scope="col" class="n">') == 2
    assert "<small>" not in rows.column_heads(columns)
    assert "gpt-5.4<small>1 343 €</small></th>" in rows.column_heads(columns, True)
    assert ESCAPED in rows.column_heads(columns)


def test_the_cheapest_amount_of_a_volume_is_underlined_and_texts_are_escaped() -> None:
    line = VolumeLine(
        "50 M", Amount("5", True), "2 GPU", (Amount("7", True), Amount(ATTACK, False)), Mark("x", "lose"), True
    )
    assert rows.volume_rows([line]) == (
        '<tr class="ref"><th scope="row" class="pin">50 M</th>'
        '<td class="n"><span class="best gpu">5</span><small>2 GPU</small></td>'
        f'<td class="n"><span class="best">7</span></td><td class="n"><span>{ESCAPED}</span></td>'
        '<td><span class="lose">x</span></td></tr>'
    )


def test_cells_carry_their_class_and_their_words() -> None:
    assert rows.heat_rows([("65 %", (HeatCell("h7 you", f"−38{NB}%"),))]) == (
        f'<tr><th scope="row" class="pin">65 %</th><td class="h7 you">−38{NB}%</td></tr>'
    )
    row = SkuRow("GPU-PRO", "", "", "1", "831", "8,31", (Mark(ATTACK, "win"),), False, True, None, "")
    assert rows.sku_cells(row) == f'<td class="n">831</td><td class="n">8,31</td><td class="n win">{ESCAPED}</td>'


def test_a_year_names_its_reference() -> None:
    line = YearLine("gpt-5.4", "1", "12", "−3", "−4 %", is_gpu=False, is_reference=True)
    assert rows.year_rows([line]) == (
        '<tr><th scope="row" class="pin">gpt-5.4<small>référence</small></th><td class="n">1</td>'
        '<td class="n">12</td><td class="n">−3</td><td class="n">−4 %</td></tr>'
    )
    assert rows.year_rows([line._replace(is_gpu=True, is_reference=False)]).startswith('<tr class="ref">')


def test_points_of_the_chart_are_a_table() -> None:
    assert rows.point_rows([Point("équivalence", "62 M", "831 €", ATTACK)]) == (
        '<tr><th scope="row">équivalence</th><td class="n">62 M</td><td class="n">831 €</td>'
        f'<td class="n">{ESCAPED}</td></tr>'
    )


def test_each_symbol_of_a_formula_has_its_line_with_value_meaning_and_badge() -> None:
    shown = page.economics(estimate(offer.scenario(), offer.facts()))
    capacity = next(view for view in shown.formulas if view.code == "capacity")
    markup = str(rows.origins(capacity.values))
    assert markup.count("<tr>") == 3
    assert f"<mi>d</mi></math> = 64{NB}tok/s</td><td>débit de sortie" in markup
    assert 'class="src claim"' in markup and markup.count('class="src assumption"') == 2


def test_a_fixed_text_is_kept_by_language() -> None:
    template = Template('{% load i18n fixed %}{% translate "Utilisation" %} {% translate "référence" %}')
    with translation.override("fr"):
        assert template.render(Context()) == "Utilisation référence"
    with translation.override("en"):
        assert template.render(Context()) == "Utilisation reference"
    with translation.override("fr"):
        assert template.render(Context()) == "Utilisation référence"


def test_a_text_from_a_variable_is_translated_each_time_and_escaped() -> None:
    template = Template("{% load i18n fixed %}{% translate text %}{% translate 'référence' as word %}[{{ word }}]")
    assert template.render(Context({"text": ATTACK})) == f"{ESCAPED}[référence]"
    assert template.render(Context({"text": SafeString("<i>")})) == "<i>[référence]"
