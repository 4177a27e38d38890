"""The language of a page: asked once, and never another's."""

import pytest
from django.utils import translation

from calculator import formats, language

UNKNOWN = {"fr": "inconnu", "en": "unknown"}


@pytest.mark.parametrize("code", ["fr", "en"])
def test_a_text_is_the_same_within_one_language_and_outside(code: str) -> None:
    with translation.override(code):
        outside = language.gettext("inconnu")
        with language.one_language():
            assert (outside, language.gettext("inconnu")) == (UNKNOWN[code], UNKNOWN[code])
            assert language.gettext("inconnu") == UNKNOWN[code]


def test_texts_kept_for_one_language_do_not_show_in_another() -> None:
    for code in ("fr", "en", "fr", "en"):
        with translation.override(code), language.one_language():
            assert language.gettext("inconnu") == UNKNOWN[code]
            assert (language.active(), language.is_french()) == (code, code == "fr")


def test_a_page_within_a_page_leaves_the_language_as_it_was() -> None:
    with translation.override("en"):
        with language.one_language():
            with language.one_language():
                assert formats.number(None) == "unknown"
            assert language.active() == "en"
        with translation.override("fr"):
            assert (language.active(), formats.number(None)) == ("fr", "inconnu")


def test_an_error_ends_the_one_language_too() -> None:
    with translation.override("en"), pytest.raises(ZeroDivisionError), language.one_language():
        _ = 1 / 0
    with translation.override("fr"):
        assert language.active() == "fr"


def test_without_translations_the_texts_are_french() -> None:
    with translation.override(None, deactivate=True):
        translation.deactivate_all()
        assert (language.active(), language.is_french(), language.gettext("inconnu")) == ("fr", True, "inconnu")


def test_a_counted_text_follows_its_count_in_each_language() -> None:
    for code, words in (("fr", ["1 GPU", "2 GPU"]), ("en", ["1 GPU", "2 GPUs"]), ("fr", ["1 GPU", "2 GPU"])):
        with translation.override(code), language.one_language():
            assert [language.ngettext("%(count)s GPU", "%(count)s GPU", n) % {"count": n} for n in (1, 2)] == words
    with translation.override("en"):
        assert language.ngettext("%(count)s GPU", "%(count)s GPU", 2) == "%(count)s GPUs"
