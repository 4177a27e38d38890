"""What one streamed answer says, read at exact instants: the stream cases of the load client."""

import pytest

from benchmarks import metrics
from tests.benchmarks import loadfactory as make


def test_l01_a_role_event_is_not_the_first_token() -> None:
    answer = make.read(
        [
            (5, make.ROLE),
            (100, make.content()),
            (120, make.content()),
            (140, make.content() + make.finish(usage={"completion_tokens": 3}) + make.DONE),
        ]
    )
    assert metrics.ttft_ms(answer) == 100
    assert metrics.tpot_ms(answer) == 20
    assert metrics.gaps_ms(answer) == [20, 20]
    assert metrics.e2e_ms(answer) == 140
    assert answer.ok


def test_l02_several_tokens_an_event_are_counted_as_tokens() -> None:
    reads = [(at, make.content(usage=total)) for at, total in ((100, 4), (140, 8), (180, 12), (220, 16))]
    answer = make.read([*reads, (220, make.finish())])
    assert answer.first_tokens == 4
    assert metrics.tpot_ms(answer) == 10.0
    assert metrics.itl_ms(answer) == [10.0] * 12


def test_l03_a_late_usage_event_moves_nothing_but_the_end() -> None:
    reads = [(100 + 10 * index, make.content()) for index in range(16)]
    answer = make.read([*reads, (250, make.finish()), (350, make.usage_only(16) + make.DONE)])
    assert metrics.e2e_ms(answer) == 250
    assert answer.end_ns == 350 * make.MS
    assert metrics.ttft_ms(answer) == 100
    assert len(metrics.gaps_ms(answer)) == 15
    assert answer.output_tokens == 16


def test_l04_without_usage_events_are_counted_and_that_is_said() -> None:
    answer = make.read([*((100 + 10 * index, make.content()) for index in range(16)), (250, make.finish())])
    assert (answer.output_tokens, answer.token_source) == (16, "events")
    assert metrics.tokens_estimated([answer])
    assert metrics.tpot_ms(answer) == 150 / 15
    assert metrics.itl_ms(answer) is None


def test_l05_keepalive_comments_are_no_events() -> None:
    answer = make.read(
        [(50, b": keep-alive\n\n"), (100, make.content()), (110, b": again\n" + make.content()), (110, make.finish())]
    )
    assert metrics.ttft_ms(answer) == 100
    assert metrics.gaps_ms(answer) == [10]
    assert answer.ok


def test_l06_crlf_gives_the_same_record() -> None:
    reads = [(100, make.content()), (120, make.content()), (130, make.finish() + make.DONE)]
    crlf = [(at, chunk.replace(b"\n", b"\r\n")) for at, chunk in reads]
    assert make.read(crlf) == make.read(reads)


def test_l07_an_event_counts_from_the_read_that_completes_it() -> None:
    chunk = make.content("é漢")
    cut = chunk.index("漢".encode()) + 1
    answer = make.read([(100, chunk[:cut]), (103, chunk[cut:]), (110, make.finish())])
    assert metrics.ttft_ms(answer) == 103
    assert answer.ok


def test_l08_l09_events_of_one_read_share_its_time() -> None:
    fourth = make.content()
    answer = make.read(
        [(100, make.content() * 3 + fourth[:5]), (120, fourth[5:]), (120, make.finish())],
    )
    assert metrics.gaps_ms(answer) == [0, 0, 20]


def test_l10_an_error_inside_a_200_is_a_failure() -> None:
    error = make.event({"error": {"message": "engine died"}})
    answer = make.read([*((100 + at, make.content()) for at in range(8)), (110, error + make.DONE)])
    assert (answer.ok, answer.error_kind, answer.error_message) == (False, "stream_error", "engine died")
    found = metrics.step_metrics([answer], None)
    assert found.tokens_from_failed == 8
    assert found.ttft_p50_ms is None and found.error_count == 1


def test_l11_a_clean_end_without_finish_reason_is_a_failure() -> None:
    answer = make.read([(100 + at, make.content()) for at in range(8)])
    assert (answer.ok, answer.error_kind) == (False, "truncated")


def test_a_finish_reason_without_done_is_a_success_that_says_so() -> None:
    answer = make.read([(100, make.content()), (100, make.finish())])
    assert answer.ok and not answer.done_seen


def test_l13_reasoning_counts_once_and_has_its_own_first_answer_time() -> None:
    reads = [(100 + 10 * index, make.reasoning()) for index in range(8)]
    reads += [(180 + 10 * index, make.content()) for index in range(8)]
    usage = {"completion_tokens": 16, "completion_tokens_details": {"reasoning_tokens": 8}}
    answer = make.read([*reads, (250, make.finish(usage=usage))])
    assert metrics.ttft_ms(answer) == 100
    assert metrics.answer_ms(answer) == 180
    assert answer.output_tokens == 16


def test_l14_one_token_has_no_time_per_token() -> None:
    answer = make.read([(100, make.content()), (100, make.finish("length", {"completion_tokens": 1}))])
    assert metrics.tpot_ms(answer) is None
    assert (metrics.ttft_ms(answer), metrics.e2e_ms(answer)) == (100, 100)


def test_l16_the_prompt_is_as_long_as_the_server_says() -> None:
    usage = {"completion_tokens": 1, "prompt_tokens": 140, "prompt_tokens_details": {"cached_tokens": 7}}
    answer = make.read([(100, make.content()), (100, make.finish(usage=usage))])
    assert (answer.requested_prompt_tokens, answer.prompt_tokens, answer.cached_tokens) == (128, 140, 7)


def test_an_empty_answer_with_a_finish_reason_is_a_success_of_no_tokens() -> None:
    answer = make.read([(100, make.finish())])
    assert answer.ok and answer.output_tokens == 0
    assert metrics.ttft_ms(answer) is None


@pytest.mark.parametrize(
    "choice",
    [
        {"text": "a"},
        {"delta": {"content": "a"}},
        {"delta": {"reasoning": "a"}},
        {"delta": {"reasoning_content": "a"}},
        {"delta": {"tool_calls": [{"function": {"arguments": "{"}}]}},
        {"text": "", "token_ids": [17]},
    ],
    ids=["completion", "content", "reasoning", "reasoning_content", "tool arguments", "listed tokens"],
)
def test_what_bears_tokens(choice: dict[str, object]) -> None:
    assert len(make.read([(100, make.event({"choices": [choice]}))]).arrivals_ns) == 1


@pytest.mark.parametrize(
    "choice",
    [
        {"delta": {"role": "assistant"}},
        {"delta": {"content": None}},
        {"delta": {"tool_calls": [{"function": {"name": "f", "arguments": ""}}]}},
        {"text": ""},
        {"text": "", "token_ids": None},
        {"text": "", "token_ids": []},
    ],
    ids=["role", "null", "tool name", "empty text", "no list", "empty list"],
)
def test_what_bears_none(choice: dict[str, object]) -> None:
    assert make.read([(100, make.event({"choices": [choice]}))]).arrivals_ns == []


@pytest.mark.parametrize("data", [b"{not json", b"[1, 2]", b'"text"'])
def test_an_event_that_cannot_be_read_is_a_failure(data: bytes) -> None:
    answer = make.read([(100, make.event(data)), (110, make.content() + make.finish())])
    assert answer.error_kind == "bad_event"


@pytest.mark.parametrize(
    "event",
    [
        {"choices": [None]},
        {"choices": ["text"]},
        {"choices": {"0": {}}},
        {"choices": [{"delta": "text"}]},
        {"choices": [{"delta": {"tool_calls": [1]}}]},
        {"choices": [{"text": "a"}], "usage": {"completion_tokens": "many"}},
        {"choices": [], "usage": [1]},
        {"choices": [], "usage": {"completion_tokens": -1}},
        {"choices": [], "usage": {"completion_tokens": True}},
        {"choices": [], "usage": {"prompt_tokens": 2**31}},
        {"choices": [], "usage": {"prompt_tokens_details": 3}},
    ],
    ids=str,
)
def test_an_event_of_another_shape_fails_its_answer_and_nothing_else(event: dict[str, object]) -> None:
    answer = make.read([(100, make.content()), (110, make.event(event)), (120, make.content() + make.finish())])
    assert answer.error_kind == "bad_event"
    assert answer.output_tokens == 1


def test_a_whole_number_with_a_point_is_a_count() -> None:
    usage = {"completion_tokens": 1.0, "prompt_tokens": 128.0}
    answer = make.read([(100, make.content()), (100, make.finish(usage=usage))])
    assert answer.ok and (answer.output_tokens, answer.prompt_tokens) == (1, 128)
    assert isinstance(answer.output_tokens, int)
    assert make.read([(100, make.content() + make.finish(usage={"completion_tokens": 1.5}))]).error_kind == "bad_event"


def test_the_first_failure_stays_the_reason() -> None:
    error = make.event({"error": "overloaded"})
    answer = make.read([(100, error), (110, make.event(b"{"))])
    assert (answer.error_kind, answer.error_message) == ("stream_error", "overloaded")
