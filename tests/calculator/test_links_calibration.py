"""Links that lead from a live answer to another case name the calibration that computed it."""

import re

import pytest
from django.test import Client

from calculator import calibrated

pytestmark = pytest.mark.django_db
LINK = re.compile(r'"(?:[^"?]*)\?([^"]*v=1[^"]*)"')
CALIBRATED = ("tokens", "inference", "training", "parallelism")


def whole_links(client: Client, tool: str, query: str, *, live: bool) -> list[str]:
    """The queries of the page that name a catalogue: whole cases, not presets."""
    headers = {"HX-Request": "true"} if live else {}
    text = client.get(f"/fr/{tool}/?{query}", headers=headers).content.decode()
    return [found for found in LINK.findall(text) if "catalog=" in found]


@pytest.mark.parametrize("live", [False, True], ids=["page", "live answer"])
@pytest.mark.parametrize("tool", CALIBRATED)
def test_every_whole_link_of_an_answer_names_the_calibration(
    client: Client, seeded: None, tool: str, live: bool
) -> None:
    found = whole_links(client, tool, "form=1" if live else "", live=live)
    assert len(found) > 3
    assert [link for link in found if f"cal={calibrated.mark()}" not in link] == []


@pytest.mark.parametrize("tool", CALIBRATED)
def test_the_links_of_an_old_answer_name_the_calibration_that_computed_them(
    client: Client, seeded: None, tool: str
) -> None:
    """The figures beside them are of today's calibration, whatever the old link named."""
    found = whole_links(client, tool, "v=1&cal=0123456789ab", live=False)
    assert len(found) > 3
    assert [link for link in found if "cal=0123456789ab" in link] == []
