"""Parts that every calculator's page prints: whole, in their order, every text escaped."""

import json
from collections.abc import Iterator

import pytest
from django.utils.safestring import SafeString

from calculator.domain.economics import estimate
from calculator.pagestate import ExportLink
from calculator.presenters import page
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.notices import Notice
from calculator.registry import PresetLink
from calculator.templatetags import parts
from tests.domain import factories as offer

NB = "\u00a0"
ATTACK = "<b>&"
ESCAPED = "&lt;b&gt;&amp;"


@pytest.fixture
def formulas() -> Iterator[tuple[FormulaView, ...]]:
    yield page.economics(estimate(offer.scenario(), offer.facts())).formulas


def test_each_symbol_of_a_formula_has_its_line_with_value_meaning_and_badge(formulas: tuple[FormulaView, ...]) -> None:
    capacity = next(view for view in formulas if view.code == "capacity")
    markup = str(parts.origins(capacity.values))
    assert markup.count("<tr>") == 3
    assert f"<mi>d</mi></math> = 64{NB}tok/s</td><td>débit de sortie" in markup
    assert 'class="src claim"' in markup and markup.count('class="src assumption"') == 2


def test_every_formula_is_there_folded_but_the_one_that_answers(formulas: tuple[FormulaView, ...]) -> None:
    markup = str(parts.formula_folds(formulas))
    assert [part.split('"')[0] for part in markup.split(' id="f-')[1:]] == [view.code for view in formulas]
    assert markup.count("<details") == markup.count("</details>") == len(formulas) > 5
    assert [view.code for view in formulas if f'id="f-{view.code}" open>' in markup] == ["eur_per_mtok"]
    for view in formulas:
        assert f'<div class="eq">{view.symbols}</div>' in markup
        assert f'<div class="eq">{view.numbers} <span class="res">= {view.result}</span></div>' in markup


def test_a_formula_says_its_weakest_link_where_it_has_one(formulas: tuple[FormulaView, ...]) -> None:
    view = next(view for view in formulas if view.trust)._replace(title=ATTACK, result=ATTACK)
    markup = str(parts.formula_folds([view]))
    assert f"Le résultat vaut ce que vaut sa donnée la plus faible{NB}: <" in markup
    assert f'<summary>{ESCAPED} <span class="hint">{ESCAPED}</span></summary>' in markup
    assert f'aria-label="{ESCAPED}"' in markup and ATTACK not in markup
    assert "vaut ce que vaut" not in parts.formula_folds([view._replace(trust=None)])


def test_a_notice_has_its_level_its_words_and_the_way_out() -> None:
    found = parts.notice_list(
        [Notice(ATTACK, SafeString("<i>x</i>"), "warn", "id_fx", ATTACK), Notice("A", SafeString("b"))]
    )
    assert found == (
        f'<div class="notice warn"><p><b>{ESCAPED}</b> <i>x</i>'
        f' <a class="screen-only" href="#id_fx">{ESCAPED}</a></p></div>\n'
        '<div class="notice "><p><b>A</b> b</p></div>'
    )


def test_texts_become_items_of_a_list() -> None:
    assert parts.list_items(["a", ATTACK]) == f"<li>a</li>\n<li>{ESCAPED}</li>"


def test_the_case_now_shown_is_marked_among_the_cases() -> None:
    links = [PresetLink("a", "Équipe", "v=1&volume=5", False), PresetLink("b", ATTACK, "v=1", True)]
    assert parts.chips(links) == (
        '<a class="chip" href="?v=1&amp;volume=5">Équipe</a>\n'
        f'<a class="chip" href="?v=1" aria-current="true">{ESCAPED}</a>'
    )


def test_files_are_kept_and_the_json_is_shown() -> None:
    links = [ExportLink("csv", "CSV", "/fr/economics.csv?v=1&volume=5"), ExportLink("json", ATTACK, "/j")]
    assert parts.file_links(links) == (
        '<a class="btn" href="/fr/economics.csv?v=1&amp;volume=5" download>CSV</a>\n'
        f'<a class="btn" href="/j">{ESCAPED}</a>'
    )


def test_what_a_form_sends_unseen_keeps_name_and_value() -> None:
    assert parts.hidden_fields([("form", "1"), ("at", '"' + ATTACK)]) == (
        f'<input type="hidden" name="form" value="1">\n<input type="hidden" name="at" value="&quot;{ESCAPED}">'
    )


def test_the_data_of_a_figure_reads_back_and_cannot_end_its_script() -> None:
    figure = {"data": [{"x": [1.5, 61.86607], "y": [830.64, None]}], "text": f"a<br>b & </script>{NB}€"}
    markup = parts.chart_data(figure, "plot-data")
    assert markup.startswith('<script id="plot-data" type="application/json">') and markup.endswith("</script>")
    inside = markup.removeprefix('<script id="plot-data" type="application/json">').removesuffix("</script>")
    assert json.loads(inside) == figure
    assert not {"<", ">", "&"} & set(inside)


def test_markup_inside_a_figure_is_data_like_any_text() -> None:
    assert json.loads(parts.chart_data({"a": SafeString("<i>")}, "x").split(">")[1].split("</")[0]) == {"a": "<i>"}
