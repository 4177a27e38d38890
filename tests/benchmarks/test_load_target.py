"""A server over the network: how it is asked, what becomes of refusals, and that its key stays where it is."""

import asyncio
import logging
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import orjson
import pytest

from benchmarks import metrics
from benchmarks.load import endpoint, records, targets
from benchmarks.load.client import Client
from benchmarks.load.records import EngineReady, Message, Plan, Request, RunEnd, StepEnd
from benchmarks.load.supervisor import Supervisor
from benchmarks.load.targets import Target
from benchmarks.load.targetserver import TargetServer, owner, requests_needed
from tests.benchmarks import loadfactory as make
from tests.benchmarks.mockserver import FOUR_TOKENS, MockServer, running

SECRET = "sk-very-secret-wxyz"
VARIABLE = "BENCHMARK_KEY_TEST"
HERE = ("127.0.0.1",)


@pytest.fixture(autouse=True)
def unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The supervisor runs inside this process here: it must not take a core from it. Pauses are cut to hundredths."""
    monkeypatch.setattr("benchmarks.load.process.pin", lambda cores: None)
    monkeypatch.setattr("benchmarks.load.pacing.BASE_S", 0.005)
    monkeypatch.setenv(VARIABLE, SECRET)


def target(address: str, **values: object) -> Target:
    known: dict[str, object] = {"base_url": address, "route": "chat", "model": "m", "allowed": HERE}
    return Target(**(known | values))  # type: ignore[arg-type]


def plan(folder: Path, address: str, **values: object) -> Plan:
    asked = {name: values.pop(name) for name in list(values) if name in Target.__slots__}
    known: dict[str, object] = {
        "model_path": "",
        "folder": str(folder),
        "concurrencies": (2,),
        "requests_count": 6,
        "prompt_tokens": 24,
        "output_tokens": 4,
        "seed": 3,
        "vocabulary_size": 0,
        "start_deadline_s": 0.2,
        "target": target(address, **asked),
    }
    return Plan(**(known | values))  # type: ignore[arg-type]


def sent(server: MockServer, **values: object) -> Request:
    """The record of one request to the mock as a target."""

    async def go() -> Request:
        async with running(server):
            asked = targets.checked(target(server.address, **values))
            async with Client(endpoint.remote(asked, SECRET), timeout_s=5) as client:
                request = make.request(planned_ns=client.clock(), sent_ns=None, end_ns=None)
                await client.send(request, {"model": "m"})
                return request

    return asyncio.run(go())


def measured(server: MockServer, folder: Path, **values: object) -> tuple[list[Message], list[Request]]:
    """What a supervisor says of a run against the mock, and its requests."""
    said: list[Message] = []
    samples = BytesIO()

    async def go() -> None:
        async with running(server):
            end = await Supervisor(plan(folder, server.address, **values), said.append, samples).run()
            said.append(end)

    asyncio.run(go())
    path = folder / "samples.jsonl"
    path.write_bytes(samples.getvalue())
    return said, records.load_requests(path)


def steps(said: Sequence[Message]) -> list[StepEnd]:
    return [message for message in said if isinstance(message, StepEnd)]


@pytest.mark.parametrize(("route", "path"), [("chat", "/v1/chat/completions"), ("completions", "/v1/completions")])
def test_both_routes_are_measured(tmp_path: Path, route: str, path: str) -> None:
    server = MockServer()
    said, requests = measured(server, tmp_path, route=route)
    assert said[-1] == RunEnd("succeeded")
    assert [message.engine for message in said if isinstance(message, EngineReady)] == ["mock"]
    assert (len(requests), {request.error_kind for request in requests}) == (2 + 6, {""})
    assert set(server.paths) == {path}
    assert {body["model"] for body in server.bodies} == {"m"}


def test_the_key_is_sent_and_is_in_nothing_that_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = MockServer(
        statuses=[200] * 4 + [401], refusal=f"Incorrect API key provided: {SECRET[:6]}****{SECRET[-4:]}"
    )
    said, requests = measured(server, tmp_path, key_variable=VARIABLE)
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    kept = b"".join(records.dump(item) for item in (*said, *requests)) + records.dump(plan(tmp_path, "http://x.y"))
    assert metrics.error_kinds(requests) == {"http_401": 1}
    assert SECRET.encode() not in kept and SECRET[-4:].encode() not in kept
    assert SECRET not in caplog.text


def test_the_key_is_not_part_of_how_an_endpoint_is_shown() -> None:
    assert SECRET not in repr(endpoint.remote(target("http://127.0.0.1:1/v1"), SECRET))


def test_a_key_in_another_refusal_is_masked() -> None:
    answer = sent(MockServer(statuses=[400], refusal=f"bad request with {SECRET} in it"))
    assert answer.error_message == "bad request with ••• in it"


def test_a_key_in_an_error_within_the_stream_is_masked() -> None:
    script = [(0.0, make.event({"error": {"message": f"key {SECRET} expired"}}))]
    assert sent(MockServer(script=script)).error_message == "key ••• expired"


def test_what_is_refused_for_the_moment_is_sent_again_and_its_wait_is_no_delay_of_the_client() -> None:
    server = MockServer(statuses=[429, 503], retry_after="0.2")
    answer = sent(server)
    assert (answer.ok, answer.http_status, answer.attempts_count, server.seen) == (True, 200, 3, 3)
    assert (metrics.ttft_planned_ms(answer) or 0) >= 400 + 20
    assert (metrics.ttft_ms(answer) or 0) < 400
    assert 0 <= (metrics.client_lag_ms(answer) or 0) < 200
    assert (metrics.dispatch_lag_ms(answer) or 0) >= 400


def test_attempts_are_bounded() -> None:
    server = MockServer(statuses=[429] * 10)
    answer = sent(server, attempts_max=3)
    assert (answer.error_kind, answer.attempts_count, server.seen) == ("http_429", 3, 3)


def test_too_long_a_wish_ends_the_attempts() -> None:
    server = MockServer(statuses=[429] * 10, retry_after="3600")
    assert (sent(server).error_kind, server.seen) == ("http_429", 1)


def test_what_will_not_pass_is_not_sent_again() -> None:
    server = MockServer(statuses=[404])
    assert (sent(server).error_kind, server.seen) == ("http_404", 1)


def test_redirects_are_not_followed() -> None:
    server = MockServer(statuses=[307])
    assert (sent(server).error_kind, server.seen) == ("http_307", 1)


def test_a_name_that_leads_to_a_private_address_is_not_connected_to() -> None:
    """The name is not listed and resolves to the loopback: refused at the socket, whatever was checked before."""
    server = MockServer()

    async def go() -> Request:
        async with running(server):
            there = endpoint.remote(target(server.address.replace("127.0.0.1", "localhost") + "/v1", allowed=()), "")
            async with Client(there, timeout_s=5) as client:
                request = make.request(sent_ns=None, end_ns=None)
                await client.send(request, {})
                return request

    assert (asyncio.run(go()).error_kind, server.seen) == ("connect_failed", 0)


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        ({"allowed": ()}, "address_private 127.0.0.1"),
        ({"key_variable": "SECRET_KEY"}, "key_name SECRET_KEY"),
        ({"key_variable": "BENCHMARK_KEY_NOBODY"}, "key_missing BENCHMARK_KEY_NOBODY"),
        ({"base_url": "file:///etc/passwd"}, "url_scheme file"),
    ],
)
def test_a_target_that_may_not_be_measured_fails_before_anything_is_sent(
    tmp_path: Path, values: dict[str, object], detail: str
) -> None:
    server = MockServer()
    said, requests = measured(server, tmp_path, **values)
    assert said == [RunEnd("failed", "target_refused", detail)]
    assert (server.seen, requests) == (0, [])


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_the_server_refuses_is_said(tmp_path: Path, status: int) -> None:
    said, _ = measured(MockServer(models_status=status), tmp_path)
    assert said == [RunEnd("failed", "target_key_refused", f"HTTP {status}")]


def test_a_server_that_fails_or_is_not_there_is_unreachable(tmp_path: Path) -> None:
    said, _ = measured(MockServer(models_status=500), tmp_path)
    assert said == [RunEnd("failed", "target_unreachable", "HTTP 500")]
    found: list[Message] = []
    away = plan(tmp_path, "http://127.0.0.1:9")
    assert asyncio.run(Supervisor(away, found.append, BytesIO()).run()) == RunEnd("failed", "target_unreachable")


def test_a_server_without_a_list_of_models_is_measured_all_the_same(tmp_path: Path) -> None:
    said, _ = measured(MockServer(models_status=404), tmp_path)
    assert said[-1] == RunEnd("succeeded")


def test_no_prompt_is_sent_twice(tmp_path: Path) -> None:
    server = MockServer()
    measured(server, tmp_path, concurrencies=(1, 3))
    asked = [orjson.dumps(body["messages"]) for body in server.bodies]
    assert len(asked) == len(set(asked)) == 2 + (1 + 6) + (3 + 6)


def test_another_seed_gives_other_prompts(tmp_path: Path) -> None:
    asked = []
    for seed in (3, 4):
        server = MockServer()
        measured(server, tmp_path, seed=seed)
        asked.append({orjson.dumps(body["messages"]) for body in server.bodies})
    assert not asked[0] & asked[1]


def test_own_prompts_are_sent_once_each_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"prompt": f"question {n}"}) + b"\n" for n in range(8)))
    server = MockServer()
    said, _ = measured(server, tmp_path, route="completions", prompts_path=str(path))
    assert said[-1] == RunEnd("succeeded")
    assert sorted(str(body["prompt"]) for body in server.bodies) == [f"question {n}" for n in range(8)]


def test_too_few_own_prompts_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(b'{"prompt": "one"}\n')
    server = MockServer()
    said, _ = measured(server, tmp_path, prompts_path=str(path))
    assert said == [RunEnd("failed", "prompts_refused", "too_few at line 1")]
    assert server.seen == 0


def test_prompts_needed_are_those_of_all_steps_with_their_warm_up(tmp_path: Path) -> None:
    assert requests_needed(plan(tmp_path, "", concurrencies=(1, 4), requests_count=10)) == 1 + 4 + 20
    rates = plan(tmp_path, "", concurrencies=(4,), requests_count=10, rates_per_s=(1.0, 2.0, 3.0))
    assert requests_needed(rates) == 3 * (4 + 10)


def test_a_client_side_limit_spaces_the_requests(tmp_path: Path) -> None:
    """Eight at ten a second: 700 ms from first to last, and nobody calls the client late for waiting its turn."""
    _, requests = measured(MockServer(), tmp_path, rate_limit_per_s=10.0)
    at = sorted(request.sent_ns or 0 for request in requests)
    assert (at[-1] - at[0]) / make.MS >= 690
    assert max(metrics.client_lag_ms(request) or 0 for request in requests) < 150


def test_an_open_loop_plans_its_requests_and_says_so(tmp_path: Path) -> None:
    said, requests = measured(
        MockServer(), tmp_path, pattern="constant", rates_per_s=(40.0,), concurrencies=(4,), requests_count=12
    )
    assert [(step.rate_per_s, step.complete) for step in steps(said)] == [(40.0, True)]
    planned = sorted(request.planned_ns for request in requests)
    assert [(after - planned[0]) / make.MS for after in planned[:3]] == pytest.approx([0, 25, 50])
    found = metrics.step_metrics(requests, None)
    assert found.offered_per_s == pytest.approx(40)


def test_a_timed_step_cuts_answers_off_and_is_whole(tmp_path: Path) -> None:
    server = MockServer(script=[(0.02, make.content()), (30.0, make.finish())])
    said, requests = measured(server, tmp_path, duration_s=0.5, output_tokens=2, prompts_path=str(own(tmp_path, 8)))
    assert [step.complete for step in steps(said)] == [True]
    assert {request.error_kind for request in requests} == {records.INCOMPLETE}
    assert {request.output_tokens for request in requests} == {1}
    assert server.in_flight == 0


def own(folder: Path, count: int) -> Path:
    path = folder / "own.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"prompt": f"question {n}"}) + b"\n" for n in range(count)))
    return path


def test_a_sweep_ends_by_its_rules_and_says_which(tmp_path: Path) -> None:
    """Everything after the calibration is refused: the first step is the last."""
    server = MockServer(statuses=[200, 200] + [400] * 99)
    said, _ = measured(server, tmp_path, search="sweep", concurrencies=(1, 2, 4))
    assert len(steps(said)) == 1
    assert said[-1] == RunEnd("failed", "all_requests_failed", search_end="errors")


def test_a_sweep_whose_rules_never_speak_runs_every_step(tmp_path: Path) -> None:
    said, _ = measured(MockServer(), tmp_path, search="sweep", concurrencies=(1, 2))
    assert [step.concurrency for step in steps(said)] == [1, 2]
    assert said[-1] == RunEnd("succeeded", search_end="all")


def test_a_knee_search_makes_its_own_steps(tmp_path: Path) -> None:
    """A first token takes 20 ms, more than the target of 1 ms: no rate is carried, each is half of the one before."""
    said, _ = measured(
        MockServer(script=FOUR_TOKENS),
        tmp_path,
        search="knee",
        pattern="constant",
        rates_per_s=(6400.0,),
        concurrencies=(2,),
        requests_count=4,
        limit_ttft_ms=1.0,
    )
    rates = [step.rate_per_s for step in steps(said)]
    assert rates == [6400.0 / 2**n for n in range(10)]
    assert said[-1] == RunEnd("succeeded", search_end="none")


@pytest.mark.parametrize("said", [b"", b"{", b"[]", b'{"data": []}', b'{"data": [1]}', b'{"data": [{"id": "m"}]}'])
def test_a_list_of_models_that_says_nothing_names_nobody(said: bytes) -> None:
    assert owner(said) == ""


def test_a_plan_without_a_target_has_no_server_to_ask(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no target"):
        TargetServer(records.Plan("", str(tmp_path), (1,), 1, 1, 1, 1, 1))


def test_a_plan_with_a_target_is_read_back_as_written_without_any_key(tmp_path: Path) -> None:
    given = plan(tmp_path, "https://api.example.com/v1", rates_per_s=(1.0, 2.0), key_variable=VARIABLE)
    (tmp_path / "plan.json").write_bytes(records.dump(given))
    assert records.load_plan(tmp_path / "plan.json") == given
    assert SECRET.encode() not in (tmp_path / "plan.json").read_bytes()
