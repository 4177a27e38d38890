"""Every code of the comparison and of the guards is a sentence in both languages, with its values in it."""

import ast
import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils.translation import override

from calculator.presenters import pricelist_changes, pricelist_guards
from calculator.pricelist import guards, itemdiff, relations, timeline
from calculator.pricelist.guards import Guard, Level

UPSIDE_DOWN = Decimal("0.8951")


def texts_of(module: object) -> set[str]:
    """The words in a module's source that look like codes."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {word for word in words if re.fullmatch(r"[a-z]+(_[a-z]+)+", word)}


def test_every_code_of_the_comparison_has_a_sentence_and_no_sentence_is_left_over() -> None:
    used = texts_of(itemdiff) | texts_of(timeline) | {"rate_corrected"}
    assert set(pricelist_changes.SENTENCES) <= used


def test_every_sentence_of_a_guard_is_used() -> None:
    built = {"factor_ten", "factor_thousand", "factor_hours_of_a_month"}
    built |= {"looks_like_instance_month", "looks_like_instance_hour"}
    assert set(pricelist_guards.SENTENCES) <= texts_of(guards) | texts_of(relations) | built


@pytest.mark.parametrize(
    ("guard", "french", "english"),
    [
        (
            Guard(2, "changes_over_half", Level.BLOCK, {"percent": 66.666}),
            "Le montant change de +66,7\u00a0%\u00a0: c’est plus de la moitié.",
            "The amount changes by +66.7%: more than half.",
        ),
        (
            Guard(2, "looks_like_instance_month", Level.BLOCK, {"amount": Decimal("830.640000000")}),
            "C’est à peu près le prix du mois (830,64), donné pour une heure.",
            "This is about the price of the month (830.64), given for one hour.",
        ),
        (
            Guard(
                2,
                "rate_inverted",
                Level.BLOCK,
                {"quote": "USD", "rate": Decimal("0.8951"), "before": Decimal("1.1172")},
            ),
            "0,8951 ressemble à un cours en euros pour un USD (le cours voisin est de 1,1172 USD pour un euro).",
            "0.8951 looks like euros for one USD (the neighbouring rate is 1.1172 USD for one euro).",
        ),
        (
            Guard(2, "rate_jumps", Level.BLOCK, {"percent": -5.3, "before": Decimal("1.1172")}),
            "Le cours change de −5,3\u00a0% par rapport à 1,1172\u00a0: plus de 5\u00a0% en un jour.",
            "The rate changes by −5.3% from 1.1172: more than 5% in a day.",
        ),
    ],
)
def test_p43_a_guard_is_worded_in_both_languages(guard: Guard, french: str, english: str) -> None:
    assert pricelist_guards.sentence(guard) == french
    with override("en"):
        assert pricelist_guards.sentence(guard) == english


def test_levels_say_what_they_ask_for() -> None:
    assert pricelist_guards.level_name(Level.BLOCK) == "à confirmer par une autre personne"
    assert pricelist_guards.level_name(Level.WARN) == "à vérifier"
