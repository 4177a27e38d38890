"""What the page of a run says of its engine: both counts for everybody, the log for operators alone."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from benchmarks import enginepage
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
COUNTED = {
    "server_output_tokens": 2688,
    "client_output_tokens": 2700,
    "server_prompt_tokens": 5376,
    "client_prompt_tokens": 5376,
    "server_prefix_queries": 5376,
    "server_prefix_hits": 128,
    "server_preemptions_count": 0,
}


def test_a_server_without_counters_has_no_such_part() -> None:
    assert enginepage.counters(runs.succeeded()) == []


def test_both_counts_stand_side_by_side() -> None:
    with translation.override("fr"):
        found = dict(enginepage.counters(runs.succeeded(**COUNTED)))
    assert found == {
        "Tokens écrits": "2\u202f688, client\u00a0: 2\u202f700",
        "Tokens lus": "5\u202f376, client\u00a0: 5\u202f376",
        "Cache de préfixes": "128 trouvés sur 5\u202f376 cherchés",
        "Requêtes remises en attente": "0",
    }


def test_what_the_server_does_not_count_is_left_out() -> None:
    with translation.override("fr"):
        found = dict(enginepage.counters(runs.succeeded(server_output_tokens=10, client_output_tokens=10)))
    assert list(found) == ["Tokens écrits"]


def test_the_log_is_for_operators_the_counts_for_who_may_read_the_run(client: Client) -> None:
    run = runs.succeeded(**COUNTED, engine_log="loaded <weights>", engine_arguments="--dtype bfloat16")
    client.force_login(runs.operator())
    page = client.get(reverse("run", args=[run.code])).text
    assert 'id="counters"' in page and "--dtype bfloat16" in page
    assert 'id="engine-log"' in page and "loaded &lt;weights&gt;" in page
    assert enginepage.context(run, may_operate=False)["engine_log"] == ""
