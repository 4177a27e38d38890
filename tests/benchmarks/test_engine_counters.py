"""What the server counted beside what its answers told: read by name, compared within 1 %, warm-up on both sides."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from benchmarks.load import counters, endpoint, records
from benchmarks.load.client import Client
from benchmarks.load.counters import Counted, Told
from benchmarks.load.targets import Target
from tests.benchmarks import loadfactory as make

# As vllm 0.32.0 and xllamacpp 2026.10 sent them, most lines left out.
VLLM_PAGE = """# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="/tmp/a \\"b\\""} 2100.0
vllm:prompt_tokens_total{engine="1",model_name="/tmp/a \\"b\\""} 900.0
# TYPE vllm:prompt_tokens_created gauge
vllm:prompt_tokens_created{engine="0"} 1.7960747783149402e+09
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0"} 6.4e+02
vllm:generation_tokens_total{engine="1"} 60.0
# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{engine="0"} 3000.0
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0"} 512.0
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0"} 2.0
"""
LLAMA_PAGE = """# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 90
# TYPE llamacpp:prompt_tokens_cached_total counter
llamacpp:prompt_tokens_cached_total 10
# TYPE llamacpp:tokens_predicted_total counter
llamacpp:tokens_predicted_total 60
"""


def test_the_counts_of_all_vllm_engines_are_added() -> None:
    assert counters.read(VLLM_PAGE) == Counted(3000, 700, 3000, 512, 2)


def test_llama_cpp_counts_the_tokens_from_its_cache_apart() -> None:
    assert counters.read(LLAMA_PAGE) == Counted(100, 60, 100, 10, None)


@pytest.mark.parametrize(
    "page", ["", "<html>not found</html>", "# TYPE up gauge\nup 1\n", "vllm:generation_tokens_total{", "{}"]
)
def test_a_page_that_is_none_counts_nothing(page: str) -> None:
    assert counters.read(page) is None


def test_a_count_that_one_server_lacks_is_unknown_never_zero() -> None:
    assert counters.read("vllm:generation_tokens_total 5\n") == Counted(output_tokens=5)


def test_the_difference_is_what_was_counted_in_between() -> None:
    before, after = Counted(100, 50, 100, 0, None), Counted(420, 178, 420, 32, 3)
    assert counters.difference(before, after) == Counted(320, 128, 320, 32, None)


def test_a_count_that_went_down_is_a_server_that_started_anew() -> None:
    assert counters.difference(Counted(output_tokens=500), Counted(output_tokens=20)) is None


def test_answers_tell_prompts_outputs_and_what_may_be_open() -> None:
    whole = make.spoken(10, [1, 1, 1], prompt_tokens=128, requested_output_tokens=4)
    warm_up = make.spoken(10, [1, 1, 1], prompt_tokens=128, requested_output_tokens=4, warm_up=True)
    cut = make.spoken(10, [1], prompt_tokens=128, requested_output_tokens=64, error_kind="incomplete")
    refused = make.request(requested_output_tokens=64, error_kind="http_500")
    assert counters.told([whole, warm_up, cut, refused]) == Told(384, 4 + 4 + 2, 62 + 64)


def test_steps_add_up() -> None:
    assert Told(1, 2, 3) + Told(10, 20, 30) == Told(11, 22, 33)


@pytest.mark.parametrize(
    ("server", "open_tokens", "expected"),
    [
        (1000, 0, False),
        (990, 0, False),
        (989, 0, True),
        (1010, 0, False),
        (1011, 0, True),
        (1060, 50, False),
        (1061, 50, True),
        (989, 50, True),
        (None, 0, False),
    ],
)
def test_one_per_cent_either_way_agrees_and_cut_off_answers_are_allowed_for(
    server: float | None, open_tokens: int, expected: bool
) -> None:
    assert counters.disagrees(Counted(output_tokens=server), Told(0, 1000, open_tokens)) is expected


def test_tokens_of_a_server_that_told_none_disagree() -> None:
    assert counters.disagrees(Counted(output_tokens=1), Told())


@asynccontextmanager
async def server(*pages: str, status: int = 200) -> AsyncIterator[str]:
    """A server that answers /metrics with each page once, then with the last one."""
    left = list(pages)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text=left.pop(0) if len(left) > 1 else left[0], status=status)

    application = web.Application()
    application.router.add_get("/metrics", metrics)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def looked_at(*pages: str, status: int = 200, seen: Told | None = None) -> records.ServerCounters | Counted | None:
    async def go() -> records.ServerCounters | Counted | None:
        async with server(*pages, status=status) as address, Client(endpoint.local(address), timeout_s=5) as client:
            before = await counters.scraped(client)
            return before if seen is None or before is None else await counters.counted(client, before, seen)

    return asyncio.run(go())


def page(output: int) -> str:
    return f"vllm:generation_tokens_total {output}\n"


def test_a_server_that_counts_late_is_given_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "SETTLE_PAUSE_S", 0.01)
    found = looked_at(page(100), page(150), page(180), page(200), seen=Told(0, 100))
    assert isinstance(found, records.ServerCounters)
    assert (found.output_tokens, found.client_output_tokens, found.disagrees) == (100, 100, False)
    assert found.prompt_tokens is None


def test_a_server_that_others_use_too_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "SETTLE_PAUSE_S", 0.01)
    found = looked_at(page(100), page(400), seen=Told(0, 100))
    assert isinstance(found, records.ServerCounters)
    assert (found.output_tokens, found.disagrees) == (300, True)


def test_counts_that_vanish_while_we_measure_are_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "SETTLE_PAUSE_S", 0.01)
    found = looked_at(page(100), "", seen=Told(0, 100))
    assert isinstance(found, records.ServerCounters)
    assert found.disagrees and found.output_tokens is None


def test_a_server_without_metrics_is_not_asked_again() -> None:
    assert looked_at("not found", status=404) is None


def test_the_metrics_of_a_target_stand_beside_its_api() -> None:
    target = Target("https://gpu.example.com/v1", "chat", "m")
    assert endpoint.remote(target, "").metrics_url == "https://gpu.example.com/metrics"
    assert endpoint.local("http://127.0.0.1:9").metrics_url == "http://127.0.0.1:9/metrics"
