"""What the offer publishes for a run stands beside that very run, and beside no other."""

from typing import Any

import pytest
from django.test import Client

from calculator.tools.training import PRESETS
from tests import pagetext

pytestmark = pytest.mark.django_db
TITLE = "Ce que l’offre publiée annonce pour ce cas"


def page(client: Client, code: str, **changes: str) -> Any:
    """The page of a preset with some keys of its link changed."""
    preset = next(item for item in PRESETS if item.code == code)
    keys = dict(part.split("=", 1) for part in preset.query.split("&")) | changes
    return client.get("/fr/training?" + "&".join(f"{name}={value}" for name, value in keys.items()))


@pytest.mark.parametrize("code", ["published_8", "published_32", "encoder_1", "encoder_8"])
def test_a_published_case_shows_what_the_offer_says(client: Client, seeded: None, code: str) -> None:
    assert TITLE in pagetext.words(page(client, code).content.decode())


@pytest.mark.parametrize(
    "change",
    [{"steps": "751"}, {"seq": "1024"}, {"mbs": "4"}, {"accum": "8"}, {"count": "2"}, {"method": "lora"}],
    ids=lambda change: next(iter(change)),
)
def test_another_work_on_the_same_machine_is_not_the_published_case(
    client: Client, seeded: None, change: dict[str, str]
) -> None:
    response = page(client, "published_8", **change)
    assert response.context["estimate"] is not None
    assert response.context["page"].published is None


def test_a_run_without_readings_is_known_by_its_tokens(client: Client, seeded: None) -> None:
    """Twenty milliards of tokens are half of the published forty."""
    assert page(client, "encoder_1", tokens="20000000000").context["page"].published is None
