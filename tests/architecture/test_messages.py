"""Every text has an English translation, and what is compiled is what is written."""

import re
from pathlib import Path

import pytest
from babel.messages import Catalog

from scripts import messages

PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|\{(\w*)\}")


def test_every_text_is_translated() -> None:
    assert [f"{place}: {msgid}" for (_context, msgid), place in messages.untranslated().items()] == []


def test_the_compiled_catalogue_is_the_written_one() -> None:
    assert (messages.FOLDER / "django.mo").read_bytes() == messages.compiled(messages.catalogue())


def test_placeholders_survive_translation() -> None:
    broken = []
    for message in messages.catalogue():
        if not message.id:
            continue
        wanted, given = (set(PLACEHOLDER.findall(_last(text))) for text in (message.id, message.string))
        if wanted != given:
            broken.append(_last(message.id))
    assert broken == []


def _last(text: str | list[str] | tuple[str, ...]) -> str:
    """The plural form where there is one: it carries every placeholder."""
    return text if isinstance(text, str) else text[-1]


def test_texts_are_found_in_code_and_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calculator").mkdir()
    (tmp_path / "calculator" / "a.py").write_text(
        'from x import _n\nA = _("Coût")\nB = _n("%(n)d jour", "%(n)d jours", 2)\n'
    )
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "p.html").write_text("{% load i18n %}\n{% translate 'Prix' %}{{ _('Sur devis') }}")
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    assert {msgid for _context, msgid in messages.texts_used()} == {"Coût", "%(n)d jour", "Prix", "Sur devis"}


def test_a_half_translated_plural_counts_as_missing() -> None:
    source = Catalog(locale="en")
    source.add(("un jour", "deux jours"), ("one day", ""))
    assert not messages._is_translated(source, (None, "un jour"))


def test_french_sentences_are_typeset_as_in_french() -> None:
    """Typographic apostrophe, and a no-break space before double punctuation."""
    wrong = [
        msgid for _context, msgid in messages.texts_used() if re.search(r"[a-zé]'[a-zéèê]| [:;?!%](?:\s|$)", msgid)
    ]
    assert wrong == []
