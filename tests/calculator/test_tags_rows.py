"""Rows that tags join: the right cells in the right columns, what is best or chosen marked, every text escaped."""

from typing import Any

from calculator.charts import Point
from calculator.presenters import badge
from calculator.presenters.stats import Stat
from calculator.presenters.tables import (
    Amount,
    Column,
    HeatCell,
    HeatTable,
    Offer,
    OfferTable,
    SkuRow,
    VolumeLine,
    YearLine,
)
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


def test_a_head_breaks_after_the_first_word_and_nowhere_else() -> None:
    (head,) = rows.column_heads([Column("Claude Sonnet 4.6", "")]).split("\n")
    assert '<span class="nw">Claude</span> <span class="nw">Sonnet 4.6</span>' in head


def test_column_heads_carry_the_month_where_asked() -> None:
    columns = (Column("gpt-5.4", "1 343 €"), Column(ATTACK, ""))
    assert rows.column_heads(columns).count('<th scope="col" class="n wrap">') == 2
    assert "<small>" not in rows.column_heads(columns)
    assert "gpt-5.4</span><small>1 343 €</small></th>" in rows.column_heads(columns, True)
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


def a_sku_row(**values: Any) -> SkuRow:
    marks = (Mark(ATTACK, "win"),)
    row = SkuRow("GPU-PRO", "RTX 4090", "1,50 €/h", "1", "831", "8,31", marks, False, False, None, "sku=GPU-PRO&util=1")
    return row._replace(**values)


def test_a_gpu_shows_its_costs_and_its_verdicts() -> None:
    assert rows.sku_rows([a_sku_row()], 1, "") == (
        '<tr><th scope="row" class="pin"><a class="nw" href="?sku=GPU-PRO&amp;util=1">GPU-PRO</a>'
        '<small>RTX 4090 · 1,50 €/h</small></th><td class="n">1</td>'
        f'<td class="n">831</td><td class="n">8,31</td><td class="n win">{ESCAPED}</td></tr>'
    )
    assert rows.sku_rows([a_sku_row(is_current=True)], 1, "").startswith('<tr class="ref">')


def test_a_gpu_without_a_price_leads_to_the_field_and_to_the_seller() -> None:
    row = a_sku_row(on_request=True, detail=ATTACK)
    found = rows.sku_rows([row], 5, "sales@vmcloud.example")
    assert f"<small>{ESCAPED} · " in found and '<td class="n" colspan="2">sur devis</td>' in found
    assert '<td colspan="5" class="note">Prix non publié. <a href="?sku=GPU-PRO&amp;util=1#id_price">' in found
    assert '<a class="link" href="mailto:sales@vmcloud.example">Demander un prix</a></td></tr>' in found
    assert " · contact du vendeur non renseigné</td>" in rows.sku_rows([row], 5, "")
    assert f" · {ESCAPED}</td>" in rows.sku_rows([row], 5, ATTACK)


def test_figures_carry_their_definitions_by_place() -> None:
    found = rows.stat_list([Stat("8,31 €", "par million", ATTACK), Stat("60 %", "produisent"), Stat("61,9 M", "dès")])
    first, second, third = found.split("\n")
    assert 'popovertarget="def-full_use"' in first and f'<dd class="sub">{ESCAPED}</dd>' in first
    assert "popovertarget" not in second and 'popovertarget="def-break_even"' in third


def test_volumes_head_the_columns_of_the_utilisation_table() -> None:
    assert rows.heat_heads(HeatTable(("10 M", ATTACK), ())) == (
        f'<th scope="col">10 M</th>\n<th scope="col">{ESCAPED}</th>'
    )


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
