"""Whatever stands in a comparison's link, the page answers: with columns, with sentences, never with an error."""

from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.django_db
TEXT = st.text(max_size=30)
QUERY = st.lists(
    st.tuples(
        st.sampled_from(["v", "sku", "util", "volume", "at", "catalog", "api", "in", "out", "model", "fx", "zzz"]),
        st.sampled_from(["1", "0", "-1", "NaN", "1e99", "GPU-PRO", "9" * 30, "2026-11-30T08:00:00Z", "", "\x00", "é"]),
    ),
    max_size=4,
).map(urlencode)
COLUMN = st.builds(
    "{}?{}".format, st.sampled_from(["economics", "inference", "training", "parallelism", "tokens", "x"]), QUERY
)
KEYS = st.sampled_from(["a", "b", "c", "d", "na", "nb", "add", "put", "from", "link", "form"])
PAIRS = st.lists(st.tuples(KEYS, COLUMN | TEXT | st.sampled_from(["a", "b", "new", "link", "z"])), max_size=6)


@given(
    pairs=PAIRS,
    path=st.sampled_from(["", "comparison.csv", "comparison.json"]),
    language=st.sampled_from(["fr", "en"]),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_link_gives_an_error(
    client: Client, seeded: None, pairs: list[tuple[str, str]], path: str, language: str
) -> None:
    response = client.get(f"/{language}/compare/{path}?{urlencode(pairs, errors='replace')}")
    assert response.status_code in (200, 302)
    if response.status_code == 302:
        assert client.get(response["Location"]).status_code == 200


@given(text=st.text(max_size=60))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_carried_text_gives_an_error(client: Client, seeded: None, text: str) -> None:
    address = f"/fr/economics?{urlencode({'compare': text}, errors='replace')}"
    assert client.get(address).status_code == 200
