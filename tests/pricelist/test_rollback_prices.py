"""`manage.py rollback_prices`: the sample update goes in and comes out again, as in the README."""

import datetime as dt
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command

from calculator import catalog
from calculator.domain.offers import Basis
from calculator.models import CatalogVersion, PriceRow

FRIDAY = Path(settings.BASE_DIR) / "fixtures" / "price_updates" / "friday-update.csv"
pytestmark = pytest.mark.usefixtures("seeded")


@pytest.fixture
def ada() -> User:
    user = User.objects.create_user("ada")
    rights = ("upload_prices", "apply_prices", "rollback_prices")
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


def run(name: str, *arguments: Any) -> str:
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out)
    return out.getvalue()


def hour_price(version: int) -> Decimal:
    at = catalog.default_scenario().at + dt.timedelta(seconds=1)  # scenarios are of whole seconds
    (sku,) = [sku for sku in catalog.sku_choices(version, at) if sku.code == "GPU-PRO"]
    return sku.prices[Basis.HOUR].value


def test_the_sample_goes_into_force_and_is_taken_back(ada: User) -> None:
    run("import_prices", FRIDAY, "--by", "ada", "--accept-old-rate", "--reason", "Friday")
    assert hour_price(2) == Decimal("1.55")
    shown = run("rollback_prices", 2, "--by", "ada", "--reason", "Sample", "--lang", "en")
    assert "Price list no. 2 is taken back by price list no. 3." in shown
    assert hour_price(3) == Decimal("1.50")
    assert CatalogVersion.objects.get(number=3).rolls_back_id == 2


def test_a_dry_run_names_what_would_go_back_and_writes_nothing(ada: User) -> None:
    run("import_prices", FRIDAY, "--by", "ada", "--accept-old-rate")
    before = PriceRow.objects.count()
    shown = run("rollback_prices", 2, "--dry-run")
    assert len([line for line in shown.splitlines() if "GPU-" in line]) == 3
    assert (PriceRow.objects.count(), CatalogVersion.objects.count()) == (before, 2)


def test_a_second_request_answers_with_the_first(ada: User) -> None:
    run("import_prices", FRIDAY, "--by", "ada", "--accept-old-rate")
    first, second = (run("rollback_prices", 2, "--by", "ada", "--reason", "Sample") for _ in range(2))
    assert first == second
    assert CatalogVersion.objects.count() == 3


@pytest.mark.parametrize("arguments", [("--by", "ada"), ("--by", "bob", "--reason", "why not")])
def test_without_a_reason_or_the_right_it_is_refused_with_a_sentence(ada: User, arguments: tuple[str, ...]) -> None:
    User.objects.create_user("bob")
    run("import_prices", FRIDAY, "--by", "ada", "--accept-old-rate")
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("rollback_prices", "2", *arguments, stdout=out)
    assert ended.value.code == 1
    assert out.getvalue().strip()
    assert CatalogVersion.objects.count() == 2


@pytest.mark.parametrize("arguments", [("99", "--by", "ada"), ("1",), ("1", "--by", "nobody")])
def test_a_version_or_person_that_does_not_exist_is_bad_input(ada: User, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as error:
        call_command("rollback_prices", *arguments, "--reason", "x", stdout=io.StringIO())
    assert error.value.returncode == 2
