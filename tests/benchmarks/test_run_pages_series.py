"""The page of a run in a series: repeats, gates, what publishing changes, exceptions, and the published run before."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from benchmarks import baseline, flagwords, publishing
from benchmarks.eligibility import FLAGS, Weight
from benchmarks.models import BenchmarkRun
from calculator.models import Figure
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db
SLOW = tuple(rate * 0.9 for rate in made.STEADY)


@pytest.fixture(autouse=True)
def offer() -> None:
    made.offer()


@pytest.fixture
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def allow(user: User, right: str) -> None:
    user.user_permissions.add(Permission.objects.get(codename=right))


def page(client: Client, run: BenchmarkRun, language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/{run.code}")
    assert response.status_code == 200
    return str(response.content.decode())


def publish(client: Client, run: BenchmarkRun, **data: str) -> str:
    return str(client.post(f"/fr/runs/{run.code}/publish", data, follow=True).content.decode())


def test_a_series_shows_its_repeats_with_their_interval(client: Client, operator: User) -> None:
    """Median 100, 98 – 102, CV 1.58 %, mean 98.04 – 101.96: see the statistics' own test."""
    text = page(client, made.measured())
    for shown in ("98,0 – 102", "1,6\u00a0%", "98,0 – 102"):
        assert shown in text
    assert "répétition 1 sur 5" in text
    assert text.count('class="tag good">terminée') >= 5


def test_a_repeat_leads_to_its_series(client: Client, operator: User) -> None:
    first = made.measured()
    text = page(client, first.repeats.get(repeat_number=3))
    assert "répétition 3 sur 5" in text and f'href="/fr/runs/{first.code}"' in text
    assert "Publier ce résultat" not in text


@pytest.mark.parametrize(
    ("language", "before", "words"),
    [
        ("fr", "inconnu → 64,0", "Ce que la publication change"),
        ("en", "unknown → 64.0", "What publishing changes"),
    ],
)
def test_before_publishing_the_page_says_what_moves(
    client: Client, operator: User, language: str, before: str, words: str
) -> None:
    text = page(client, made.measured((64.0,) * 5), language)
    assert words in text and before in text
    assert ("inconnu → 8,31\u00a0€" if language == "fr" else "unknown → €8.31") in text
    assert Figure.objects.filter(run__gt="").count() == 0


def test_a_second_publication_says_old_and_new_price_and_the_change(client: Client, operator: User) -> None:
    """64 → 32 tok/s: 8.31 → 16.61 € for the usual month, twice as much."""
    publishing.publish(made.measured((64.0,) * 5).pk)
    text = page(client, made.measured((32.0,) * 5))
    assert "64,0 → 32,0 (−50,0\u00a0%)" in text
    assert "8,31\u00a0€ → 16,61\u00a0€ (+100,0\u00a0%)" in text


def test_closed_gates_are_named_with_what_was_seen_and_the_button_is_gone(client: Client, operator: User) -> None:
    text = page(client, made.measured((90.0, 100.0, 110.0)))
    assert "Répétitions retenues\u00a0: 3, il en faut 5." in text
    assert "Coefficient de variation 10,0\u00a0%, limite 3\u00a0%." in text
    assert "Publier ce résultat" not in text and 'name="reason"' not in text
    assert "Une personne habilitée peut publier par exception" in text


def test_posting_past_a_closed_gate_is_refused_with_a_sentence(client: Client, operator: User) -> None:
    text = publish(client, made.measured((100.0,)), reason="parce que")
    assert "Une condition de publication n’est pas remplie." in text
    assert Figure.objects.filter(run__gt="").count() == 0


def test_an_approver_gives_a_reason_that_the_page_shows_ever_after(client: Client, operator: User) -> None:
    allow(operator, "approve_results")
    run = made.measured((100.0,))
    assert 'name="reason"' in page(client, run)
    text = publish(client, run, reason=" Seule  machine <libre> ")
    assert "Publiée par exception." in text and "Seule machine &lt;libre&gt; (opérateur)" in text
    assert "répétitions, dispersion" in text
    public = page(Client(), run)
    assert "Seule machine &lt;libre&gt;" in public and "opérateur)" not in public
    assert "gates_passed_by" not in client.get(f"/fr/runs/{run.code}.json").content.decode()


def test_the_median_of_a_series_stands_under_the_first_runs_own_rate(client: Client, operator: User) -> None:
    first = made.measured((102.0, 98.0, 101.0, 99.0, 100.0))
    text = page(client, first)
    assert "Médiane de 5 répétitions\u00a0: 100\u00a0tok/s à 4 flux." in text
    assert 'id="median"' not in page(client, first.repeats.get(repeat_number=2))


def test_an_approver_without_a_reason_publishes_nothing(client: Client, operator: User) -> None:
    allow(operator, "approve_results")
    publish(client, made.measured((100.0,)), reason="   ")
    assert Figure.objects.filter(run__gt="").count() == 0


def test_the_test_model_is_published_without_gates(client: Client, operator: User) -> None:
    text = page(client, runs.succeeded())
    assert "Publier ce résultat" in text and "Conditions de publication" not in text


def test_a_slower_series_is_a_regression_to_confirm_then_a_confirmed_one(client: Client, operator: User) -> None:
    """Ten percent down with deviations of 1.6 %: certain and large. A second such series confirms it."""
    publishing.publish(made.measured().pk)
    (sentence,) = baseline.sentences(publishing.candidate(made.measured(SLOW)))
    assert "régression à confirmer" in sentence and "−10,0\u00a0%" in sentence
    second = made.measured(SLOW)
    assert "régression confirmée" in page(client, second)


def test_a_change_under_three_percent_is_said_without_alarm() -> None:
    publishing.publish(made.measured().pk)
    (sentence,) = baseline.sentences(publishing.candidate(made.measured(tuple(r * 0.98 for r in made.STEADY))))
    assert "−2,0\u00a0%" in sentence and "régression" not in sentence


def test_a_new_engine_version_is_judged_and_another_load_is_not() -> None:
    publishing.publish(made.measured().pk)
    newer = made.measured(SLOW, engine_version="0.15")
    assert len(baseline.sentences(publishing.candidate(newer))) == 1
    longer = made.measured(SLOW, requests_count=99)
    assert baseline.sentences(publishing.candidate(longer)) == []


def test_repeats_that_do_not_vary_allow_no_judgement() -> None:
    publishing.publish(made.measured((100.0,) * 5).pk)
    (sentence,) = baseline.sentences(publishing.candidate(made.measured((90.0,) * 5)))
    assert "trop peu de répétitions" in sentence


def test_without_a_published_run_nothing_is_compared() -> None:
    made.measured()
    assert baseline.sentences(publishing.candidate(made.measured(SLOW))) == []


@pytest.mark.parametrize("flag", sorted(name.removeprefix("flag_") for name in FLAGS))
def test_each_flag_has_words_and_each_bar_a_sentence(flag: str) -> None:
    assert flagwords.name(flag)
    assert bool(flagwords.barred(flag)) is (FLAGS[f"flag_{flag}"] is Weight.BARRING)


def test_every_barring_flag_is_explained_on_the_page(client: Client, operator: User) -> None:
    for name, weight in FLAGS.items():
        if weight is Weight.BARRING:
            text = page(client, runs.succeeded(**{name: True}))
            assert 'id="ineligible"' in text and "Publier ce résultat" not in text


def test_raw_rows_come_as_json_lines(client: Client, operator: User) -> None:
    run: Any = made.measured()
    response = client.get(f"/fr/runs/{run.code}.jsonl")
    assert response["Content-Type"] == "application/jsonl"
    (line,) = response.content.decode().splitlines()
    assert '"ttft_ms": 10.5' in line and '"tpot_ms": null' in line and f'"run": "{run.code}"' in line
