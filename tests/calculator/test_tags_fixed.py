"""Texts and addresses that stand in a template: kept by language, never another's, values always anew."""

from django.template import Context, Template
from django.utils import translation
from django.utils.safestring import SafeString

ATTACK = "<b>&"
ESCAPED = "&lt;b&gt;&amp;"


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


def test_a_fixed_sentence_takes_its_values_anew_and_escapes_them() -> None:
    template = Template(
        "{% load i18n fixed %}"
        "{% blocktranslate with gpu=name %}Le trait pointillé marque {{ gpu }}.{% endblocktranslate %}"
    )
    with translation.override("fr"):
        assert template.render(Context({"name": ATTACK})) == f"Le trait pointillé marque {ESCAPED}."
    with translation.override("en"):
        assert template.render(Context({"name": "GPU-PRO"})) == "The dotted line marks GPU-PRO."
    with translation.override("fr"):
        assert template.render(Context({"name": SafeString("<i>")})) == "Le trait pointillé marque <i>."


def test_a_counted_sentence_and_one_with_loose_places_stay_django_s() -> None:
    counted = Template(
        "{% load i18n fixed %}{% blocktranslate count number=n %}{{ number }} champ à corriger.{% plural %}"
        "{{ number }} champs à corriger.{% endblocktranslate %}"
    )
    assert [counted.render(Context({"n": n})) for n in (1, 2)] == ["1 champ à corriger.", "2 champs à corriger."]
    loose = Template("{% load i18n fixed %}{% blocktranslate %}100 % {{ name }}{% endblocktranslate %}")
    assert loose.render(Context({"name": ATTACK})) == f"100 % {ESCAPED}"


def test_a_fixed_address_is_that_of_the_language() -> None:
    template = Template("{% load static fixed %}{% url 'economics' %} {% static 'js/live.js' %}")
    for code in ("fr", "en", "fr"):
        with translation.override(code):
            page, script = template.render(Context()).split()
            assert page.rstrip("/") == f"/{code}/economics" and script.startswith("/static/js/live.")


def test_a_literal_with_a_filter_is_not_kept() -> None:
    template = Template('{% load i18n fixed %}{% translate "Utilisation"|cut:"U" %}{% url name %}')
    assert template.render(Context({"name": "economics"})).startswith("tilisation/")
