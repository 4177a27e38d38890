"""What the frame of each page shows comes from settings and catalogue, for one query at most."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.http import HttpRequest

from calculator import context, snapshots


@pytest.mark.django_db
def test_an_empty_catalogue_leaves_the_footer_without_list_and_rate() -> None:
    site = context.Site()
    assert (site.catalog_version, site.catalog_date, site.rate) == (None, None, None)


@pytest.mark.django_db
def test_the_footer_shows_the_newest_list_and_the_rate_in_force() -> None:
    call_command("seed", verbosity=0)
    site = context.Site()
    assert site.catalog_version == 1
    assert site.catalog_date is not None
    assert site.rate is not None
    # The European Central Bank's rate of 30 October 2026.
    assert site.rate.value == Decimal("1.1172")


@pytest.mark.django_db
def test_the_footer_costs_one_query_once_the_list_is_in_memory(django_assert_num_queries: Any) -> None:
    call_command("seed", verbosity=0)
    snapshots.snapshot(1)
    with django_assert_num_queries(1):
        site = context.Site()
        assert (site.catalog_version, site.catalog_date is None, site.rate is None) == (1, False, False)


def test_a_page_that_shows_no_footer_costs_no_query() -> None:
    """Without the database mark, any query would be an error."""
    assert set(context.site(HttpRequest())) == {"in_force", "seller"}


def test_the_month_of_the_footer_is_the_default_of_the_calculators() -> None:
    assert context.Site().hours == Decimal(720)


def test_the_seller_block_invents_nothing(settings: Any) -> None:
    settings.SELLER_NAME, settings.SELLER_ADDRESS, settings.SELLER_LEGAL = "VMCloud SAS", "", ""
    seller = context.site(HttpRequest())["seller"]
    assert isinstance(seller, context.Seller)
    assert (seller.name, seller.address, seller.legal) == ("VMCloud SAS", "", "")
