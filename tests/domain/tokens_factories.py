"""A corpus and what the catalogue knows, for tests of the tokens answer. Amounts are those of the price lists."""

from dataclasses import replace
from typing import Any

from calculator.domain.tokens_scenario import TokensFacts, TokensScenario

from . import factories
from .inference_factories import OFFERS, TEXTBOOK, calibrated
from .serving_factories import MISTRAL

OPENAI_SMALL = replace(factories.api("text-embedding-3-small", factories.rates("0.02")), context_window_tokens=8191)
MISTRAL_EMBED = replace(factories.api("mistral-embed", factories.rates("0.1")), context_window_tokens=8192)
GEMINI_EMBED = replace(factories.api("gemini-embedding-001", factories.rates("0.15")), context_window_tokens=2048)


def scenario(**fields: Any) -> TokensScenario:
    """Two million documents of 4 000 tokens, unless told otherwise."""
    return replace(TokensScenario(catalog_version=1, at=factories.NOW), **fields)


def facts(**fields: Any) -> TokensFacts:
    """The offer's machines, five APIs, three embedding models, a textbook calibration, the ECB's rate."""
    known = TokensFacts(
        catalog_version=1,
        catalog_date=factories.TODAY,
        at=factories.NOW,
        day=factories.TODAY,
        offers=OFFERS,
        model=MISTRAL,
        apis=factories.APIS,
        embedding=OPENAI_SMALL,
        embeddings=(OPENAI_SMALL, MISTRAL_EMBED, GEMINI_EMBED),
        calibration=calibrated(TEXTBOOK),
        usd_per_eur=factories.ECB_RATE,
        measured={},
    )
    return replace(known, **fields)
