"""Foreign headers: a meaning is proposed, confirmed by the person, and remembered for that person."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.pricelist import mapping
from calculator.pricelist.columns import COLUMNS
from calculator.pricelist.contract import FileKind, Price, ReadOptions
from calculator.pricelist.reading import headers_of, read
from tests.pricelist.filefactory import csv

FOREIGN = csv(
    "Référence;Désignation;Type de prix;Tarif HT;Devise;Unité;Date d’effet;Colonne interne",
    "GPU-PRO;L40S 48 Go;instance_hour;1,50;EUR;instance_hour;2026-12-15;x17",
)
MEANT = {
    "Référence": "sku",
    "Désignation": "label_fr",
    "Type de prix": "component",
    "Tarif HT": "amount",
    "Devise": "currency",
    "Unité": "unit",
    "Date d’effet": "valid_from",
    "Colonne interne": "",
}


def headers() -> tuple[str, ...]:
    return tuple(headers_of(FOREIGN, "tarif.csv"))


def test_the_headers_are_shown_with_what_stands_under_them() -> None:
    shown = headers_of(FOREIGN, "tarif.csv")
    assert shown["Tarif HT"] == ("1,50",)
    assert list(shown) == list(MEANT)


def test_a_french_list_is_understood_column_by_column() -> None:
    assert mapping.proposed(headers(), FileKind.GPU) == MEANT
    assert mapping.probable_kind(headers()) is FileKind.GPU


def test_the_same_words_mean_the_other_code_in_a_list_of_models() -> None:
    assert mapping.proposed(["Reference", "Price"], FileKind.LLM) == {"Reference": "model", "Price": "amount"}


def test_a_column_is_proposed_once_and_never_where_the_file_has_it() -> None:
    assert mapping.proposed(["amount", "Prix"], FileKind.GPU) == {"Prix": ""}
    assert mapping.proposed(["Prix", "Tarif"], FileKind.GPU) == {"Prix": "amount", "Tarif": ""}


def test_rates_are_told_by_their_words() -> None:
    assert mapping.probable_kind(["Date", "Devise de base", "Devise cotée", "Cours"]) is FileKind.FX


def test_a_confirmed_mapping_reads_the_file() -> None:
    found = read(FOREIGN, "tarif.csv", ReadOptions(kind=FileKind.GPU, columns=MEANT))
    assert found.errors == ()
    price = found.lines[0].content
    assert isinstance(price, Price)
    assert (price.code, price.amount, price.item.label_fr) == ("GPU-PRO", Decimal("1.50"), "L40S 48 Go")


def test_nothing_is_read_with_a_meaning_that_was_only_proposed() -> None:
    found = read(FOREIGN, "tarif.csv", ReadOptions(kind=FileKind.GPU))
    assert [problem.code for problem in found.errors if problem.code == "unknown_column"] == ["unknown_column"] * 8
    assert found.lines == ()


def test_a_meaning_that_cannot_stand_is_named() -> None:
    named = ("amount", "Prix", "Tarif", "Taux")
    meant = {"Prix": "amount", "Tarif": "cost", "Taux": ""}
    assert mapping.wrong(meant, named, FileKind.GPU) == ("Prix", "Tarif")
    assert mapping.wrong(MEANT, headers(), FileKind.GPU) == ()


@pytest.mark.django_db
def test_what_was_said_once_is_remembered_for_that_person_and_kind(django_user_model: Any) -> None:
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))
    mapping.remember(ada, FileKind.GPU, {"Colonne interne": "note", "Devise": "currency"})
    mapping.remember(ada, FileKind.GPU, {"colonne INTERNE": ""})
    assert mapping.remembered(ada, FileKind.GPU, headers()) == {"Devise": "currency", "Colonne interne": ""}
    assert mapping.remembered(ada, FileKind.LLM, headers()) == {}
    assert mapping.remembered(bob, FileKind.GPU, headers()) == {}


@pytest.mark.django_db
def test_what_was_said_before_goes_before_what_is_probable(django_user_model: Any) -> None:
    ada = django_user_model.objects.create_user("ada")
    mapping.remember(ada, FileKind.GPU, {"Désignation": "label_en"})
    assert mapping.suggestion(ada, headers(), FileKind.GPU) == {**MEANT, "Désignation": "label_en"}


@given(st.lists(st.text(max_size=20), max_size=10), st.sampled_from(FileKind))
def test_any_headers_get_columns_of_their_kind_each_once(names: list[str], kind: FileKind) -> None:
    columns = [column for column in mapping.proposed(names, kind).values() if column]
    assert set(columns) <= set(COLUMNS[kind])
    assert len(columns) == len(set(columns))
    assert mapping.probable_kind(names) in FileKind
