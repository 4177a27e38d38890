"""The ratings in words: published stars beside the calculation, one GPU for each job, reasons where there is none."""

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.ratings import Job, Ratings, Reason, Recommendation, Word
from calculator.domain.training import Method
from calculator.listing import ratings
from tests import pagetext
from tests.domain import test_ratings as rated

pytestmark = pytest.mark.usefixtures("noon", "seeded")


def get(client: Client, language: str = "fr") -> str:
    return client.get(f"/{language}/gpus/").content.decode()


def test_the_five_published_gpus_stand_beside_the_calculation(client: Client) -> None:
    rows = [row for row in pagetext.rows(get(client)) if len(row) == 8]
    assert [row[0] for row in rows[1:]] == ["H100-SXM-80GB", "A100-SXM-80GB", "L40S", "RTX 4090", "MI300X"]
    assert [row[4] for row in rows[1:]] == ["5/5", "4/5", "3/5", "2/5", "5/5"]


def test_the_published_ratings_are_marked_as_claims(client: Client) -> None:
    html = get(client)
    claims = html[html.index('id="h-claims"') : html.index('id="h-rated"')]
    assert 'class="src claim"' in claims


def test_amd_is_not_rated_and_says_why(client: Client) -> None:
    rows = [row for row in pagetext.rows(get(client)) if row[0] == "MI300X"]
    claimed, own = sorted(rows, key=len, reverse=True)
    assert claimed[3] == claimed[6] == "non vérifiable"
    assert "les moteurs ne sont pas modélisés sur les GPU AMD" in own[1]
    assert own[5] == "pas au catalogue"


def test_an_offer_has_its_cost_for_both_jobs(client: Client) -> None:
    row = next(row for row in pagetext.rows(get(client)) if row[0] == "RTX 4090" and len(row) == 6)
    assert row[5].startswith("GPU-PRO : ")
    assert "produits" in row[5] and "entraînés" in row[5]


def test_one_gpu_is_named_for_each_job(client: Client) -> None:
    words = pagetext.words(get(client, "en"))
    assert "For training GPU-" in words
    assert "For serving GPU-" in words
    assert "estimate" in words


def test_every_gpu_of_the_catalogue_has_a_line(client: Client) -> None:
    found = ratings.table()
    assert found is not None
    assert len(found.lines) == len({line.name for line in found.lines}) == 49


def test_without_a_catalogue_there_is_no_section(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ratings.catalog.NotFound("version", "")

    monkeypatch.setattr(ratings.catalog, "default_scenario", missing)
    assert ratings.table() is None


@pytest.mark.parametrize(
    ("claimed", "word", "said"),
    [
        (4, Word.VERY_GOOD, "confirmé"),
        (3, Word.VERY_GOOD, "un cran de plus"),
        (3, Word.FAIR, "un cran de moins"),
        (4, Word.LIMITED, "contredit"),
        (4, None, "non vérifiable"),
    ],
)
def test_a_published_rating_is_confirmed_or_not(claimed: int, word: Word | None, said: str) -> None:
    with translation.override("fr"):
        assert ratings.verdict(claimed, Job(100.0, word=word)) == said


@pytest.mark.parametrize("reason", list(Reason))
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_reason_has_words(reason: Reason, language: str) -> None:
    with translation.override(language):
        cell = ratings.job_cell(Job(None, reason=reason), "AMD")
    assert cell.word and cell.detail and not cell.value


@pytest.mark.parametrize("word", list(Word))
def test_every_word_is_told_in_both_languages(word: Word) -> None:
    with translation.override("fr"):
        french = ratings.word_of(word)
    with translation.override("en"):
        assert ratings.word_of(word) != french


def example() -> Ratings:
    return rated.rated()


def test_costs_and_fits_are_those_of_the_rating() -> None:
    with translation.override("fr"):
        table = ratings.shown(example())
    titan = next(line for line in table.lines if line.name == "A100-SXM-80GB")
    # 5.40 € ÷ (3 326 × 3 600) and ÷ (3 479 × 3 600) a million.
    assert pagetext.plain(titan.cost[0]) == "GPU-TITAN : 0,45 € / 1M produits, 0,43 € / 1M entraînés"
    assert pagetext.plain(titan.fits).startswith("16 bits : Mistral-7B-v0.3 · 8 bits : Llama-3.1-70B")
    assert titan.trains == "QLoRA, LoRA"
    assert table.lines[0].name == "H100-SXM-80GB"


def test_an_offer_on_request_says_so() -> None:
    alone = rated.rated(**{"A100-SXM-80GB": (rated.sku("GPU-SUPERCOMPUTE", rated.A100_80, None, 8),)})
    row = next(item for item in alone.rows if item.gpu.name == "A100-SXM-80GB")
    with translation.override("fr"):
        assert ratings.cost(row) == ("sur devis",)
        assert ratings.trains(row).startswith("QLoRA")
    assert row.fit.trained[Method.FULL] is False


def test_without_a_priced_offer_the_advice_names_the_fastest() -> None:
    nothing = Recommendation("training", None, None, False, rated.H100, None)
    with translation.override("fr"):
        told = ratings.advice(nothing)
    assert "H100-SXM-80GB" in told.text and told.evidence is None


@pytest.mark.parametrize("by_target", [True, False])
@pytest.mark.parametrize("job", ["training", "inference"])
def test_the_advice_gives_price_reason_and_band(job: str, by_target: bool) -> None:
    price = Sourced(Decimal("1.50"), "EUR/hour", Kind.LIST_PRICE)
    sku = rated.replace(rated.OFFERS["RTX 4090"][0], prices={Basis.HOUR: price})
    found = Recommendation(job, sku, Decimal("0.42"), by_target, rated.H100, Kind.ESTIMATE, 0.85, 1.11)
    with translation.override("fr"):
        told = ratings.advice(found)
    text = pagetext.plain(told.text)
    assert "GPU-PRO (RTX 4090)" in text and "0,42 €" in text
    assert told.evidence is not None and told.evidence.kind == "estimate"
    assert pagetext.plain(told.band).startswith("8 mesures publiées sur 10 tombent entre 85 % et 111 %")
    assert ("100 ms" in text) is (job == "inference")


def test_the_same_card_for_both_jobs_is_commented() -> None:
    found = example()
    with translation.override("fr"):
        both = ratings.shown(rated.replace(found, training=rated.replace(found.training, sku=found.inference.sku)))
    assert both.same_note
