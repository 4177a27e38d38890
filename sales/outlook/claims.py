"""What a published price list claims of kinds of providers: dated, unverified, shown and used nowhere."""

import datetime as dt
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text
from calculator.language import gettext as _

FILE = "provider_claims.json"
ATTRIBUTES: Mapping[str, Text] = {
    "payment": gettext_lazy("Moyens de paiement"),
    "credits": gettext_lazy("Crédits offerts"),
    "support": gettext_lazy("Assistance"),
    "models": gettext_lazy("Modèles"),
    "setup": gettext_lazy("Mise en route"),
    "latency": gettext_lazy("Latence moyenne"),
}


class Claims(NamedTuple):
    """Columns, lines of attribute and cells, and where all of it is from."""

    source: str
    providers: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=1)
def record() -> dict[str, Any]:
    """fixtures/provider_claims.json, read once a process."""
    found: dict[str, Any] = json.loads((settings.BASE_DIR / "fixtures" / FILE).read_text(encoding="utf-8"))
    return found


def claims() -> Claims:
    """The table in the active language; what the list leaves open is said to be so."""
    found, code = record(), "fr" if formats.is_french() else "en"
    codes = [one["code"] for one in found["providers"]]
    day = formats.date(dt.date.fromisoformat(found["as_of"]))
    return Claims(
        source=_("annoncé, liste d’un revendeur, le %(date)s") % {"date": day},
        providers=tuple(one[f"name_{code}"] for one in found["providers"]),
        lines=tuple(
            (
                str(ATTRIBUTES[row["attribute"]]),
                tuple(row[name][code] if row[name] else _("non précisé") for name in codes),
            )
            for row in found["claims"]
        ),
    )
