"""Whatever stands in a query or an address, a page answers, and never with an error of its own."""

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("noon", "seeded")

KEYS = st.sampled_from(
    ["volume", "sku", "ref", "util", "sort", "mode", "retired", "on", "api", "form", "v", "catalog", "at"]
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["-1", "1e400", "NaN", "1,234", "65 %", "GPU-PRO", "batch", "2026-02-30", "\x00", "\ud7ff", "9" * 400]
    ),
)
QUERIES = st.dictionaries(KEYS, st.lists(TEXTS, min_size=1, max_size=2), max_size=4)
PATHS = st.sampled_from(["", "skus/", "gpus/", "prices/", "prices/sku/GPU-PRO/", "prices/api/gpt-5.4/", "methodology/"])


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=PATHS, query=QUERIES, language=st.sampled_from(["fr", "en"]))
def test_any_query_is_answered(client: Client, path: str, query: dict[str, list[str]], language: str) -> None:
    assert client.get(f"/{language}/{path}", query).status_code == 200


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(["sku", "api", "gpu_sku", "x"]), code=st.text(min_size=1, max_size=60))
def test_any_code_is_found_or_not_found(client: Client, kind: str, code: str) -> None:
    assert client.get(f"/fr/prices/{kind}/{code}/").status_code in {200, 301, 404}
