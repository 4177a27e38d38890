"""fixtures/calibration.json: written by the fit, read by pages and by the accuracy check."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calculator.accuracy.collect import READERS
from calculator.domain.calibration import Band, Calibration, Factored

GROUPS = ("serving", "training", "links", "memory")
DIGITS = 6


def data_hash(folder: Path) -> str:
    """SHA-256 over the measurement files, by name and content."""
    digest = hashlib.sha256()
    for name in sorted(READERS):
        path = folder / name
        if path.exists():
            digest.update(name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def read(path: Path) -> Calibration:
    """The calibration of that file. Raises FileNotFoundError, KeyError or ValueError when it cannot be used."""
    return from_document(json.loads(path.read_text(encoding="utf-8")))


def from_document(document: Mapping[str, Any]) -> Calibration:
    """A calibration from its JSON document."""
    groups = {name: Factored(document[name]["base"], document[name]["factors"]) for name in GROUPS}
    bands, seen_bands = (
        {key: Band(**value) for key, value in document[name].items()} for name in ("bands", "seen_bands")
    )
    return Calibration(
        **groups,
        bands=bands,
        seen_bands=seen_bands,
        data_hash=document["data_hash"],
        date=dt.date.fromisoformat(document["date"]),
    )


def group_document(group: Factored) -> dict[str, Any]:
    """One group of constants, rounded to six digits."""
    return {
        "base": {name: _rounded(value) for name, value in group.base.items()},
        "factors": {
            name: {cls: _rounded(value) for cls, value in classes.items()} for name, classes in group.factors.items()
        },
    }


def band_document(band: Band) -> dict[str, Any]:
    """One band, rounded to four digits."""
    return {
        "low_ratio": round(band.low_ratio, 4),
        "high_ratio": round(band.high_ratio, 4),
        "rows": band.rows,
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def write(path: Path, document: Mapping[str, Any]) -> None:
    """The document as readable JSON."""
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
