"""Every operation asked with what its description allows and with what it forbids, each answer checked against it."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.checks import CheckContext
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode
from schemathesis.hooks import HookContext

from calculator import registry
from calculator.fields import MAX_DECIMALS
from sales.api.openapi import ASKED

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
EXAMPLES = 10
CODES = ("catalog", "sku", "gpu", "model", "fig", "cal", "embed", "api", "ref")
PLAIN = {"Accept-Encoding": "identity"}
# What no schema of single values can say: a code that the catalogue lacks, keys that contradict each other.
EXPECTED = {"positive_data_acceptance": {"expected-statuses": ["2xx", "404", "422"]}}


@pytest.fixture(autouse=True)
def connection_kept() -> Iterator[None]:
    """The end of a request closes no connection: the test's own transaction is on it, as for Django's own client."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@cache
def described() -> Any:
    """The interface as its own document describes it, asked through the application that gunicorn serves."""
    config = SchemathesisConfig.from_dict({"checks": EXPECTED, "base-url": "http://localhost"})
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application(), config=config)


def operation(name: str) -> Any:
    """One operation by its id."""
    return described().find_operation_by_id(name)


@schemathesis.hook
def map_query(context: HookContext, query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Numbers in the notation of the links: a dot, no exponent, at most twelve decimals."""
    del context
    return query and {name: plain(value) for name, value in query.items()}


def plain(value: Any) -> Any:
    """A number as a link has it; several each for itself."""
    if isinstance(value, float):
        return f"{value:.{MAX_DECIMALS}f}".rstrip("0").rstrip(".")
    return [plain(item) for item in value] if isinstance(value, list) else value


def computable(case: Case) -> Case:
    """A case without made-up codes, which would end every estimate before its formulas."""
    if case.operation.definition.raw["operationId"].startswith(("estimate_", "advice")):
        case.query = {name: value for name, value in (case.query or {}).items() if name not in CODES}
    return case


def only_what_no_schema_says(context: CheckContext, response: Any, case: Case) -> None:
    """Where every single value is as described, a refusal is about the catalogue or about two keys together."""
    del context
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code == 200:
        return
    codes = {fault["code"] for fault in response.json()["errors"]}
    assert codes <= {"missing", "together", "impossible"}, (case.query, response.json())


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["allowed", "forbidden"])
@pytest.mark.parametrize("name", list(ASKED))
def test_every_answer_is_as_described(seeded: None, name: str, mode: GenerationMode) -> None:
    strategy = operation(name).as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=strategy.map(computable) if mode.is_positive else strategy)
    def ask(case: Case) -> None:
        case.call_and_validate(headers=PLAIN, additional_checks=[only_what_no_schema_says])

    ask()


def test_every_described_operation_is_asked() -> None:
    assert set(ASKED) >= {f"estimate_{name}" for name in registry.CALCULATORS}
