"""The export rows: unrounded, with unit, origin and date, and the same figures as the page."""

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsEstimate
from calculator.domain.units import half_up
from calculator.presenters import Row, export_rows, labels, sentence
from tests.domain import factories as offer


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def value(rows: tuple[Row, ...], section: str, label: str) -> object:
    """The one row of that section and label."""
    found = [row for row in rows if row.section == section and row.label == label]
    assert len(found) == 1, (section, label, len(found))
    return found[0].value


@pytest.fixture
def rows() -> tuple[Row, ...]:
    return export_rows(answer())


def test_both_bases_of_the_chosen_gpu_are_there(rows: tuple[Row, ...]) -> None:
    """8.3064 and 10.80 at 100 M; 7.7034 and 10.0160 at full planned use."""
    month, hour = "GPU-PRO, au mois", "GPU-PRO, à l’heure"
    assert value(rows, month, "Coût par million") == Decimal("8.3064")
    assert value(rows, hour, "Coût par million") == Decimal("10.8")
    assert half_up(value(rows, month, "Coût par million à pleine capacité prévue"), 4) == Decimal("7.7034")  # type: ignore[arg-type]
    assert half_up(value(rows, hour, "Coût par million à pleine capacité prévue"), 4) == Decimal("10.0160")  # type: ignore[arg-type]


def test_amounts_are_unrounded(rows: tuple[Row, ...]) -> None:
    """1 500 $ ÷ 1.1172 has no end."""
    euros = value(rows, "gpt-5.4, standard", "Total HT")
    assert isinstance(euros, Decimal)
    assert half_up(euros, 6) == Decimal("1342.642320")
    assert value(rows, "gpt-5.4, standard", "Total en dollars") == Decimal(1500)


def test_the_mode_is_in_every_api_section(rows: tuple[Row, ...]) -> None:
    sections = {row.section for row in rows if row.label == "Total en dollars"}
    assert sections == {f"{api.label}, standard" for api in offer.APIS}


def test_what_the_seller_publishes_himself_is_named_in_the_readers_language(rows: tuple[Row, ...]) -> None:
    month = [row for row in rows if row.section == "GPU-PRO, au mois"]
    assert {row.source for row in month if row.label in ("Prix", "Débit de sortie")} == {"offre publiée"}


def test_list_prices_carry_source_and_day(rows: tuple[Row, ...]) -> None:
    output = next(row for row in rows if row.section == "gpt-5.4, standard" and row.label == "Sortie")
    assert output.value == Decimal("15.00") and output.kind == "tarif public"
    assert output.source == "https://vendor.example/prices" and output.date == dt.date(2026, 11, 30)


def test_context_tiers_are_told_apart(rows: tuple[Row, ...]) -> None:
    labels_ = [row.label for row in rows if row.section == "gpt-5.4, standard" and row.label.startswith("Sortie")]
    assert labels_ == ["Sortie", "Sortie (entrée > 272\u202f000 tokens)"]


def test_the_rate_carries_its_own_day_and_not_todays(rows: tuple[Row, ...]) -> None:
    rate = next(row for row in rows if row.label == "Cours")
    assert rate.value == Decimal("1.1172") and rate.date == dt.date(2026, 10, 30)


def test_break_even_intervals_are_listed_with_their_ends(rows: tuple[Row, ...]) -> None:
    """61.866 to 107.827 M, then from 123.732 M on."""
    starts = [row.value for row in rows if row.label == "gpt-5.4\u00a0: GPU moins cher dès"]
    ends = [row.value for row in rows if row.label == "gpt-5.4\u00a0: jusqu’à"]
    assert [half_up(start / 10**6, 3) for start in starts] == [Decimal("61.866"), Decimal("123.732")]  # type: ignore[operator]
    assert ends == [Decimal(107_827_200)]
    assert value(rows, "Équivalence", "gpt-5.4-mini") == "jamais"


def test_unknown_is_none_and_never_zero() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    rows = export_rows(asked)
    assert value(rows, "GPU-SUPERCOMPUTE, au mois", "Total HT") is None
    assert value(rows, "GPU-SUPERCOMPUTE, au mois", "Prix") is None
    assert value(rows, "Chaque GPU", "GPU-SUPERCOMPUTE, au mois") == "sur devis"


def test_p44_without_a_rate_there_is_no_euro_figure_of_an_api() -> None:
    rows = export_rows(estimate(offer.scenario(), offer.facts(usd_per_eur=None)))
    assert value(rows, "gpt-5.4, standard", "Total en dollars") == Decimal(1500)
    assert value(rows, "gpt-5.4, standard", "Total HT") is None


def test_the_first_row_is_the_sentence_of_the_page(rows: tuple[Row, ...]) -> None:
    assert rows[0].value == sentence(answer())


def test_labels_follow_the_language() -> None:
    with translation.override("en"):
        rows = export_rows(answer())
    assert value(rows, "GPU-PRO, by the month", "Cost per million") == Decimal("8.3064")


def test_every_input_of_the_scenario_is_listed(rows: tuple[Row, ...]) -> None:
    listed = {row.label for row in rows if row.section == "Saisies"}
    assert {
        "GPU",
        "Volume de sortie",
        "Entrée par requête",
        "Sortie par requête",
        "TVA",
        "Utilisation prévue",
    } <= listed
    assert {"Heures du mois", "Cours", "Exploitation", "Stockage", "Réseau", "Part en batch"} <= listed


def test_single_stream_is_said_in_the_conditions(rows: tuple[Row, ...]) -> None:
    assert "un seul flux" in str(value(rows, "GPU-PRO, au mois", "Conditions du débit"))


def test_conditions_name_model_engine_and_concurrency() -> None:
    rate = offer.claim(
        900.0, single_stream=False, concurrency=16, model="Mistral-7B", precision="fp16", engine="vLLM",
        input_tokens=512, output_tokens=128,
    )  # fmt: skip
    text = labels.throughput_conditions(rate)
    assert text == "16 requêtes à la fois, Mistral-7B, fp16, vLLM, 512 → 128 tokens"


def test_conditions_say_test_models_and_unstated_concurrency() -> None:
    rate = offer.claim(5.0, single_stream=False, test_model=True)
    assert labels.throughput_conditions(rate) == "concurrence non précisée, modèle d’essai, poids aléatoires"
    assert labels.throughput_conditions(None) == "inconnu"


def test_an_incomplete_comparison_says_so() -> None:
    rows = export_rows(answer(input_tokens=Decimal(2000)))
    assert value(rows, "gpt-5.4, standard", "Réserve") == "comparaison incomplète\u00a0: un coût n’est pas compté"


def test_the_tables_of_an_export_carry_the_reserve_of_the_page() -> None:
    rows = export_rows(answer(input_tokens=Decimal(2000)))
    said = "Temps du prompt non compté\u00a0: verdicts incomplets."
    assert [value(rows, section, "Réserve") for section in ("Chaque GPU", "Selon le volume")] == [said, said]
    assert "Réserve" not in {row.label for row in export_rows(answer())}


def test_years_hold_the_saving() -> None:
    rows = export_rows(answer(basis=Basis.MONTH))
    saving = value(rows, "Sur un an", "GPU-PRO\u00a0: économie face à la référence")
    assert isinstance(saving, Decimal) and half_up(saving, 2) == Decimal("6144.03")
