"""The same request in curl, Python and JavaScript, for an API and for a server on a VMCloud GPU: only address, key and
model differ.

Addresses of vendors come from a fixture, each with the page of the vendor's documentation and the day it was checked.
"""

import datetime as dt
import json
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from calculator import language

ENDPOINTS_FILE = "api_endpoints.json"
VMCLOUD_KEY = "VMCLOUD_API_KEY"


class Endpoint(NamedTuple):
    """Where a vendor answers requests of this shape, and where it says so."""

    provider: str
    base_url: str
    key_variable: str
    source: str
    checked_on: dt.date
    note: str


class Snippet(NamedTuple):
    """One way to send the request."""

    code: str
    title: str
    text: str


@cache
def rows() -> Mapping[str, Mapping[str, str]]:
    """The fixture by provider."""
    text = (settings.BASE_DIR / "fixtures" / ENDPOINTS_FILE).read_text(encoding="utf-8")
    return {row["provider"]: row for row in json.loads(text)}


def endpoint_of(provider: str) -> Endpoint | None:
    """The endpoint of a provider; None where no dated source names it."""
    row = rows().get(provider)
    if row is None:
        return None
    return Endpoint(
        provider=provider,
        base_url=row["base_url"],
        key_variable=row["key_variable"],
        source=row["source"],
        checked_on=dt.date.fromisoformat(row["checked_on"]),
        note=row["note_fr"] if language.is_french() else row["note_en"],
    )


def vmcloud_base_url() -> str:
    """The address of a customer's own server, in words: it is known once the server is there."""
    return _("https://adresse-de-votre-serveur/v1")


def vmcloud_model() -> str:
    """The name under which the customer's own server offers its model, in words."""
    return _("nom-du-modele-servi")


def snippets(base_url: str, key_variable: str, model: str) -> tuple[Snippet, ...]:
    """The request as three programs, which read the key from the environment."""
    asked = _("Résume ce contrat en trois phrases.")
    return (
        Snippet("curl", "curl", curl(base_url, key_variable, model, asked)),
        Snippet("python", "Python (openai)", python(base_url, key_variable, model, asked)),
        Snippet("javascript", "JavaScript (fetch)", javascript(base_url, key_variable, model, asked)),
    )


def body_of(model: str, asked: str) -> dict[str, object]:
    """The request itself."""
    return {"model": model, "messages": [{"role": "user", "content": asked}]}


def quoted(text: str) -> str:
    """A text as JSON, Python and JavaScript all write it."""
    return json.dumps(text, ensure_ascii=False)


def curl(base_url: str, key_variable: str, model: str, asked: str) -> str:
    """For a shell; the body stands in single quotes."""
    body = json.dumps(body_of(model, asked), ensure_ascii=False).replace("'", "'\\''")
    return "\n".join(
        (
            f'curl "{base_url}/chat/completions" \\',
            f'  -H "Authorization: Bearer ${key_variable}" \\',
            '  -H "Content-Type: application/json" \\',
            f"  -d '{body}'",
        )
    )


def python(base_url: str, key_variable: str, model: str, asked: str) -> str:
    """For the client `openai`, which any server of this interface answers."""
    return "\n".join(
        (
            "import os",
            "",
            "from openai import OpenAI",
            "",
            f"client = OpenAI(base_url={quoted(base_url)}, api_key=os.environ[{quoted(key_variable)}])",
            "answer = client.chat.completions.create(",
            f"    model={quoted(model)},",
            f'    messages=[{{"role": "user", "content": {quoted(asked)}}}],',
            ")",
            "print(answer.choices[0].message.content)",
            "print(answer.usage)",
        )
    )


def javascript(base_url: str, key_variable: str, model: str, asked: str) -> str:
    """For Node as a module, with nothing to install."""
    return "\n".join(
        (
            f"const answer = await fetch({quoted(f'{base_url}/chat/completions')}, {{",
            '  method: "POST",',
            "  headers: {",
            f"    Authorization: `Bearer ${{process.env.{key_variable}}}`,",
            '    "Content-Type": "application/json",',
            "  },",
            "  body: JSON.stringify({",
            f"    model: {quoted(model)},",
            f'    messages: [{{ role: "user", content: {quoted(asked)} }}],',
            "  }),",
            "});",
            "if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);",
            "const { choices, usage } = await answer.json();",
            "console.log(choices[0].message.content, usage);",
        )
    )
