"""Inputs in a file read as the form does: no key of a link, no code of a choice, numbers as numbers."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.domain import tokens
from calculator.domain.offers import Mode
from calculator.permalinks import parallelism as parallel_notation
from calculator.permalinks import tokens as tokens_notation
from calculator.presenters import parallelism_rows, tokens_rows
from calculator.presenters.row import Row
from tests.domain import parallel_factories
from tests.domain.tokens_factories import facts, scenario

pytestmark = pytest.mark.django_db


def corpus() -> tuple[Row, ...]:
    return tokens_rows.export_rows(tokens.estimate(scenario(mode=Mode.BATCH), facts()))


def several() -> tuple[Row, ...]:
    return parallelism_rows.export_rows(parallel_factories.answer())


def inputs(rows: tuple[Row, ...]) -> Iterator[tuple[str, object, str]]:
    return ((row.label, row.value, row.unit) for row in rows if row.section in ("Saisies", "Inputs"))


def test_choices_are_told_in_words_and_numbers_with_their_unit() -> None:
    with translation.override("fr"):
        found = list(inputs(corpus()))
    assert ("Mode tarifaire des API", "Batch", "") in found
    assert ("Unité de facturation", "L’heure entière", "") in found
    assert ("Taille d’un morceau", Decimal(512), "tokens") in found


def test_the_split_of_a_model_is_told_in_words_and_a_share_as_a_part_of_one() -> None:
    with translation.override("fr"):
        found = list(inputs(several()))
    assert ("Copies du modèle", "Copie entière", "") in found
    assert ("Somme des gradients", "Anneau", "") in found
    assert ("Tokens d’entraînement", Decimal(40_000_000_000), "tokens") in found
    assert Decimal("0.2") in [value for _label, value, unit in found if unit == "part de 1"]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_row_is_named_by_a_key_of_the_link(language: str) -> None:
    keys = {key.name for key in (*tokens_notation.KEYS, *parallel_notation.KEYS)}
    with translation.override(language):
        labels = {label for rows in (corpus(), several()) for label, _value, _unit in inputs(rows)}
    assert labels and not labels & keys
