"""Pages of foresight: the same scenario, a few suppositions, limits, tomorrow, and ways out that apply themselves."""

import re

import pytest
from django.test import Client

from tests.pagetext import plain, words

NAMES = ("inference", "training", "economics")
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_every_page_answers_at_once(client: Client, seeded: None, name: str, language: str) -> None:
    page = client.get(f"/{language}/foresight/{name}/")
    assert page.status_code == 200
    assert "inconnu" not in words(page.text).casefold() and "unknown" not in words(page.text).casefold()


@pytest.mark.parametrize("name", ["tokens", "parallelism", "nothing"])
def test_other_names_have_no_page(client: Client, seeded: None, name: str) -> None:
    assert client.get(f"/fr/foresight/{name}/").status_code == 404


@pytest.mark.parametrize("name", NAMES)
def test_a_calculator_leads_to_its_foresight(client: Client, seeded: None, name: str) -> None:
    text = client.get(f"/fr/{name}").text
    href = re.search(rf'href="(/fr/foresight/{name}/\?[^"]+)"', text)
    assert href is not None
    assert client.get(href[1].replace("&amp;", "&")).status_code == 200


def test_a_scenario_that_cannot_be_read_leads_to_its_calculator(client: Client, seeded: None) -> None:
    page = client.get("/fr/foresight/inference/?sku=NO-SUCH&growth=3")
    assert page.status_code == 302
    assert page.headers["Location"] == "/fr/inference?sku=NO-SUCH"


@pytest.mark.parametrize(("typed", "told"), [("abc", "nombre"), ("0", "1"), ("", "attendue"), ("1e999", "nombre")])
def test_a_supposition_that_cannot_be_read_is_said_beside_its_field(
    client: Client, seeded: None, typed: str, told: str
) -> None:
    page = client.get("/fr/foresight/economics/", {"growth": typed})
    assert page.status_code == 200
    assert 'class="err"' in page.text and told in words(page.text)


def test_the_peak_of_the_offer_s_case_is_worked_out(client: Client, seeded: None) -> None:
    """3 000 M tokens of 500 each are 6 M requests: ÷ 43 200 min = 138.9 a minute, × 3 = 417; 317 of 417 refused."""
    text = plain(words(client.get("/fr/foresight/economics/", {"volume": "3000000000"}).text))
    assert "À la pointe, 417 req/min pour 100 req/min permises : 76 % seront refusées (429)." in text
    assert "la file ne se vide jamais" in text  # 138.9 a minute come, 100 leave


def test_the_cache_as_a_way_out_sets_the_share_that_is_needed(client: Client, seeded: None) -> None:
    """1 − 100 ÷ 416.67 = 76 %."""
    text = client.get("/fr/foresight/economics/", {"volume": "3000000000"}).text
    assert re.search(r'href="/fr/economics\?[^"]*rcache=0\.76&', text.replace("&amp;", "&"))


def test_below_the_limit_nothing_is_to_be_avoided(client: Client, seeded: None) -> None:
    """200 000 requests ÷ 43 200 min × 3 = 13.9 a minute."""
    text = plain(words(client.get("/fr/foresight/economics/").text))
    assert "13,9 req/min : sous la limite de 100 req/min, rien n’est refusé." in text
    assert "Ce qui l’éviterait" not in text
    assert "8 306,40 €" in text  # ten cards for ten times the volume


def test_a_server_that_would_miss_its_targets_is_shown_ways_out_that_apply_themselves(
    client: Client, seeded: None
) -> None:
    query = {"model": "Mistral-7B-v0.3", "sku": "GPU-ENTERPRISE", "conc": "16", "ttft": "100", "growth": "4"}
    text = client.get("/fr/foresight/inference/", query).text
    assert "Ce qui l’éviterait" in text
    links = re.findall(r'<th scope="row" class="wrap"><a href="([^"]+)"', text)
    assert links
    assert all(client.get(link.replace("&amp;", "&")).status_code == 200 for link in links)


def test_seventy_billion_parameters_on_one_card_run_out_at_the_first_step(client: Client, seeded: None) -> None:
    query = {"model": "Llama-3.1-70B", "sku": "GPU-TITAN", "method": "full", "mbs": "1", "seq": "2048", "recomp": "1"}
    text = plain(words(client.get("/fr/foresight/training/", query).text))
    assert "n’entre pas en mémoire, quelle que soit la longueur des séquences" in text
    assert "16 octets par paramètre" in text
    assert "QLoRA" in text


def test_what_was_supposed_stays_in_the_form_with_the_scenario(client: Client, seeded: None) -> None:
    text = client.get("/fr/foresight/economics/", {"volume": "3000000000", "peak": "7"}).text
    assert re.search(r'name="peak" value="7"', text)
    assert '<input type="hidden" name="volume" value="3000000000">' in text


def test_the_cache_that_is_set_brings_the_peak_under_the_limit(client: Client, seeded: None) -> None:
    """1 080 M tokens of 500 are 50 a minute, 150 at the peak: two thirds pass; 0.6667 would be 100.005 of 100."""
    text = client.get("/fr/foresight/economics/", {"volume": "1080000000"}).text.replace("&amp;", "&")
    found = re.search(r'href="/fr/economics\?([^"]*rcache=0\.3334&[^"]*)"', text)
    assert found is not None
    again = plain(words(client.get(f"/fr/foresight/economics/?{found[1]}").text))
    assert "rien n’est refusé" in again and "seront refusées" not in again


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("economics", {"volume": "1000000000000"}, {"volume": "1000000000001"}),
        ("inference", {"conc": "100"}, {"conc": "101"}),
        ("training", {"seq": "1000"}, None),
    ],
)
def test_no_link_leads_to_what_the_calculator_refuses(
    client: Client, seeded: None, name: str, small: dict[str, str], large: dict[str, str] | None
) -> None:
    """Times 1 000: 10¹⁵ tokens, 100 000 clients and sequences of a million tokens are the most that is taken."""
    text = client.get(f"/en/foresight/{name}/", {**small, "growth": "1000"}).text
    found = re.search(rf'href="(/en/{name}\?[^"]+)">See the calculation', text)
    assert found is not None and "to correct" not in client.get(found[1].replace("&amp;", "&")).text
    if large is not None:
        beyond = plain(words(client.get(f"/en/foresight/{name}/", {**large, "growth": "1000"}).text))
        assert "These values are beyond what the calculator takes" in beyond and "See the calculation" not in beyond
