"""The reference figures of the offer on tokens: each row is read, computed from its inputs, and compared."""

import csv
from pathlib import Path

import pytest

from calculator.counting.encoders import Encoder, encoder

GOLDEN = Path(__file__).parent / "golden_tokens.csv"


def rows() -> list[dict[str, str]]:
    lines = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def inputs(text: str) -> dict[str, str]:
    return dict(part.strip().split("=", 1) for part in text.split(";") if "=" in part)


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdecimal()]


def computed(row: dict[str, str], given: dict[str, str], one: Encoder) -> tuple[int, list[int]]:
    """The value of a row, and what its note tells beside it."""
    if row["id"] == "tokens_reference_sentence":
        return one.count(given["text"]), one.ids(given["text"])
    return one.mergeable_count, [one.vocabulary_count]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_golden_row(row: dict[str, str]) -> None:
    given = inputs(row["inputs"])
    value, beside = computed(row, given, encoder(given["encoding"]))
    assert value == int(row["expected"])
    assert beside == numbers(row["note"])
