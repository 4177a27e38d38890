"""A posted config.json leads to the inference link that carries its dimensions, or to the form with the reason."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import modelupload, permalinks, registry
from calculator.domain.serving_scenario import InferenceScenario, own_model
from calculator.modelconfig import ModelConfigError
from calculator.presenters.modelconfig import sentence
from tests.calculator import configfactory as make

pytestmark = pytest.mark.django_db
URL = "/fr/inference/model"
TOO_LONG = 1_500_000


def post(client: Client, **data: Any) -> Any:
    return client.post(URL, data)


def scenario_of(response: Any) -> InferenceScenario:
    """The scenario of the link that the answer leads to."""
    assert response.status_code == 303
    address = urlsplit(response.headers["Location"])
    assert address.path == "/fr/inference"
    reading = permalinks.read(QueryDict(address.query), registry.CALCULATORS["inference"].default())
    assert reading.problems == ()
    assert isinstance(reading.scenario, InferenceScenario)
    return reading.scenario


def upload(text: str | bytes) -> SimpleUploadedFile:
    raw = text.encode() if isinstance(text, str) else text
    return SimpleUploadedFile("config.json", raw, "application/json")


def test_a_pasted_configuration_leads_to_its_link(client: Client, seeded: None) -> None:
    scenario = scenario_of(post(client, config=make.text("Llama-3-8B"), name="Notre modèle"))
    model = own_model(scenario)
    assert (model.name, model.params_total, model.kv_heads) == ("Notre modèle", 8_030_261_248, 8)
    assert scenario.precision == "bf16"


def test_an_uploaded_file_goes_before_pasted_text(client: Client, seeded: None) -> None:
    scenario = scenario_of(post(client, file=upload(make.text("Mixtral-8x7B")), config="not json"))
    assert (scenario.experts, scenario.experts_top_k, scenario.active_params) == (8, 2, 12_879_925_248)


def test_the_stored_precision_is_taken_over_where_the_page_offers_it(client: Client, seeded: None) -> None:
    fp8 = make.text("DeepSeek-V3", quantization_config={"quant_method": "fp8"})
    assert scenario_of(post(client, config=fp8)).precision == "fp8"
    nf4 = make.text("Llama-3-8B", quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True})
    assert scenario_of(post(client, config=nf4, query="prec=fp8")).precision == "fp8"


def test_everything_else_on_the_page_is_kept(client: Client, seeded: None) -> None:
    query = "sku=GPU-TITAN&count=2&tp=2&in=4096&conc=8&experts=8&topk=2&params=1000000000"
    scenario = scenario_of(post(client, config=make.text("Llama-3-8B"), query=query))
    assert (scenario.sku, scenario.instances, scenario.tensor_parallel, scenario.prompt_tokens) == (
        "GPU-TITAN",
        2,
        2,
        4096,
    )
    assert (scenario.experts, scenario.experts_top_k) == (None, None)


def test_a_link_that_cannot_be_read_counts_as_the_usual_case(client: Client, seeded: None) -> None:
    scenario = scenario_of(post(client, config=make.text("Llama-3-8B"), query="v=9&tp=x&%ff=1"))
    assert scenario.tensor_parallel is None


@pytest.mark.parametrize(
    ("name", "has_configuration"), [("org/our-model", True), ("/models/ours", True), ("Ours", False)]
)
def test_a_name_that_can_be_loaded_gets_a_vllm_configuration(
    client: Client, seeded: None, name: str, has_configuration: bool
) -> None:
    answer = client.get(post(client, config=make.text("Llama-3-8B"), name=name).headers["Location"])
    assert (f"model: &quot;{name}&quot;" in answer.content.decode()) is has_configuration


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_link_answers_in_both_languages(client: Client, seeded: None, language: str) -> None:
    response = client.post(f"/{language}/inference/model", {"config": make.text("Llama-3-8B"), "name": "Ours"})
    assert response.headers["Location"].startswith(f"/{language}/inference?")
    page = client.get(response.headers["Location"])
    assert page.status_code == 200
    assert page.context["errors"] == ()
    assert "Ours" in page.content.decode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "Collez le contenu de config.json ou choisissez le fichier."),
        ("{", "Ce n’est pas du JSON"),
        ('{"model_type": "mamba"}', "mamba garde un état de taille fixe"),
        (make.text("Llama-3-8B", hidden_size=None), "Il manque hidden_size."),
        ('{"model_type": "<script>alert(1)</script>"}', "Architecture &lt;script&gt;"),
    ],
)
def test_a_refused_configuration_says_why_and_keeps_the_text(
    client: Client, seeded: None, text: str, shown: str
) -> None:
    response = post(client, config=text, name="Ours", query="tp=2")
    page = response.content.decode()
    assert response.status_code == 422
    assert shown in page
    assert response.context["upload"].text == text
    assert 'value="Ours"' in page and 'value="tp=2"' in page
    assert "<script>alert" not in page


def test_a_binary_file_is_refused(client: Client, seeded: None) -> None:
    response = post(client, file=upload(b"\x00\xff" * 100))
    assert response.status_code == 422
    assert "UTF-8" in response.content.decode()


def test_a_file_over_the_limit_is_refused(client: Client, seeded: None) -> None:
    response = post(client, file=upload(b" " * 1_000_001))
    assert response.status_code == 422
    assert "Fichier trop grand" in response.content.decode()


def test_a_body_announced_too_large_is_not_read(client: Client, seeded: None) -> None:
    response = post(client, file=upload(b" " * TOO_LONG))
    assert response.status_code == 413
    assert "Fichier trop grand" in response.content.decode()


def test_the_token_of_the_form_is_asked_for(seeded: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(URL, {"config": make.text("Llama-3-8B")}).status_code == 403
    page = strict.get(URL)
    token = str(page.context["csrf_token"])
    sent = strict.post(URL, {"config": make.text("Llama-3-8B"), "csrfmiddlewaretoken": token})
    assert sent.status_code == 303


def test_the_form_stands_on_a_page_of_its_own_too(client: Client, seeded: None) -> None:
    response = client.get(f"{URL}?tp=2")
    page = response.content.decode()
    assert response.status_code == 200
    assert 'enctype="multipart/form-data"' in page and 'value="tp=2"' in page
    assert 'href="/fr/inference?tp=2"' in page
    assert client.put(URL).status_code == 405


def test_a_dimension_beyond_what_the_link_takes_is_refused_with_its_key(seeded: None) -> None:
    with pytest.raises(ModelConfigError) as caught:
        modelupload.link_of(registry.CALCULATORS["inference"], "", {"layers": 5000}, None)
    assert (caught.value.code, caught.value.field) == ("not_carried", "layers")
    assert "sort des limites de la page\u00a0: layers" in sentence(caught.value)


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=2_621_440)
def test_pasting_the_largest_text_allowed_is_read(client: Client, seeded: None) -> None:
    text = make.text("Llama-3-8B", note="x" * 900_000)
    assert post(client, config=text).status_code == 303


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8"), max_size=200),
    st.text(st.characters(codec="utf-8"), max_size=80),
    st.text(st.characters(codec="utf-8"), max_size=80),
)
def test_whatever_is_posted_there_is_an_answer(client: Client, seeded: None, text: str, name: str, query: str) -> None:
    assert post(client, config=text, name=name, query=query).status_code == 422
    valid = post(client, config=json.dumps(make.config("Llama-3-8B")), name=name, query=query)
    assert valid.status_code == 303
