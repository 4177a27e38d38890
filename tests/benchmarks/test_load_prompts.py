"""Prompts: their length, that no cache can answer for them, and the operator's own lines."""

from pathlib import Path

import orjson
import pytest

from benchmarks.load import prompts
from benchmarks.load.prompts import Lengths, PromptError, fitted, own_prompts, prompt_ids, prompt_text, target_body
from benchmarks.load.targets import Target


def test_prompts_have_the_asked_length_and_never_the_end_token() -> None:
    ids = prompt_ids(seed=1, step=1, number=1, count=500, vocabulary_size=300)
    assert len(ids) == 500
    assert min(ids) >= 1 and max(ids) <= 299


def test_the_same_seed_gives_the_same_prompt_and_each_request_another() -> None:
    first = prompt_ids(7, 1, 0, 64, 300)
    assert first == prompt_ids(7, 1, 0, 64, 300)
    others = [prompt_ids(7, 1, 1, 64, 300), prompt_ids(7, 2, 0, 64, 300), prompt_ids(8, 1, 0, 64, 300)]
    assert first not in others
    assert all(len(set(zip(first, other, strict=True))) > 32 and first[:4] != other[:4] for other in others)


def test_a_shared_prefix_is_the_same_in_all_and_nothing_else_is() -> None:
    first, second = prompt_ids(7, 1, 0, 64, 300, shared=16), prompt_ids(7, 2, 5, 64, 300, shared=16)
    assert first[:16] == second[:16] and len(first) == 64
    assert first[16:20] != second[16:20]
    assert prompt_ids(8, 1, 0, 64, 300, shared=16)[:16] != first[:16]


def test_a_shared_prefix_is_no_longer_than_the_prompt() -> None:
    assert prompt_ids(7, 1, 0, 4, 300, shared=99) == prompt_ids(7, 2, 1, 4, 300, shared=99)


def test_a_text_prompt_has_its_words_and_differs_from_the_first_on() -> None:
    texts = [prompt_text(7, 1, number, 40) for number in range(50)]
    assert {len(text.split(" ")) for text in texts} == {40}
    assert len({" ".join(text.split(" ")[:3]) for text in texts}) == 50
    assert set(texts[0].split(" ")) <= set(prompts.WORDS)
    assert prompt_text(7, 1, 0, 40) == texts[0] and prompt_text(8, 1, 0, 40) != texts[0]


def test_text_prompts_may_share_words_at_their_start() -> None:
    first, second = prompt_text(7, 1, 0, 20, shared=10).split(" "), prompt_text(7, 1, 1, 20, shared=10).split(" ")
    assert first[:10] == second[:10] and first[10:13] != second[10:13]
    assert len(first) == 20


def test_the_words_of_a_length_come_from_what_the_server_counted() -> None:
    """32 words were 47 tokens, 160 were 207: 1.25 a word and 7 for the frame; 132 tokens are 100 words."""
    found = fitted((32, 47), (160, 207))
    assert (found.frame_tokens, found.tokens_per_word) == (7, 1.25)
    assert found.words(132) == 100
    assert found.words(1) == 1


@pytest.mark.parametrize("counts", [(None, 207), (47, None), (47, 47), (50, 47)])
def test_a_server_that_does_not_count_gets_a_word_a_token(counts: tuple[int | None, int | None]) -> None:
    assert fitted((32, counts[0]), (160, counts[1])) == Lengths(0.0, 1.0)
    assert Lengths().words(128) == 128


def jsonl(folder: Path, *lines: bytes) -> Path:
    path = folder / "prompts.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]


def test_own_prompts_are_texts_or_conversations(tmp_path: Path) -> None:
    path = jsonl(tmp_path, b'{"prompt": "one"}', b"", orjson.dumps({"messages": MESSAGES}))
    assert own_prompts(path) == ["one", MESSAGES]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "not_json"),
        (b"[1]", "not_an_object"),
        (b'{"text": "x"}', "no_prompt"),
        (b'{"prompt": ""}', "no_prompt"),
        (b'{"messages": []}', "no_prompt"),
        (b'{"messages": [{"role": "user"}]}', "no_prompt"),
        (b"\xff", "not_json"),
    ],
)
def test_a_line_that_is_no_prompt_is_named(tmp_path: Path, line: bytes, code: str) -> None:
    with pytest.raises(PromptError) as error:
        own_prompts(jsonl(tmp_path, b'{"prompt": "one"}', line))
    assert (error.value.code, error.value.line) == (code, 2)


def test_a_file_without_prompts_and_one_with_too_few_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="empty"):
        own_prompts(jsonl(tmp_path, b"", b"  "))
    with pytest.raises(PromptError, match="too_few at line 2"):
        prompts.enough(["a", "b"], 3)
    assert prompts.enough(["a", "b", "c"], 2) == ["a", "b"]


def target(route: str, **values: object) -> Target:
    known: dict[str, object] = {"base_url": "https://api.example.com/v1", "route": route, "model": "m"}
    return Target(**(known | values))  # type: ignore[arg-type]


def test_each_route_has_its_own_body() -> None:
    chat = target_body(target("chat"), "Hello", 16)
    assert chat == {
        "model": "m",
        "max_tokens": 16,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "Hello"}],
        "ignore_eos": True,
    }
    completions = target_body(target("completions", ignore_eos=False), "Hello", 16)
    assert completions["prompt"] == "Hello"
    assert not {"messages", "ignore_eos"} & set(completions)


def test_a_conversation_goes_to_either_route() -> None:
    assert target_body(target("chat"), MESSAGES, 1)["messages"] == MESSAGES
    assert target_body(target("completions"), MESSAGES, 1)["prompt"] == "Be brief.\nHello"


def test_the_name_of_the_length_is_the_servers() -> None:
    body = target_body(target("chat", length_field="max_completion_tokens"), "Hello", 16)
    assert body["max_completion_tokens"] == 16 and "max_tokens" not in body
