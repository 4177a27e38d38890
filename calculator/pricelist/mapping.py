"""Foreign headers: what each column of somebody else's list probably holds, to be confirmed by the person.

A proposal is a question, never an answer: nothing is read with it until it was confirmed. What was confirmed once is
remembered for the person and the kind of file.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from calculator.models import ColumnMapping
from calculator.pricelist.columns import CODE_COLUMN, COLUMNS, folded
from calculator.pricelist.contract import FileKind

LEFT_OUT = ""
HEADER_CHARACTERS = 120
NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
SAID_OF: Mapping[str, tuple[str, ...]] = {
    "code": ("code", "ref", "reference", "article", "produit", "product", "offre", "offer", "item", "configuration"),
    "sku": ("sku", "gpu sku", "machine", "instance", "serveur", "server"),
    "model": ("model", "modele", "llm", "api model", "model name", "nom du modele"),
    "component": ("component", "composant", "meter", "poste", "type de prix", "price type", "billing unit"),
    "kind": ("kind", "nature", "sorte"),
    "amount": (
        *("amount", "montant", "prix", "price", "tarif", "rate card", "prix ht", "prix unitaire", "unit price"),
        *("prix unitaire ht", "tarif ht", "list price", "prix public", "cost", "cout"),
    ),
    "currency": ("currency", "devise", "monnaie", "currency code", "code devise"),
    "unit": ("unit", "unite", "pricing unit", "unite de prix", "per", "par"),
    "mode": ("mode", "tier", "service tier", "niveau de service", "formule", "engagement", "commitment"),
    "region": ("region", "zone", "location", "localisation", "datacenter"),
    "context_over": ("context over", "context", "contexte", "contexte au dela de", "threshold", "seuil"),
    "valid_from": (
        *("valid from", "date d effet", "date effet", "a partir du", "a compter du", "debut", "start", "start date"),
        *("effective date", "effective from", "en vigueur le", "applicable au", "valable du"),
    ),
    "valid_until": ("valid until", "fin", "end", "end date", "jusqu au", "effective until", "valable jusqu au"),
    "provider": ("provider", "fournisseur", "vendor", "editeur", "marque", "supplier"),
    "label_fr": ("label fr", "libelle", "designation", "nom", "description", "libelle fr", "intitule"),
    "label_en": ("label en", "label", "english name", "libelle en", "name en"),
    "gpu": ("gpu", "carte", "carte graphique", "gpu model", "accelerator"),
    "gpu_count": ("gpu count", "nombre de gpu", "nb gpu", "gpus", "quantite"),
    "vram_gb": ("vram gb", "vram", "vram go", "memoire", "memory", "memoire go"),
    "interconnect": ("interconnect", "interconnexion", "nvlink"),
    "aliases": ("aliases", "alias", "autres noms", "other names"),
    "context_window": ("context window", "fenetre de contexte", "max context"),
    "status": ("status", "statut", "etat"),
    "retired_on": ("retired on", "retire le", "fin de vie", "end of life"),
    "source_url": ("source url", "source", "url", "lien", "link"),
    "checked_on": ("checked on", "verifie le", "releve le", "date de releve", "last checked"),
    "note": ("note", "remark", "comment"),
    "note_fr": ("note fr", "remarque", "commentaire"),
    "rate_date": ("rate date", "date", "jour", "day"),
    "base": ("base", "devise de base", "base currency"),
    "quote": ("quote", "devise cotee", "quote currency"),
    "rate": ("rate", "taux", "cours", "exchange rate", "taux de change"),
}
"""What people call each column, in small letters without accents; "code" is the kind's own code column."""


def plain(header: str) -> str:
    """A header in small letters, without accents and punctuation.

    >>> plain("Unité (prix)")
    'unite prix'
    """
    decomposed = unicodedata.normalize("NFKD", header.casefold())
    return NOT_A_LETTER.sub(" ", decomposed.encode("ascii", "ignore").decode()).strip()


def _plain_of(header: str) -> str:
    return plain(header.replace("’", " ").replace("'", " "))


def proposed(headers: Iterable[str], kind: FileKind) -> dict[str, str]:
    """What each header that is no column of the kind probably means; a column is proposed once, "" = no idea."""
    named = [header.strip() for header in headers if header.strip()]
    taken = {folded(header) for header in named} & set(COLUMNS[kind])
    found: dict[str, str] = {}
    for header in named:
        if folded(header) not in COLUMNS[kind]:
            column = _meaning(header, kind)
            found[header] = LEFT_OUT if column in taken else column
            taken.add(column)
    return found


def _meaning(header: str, kind: FileKind) -> str:
    said = _plain_of(header)
    for name, words in SAID_OF.items():
        column = CODE_COLUMN.get(kind, "") if name == "code" else name
        if said in words and column in COLUMNS[kind]:
            return column
    return LEFT_OUT


def probable_kind(headers: Iterable[str]) -> FileKind:
    """The kind whose columns the headers most probably name."""
    named = list(headers)
    known = {kind: sum(folded(header) in COLUMNS[kind] for header in named) for kind in FileKind}
    guessed = {kind: sum(bool(column) for column in proposed(named, kind).values()) for kind in FileKind}
    return max(FileKind, key=lambda kind: (known[kind] + guessed[kind], known[kind]))


def wrong(mapping: Mapping[str, str], headers: Iterable[str], kind: FileKind) -> tuple[str, ...]:
    """The headers whose meaning cannot stand: no column of the kind, or one that another header has already."""
    own = [folded(header) for header in headers if folded(header) in COLUMNS[kind] and header not in mapping]
    seen, bad = set(own), []
    for header, column in mapping.items():
        if column and (column not in COLUMNS[kind] or column in seen):
            bad.append(header)
        seen.add(column)
    return tuple(bad)


def remembered(user: Any, kind: FileKind, headers: Iterable[str]) -> dict[str, str]:
    """What this person has said before of these headers."""
    known = {entry.header: entry.column for entry in ColumnMapping.objects.filter(user=user, kind=kind.value)}
    return {header: known[name] for header in headers if (name := folded(header)[:HEADER_CHARACTERS]) in known}


def remember(user: Any, kind: FileKind, mapping: Mapping[str, str]) -> None:
    """Keep what this person says of the headers, instead of what was said before."""
    for header, column in mapping.items():
        ColumnMapping.objects.update_or_create(
            user=user, kind=kind.value, header=folded(header)[:HEADER_CHARACTERS], defaults={"column": column}
        )


def suggestion(user: Any, headers: Iterable[str], kind: FileKind) -> dict[str, str]:
    """What to show the person: what was said before, else what is probable."""
    named = list(headers)
    return {**proposed(named, kind), **remembered(user, kind, named)}
