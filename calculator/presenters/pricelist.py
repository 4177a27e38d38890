"""What is wrong with a price file: each code of the readers as a sentence that says where and what to do."""

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, printable
from calculator.language import gettext as _
from calculator.presenters.pricelist_changes import SENTENCES as OF_CHANGES
from calculator.pricelist.contract import LineProblem, PriceFileError, Value

REFUSALS: Mapping[str, Text] = {
    "file_too_large": gettext_lazy("Le fichier fait %(size)s octets\u00a0; %(limit)s au plus sont acceptés."),
    "empty": gettext_lazy("Le fichier est vide."),
    "binary": gettext_lazy("Ce n’est ni un texte ni un classeur\u00a0: le fichier contient des octets binaires."),
    "encoding_unknown": gettext_lazy(
        "Le codage du fichier n’est pas reconnu (octet %(byte)s à la position %(position)s)\u00a0: indiquez-le, ou "
        "enregistrez le fichier en UTF-8."
    ),
    "encoding_wrong": gettext_lazy("Le fichier n’est pas en %(encoding)s."),
    "encoding_not_offered": gettext_lazy(
        "Le codage «\u00a0%(encoding)s\u00a0» n’est pas lu. Sont lus\u00a0: %(encodings)s."
    ),
    "kind_unknown": gettext_lazy(
        "Les colonnes ne disent pas de quels prix il s’agit\u00a0: il faut «\u00a0sku\u00a0», «\u00a0model\u00a0», "
        "«\u00a0quote\u00a0» et «\u00a0rate\u00a0», ou «\u00a0name\u00a0» et les colonnes d’une fiche. Colonnes "
        "trouvées\u00a0: %(columns)s. Indiquez ce que chacune contient, ou partez d’un modèle de fichier."
    ),
    "kind_not_offered": gettext_lazy(
        "«\u00a0%(kind)s\u00a0» n’est pas une sorte de fichier. Sont lues\u00a0: %(kinds)s."
    ),
    "no_rows": gettext_lazy("Le fichier n’a que son en-tête\u00a0: aucune ligne à lire."),
    "too_many_rows": gettext_lazy("Plus de %(limit)s lignes\u00a0: partagez le fichier."),
    "too_many_columns": gettext_lazy("Plus de %(limit)s colonnes\u00a0: ce n’est pas une liste de prix."),
    "too_many_cells_held": gettext_lazy("Plus de %(limit)s cellules remplies\u00a0: partagez le classeur."),
    "archive_broken": gettext_lazy("Le fichier compressé est endommagé ou incomplet."),
    "archive_encrypted": gettext_lazy("Le fichier est protégé par un mot de passe\u00a0: enregistrez-le sans."),
    "archive_bomb": gettext_lazy(
        "Une fois décompressé, le fichier dépasserait %(limit)s octets ou %(parts)s parties\u00a0: il n’a pas été "
        "ouvert."
    ),
    "office_encrypted_or_old": gettext_lazy(
        "Ce classeur est protégé par un mot de passe ou dans l’ancien format .xls\u00a0: enregistrez-le en .xlsx, "
        "sans mot de passe."
    ),
    "workbook_macros": gettext_lazy("Ce classeur contient des macros\u00a0: enregistrez-le en .xlsx, sans macros."),
    "workbook_external_links": gettext_lazy(
        "Ce classeur renvoie à d’autres fichiers\u00a0: rompez les liaisons (ou collez les valeurs) et enregistrez-le."
    ),
    "workbook_binary": gettext_lazy("Les classeurs .xlsb ne sont pas lus\u00a0: enregistrez celui-ci en .xlsx."),
    "workbook_broken": gettext_lazy("Le classeur est endommagé\u00a0: rouvrez-le dans un tableur et enregistrez-le."),
    "not_a_workbook": gettext_lazy("Ce fichier compressé n’est ni un classeur .xlsx ni un seul fichier CSV."),
    "xml_forbidden": gettext_lazy("Le fichier déclare un type de document (DOCTYPE)\u00a0: il n’a pas été lu."),
    "ecb_broken": gettext_lazy("Ce fichier n’est pas, ou pas entièrement, un fichier de taux de la BCE."),
    "no_dollar_rate": gettext_lazy("Le fichier ne contient aucun taux du dollar (USD)."),
    "json_broken": gettext_lazy("Ce n’est pas du JSON\u00a0: erreur ligne %(line)s, colonne %(column)s."),
    "json_key_twice": gettext_lazy("La clé «\u00a0%(name)s\u00a0» est écrite deux fois dans la même entrée."),
    "json_half_character": gettext_lazy("Le JSON contient une moitié de caractère (\\uD800 à \\uDFFF sans sa paire)."),
    "json_shape": gettext_lazy(
        "Le JSON doit être une liste d’entrées, ou un objet avec «\u00a0kind\u00a0» et «\u00a0rows\u00a0»."
    ),
}
"""Why a file is refused as a whole."""

OF_THE_FILE: Mapping[str, Text] = {
    "more_problems": gettext_lazy("Et %(count)s autres problèmes, qui ne sont pas montrés."),
    "read_as_windows_1252": gettext_lazy(
        "Le fichier n’est pas en UTF-8\u00a0: il a été lu en Windows-1252. Vérifiez les accents."
    ),
    "other_sheets_left_out": gettext_lazy(
        "Seule la première feuille est lue\u00a0; laissées de côté\u00a0: %(sheets)s."
    ),
    "other_currencies_left_out": gettext_lazy(
        "Seul le dollar est lu\u00a0; %(count)s autres monnaies ou séries sont laissées de côté."
    ),
    "column_missing": gettext_lazy("Il manque la colonne «\u00a0%(name)s\u00a0»."),
    "column_twice": gettext_lazy("La colonne «\u00a0%(name)s\u00a0» apparaît deux fois."),
    "unknown_column": gettext_lazy(
        "La colonne «\u00a0%(name)s\u00a0» est inconnue\u00a0: indiquez ce qu’elle contient, ou qu’elle est à "
        "laisser de côté."
    ),
    "decimal_marks_differ": gettext_lazy(
        "«\u00a0%(comma)s\u00a0» (ligne %(comma_line)s) a une virgule décimale et «\u00a0%(point)s\u00a0» (ligne "
        "%(point_line)s) un point décimal\u00a0: un fichier n’en a qu’un."
    ),
    "decimal_mark_undecidable": gettext_lazy(
        "«\u00a0%(text)s\u00a0» peut se lire %(with_comma)s (virgule décimale) ou %(with_point)s (point décimal), "
        "et aucune autre ligne ne tranche\u00a0: indiquez le séparateur décimal du fichier."
    ),
    "csv_broken": gettext_lazy("Les guillemets de cette ligne ne se ferment pas comme en CSV (%(reason)s)."),
    "too_many_cells": gettext_lazy("Plus de cellules que les %(columns)s colonnes de l’en-tête."),
    "cell_without_header": gettext_lazy("«\u00a0%(text)s\u00a0» se trouve sous une colonne sans nom."),
    "said_twice": gettext_lazy("Répète la ligne %(first_line)s\u00a0: comptée une fois."),
    "same_key_twice": gettext_lazy("Les lignes %(first_line)s et %(line)s disent la même chose de deux façons."),
    "item_said_differently": gettext_lazy(
        "«\u00a0%(text)s\u00a0» contredit «\u00a0%(first)s\u00a0» de la ligne %(first_line)s."
    ),
    "nothing_said": gettext_lazy("Cette ligne n’a qu’un code\u00a0: ni prix, ni fiche."),
}
"""Problems of the file, of its header or of a whole line."""

OF_A_CELL: Mapping[str, Text] = {
    "missing": gettext_lazy("La cellule est vide."),
    "amount_missing": gettext_lazy(
        "Il n’y a pas de montant. Pour retirer un prix, écrivez «\u00a0withdrawn\u00a0» dans «\u00a0kind\u00a0»\u00a0; "
        "pour un prix qui varie d’une requête à l’autre, «\u00a0variable\u00a0»."
    ),
    "not_one_of": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas accepté\u00a0; sont acceptés\u00a0: %(allowed)s."),
    "not_a_code": gettext_lazy(
        "«\u00a0%(text)s\u00a0» ne peut pas servir de code\u00a0: une lettre ou un chiffre, puis lettres sans accent, "
        "chiffres et signes «\u00a0._:/@+-\u00a0», sans espace."
    ),
    "number_for_text": gettext_lazy(
        "%(text)s est un nombre ou une date, pas un texte\u00a0: mettez la cellule au format Texte et retapez le code."
    ),
    "text_too_long": gettext_lazy("Plus de %(limit)s caractères."),
    "characters_lost": gettext_lazy("«\u00a0%(text)s\u00a0» contient des caractères perdus ou invisibles."),
    "not_a_number": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nombre."),
    "not_finite": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nombre fini."),
    "negative_number": gettext_lazy(
        "«\u00a0%(text)s\u00a0» est négatif. Un prix variable s’écrit «\u00a0variable\u00a0» dans "
        "«\u00a0kind\u00a0», sans montant."
    ),
    "wrong_mark": gettext_lazy("«\u00a0%(text)s\u00a0» n’a pas le séparateur décimal du fichier."),
    "too_many_digits": gettext_lazy("«\u00a0%(text)s\u00a0» a trop de chiffres."),
    "too_many_decimals": gettext_lazy(
        "«\u00a0%(text)s\u00a0» a plus de %(limit)s décimales\u00a0: arrondissez-le vous-même."
    ),
    "out_of_range": gettext_lazy(
        "«\u00a0%(text)s\u00a0» donne une valeur hors limites (moins de %(limit)s dans l’unité du composant)."
    ),
    "not_above_zero": gettext_lazy("«\u00a0%(text)s\u00a0» doit être plus grand que zéro."),
    "zero_without_free": gettext_lazy("Un prix de zéro s’écrit avec «\u00a0free\u00a0» dans «\u00a0kind\u00a0»."),
    "free_with_amount": gettext_lazy("Gratuit («\u00a0free\u00a0») et «\u00a0%(text)s\u00a0» se contredisent."),
    "withdrawn_with_amount": gettext_lazy("Un prix retiré («\u00a0withdrawn\u00a0») n’a pas de montant."),
    "variable_with_amount": gettext_lazy("Un prix variable («\u00a0variable\u00a0») n’a pas de montant."),
    "variable_machine": gettext_lazy(
        "Seul ce qui est vendu à l’usage peut avoir un prix variable\u00a0; une machine sans prix est sur devis."
    ),
    "currency_sign_differs": gettext_lazy(
        "«\u00a0%(text)s\u00a0» porte le signe de la monnaie %(sign)s\u00a0; la colonne de la monnaie dit autre "
        "chose (%(currency)s)."
    ),
    "currency_sign_unknown": gettext_lazy(
        "«\u00a0%(text)s\u00a0» porte le signe d’une monnaie qui n’est pas tenue (EUR et USD le sont)."
    ),
    "not_whole": gettext_lazy("«\u00a0%(text)s\u00a0» doit être un nombre entier, de 0 à moins de %(limit)s."),
    "not_a_day": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un jour écrit AAAA-MM-JJ."),
    "not_an_instant": gettext_lazy(
        "«\u00a0%(text)s\u00a0» n’est ni un jour écrit AAAA-MM-JJ ni un instant comme 2026-12-01T08:00+01:00."
    ),
    "instant_without_offset": gettext_lazy(
        "«\u00a0%(text)s\u00a0» a une heure mais pas de fuseau\u00a0: ajoutez Z ou +01:00, ou n’écrivez que le jour."
    ),
    "day_out_of_range": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas entre le %(first)s et le %(last)s."),
    "ends_before_it_starts": gettext_lazy("La fin «\u00a0%(text)s\u00a0» ne vient pas après le début."),
    "checked_in_the_future": gettext_lazy(
        "Un prix ne peut pas avoir été vérifié le %(text)s\u00a0: ce jour est à venir."
    ),
    "rate_in_the_future": gettext_lazy("Il n’y a pas encore de taux du %(text)s\u00a0: ce jour est à venir."),
    "base_is_not_euro": gettext_lazy(
        "Un taux s’écrit en %(quote)s ou autre monnaie pour un euro\u00a0: base EUR, et non %(base)s."
    ),
    "not_a_link": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas une adresse https:// ou http://."),
    "not_a_flag": gettext_lazy("«\u00a0%(text)s\u00a0» doit être true ou false."),
    "cell_error": gettext_lazy("La cellule contient l’erreur %(text)s."),
    "formula_without_value": gettext_lazy(
        "La formule n’a pas de résultat enregistré\u00a0: rouvrez le classeur, enregistrez-le, ou collez les valeurs."
    ),
    "json_value": gettext_lazy(
        "La valeur de «\u00a0%(name)s\u00a0» n’est ni un texte, ni un nombre, ni une liste de textes."
    ),
}
"""Problems of one cell."""

SENTENCES: Mapping[str, Text] = {**OF_THE_FILE, **OF_A_CELL, **OF_CHANGES}
LINE_VALUES = ("line", "first_line", "comma_line", "point_line", "column", "position")


def _shown(name: str, value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(printable(str(one)) for one in value) or _("aucune")
    if isinstance(value, str):
        return printable(value)
    return str(value) if name in LINE_VALUES else formats.number(Decimal(value))


def _worded(text: Text, values: Mapping[str, Value]) -> str:
    return str(text) % {name: _shown(name, value) for name, value in values.items()}


def refusal(error: PriceFileError) -> str:
    """Why a file was refused as a whole."""
    return _worded(REFUSALS[error.code], error.values)


def same_as(upload: int, at: dt.datetime, name: str) -> str:
    """Which earlier file had the very same bytes, and when it came."""
    told = {"upload": upload, "at": formats.instant(at), "name": name}
    return _("Identique à l’envoi n° %(upload)s du %(at)s (%(name)s).") % told


def place(problem: LineProblem) -> str:
    """Where the problem is: line, column and, in a workbook, cell. "" for the whole file."""
    if not problem.line_no and not problem.column:
        return ""
    cell = problem.values.get("cell")
    parts = [_("ligne %(line)s") % {"line": problem.line_no}] if problem.line_no else []
    if problem.column:
        parts.append(_("colonne «\u00a0%(name)s\u00a0»") % {"name": printable(problem.column)})
    where = ", ".join(parts)
    where = f"{where[:1].upper()}{where[1:]}"
    return f"{where} ({cell})" if cell else where


def sentence(problem: LineProblem) -> str:
    """One problem with its place before it."""
    said = _worded(SENTENCES[problem.code], problem.values)
    where = place(problem)
    return formats.labelled(where, said) if where else said


def cell_sentence(code: str, **values: Value) -> str:
    """What is wrong with a value that stands in no file, such as an argument of a command."""
    return _worded(OF_A_CELL[code], values)


def sentences(problems: Iterable[LineProblem]) -> tuple[str, ...]:
    """Every problem, in the order given."""
    return tuple(sentence(problem) for problem in problems)
