"""English pages speak English: no French tax word, one thing is singular, memory is not counted in octets."""

import html
import re

import pytest
from django.test import Client

from calculator import registry

pytestmark = pytest.mark.django_db
CASES = [(tool.name, query) for tool in registry.TOOLS for query in ("", *(preset.query for preset in tool.presets))]
SMALL = [
    ("parallelism", "gpus=1"),
    ("parallelism", "gpus=1&observed=14"),
    ("parallelism", "sku=GPU-TITAN&gpus=2&machine=1&cards=1"),
    ("parallelism", "gpu=RTX A6000&machine=4&gpus=4&link=nvlink-bridge"),
    ("parallelism", "gpus=16&cards=1&tp=2&layers=1&width=16&steptok=1&micro=1"),
]
PAGES = ["skus", "gpus", "prices", "methodology", ""]
FRENCH = re.compile(r"\bHT\b|\bTTC\b|\bTVA\b|\(s\)|\d (?:ko|Mo|Go|To|Mio|Gio)\b")
MANY = "GPUs|machines|instances|streams|days|cards|measurements|requests|layers|stages|hours|copies"
ONE = re.compile(rf"(?<![\d.,×–-])(?<!= )\b1 (?:{MANY})\b")


def text_of(client: Client, path: str) -> str:
    response = client.get(f"/en/{path}", follow=True)
    assert response.status_code == 200, path
    page = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(page))


def around(found: re.Match[str], text: str) -> str:
    return text[max(0, found.start() - 60) : found.end() + 40]


@pytest.mark.parametrize(("name", "query"), [*CASES, *SMALL])
def test_an_english_calculator_has_no_french_tax_word_and_no_plural_of_one(
    client: Client, seeded: None, name: str, query: str
) -> None:
    text = text_of(client, f"{name}?{query}")
    assert [around(found, text) for found in FRENCH.finditer(text)] == []
    assert [around(found, text) for found in ONE.finditer(text)] == []


@pytest.mark.parametrize("path", PAGES)
def test_an_english_page_has_no_french_tax_word(client: Client, seeded: None, path: str) -> None:
    text = text_of(client, path)
    assert [around(found, text) for found in re.finditer(r"\bHT\b|\bTTC\b", text)] == []
