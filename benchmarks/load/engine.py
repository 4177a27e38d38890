"""llama.cpp's own OpenAI-compatible server as a child process: prints one line once it listens, then serves.

Run as `python -m benchmarks.load.engine`. It dies with its parent. Everything known of xllamacpp is in this module.
"""

import argparse
import importlib.metadata
import signal
import sys

import orjson

from benchmarks.load import process

ENGINE = "llama.cpp"
THREADS_MAX_COUNT = 4  # More threads slow a model this small down.
RUNNING: list[object] = []  # A server stops when nothing refers to it any more.


def serve(model_path: str, slots: int, context_tokens: int, threads: int) -> str:
    """Start the server on a free port of the loopback; its address. It serves until the process ends."""
    import xllamacpp  # Here, for it is native code that only this child needs.

    params = xllamacpp.CommonParams()
    params.model.path = model_path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = slots * context_tokens
    params.n_threads_http = slots + 4
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_prompt = False
    params.warmup = False
    params.endpoint_metrics = True
    params.verbosity = 1
    server = xllamacpp.Server(params)
    RUNNING.append(server)
    return str(server.listening_address)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--cores", default="")
    given = parser.parse_args()
    process.end_with_parent(given.parent, signal.SIGKILL)
    cores = process.read_core_list(given.cores)
    process.pin(cores)
    threads = min(max(1, len(cores)), THREADS_MAX_COUNT)
    address = serve(given.model, given.slots, given.context, threads)
    version = importlib.metadata.version("xllamacpp")
    line = {
        "address": address,
        "engine": ENGINE,
        "version": f"xllamacpp {version}",
        "threads_count": threads,
        "keeps_connections": False,  # It closes each connection after a stream, and does not say so in a header.
    }
    sys.stdout.buffer.write(orjson.dumps(line) + b"\n")
    sys.stdout.buffer.flush()
    signal.pause()


if __name__ == "__main__":
    main()
