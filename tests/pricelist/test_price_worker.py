"""Large files with nothing simulated: a real worker of the queue prices compares and applies; a lost message too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.worksite import Site
from tests.prepared import Copy

pytestmark = pytest.mark.worker
NAMES = (
    "from django.contrib.auth.models import User; from calculator.models import PriceUpload, PriceWork\n"
    "from calculator.pricelist import publish; from calculator.pricing import working\n"
)
SEND = (
    NAMES + "by = User.objects.create_superuser('ada')\n"
    "content = open('fixtures/price_updates/friday-update.csv', 'rb').read()\n"
    "upload = publish.receive(content, 'friday.csv', by)\n"
    "print(working.ask(upload, by, 'compare').pk)"
)
APPLY = (
    NAMES + "upload = PriceUpload.objects.get()\n"
    "work = working.ask(upload, User.objects.get(), 'apply')\n"
    "working.send(work)\n"
    "working.send(work)\n"
    "print(work.pk)"
)


@pytest.fixture
def site(tmp_path: Path, with_catalogue: Copy) -> Iterator[Site]:
    with_catalogue(tmp_path)
    made = Site(tmp_path)
    yield made
    made.end()


def status(site: Site, work: str) -> str:
    return str(site.read("SELECT status FROM calculator_pricework WHERE id = ?", int(work))[0][0])


def test_a_worker_takes_up_what_waits_and_applies_once_however_often_it_is_told(site: Site) -> None:
    compared = site.python(SEND)
    assert status(site, compared) == "waiting"
    site.serve("prices")
    site.wait(lambda: status(site, compared) == "done", "what waited without a message is compared")
    assert site.read("SELECT status, changed_count FROM calculator_priceupload") == [("validated", 3)]
    applied = site.python(APPLY)
    site.wait(lambda: status(site, applied) == "done", "the file is applied")
    assert site.read("SELECT number FROM calculator_catalogversion ORDER BY number") == [(1,), (2,)]
    (worker, seen) = site.read(
        "SELECT worker, seen_at IS NOT NULL FROM calculator_pricework WHERE id = ?", int(applied)
    )[0]
    assert str(worker).startswith("prices@") and seen
