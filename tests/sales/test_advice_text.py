"""A sample is counted with the model's own tokenizer; only its lengths go back, and nothing of it is kept."""

from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from calculator.counting.encoders import encoder
from sales.advising.sampling import MOST_CHARACTERS, counted
from sales.domain.language import FRENCH_SAMPLE
from sales.domain.need import Need, Unit
from tests.factories import NOW

pytestmark = pytest.mark.django_db
REFERENCE = "Le cloud européen, bâti pour la production."


@pytest.fixture
def site(seeded: None, noon: Any, client: Client) -> Client:
    return client


def sent(site: Client, **texts: str) -> Any:
    return site.post("/fr/advice/text", {"need": "v=1&use=code&users=30", "prompt": "", "answer": "", **texts})


def test_the_reference_sentence_has_twelve_tokens_in_cl100k(site: Client) -> None:
    """Qwen's tokenizer is not among ours: cl100k stands in for it, and counts 12."""
    response = sent(site, prompt=REFERENCE)
    assert response.status_code == 303
    query = QueryDict(response.url.partition("?")[2])
    assert (query["in"], query["unit"], query["users"], query["use"]) == ("12", "tokens", "30", "code")
    assert "out" not in query


def test_a_model_of_ours_counts_with_its_own() -> None:
    """230 tokens of Mistral 7B for the French paragraph, as the table of languages says."""
    found = counted(Need(1, NOW), FRENCH_SAMPLE, REFERENCE)
    assert found.prompt_length == 230
    assert found.output_length == encoder("mistral-v3").count(REFERENCE)


def test_line_ends_of_the_browser_count_once() -> None:
    assert counted(Need(1, NOW), "a\r\nb", "").prompt_length == counted(Need(1, NOW), "a\nb", "").prompt_length


def test_a_length_in_words_does_not_survive_as_tokens() -> None:
    words = Need(1, NOW, unit=Unit.WORDS, prompt_length=Decimal(700), output_length=Decimal(90))
    found = counted(words, REFERENCE, "")
    assert found.unit is Unit.TOKENS
    assert found.output_length is None


def test_a_length_in_tokens_is_kept_where_no_text_replaces_it() -> None:
    assert counted(Need(1, NOW, output_length=Decimal(90)), REFERENCE, "  ").output_length == 90


def test_the_text_stands_in_no_address_and_is_not_stored(site: Client) -> None:
    response = sent(site, prompt=REFERENCE, answer=REFERENCE)
    assert "cloud" not in response.url
    shown = site.get("/fr/advice/text?users=30")
    assert shown.headers["Cache-Control"] == "no-store, private" or "no-store" in shown.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("texts", "said"),
    [({}, "Collez une demande ou une réponse."), ({"prompt": "x" * (MOST_CHARACTERS + 1)}, "trop long")],
)
def test_what_cannot_be_counted_is_said(site: Client, texts: dict[str, str], said: str) -> None:
    response = sent(site, **texts)
    assert response.status_code == 422
    assert said in response.content.decode()


def test_a_broken_need_leads_to_the_page_that_says_why(site: Client) -> None:
    assert site.get("/fr/advice/text?users=x").status_code == 303
    assert site.post("/fr/advice/text", {"need": "users=x", "prompt": "a"}).url == "/fr/advice/?users=x"


def test_the_form_leads_here_with_the_need(site: Client) -> None:
    assert "/fr/advice/text?v=1&amp;catalog=1" in site.get("/fr/advice/?users=30").content.decode()
