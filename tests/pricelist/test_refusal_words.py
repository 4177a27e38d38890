"""Every refusal of the services is a sentence in both languages."""

import re
from pathlib import Path

import pytest
from django.utils.translation import override

from calculator.presenters import pricelist_refusals
from calculator.pricelist import planned, publish, refusals, rollback
from calculator.pricelist.refusals import Refused

CODE = re.compile(r'Refused\("([a-z_]+)"')


def raised() -> set[str]:
    modules = (planned, publish, refusals, rollback)
    return {code for module in modules for code in CODE.findall(Path(module.__file__).read_text(encoding="utf-8"))}


def test_every_refusal_has_a_sentence_and_no_sentence_is_left_over() -> None:
    assert raised() == set(pricelist_refusals.SENTENCES)


def test_every_right_that_is_asked_for_has_a_name() -> None:
    rights = {
        value for name, value in vars(refusals).items() if name.isupper() and str(value).startswith("calculator.")
    }
    assert rights == set(pricelist_refusals.RIGHTS)


@pytest.mark.parametrize(
    ("refused", "french", "english"),
    [
        (
            Refused("right_missing", right=refusals.APPLY),
            "Il vous manque un droit\u00a0: appliquer un fichier de prix.",
            "You lack a right: apply a price file.",
        ),
        (
            Refused("has_errors", count=3),
            "Le fichier contient des erreurs (3)\u00a0: rien n’est appliqué.",
            "The file has errors (3): nothing is applied.",
        ),
        (
            Refused("touched_later", keys=("GPU-PRO a", "GPU-PRO b")),
            "Des listes plus récentes ont aussi changé ces prix\u00a0: GPU-PRO a, GPU-PRO b. "
            "Confirmez-les un par un pour les annuler.",
            "Later lists changed these prices too: GPU-PRO a, GPU-PRO b. Confirm them one by one to roll them back.",
        ),
    ],
)
def test_a_refusal_says_what_to_do(refused: Refused, french: str, english: str) -> None:
    assert pricelist_refusals.sentence(refused) == french
    with override("en"):
        assert pricelist_refusals.sentence(refused) == english
