"""A server over the network as the supervisor sees it: checked, asked whether it answers, never started or ended."""

import asyncio
import os
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import orjson

from benchmarks.load import endpoint, prompts, targets
from benchmarks.load.client import Client
from benchmarks.load.engineprocess import HEALTH_PAUSE_S, EngineError
from benchmarks.load.records import Plan, Request
from benchmarks.load.targets import Target, TargetError

REFUSED_STATUSES = (401, 403)
SERVER_ERROR_STATUS = 500
CALIBRATION_WORDS = (32, 160)
CALIBRATION_OUTPUT_TOKENS = 2


class TargetServer:
    """The plan's target: `start` checks it, `wait_healthy` asks it and learns how it counts a prompt."""

    here = False

    def __init__(self, plan: Plan, environment: Mapping[str, str] = os.environ) -> None:
        if plan.target is None:
            raise ValueError("the plan has no target")
        self.plan = plan
        self.target: Target = plan.target
        self.name = self.version = ""
        self.threads_count: int | None = None
        self._environment = environment
        self._secret = ""
        self._lengths = prompts.Lengths()
        self._own: list[prompts.Own] = []
        self._sent = count()

    @property
    def endpoint(self) -> endpoint.Endpoint:
        return endpoint.remote(self.target, self._secret)

    async def start(self, _stop: asyncio.Event) -> None:
        """Check address, key and own prompts; EngineError with the reason when one of them is refused."""
        try:
            self.target = targets.checked(self.target)
            self._secret = targets.key(self.target, self._environment)
        except TargetError as refusal:
            raise EngineError("target_refused", f"{refusal.code} {refusal.detail}".strip()) from refusal
        if self.plan.prompts_path:
            try:
                self._own = prompts.enough(
                    prompts.own_prompts(Path(self.plan.prompts_path)), requests_needed(self.plan)
                )
            except (prompts.PromptError, OSError) as refusal:
                raise EngineError("prompts_refused", str(refusal)) from refusal

    async def wait_healthy(self, client: Client, stop: asyncio.Event) -> None:
        """Return once the server answers anything but a failure of its own; EngineError after the deadline."""
        until = time.monotonic() + self.plan.start_deadline_s
        while True:
            status, said = await client.probe()
            if status in REFUSED_STATUSES:
                raise EngineError("target_key_refused", f"HTTP {status}")
            if status is not None and status < SERVER_ERROR_STATUS:
                self.name = owner(said)
                break
            if stop.is_set() or time.monotonic() > until:
                raise EngineError("target_unreachable", "" if status is None else f"HTTP {status}")
            await asyncio.sleep(HEALTH_PAUSE_S)
        if not self._own:
            await self._calibrate(client)

    async def _calibrate(self, client: Client) -> None:
        """Ask two short prompts and compare what the server counts with their words."""
        seen = []
        for number, words in enumerate(CALIBRATION_WORDS):
            request = Request(0, number, True, client.clock(), words, CALIBRATION_OUTPUT_TOKENS)
            text = prompts.prompt_text(self.plan.seed, 0, number, words)
            await client.send(request, prompts.target_body(self.target, text, CALIBRATION_OUTPUT_TOKENS))
            seen.append((words, request.prompt_tokens))
        self._lengths = prompts.fitted(*seen)

    def body(self, request: Request) -> dict[str, object]:
        """The next own prompt, else a fresh one of about the asked length."""
        return prompts.target_body(self.target, self._prompt(request), self.plan.output_tokens)

    def _prompt(self, request: Request) -> prompts.Own:
        if self._own:
            return self._own[next(self._sent) % len(self._own)]
        plan, lengths = self.plan, self._lengths
        words = lengths.words(plan.prompt_tokens)
        shared = round(plan.shared_prefix_tokens / lengths.tokens_per_word)
        return prompts.prompt_text(plan.seed, request.step, request.number, words, shared)

    def check(self) -> None:
        """Nothing: whether the server is still there is seen in its answers."""

    async def end(self) -> None:
        """Nothing: the server is not ours to end."""


def requests_needed(plan: Plan) -> int:
    """How many prompts a run of given steps sends, warm-up included; a search needs those of one step at least."""
    loads = plan.rates_per_s or plan.concurrencies
    warm_up = [plan.concurrencies[0]] * len(loads) if plan.rates_per_s else list(plan.concurrencies)
    return sum(warm_up) + plan.requests_count * len(loads)


def owner(said: bytes) -> str:
    """What the list of models says of who serves them ("vllm", "sglang", "openai"…); empty when it does not."""
    try:
        first = orjson.loads(said)["data"][0]
        return str(first.get("owned_by") or "")[:60]
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
        return ""
