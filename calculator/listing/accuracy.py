"""The Accuracy page of a metric, put into words once a language; and every row of the check as a CSV file."""

import csv
import io
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from calculator import calibrated, exports, fields, formats, language, recorded
from calculator.accuracy.causes import Missed
from calculator.accuracy.record import Checked
from calculator.domain.units import to_decimal
from calculator.language import gettext as _
from calculator.presenters import accuracy as presenter
from calculator.presenters import accuracy_causes
from calculator.presenters import accuracy_words as words

LANGUAGES = 2
Cell = str | Decimal | None


def page(code: str) -> presenter.Page | None:
    """The page of the metric that ?metric= asks for; None where nothing is recorded."""
    return _page(words.metric_asked(code).code, language.active())


@lru_cache(maxsize=LANGUAGES * len(words.METRICS))
def _page(code: str, active: str) -> presenter.Page | None:
    """`active` is the language and only part of the key: what is recorded does not change within a process."""
    del active
    record = recorded.accuracy()
    return presenter.page(record, calibrated.calibration().data_hash, code) if record else None


def columns() -> tuple[str, ...]:
    """The head of the rows."""
    return (
        *(_("Fichier"), _("Ligne"), _("Grandeur"), _("Moteur ou méthode"), _("Précision"), _("GPU"), _("Modèle")),
        *(_("Conditions"), _("Estimé"), _("Mesuré"), _("Bas"), _("Haut"), _("Refus"), _("À part"), _("Jamais vu")),
        *(_("Source"), _("Cause de l’écart")),
    )


def _cells(row: Checked, causes: Mapping[presenter.Place, Missed]) -> tuple[Cell, ...]:
    result, off = row.result, causes.get(presenter.place_of(row))
    return (
        *(result.file, Decimal(result.line), result.metric, result.engine_class, result.family, row.gpu, row.model),
        *(row.setup, _number(result.predicted), _number(result.measured), _number(result.low), _number(result.high)),
        words.reason(result.reason) if result.reason else "",
        str(words.APART.get(result.apart, result.apart)),
        _("oui") if result.held_out else _("non"),
        row.source,
        accuracy_causes.short(off) if off else "",
    )


def _number(value: float | None) -> Decimal | None:
    return None if value is None else to_decimal(value)


def _text(cell: Cell, *, french: bool) -> str:
    if isinstance(cell, Decimal):
        return fields.plain(cell).replace(".", ",") if french else fields.plain(cell)
    return exports.guarded(cell or "")


def file_text() -> str:
    """All rows in the active language; only the head where nothing is recorded."""
    return _file_text(french=formats.is_french())


@lru_cache(maxsize=LANGUAGES)
def _file_text(*, french: bool) -> str:
    record = recorded.accuracy()
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if french else ",")
    writer.writerow(columns())
    causes = presenter.causes_of(record.checked) if record else {}
    for row in record.checked if record else ():
        writer.writerow([_text(cell, french=french) for cell in _cells(row, causes)])
    return exports.BYTE_ORDER_MARK + out.getvalue()
