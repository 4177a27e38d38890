#!/usr/bin/env python
"""A small program with vLLM's command line, /health, /version, /metrics and streams, made from what the real one sends.

FAKE_VLLM says how it misbehaves: crash, port, silent (never healthy), deaf (ignores SIGTERM, with a child that does
too), miscount (its metrics claim twice the tokens), dies (leaves after three answers). It starts a child that sleeps,
as the real one has workers.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from aiohttp import web

HOW = os.environ.get("FAKE_VLLM", "")
SLEEP = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
LABELS = '{engine="0",model_name="measured"}'


class Server:
    def __init__(self, served_name: str) -> None:
        self.served_name = served_name
        self.prompt_tokens = self.output_tokens = self.answers = 0

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(status=503 if HOW == "silent" else 200)

    async def version(self, _: web.Request) -> web.Response:
        return web.json_response({"version": "0.32.0"})

    async def metrics(self, _: web.Request) -> web.Response:
        written = self.output_tokens * (2 if HOW == "miscount" else 1)
        counts = {
            "prompt_tokens": self.prompt_tokens,
            "generation_tokens": written,
            "prefix_cache_queries": self.prompt_tokens,
            "prefix_cache_hits": 0,
            "num_preemptions": 0,
        }
        lines = [f"# TYPE vllm:{name}_total counter\nvllm:{name}_total{LABELS} {n}.0" for name, n in counts.items()]
        return web.Response(text="\n".join(lines) + "\n")

    async def complete(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        if asked["model"] != self.served_name:
            return web.json_response({"error": {"message": "The model does not exist.", "code": 404}}, status=404)
        if "cache_prompt" in asked:
            return web.json_response({"error": {"message": "unknown field", "code": 400}}, status=400)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        count, prompt = int(asked["max_tokens"]), len(asked["prompt"])
        for written in range(1, count + 1):
            # Every other token completes a letter: the ones before come without text.
            choice = {"index": 0, "text": "é" if written % 2 == 0 else "", "finish_reason": None}
            if written == count:
                choice |= {"text": "é", "finish_reason": "length"}
            choice["token_ids"] = [written] if asked.get("return_token_ids") else None
            usage = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
            await response.write(event({"choices": [choice], "usage": usage}))
            await asyncio.sleep(0.001)
        await response.write(event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")
        self.prompt_tokens += prompt
        self.output_tokens += count
        self.answers += 1
        if HOW == "dies" and self.answers == 3:
            os._exit(9)
        return response


def event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("model")
    parser.add_argument("--served-model-name", required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--disable-uvicorn-access-log", action="store_true", required=True)
    parser.add_argument("--load-format", default="auto")
    parser.add_argument("--max-model-len", type=int)
    parser.add_argument("--max-num-seqs", type=int)
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--enforce-eager", action="store_true")
    given = parser.parse_args()
    Path("saw.json").write_text(json.dumps({"argv": sys.argv[1:], "environment": dict(os.environ)}))
    print(f"(APIServer pid={os.getpid()}) INFO vLLM API server version 0.32.0", flush=True)
    if HOW == "crash":
        sys.exit("RuntimeError: Engine core initialization failed. See root cause above.")
    if HOW == "port":
        sys.exit("OSError: [Errno 98] Address already in use")
    if HOW == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", SLEEP])
    Path("child.pid").write_text(str(child.pid))
    server, application = Server(given.served_model_name), web.Application()
    application.router.add_get("/health", server.health)
    application.router.add_get("/version", server.version)
    application.router.add_get("/metrics", server.metrics)
    application.router.add_post("/v1/completions", server.complete)
    web.run_app(
        application, host=given.host, port=given.port, print=None, handle_signals=HOW != "deaf", shutdown_timeout=0.1
    )


if __name__ == "__main__":
    main()
