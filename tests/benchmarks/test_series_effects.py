"""What a publication would move, by the calculators' own arithmetic, and that looking changes nothing.

GPU-PRO by the month at 830.64 €, 65 % of 720 h: a month at r tok/s makes r · 0.65 · 2,592,000 = r · 1,684,800 tokens.
100 M tokens: at 64 tok/s (107.8 M) one instance, 8.3064 € a million and 830.64 ÷ 107.8272 = 7.7034 at full use; at
32 tok/s (53.9 M) two instances, 16.6128 € and 15.4069 at full use.
"""

from decimal import Decimal

import pytest

from benchmarks import effects, publishing
from benchmarks.effects import Change, Effect
from calculator.domain.offers import Basis
from calculator.models import CatalogVersion, Figure, LanguageModel
from tests import factories
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db
SLOW = (31.0, 31.5, 32.0, 32.5, 33.0)


def month(found: list[Effect]) -> Effect:
    return next(each for each in found if each.basis is Basis.MONTH)


def test_without_a_figure_before_the_price_appears() -> None:
    made.offer()
    found = month(effects.of(publishing.candidate(made.measured(tuple(64.0 for _ in range(5))))))
    assert (found.sku, found.model) == ("GPU-PRO", "Mistral-7B-v0.3")
    assert (found.rate.before, found.rate.after) == (None, 64.0)
    assert found.eur_per_mtok.before is None
    assert found.eur_per_mtok.after == Decimal("8.3064")
    assert found.full_eur_per_mtok.after == pytest.approx(Decimal("7.7034"), abs=Decimal("0.0001"))
    assert found.eur_per_mtok.ratio is None


def test_a_slower_figure_moves_the_price_by_what_the_calculator_says() -> None:
    made.offer()
    publishing.publish(made.measured(tuple(64.0 for _ in range(5))).pk)
    found = month(effects.of(publishing.candidate(made.measured(SLOW))))
    assert (found.rate.before, found.rate.after, found.rate.ratio) == (64.0, 32.0, -0.5)
    assert (found.eur_per_mtok.before, found.eur_per_mtok.after) == (Decimal("8.3064"), Decimal("16.6128"))
    assert found.eur_per_mtok.ratio == pytest.approx(1.0)
    assert found.full_eur_per_mtok.ratio == pytest.approx(1.0)


def test_what_was_announced_is_what_stands_after_publishing() -> None:
    made.offer()
    run = made.measured(SLOW)
    announced = month(effects.of(publishing.candidate(run)))
    publishing.publish(run.pk)
    after = month(effects.of(publishing.candidate(made.measured(SLOW))))
    assert after.eur_per_mtok.before == announced.eur_per_mtok.after
    assert after.rate.before == announced.rate.after


def test_looking_writes_nothing() -> None:
    made.offer()
    run = made.measured()
    counts = Figure.objects.count(), LanguageModel.objects.count(), CatalogVersion.objects.count()
    effects.of(publishing.candidate(run))
    assert (Figure.objects.count(), LanguageModel.objects.count(), CatalogVersion.objects.count()) == counts
    run.refresh_from_db()
    assert run.published_at is None


def test_a_test_model_that_nobody_registered_moves_nothing() -> None:
    made.offer()
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    assert effects.of(publishing.candidate(runs.succeeded())) == []
    assert not LanguageModel.objects.filter(is_test=True).exists()


def test_a_published_test_model_moves_its_rate_and_no_price() -> None:
    made.offer()
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    publishing.publish(runs.succeeded((1000.0, 2500.0)).pk)
    found = effects.of(publishing.candidate(runs.succeeded((1100.0, 3000.0))))
    assert {(each.rate.before, each.rate.after) for each in found} == {(2500.0, 3000.0)}
    assert {each.eur_per_mtok.after for each in found} == {None}


def test_a_new_price_needs_no_new_run() -> None:
    sku, _model = made.offer()
    publishing.publish(made.measured(tuple(64.0 for _ in range(5))).pk)
    version = factories.make_version()
    half = {"catalog_version": version, "valid_from": runs.ago(60)}
    factories.make_price(sku, "instance_month", "415.32", **half)
    found = month(effects.of(publishing.candidate(made.measured(SLOW))))
    assert found.eur_per_mtok.before == Decimal("4.1532")
    assert Figure.objects.filter(run__gt="").count() == 1


@pytest.mark.parametrize(
    ("before", "after", "ratio"),
    [(10.0, 12.0, 0.2), (Decimal(10), Decimal(5), -0.5), (None, 1.0, None), (1.0, None, None), (0.0, 1.0, None)],
)
def test_a_change_is_relative_to_what_was(before: float | None, after: float | None, ratio: float | None) -> None:
    found = Change(before, after).ratio
    assert found is None if ratio is None else found == pytest.approx(ratio)
