"""Explanations: every question has its page, and what a page says is what the calculators answer now."""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override

from sales.learning import cost_figures, serving_figures, text_figures, topics, training_figures
from sales.learning.figures import Live
from tests.pagetext import plain, words

LANGUAGES = ("fr", "en")
SLUGS = [topic.slug for topic in topics.TOPICS]


def values(figures: Mapping[str, Live]) -> dict[str, str]:
    return {name: plain(live.value) for name, live in figures.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_leads_to_every_question(client: Client, seeded: None, language: str) -> None:
    page = client.get(f"/{language}/learn/")
    assert page.status_code == 200
    for slug in SLUGS:
        assert f'href="/{language}/learn/{slug}/"' in page.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_shows_each_figure_with_the_way_to_its_calculation(
    client: Client, seeded: None, slug: str, language: str
) -> None:
    page = client.get(f"/{language}/learn/{slug}/")
    assert page.status_code == 200
    with override(language):
        figures = topics.BY_SLUG[slug].figures()
    text = plain(words(page.text))
    assert len(figures) == 4
    for figure in figures.values():
        assert plain(figure.value) in text
        assert plain(figure.label) in text
        assert client.get(figure.href).status_code == 200
    assert "inconnu" not in text and "unknown" not in text


@pytest.mark.parametrize("slug", SLUGS)
def test_each_explanation_says_its_own_figures_in_its_sentences(slug: str) -> None:
    template = (Path(settings.BASE_DIR) / "templates" / "sales" / "learn" / f"{slug}.html").read_text()
    named = set(re.findall(r"live\.(\w+)\.value", template))
    assert named, "a live number stands in the text itself"


def test_a_question_that_nobody_wrote_is_not_found(client: Client, seeded: None) -> None:
    assert client.get("/fr/learn/astrology/").status_code == 404


# --- the figures, worked out by hand


def test_the_reference_sentence_has_the_published_twelve_tokens(seeded: None) -> None:
    """facts.md 2: 12 tokens in cl100k, 10 in o200k, 100 256 mergeable tokens."""
    found = values(text_figures.figures())
    assert (found["french"], found["newer"], found["vocabulary"]) == ("12", "10", "100 256")
    assert int(found["english"]) < int(found["french"])


def test_the_loop_is_the_published_fine_tuning(seeded: None) -> None:
    """Micro-batch 2 × accumulation 4 × 512 tokens = 4 096; 750 steps; 3 072 000 ÷ 1 350 = 2 275.6 s; × 1.50 €/h."""
    assert values(training_figures.loop_figures()) == {
        "step": "4 096",
        "steps": "750",
        "time": "37,9 min",
        "cost": "0,95 €",
    }


def test_the_exchange_shows_the_published_speed_up(seeded: None) -> None:
    """92 days ÷ 14 days = 6.57, which is 82 % of 8."""
    found = values(training_figures.exchange_figures())
    assert (found["published"], found["efficiency"]) == ("6,57", "82 %")


def test_the_payback_divides_the_fine_tuning_by_the_prompts_saved(seeded: None, noon: dt.datetime) -> None:
    """2 275.6 s billed as 2 276 cost 0.948333 €; 800 tokens at 0.75 $/1M and 1.1172 $ for 1 € are 0.000537057 €."""
    found = values(training_figures.payback_figures())
    saved_eur = Decimal(800) * Decimal("0.75") / 10**6 / Decimal("1.1172")
    job_eur = Decimal(2276) / 3600 * Decimal("1.50")
    assert round(job_eur / saved_eur) == 1766
    assert (found["requests"], found["saved"], found["cost"]) == ("1 766", "800", "0,95 €")


def test_the_price_page_is_the_offer_s_own_case(seeded: None, noon: dt.datetime) -> None:
    """830.64 € a month; 100 M × 0.60 $ ÷ 1.1172 = 53.71 €; 100 M ÷ 165.888 M = 60 %; golden: 61.866 M."""
    assert values(cost_figures.figures()) == {
        "gpu": "830,64 €",
        "api": "53,71 €",
        "busy": "60 %",
        "break_even": "61,9 M tokens par mois",
    }


def number(text: str) -> float:
    return float(re.sub(r"[^\d,]", "", text).replace(",", "."))


def test_a_busy_server_waits_longer_and_writes_more_in_all(seeded: None) -> None:
    found = values(serving_figures.load_figures())
    assert found["alone"].endswith(" ms") and found["busy"].endswith(" ms")
    assert number(found["busy"]) > number(found["alone"])
    assert number(found["busy_total"]) > 5 * number(found["alone_total"])


def test_eight_bit_weights_leave_more_room_and_cost_less_on_a_card_that_has_the_units(seeded: None) -> None:
    found = values(serving_figures.precision_figures())
    assert number(found["narrow_room"]) > number(found["wide_room"])
    assert number(found["narrow_cost"]) < number(found["wide_cost"])


def test_reading_is_faster_than_writing(seeded: None) -> None:
    """1 024 tokens in the prefill time shown."""
    found = values(serving_figures.phase_figures())
    assert number(found["reading"]) == pytest.approx(1024 / (number(found["prefill"]) / 1000), rel=0.01)
    assert number(found["reading"]) > 10 * number(found["writing"])
