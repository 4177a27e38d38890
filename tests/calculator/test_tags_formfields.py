"""The folded groups of a form: every field in its order, what was typed as it was typed, a group with an error open."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.template import Context, Template

from calculator import answers, registry
from calculator.forms.base import ScenarioForm

TOOL = registry.CALCULATORS["economics"]
TEMPLATE = Template("{% load formfields %}{% field_groups form %}")


def typed(text: str) -> ScenarioForm:
    return answers.from_form(TOOL, QueryDict(text)).form


def markup(form: ScenarioForm) -> str:
    return TEMPLATE.render(Context({"form": form}))


@pytest.mark.usefixtures("seeded")
def test_every_folded_field_is_there_once_in_reading_order() -> None:
    found = markup(typed("form=1&volume=100+M"))
    wanted = [name for group in TOOL.form.GROUPS for name in group.names]
    labelled = re.findall(r'<(?:label for="id_(\w+)"|div class="seg wide" id="id_(\w+)")', found)
    assert [one or other for one, other in labelled] == wanted
    assert re.findall(r'<details class="fold" id="group-(\w+)">', found) == [group.name for group in TOOL.form.GROUPS]


@pytest.mark.usefixtures("seeded")
def test_what_was_typed_stays_as_typed_and_is_escaped() -> None:
    found = markup(typed("form=1&volume=100+M&hours=720,0&storage=%22%3Cb%3E"))
    assert 'name="hours" type="text" inputmode="decimal" autocomplete="off" spellcheck="false" value="720,0"' in found
    assert 'value="&quot;&lt;b&gt;"' in found and "<b>" not in found


@pytest.mark.usefixtures("seeded")
def test_only_the_group_with_an_error_is_open() -> None:
    found = markup(typed("form=1&volume=100+M&hours=abc"))
    assert re.findall(r'<details class="fold" id="group-(\w+)" open>', found) == ["rental"]
    assert found.count('class="err"') == 1


@pytest.mark.usefixtures("seeded")
def test_a_form_that_shows_a_scenario_writes_its_values_for_the_reader() -> None:
    scenario = TOOL.default()
    form = TOOL.form.from_scenario(scenario, TOOL.choices(scenario, TOOL.reads(), None, None))
    found = markup(form)
    assert 'name="hours" type="text" inputmode="decimal" autocomplete="off" spellcheck="false" value="720"' in found


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("text", ["720", "\ufffc", "\ufffc&\ufffc", "&amp;"])
def test_a_kept_field_shows_each_text_as_it_was_typed(text: str) -> None:
    found = markup(typed(urlencode({"form": "1", "volume": "100 M", "hours": text})))
    shown = re.search(r'name="hours"[^>]* value="([^"]*)"', found)
    assert shown is not None and unescape(shown[1]) == text
