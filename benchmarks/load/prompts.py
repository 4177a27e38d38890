"""What the measured server is asked: prompts made to a length from the run's seed, or the operator's own lines.

A made prompt differs from every other from its first token on, so that neither a response cache nor a prefix cache
can answer for it, save for the prefix that the run asks all of them to share.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from benchmarks.load.records import Plan, Request
from benchmarks.load.targets import Target

COMMON = (
    "able about above after again air all also and animal answer any are area ask away back ball bank base be bed"
    " been before best big bird black blue boat body book both box boy bring but by call came can car care case"
    " cat change city clear close cold color come common could country course cut dark day deep did do dog done"
    " door down draw drive dry each early earth east eat end even ever every eye face fact fall family far farm"
    " fast father feel feet few field fire first fish five fly follow food foot for force form found four free"
    " friend from front full game gave get girl give go gold good got great green ground group grow had half hand"
    " hard has have he head hear heat help her here high him his hold home horse hot hour house how idea if in"
    " inch island it just keep kind king knew know land large last late lay lead learn leave left less let letter"
    " life light like line list little live long look low made main make man many map mark may me mean men might"
    " mile mind money moon more most mother move much music must my name near need never new next night no north"
    " note now number of off often old on once one only open or order other our out over own page paper part pass"
    " plan plane plant play point poor port power press public pull put rain ran reach read real red rest right"
    " river road rock room round rule run said same saw say school sea second see seem self sentence serve set she"
    " ship short should show side simple since sing sit six size sleep slow small snow so some song soon south"
    " space stand star start state stay step still stood stop story street strong study such sun sure table take"
    " talk teach tell ten test than that the them then there these they thing think this those thought three"
    " through time to together too took top town travel tree true try turn two under until up us use very voice"
    " walk want war warm was watch water way we week well went were west what wheel when where which while white"
    " who why will wind with wood word work world would write year yes you young your"
)
WORDS = COMMON.split(" ")


class PromptError(ValueError):
    """Own prompts that cannot be used; `code` says why, `line` where (from 1, 0 = the file)."""

    def __init__(self, code: str, line: int = 0) -> None:
        super().__init__(f"{code} at line {line}")
        self.code = code
        self.line = line


def prompt_ids(seed: int, step: int, number: int, count: int, vocabulary_size: int, shared: int = 0) -> list[int]:
    """A fresh random prompt as token ids: its length is exact. Id 0 is the end token.

    The first `shared` ids are the same in all prompts of the seed.
    """
    return [
        generator.randrange(1, vocabulary_size)
        for generator, part in generators(seed, step, number, count, shared)
        for _ in range(part)
    ]


def prompt_text(seed: int, step: int, number: int, count: int, shared: int = 0) -> str:
    """A fresh random prompt of `count` common English words, of which the first `shared` are the same in all."""
    return " ".join(
        word
        for generator, part in generators(seed, step, number, count, shared)
        for word in generator.choices(WORDS, k=part)
    )


def generators(seed: int, step: int, number: int, count: int, shared: int) -> list[tuple[random.Random, int]]:
    """The sources of the shared part and of the prompt's own, each with its length."""
    common = min(shared, count)
    own = random.Random(f"{seed}/{step}/{number}")  # noqa: S311 - reproducible on purpose
    return [(random.Random(f"{seed}/shared"), common), (own, count - common)] if common else [(own, count)]  # noqa: S311


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many tokens the server makes of a prompt: so many for its frame and so many a word."""

    frame_tokens: float = 0.0
    tokens_per_word: float = 1.0

    def words(self, tokens: int) -> int:
        """The number of words for a prompt of about `tokens` tokens, at least one."""
        return max(1, round((tokens - self.frame_tokens) / self.tokens_per_word))


def fitted(short: tuple[int, int | None], long: tuple[int, int | None]) -> Lengths:
    """From two prompts of known (words, tokens); a token a word where the server does not count, or counts oddly."""
    (few, few_tokens), (many, many_tokens) = short, long
    if few_tokens is None or many_tokens is None or many <= few or many_tokens <= few_tokens:
        return Lengths()
    each = (many_tokens - few_tokens) / (many - few)
    return Lengths(max(0.0, few_tokens - each * few), each)


Own = str | list[dict[str, Any]]


def own_prompts(path: Path) -> list[Own]:
    """The prompts of a JSONL file: each line {"prompt": text} or {"messages": [{"role": …, "content": …}, …]}."""
    found: list[Own] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                found.append(own_prompt(line, number))
    if not found:
        raise PromptError("empty")
    return found


def own_prompt(line: bytes, number: int) -> Own:
    """The prompt of one line; PromptError with its number when it is none."""
    try:
        item = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise PromptError("not_json", number) from error
    if not isinstance(item, dict):
        raise PromptError("not_an_object", number)
    prompt, messages = item.get("prompt"), item.get("messages")
    if isinstance(prompt, str) and prompt:
        return prompt
    if isinstance(messages, list) and messages and all(is_message(one) for one in messages):
        return messages
    raise PromptError("no_prompt", number)


def is_message(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("role"), str) and isinstance(item.get("content"), str)


def enough(prompts: Sequence[Own], needed: int) -> list[Own]:
    """The first `needed` prompts; PromptError when there are fewer: a prompt sent twice may be answered by a cache."""
    if len(prompts) < needed:
        raise PromptError("too_few", len(prompts))
    return list(islice(prompts, needed))


def as_messages(prompt: Own) -> list[dict[str, Any]]:
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt


def as_text(prompt: Own) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(str(one["content"]) for one in prompt)


def engine_body(plan: Plan, request: Request) -> dict[str, object]:
    """For the engine on this machine: exact ids, no cache, answers in full length."""
    ids = prompt_ids(
        plan.seed,
        request.step,
        request.number,
        plan.prompt_tokens,
        plan.vocabulary_size,
        plan.shared_prefix_tokens,
    )
    return {
        "prompt": ids,
        "max_tokens": plan.output_tokens,
        "ignore_eos": True,
        "temperature": 0,
        "cache_prompt": False,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def vllm_body(plan: Plan, request: Request, model: str) -> dict[str, object]:
    """For vLLM on this machine: the same ids, with the tokens of each event listed and counted.

    Without the list, tokens whose letters are not complete yet would come unseen, and with made-up weights many do.
    """
    body = engine_body(plan, request)
    del body["cache_prompt"]
    usage = {"include_usage": True, "continuous_usage_stats": True}
    return body | {"model": model, "stream_options": usage, "return_token_ids": True}


def target_body(target: Target, prompt: Own, output_tokens: int) -> dict[str, object]:
    """For a server over the network: only fields of the protocol, and ignore_eos where the server knows it."""
    body: dict[str, object] = {
        "model": target.model,
        target.length_field: output_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    body |= {"messages": as_messages(prompt)} if target.route == "chat" else {"prompt": as_text(prompt)}
    return body | ({"ignore_eos": True} if target.ignore_eos else {})
