"""The texts and their English translation: find the French msgids in code and templates, compile the catalogue.

No msgfmt or xgettext is needed: templates go through Django's own template-to-Python step, and Babel extracts from that
and from Python. `python -m scripts.messages` compiles and lists what has no translation.
"""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "vmcloud" / "locale" / "en" / "LC_MESSAGES"
PACKAGES = ("calculator", "benchmarks", "sales", "vmcloud")
KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "_": None,
    "_n": (1, 2),
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
Key = tuple[str | None, str]


def sources() -> Iterator[tuple[Path, bytes]]:
    """Each file with texts, as Python source: code as it is, templates turned by Django's templatize."""
    from django.utils.translation import templatize

    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, path.read_bytes()
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in {".html", ".txt"}:
            yield path, templatize(path.read_text(encoding="utf-8"), origin=str(path)).encode()


def texts_used() -> dict[Key, str]:
    """Every msgid of the product with its context, and the first place it stands."""
    used: dict[Key, str] = {}
    for path, source in sources():
        found = extract("python", io.BytesIO(source), keywords=KEYWORDS, options={"encoding": "utf-8"})
        for line, message, _comments, context in found:
            msgid = message[0] if isinstance(message, tuple) else message
            used.setdefault((context, msgid), f"{path.relative_to(ROOT)}:{line}")
    return used


def catalogue() -> Catalog:
    with (FOLDER / "django.po").open("rb") as file:
        return read_po(file, locale="en", domain="django")


def compiled(source: Catalog) -> bytes:
    output = io.BytesIO()
    write_mo(output, source)
    return output.getvalue()


def compile_catalogue() -> bool:
    """Write django.mo where it differs from django.po; say whether it did."""
    target, wanted = FOLDER / "django.mo", compiled(catalogue())
    if target.exists() and target.read_bytes() == wanted:
        return False
    target.write_bytes(wanted)
    return True


def untranslated() -> dict[Key, str]:
    """The msgids without a complete English text, with the place where each is used."""
    source = catalogue()
    return {key: place for key, place in texts_used().items() if not _is_translated(source, key)}


def unused() -> set[Key]:
    """The msgids of the catalogue that no code or template asks for."""
    used = texts_used()
    mine = {(message.context, _singular(message.id)) for message in catalogue() if message.id}
    return mine - set(used)


def _singular(msgid: str | list[str] | tuple[str, ...]) -> str:
    return msgid if isinstance(msgid, str) else msgid[0]


def _is_translated(source: Catalog, key: Key) -> bool:
    context, msgid = key
    message = source.get(msgid, context)
    if message is None or message.fuzzy:
        return False
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")
    import django

    django.setup()
    compile_catalogue()
    missing = untranslated()
    for (_context, msgid), place in missing.items():
        print(f"{place}: no English text for “{msgid}”")
    print(f"{len(texts_used())} texts, {len(missing)} without translation, {len(unused())} in the catalogue but unused")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
