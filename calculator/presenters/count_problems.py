"""Why something could not be counted: each code of `counting.problems` as a sentence with its values."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.counting.problems import ReadingError, Value
from calculator.fields import Text, printable
from calculator.language import gettext as _

SENTENCES: Mapping[str, Text] = {
    "empty": gettext_lazy("Il n’y a rien à compter\u00a0: le texte est vide."),
    "binary": gettext_lazy("Ce n’est pas du texte mais un fichier binaire."),
    "not_utf8": gettext_lazy(
        "Ce texte n’est pas en UTF-8\u00a0: l’octet %(byte)s, à la position %(position)s, n’y a pas de sens. "
        "Enregistrez-le en UTF-8."
    ),
    "windows_1252": gettext_lazy(
        "Ce texte n’est pas en UTF-8 mais sans doute en Windows-1252 (octet %(byte)s à la position "
        "%(position)s)\u00a0: enregistrez-le en UTF-8, le deviner fausserait le compte."
    ),
    "utf16_without_mark": gettext_lazy(
        "Ce texte semble être en UTF-16 sans marque d’ordre des octets\u00a0: enregistrez-le en UTF-8."
    ),
    "broken_utf16": gettext_lazy("Ce texte s’annonce en %(encoding)s mais se casse à l’octet %(position)s."),
    "line_too_long": gettext_lazy("Une ligne dépasse %(limit)s caractères\u00a0: ce n’est plus une ligne de texte."),
    "nowhere_to_cut": gettext_lazy(
        "Plus de %(limit)s caractères se suivent sans qu’on puisse couper (ni espace, ni fin de ligne)\u00a0: ce texte "
        "ne se compte pas au fil de la lecture."
    ),
    "too_many_documents": gettext_lazy(
        "Plus de %(limit)s documents\u00a0: un échantillon plus petit donne la même moyenne."
    ),
    "too_busy": gettext_lazy(
        "Trop de grands fichiers sont comptés en ce moment\u00a0: réessayez dans %(seconds)s\u00a0s."
    ),
    "too_slow": gettext_lazy(
        "Le compte a été arrêté après %(seconds)s\u00a0s de calcul\u00a0: la commande count_tokens n’a pas cette "
        "limite."
    ),
    "unknown_kind": gettext_lazy(
        "Les fichiers «\u00a0%(suffix)s\u00a0» ne sont pas lus. Sont lus\u00a0: %(suffixes)s."
    ),
    "csv_which_column": gettext_lazy("Indiquez la colonne à compter. Colonnes\u00a0: %(columns)s."),
    "csv_no_column": gettext_lazy("Il n’y a pas de colonne «\u00a0%(column)s\u00a0». Colonnes\u00a0: %(columns)s."),
    "csv_short_row": gettext_lazy("La ligne %(line)s n’a pas de colonne «\u00a0%(column)s\u00a0»."),
    "csv_broken": gettext_lazy("La ligne %(line)s n’est pas du CSV\u00a0: %(reason)s."),
    "jsonl_which_key": gettext_lazy("Indiquez la clé à compter. Clés\u00a0: %(columns)s."),
    "jsonl_no_key": gettext_lazy("La ligne %(line)s n’a pas de clé «\u00a0%(column)s\u00a0». Clés\u00a0: %(columns)s."),
    "jsonl_not_text": gettext_lazy("À la ligne %(line)s, «\u00a0%(column)s\u00a0» n’est pas du texte."),
    "jsonl_broken": gettext_lazy("La ligne %(line)s n’est pas du JSON."),
    "jsonl_half_character": gettext_lazy(
        "La ligne %(line)s contient une moitié de caractère (\\uD800 à \\uDFFF sans sa paire)\u00a0: ce n’est "
        "pas du texte."
    ),
    "docx_too_slow": gettext_lazy("La lecture de ce DOCX a été arrêtée après %(seconds)s\u00a0s."),
    "docx_broken": gettext_lazy("Ce fichier DOCX est endommagé ou n’en est pas un."),
    "docx_encrypted": gettext_lazy("Ce document est protégé par un mot de passe\u00a0: enregistrez-le sans."),
    "docx_too_large": gettext_lazy("Ce fichier DOCX dépasse %(limit)s octets une fois décompressé."),
    "pdf_broken": gettext_lazy("Ce fichier PDF est endommagé ou n’en est pas un."),
    "pdf_encrypted": gettext_lazy("Ce PDF est protégé par un mot de passe\u00a0: enregistrez-le sans."),
    "pdf_without_text": gettext_lazy(
        "Ce PDF de %(pages)s pages ne contient pas de texte, sans doute des images numérisées."
    ),
    "pdf_too_long": gettext_lazy("Ce PDF a %(pages)s pages\u00a0; %(limit)s au plus sont lues."),
    "pdf_too_slow": gettext_lazy("La lecture de ce PDF a été arrêtée après %(seconds)s\u00a0s."),
    "tokenizer_too_large": gettext_lazy("Le tokenizer.json dépasse %(limit)s octets."),
    "tokenizer_malformed": gettext_lazy("Ce tokenizer.json n’est pas lisible\u00a0: %(reason)s."),
    "tokenizer_too_slow": gettext_lazy("Votre tokenizer a été arrêté après %(seconds)s\u00a0s."),
    "tokenizer_broken": gettext_lazy("Votre tokenizer s’est arrêté sur une erreur ou a pris trop de mémoire."),
    "tokenizer_too_much_text": gettext_lazy(
        "Un tokenizer envoyé prend le texte entier, sans coupure connue\u00a0: %(limit)s caractères au plus."
    ),
}


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(printable(item) for item in value) or _("aucune")
    return formats.number(value) if isinstance(value, int) else printable(value).rstrip(".")


def sentence(error: ReadingError) -> str:
    """The problem as a sentence, with the file's name before it where it is one's."""
    values = {name: _shown(value) for name, value in error.values.items()}
    said = str(SENTENCES[error.code]) % values
    file = values.get("file")
    return _("%(file)s\u00a0: %(sentence)s") % {"file": file, "sentence": said} if file else said


def too_large(limit_bytes: int) -> str:
    """What is said of a request over the limit."""
    return _(
        "L’envoi dépasse %(limit)s\u00a0Mo, la limite de cette page\u00a0: la commande count_tokens n’en a pas."
    ) % {"limit": formats.number(limit_bytes / 1_000_000)}


def without_length() -> str:
    """What is said of a body whose length is not announced."""
    return _("L’envoi ne dit pas sa longueur (en-tête Content-Length)\u00a0: rien n’a été lu.")


def text_too_large() -> str:
    """What is said of a pasted text over the limit."""
    return _("Le texte collé dépasse 2,5\u00a0Mo\u00a0: envoyez-le comme fichier.")


def unreadable() -> str:
    """What is said of a request that broke off or is no form."""
    return _("L’envoi est arrivé incomplet\u00a0: réessayez.")
