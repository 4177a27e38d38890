"""The section of docs/methodology.md on the outlook: each example recomputed from its inputs and by the code."""

import doctest
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from calculator.domain.breakeven import break_even_utilisation
from calculator.domain.llm import MISTRAL_7B
from sales.domain import commitments, energy, ramp, sensitivity, solving
from tests.sales import outlookfactory as case

DOCS = Path(__file__).resolve().parents[2] / "docs" / "methodology.md"
HEADING = "## Outlook: what would have to be true"
MODULES = ("rules", "solving", "sensitivity", "ramp", "commitments", "energy")
API_EUR = Decimal(1500) / Decimal("1.1172")
MONTH_EUR = Decimal("830.64")
DRAWN = energy.kwh_per_mtok(Decimal(450), 1, Decimal(15_625) / 3600, Decimal(10**6))

COMPUTED: Mapping[str, Callable[[], Decimal | None]] = {
    "equal_price": lambda: solving.equal_price(API_EUR, Decimal(0), Decimal(1)),
    "equal_discount": lambda: 1 - solving.equal_price(API_EUR, Decimal(0), Decimal(1)) / MONTH_EUR,
    "equal_api_price": lambda: 15 * MONTH_EUR / API_EUR,
    "equal_rate": lambda: solving.equal_rate(Decimal(1500), MONTH_EUR),
    "equal_utilisation": lambda: break_even_utilisation(
        MONTH_EUR, Decimal(165_888_000), Decimal("0.000015") / Decimal("1.1172")
    ),
    "equal_decode": lambda: solving.equal_decode(Decimal(1_684_800) / Decimal("61866067.2"), Decimal(0), Decimal(1)),
    "decode_ceiling": lambda: solving.decode_ceiling(case.RTX_4090, MISTRAL_7B),
    "around": lambda: sensitivity.around(MONTH_EUR, Decimal("0.1"))[0],
    "volume_in": lambda: ramp.volume_in(Decimal(100), Decimal("0.1"), 3),
    "hours_that_pay": lambda: commitments.hours_that_pay(MONTH_EUR, Decimal("1.5")),
    "months_that_pay": lambda: commitments.months_that_pay(Decimal("692.2"), MONTH_EUR),
    "kwh_per_mtok": lambda: DRAWN,
    "co2e_g": lambda: energy.co2e_g(DRAWN * Decimal("1.25"), Decimal(60)),
}


def examples() -> Iterator[tuple[str, str, str]]:
    text = DOCS.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    yield from re.findall(r"- Example \(`(\w+)`\): `(.*) = (-?[\d.]+)`", text)


def evaluate(expression: str) -> float:
    python = expression.translate(str.maketrans({"×": "*", "÷": "/", "−": "-"}))
    assert re.fullmatch(r"[\d.\s*/+\-()]*", python), expression
    return float(eval(python, {"__builtins__": {}}))


@pytest.mark.parametrize(("code", "expression", "result"), list(examples()))
def test_each_example_follows_from_its_inputs_and_is_what_the_code_computes(
    code: str, expression: str, result: str
) -> None:
    assert evaluate(expression) == pytest.approx(float(result), rel=5e-5)
    computed = COMPUTED[code]()
    assert computed is not None
    assert float(computed) == pytest.approx(float(result), rel=5e-5)


def test_every_formula_has_its_example() -> None:
    assert {code for code, _expression, _result in examples()} == set(COMPUTED)


@pytest.mark.parametrize("name", MODULES)
def test_worked_numbers_in_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"sales.domain.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
