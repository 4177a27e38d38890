"""What can never be computed is a problem beside its field and status 2; what does not fit is an answer."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict
from django.test import Client

from calculator import answers, registry
from calculator.tools.impossible import within
from tests import pagetext

pytestmark = pytest.mark.django_db
# Mistral-7B: 32 layers, 32 heads, 8 KV heads, 32 768 rows. Llama-3.1-70B: 80 layers, 64 heads, 8 KV heads.
NEVER = [
    ("inference", "pp=999&count=1024", "pp", "il y a 32 couches pour 999 étages"),
    ("inference", "tp=3&count=3", "tp", "les 32 têtes d’attention ne se divisent pas par 3"),
    ("inference", "engine=llama.cpp&prec=gguf-q8_0&tp=2&count=2", "tp", "parallélisme tensoriel"),
    ("training", "tp=7&count=7", "tp", "TP = 7 ne divise pas les têtes du modèle"),
    ("training", "pp=999&count=999", "pp", "PP = 999 dépasse le nombre de couches"),
    ("parallelism", "model=Llama-3.1-70B&tp=3&gpus=6", "tp", "ne se divisent pas par 3"),
    ("parallelism", "layers=16&width=2048&pp=32&gpus=32", "pp", "moins de couches que d’étages (32)"),
    ("tokens", "overlap=600", "overlap", "plus petit que le morceau"),
    ("economics", "out=0", "out", "10"),
]
IDS = [f"{name}-{key}-{query[:12]}" for name, query, key, _why in NEVER]
# Questions that have an answer, though not the one hoped for: other hardware would do.
ANSWERED = [
    ("inference", "sku=GPU-STARTER", "Ne tient pas"),
    ("inference", "model=Llama-3-70B&sku=GPU-TITAN&tp=1&pp=1&count=4", "Ne tient pas"),
    ("inference", "gpu=MI300X", "Pas d’estimation"),
    ("inference", "replicas=50", "demande 50 GPU, vous en louez 1"),
    ("inference", "tp=8&count=4", "demande 8 GPU, vous en louez 4"),
    ("training", "tp=2", "ne divise pas 1 GPU"),
    ("training", "method=full&sku=GPU-STARTER", "ne tient pas en mémoire"),
    ("parallelism", "model=Llama-3.1-70B&gpu=H100-SXM-80GB&gpus=8&tp=8&pp=2", "16 rangs"),
    ("parallelism", "model=Llama-3.1-70B&gpus=8", "ne tient pas"),
]


def outcome(name: str, query: str) -> Any:
    return answers.from_link(registry.CALCULATORS[name], QueryDict(query))


@pytest.mark.parametrize(("name", "query", "key", "why"), NEVER, ids=IDS)
class TestNever:
    def test_a_link_gets_a_problem_that_names_the_key(
        self, seeded: None, name: str, query: str, key: str, why: str
    ) -> None:
        found = outcome(name, query)
        assert found.answer is None
        assert found.problems[0].key == key
        message = pagetext.plain(found.problems[0].message)
        assert message.startswith(key)
        assert why in message

    def test_the_command_ends_with_status_two(self, seeded: None, name: str, query: str, key: str, why: str) -> None:
        with pytest.raises(CommandError) as caught:
            call_command("estimate", name, *query.split("&"), stdout=StringIO())
        assert caught.value.returncode == 2
        assert key in str(caught.value)

    def test_the_page_says_it_beside_the_field_and_keeps_the_rest(
        self, client: Client, seeded: None, name: str, query: str, key: str, why: str
    ) -> None:
        response = client.get(f"/fr/{name}?{query}")
        assert response.status_code == 200
        form = response.context["form"]
        assert why in pagetext.plain(" ".join(form.errors[key]))
        assert response.context["page"] is None
        for pair in query.split("&"):
            other, _sign, text = pair.partition("=")
            assert text in form.texts(other)[0].replace("\u202f", "")

    def test_a_file_refuses_with_the_same_sentence(
        self, client: Client, seeded: None, name: str, query: str, key: str, why: str
    ) -> None:
        response = client.get(f"/fr/{name}.json?{query}")
        assert response.status_code == 400
        assert key in [error["key"] for error in response.json()["errors"]]


@pytest.mark.parametrize(("name", "query", "words"), ANSWERED)
def test_what_other_hardware_would_do_is_an_answer(seeded: None, name: str, query: str, words: str) -> None:
    out = StringIO()
    call_command("estimate", name, *query.split("&"), stdout=out)
    assert words in pagetext.plain(out.getvalue())


def test_a_live_form_marks_the_field_and_leaves_the_old_result(client: Client, seeded: None) -> None:
    response = client.get("/fr/inference?form=1&pp=999", headers={"HX-Request": "true"})
    assert response.headers["HX-Retarget"] == "#problems"
    assert 'id="id_pp-e" hx-swap-oob="true"><p class="err">' in response.content.decode()


def test_english_says_it_too(client: Client, seeded: None) -> None:
    text = pagetext.words(client.get("/en/inference?pp=999").content.decode())
    assert "pp = “999”: " in text or "pp = " in text
    assert "32 layers" in text


def test_no_preset_is_impossible(seeded: None) -> None:
    for tool in registry.TOOLS:
        for preset in tool.presets:
            assert outcome(tool.name, preset.query).answer is not None, (tool.name, preset.code)


def test_a_sentence_becomes_a_reason() -> None:
    assert within("Il y a 32 couches.") == "il y a 32 couches"
    assert within("TP = 7 ne divise pas les têtes.") == "TP = 7 ne divise pas les têtes"
