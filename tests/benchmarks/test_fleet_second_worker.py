"""A second worker on its own queue, for real: a run waits for it, says so, and starts when it comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.worksite import ROOT, Site
from tests.prepared import Copy

SMALL = {"concurrencies": (1,), "requests_count": 8, "prompt_tokens": 24, "output_tokens": 8}
OF_TITAN = {**SMALL, "sku_code": "GPU-TITAN"}
PAGE = """
from django.test import Client
from django.contrib.auth.models import User
client = Client()
client.force_login(User.objects.get_or_create(username="root", is_superuser=True)[0])
text = client.get("/fr/runs/workers").content.decode()
print([words in text for words in WORDS])
"""

pytestmark = [pytest.mark.worker, pytest.mark.postgres]


def sites_on(broker: str, database: str, home: Path, host: Path) -> Iterator[tuple[Site, Site]]:
    """The installation with its own worker, and the site of a second host; where files carry messages, in one var/."""
    first = Site(home, broker, database=database)
    second = Site(host, broker, database=database)
    second.log_path = host / "second.log"
    first.start_worker()
    yield first, second
    second.end()
    first.end()


@pytest.fixture
def sharing_files(tmp_path: Path, migrated: Copy) -> Iterator[tuple[Site, Site]]:
    migrated(tmp_path)
    yield from sites_on("", "", tmp_path, tmp_path)


@pytest.fixture
def at_scale(tmp_path: Path, valkey_url: str, migrated_database: str) -> Iterator[tuple[Site, Site]]:
    """Two hosts with nothing in common but broker and database."""
    home, host = tmp_path / "home", tmp_path / "host"
    home.mkdir()
    host.mkdir()
    yield from sites_on(valkey_url, migrated_database, home, host)


def check_that_a_run_waits_for_its_worker(first: Site, second: Site) -> None:
    waiting = first.start_run(**OF_TITAN)
    own = first.start_run(**SMALL)
    assert first.wait_for_end(own) == "succeeded", first.log()
    assert first.status(waiting) == "queued"
    reason = ["Aucun worker ne sert gpu.titan.", "make worker QUEUE=gpu.titan", waiting]
    assert first.python(PAGE.replace("WORDS", repr(reason))) == "[True, True, True]"
    second.serve("gpu.titan")
    assert first.wait_for_end(waiting) == "succeeded", second.log()
    looks = "SELECT COUNT(*) FROM benchmarks_telemetrysecond s JOIN benchmarks_benchmarkrun r ON r.id = s.run_id"
    sealed = f"{looks} WHERE r.code = ? AND s.device = '' AND s.memory_used_bytes > 0 AND r.telemetry_sha256 <> ''"
    assert first.read(sealed, waiting)[0][0] >= 1
    claimed = dict(first.read("SELECT code, claimed_by FROM benchmarks_benchmarkrun"))
    assert claimed[waiting].startswith("gpu.titan@") and claimed[own].startswith("celery@")
    shown = ["gpu.titan@", "celery@", "Aucun worker"]
    assert first.python(PAGE.replace("WORDS", repr(shown))) == "[True, True, False]"


def test_a_run_waits_for_the_worker_of_its_queue_and_starts_when_it_comes(sharing_files: tuple[Site, Site]) -> None:
    first, second = sharing_files
    check_that_a_run_waits_for_its_worker(first, second)
    second.stop()
    assert [row[0] for row in first.read("SELECT stopped_at IS NULL FROM benchmarks_worker ORDER BY id")] == [1, 0]


def test_the_same_with_two_hosts_valkey_and_postgresql(at_scale: tuple[Site, Site]) -> None:
    first, second = at_scale
    check_that_a_run_waits_for_its_worker(first, second)
    assert list((second.var / "runs").iterdir()) != []


def test_the_documented_commands_are_the_tried_ones() -> None:
    """Three lines for a GPU host; the third is the one that the tests above run."""
    text = (ROOT / "docs" / "operations.md").read_text()
    section = text.split("## A GPU host")[1].split("\n## ")[0]
    block = section.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(block) == 3
    assert block[0] == "make base"
    assert block[1].startswith("export DATABASE_URL=") and " CELERY_BROKER_URL=" in block[1]
    assert block[2] == "make worker QUEUE=gpu.titan"
