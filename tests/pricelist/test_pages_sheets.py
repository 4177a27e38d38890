"""Data sheets of GPUs and of open-weights models are typed in, and go the way of every file."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from calculator.models import Gpu, LanguageModel, PriceUpload
from calculator.pricelist.columns import COLUMNS, needed_of_new_sheet
from calculator.pricelist.contract import FileKind
from calculator.pricing import sheetforms
from tests import pagetext
from tests.pricelist import pagesite as site
from tests.pricelist.test_reading_sheets import GPU_ROW, MODEL_ROW

pytestmark = pytest.mark.usefixtures("seeded")
FORMS = {FileKind.GPU_SHEET: sheetforms.GpuSheetForm, FileKind.MODEL_SHEET: sheetforms.ModelSheetForm}


@pytest.fixture
def paula(db: None) -> Client:
    return site.client_of("pricing", name="paula")


def typed(client: Client, kind: str, data: dict[str, str]) -> PriceUpload:
    answer = client.post(reverse("list-item", args=[kind]), data)
    assert answer.status_code == 303, pagetext.words(answer.text)
    return PriceUpload.objects.latest("pk")


@pytest.mark.parametrize("kind", list(FORMS))
def test_the_form_has_every_column_of_a_file_and_marks_what_a_new_sheet_needs(kind: FileKind) -> None:
    form = FORMS[kind]()
    assert set(form.fields) == set(COLUMNS[kind])
    marked = {name for name, field in form.fields.items() if field.required or field.help_text}
    assert marked == set(needed_of_new_sheet(kind))
    assert [name for name, field in form.fields.items() if field.required] == ["name"]


def test_a_new_gpu_is_compared_and_applied(paula: Client) -> None:
    upload = typed(paula, "gpu_sheet", {**GPU_ROW, "mem_bw_gb_s": "3 350,5", "fp8_native": ""})
    assert upload.origin == "manual" and "X900" in site.words(paula, "list", upload.pk)
    assert site.decide(paula, "list-apply", upload).status_code == 303
    found = Gpu.objects.get(name="X900")
    assert (found.mem_bw_gb_s, found.bf16_native, found.fp8_native) == (3350.5, True, False)


def test_a_new_model_is_compared_and_applied(paula: Client) -> None:
    upload = typed(paula, "model_sheet", MODEL_ROW)
    assert site.decide(paula, "list-apply", upload).status_code == 303
    found = LanguageModel.objects.get(name="Tiny-1B")
    assert (found.params_total, found.layers, found.tied_embeddings) == (1_100_048_384, 22, False)


def test_one_column_of_a_known_sheet_is_changed_and_the_others_stay(paula: Client) -> None:
    before = Gpu.objects.get(name="RTX 4090")
    upload = typed(paula, "gpu_sheet", {"name": "RTX 4090", "tdp_w": "455"})
    site.decide(paula, "list-apply", upload)
    after = Gpu.objects.get(name="RTX 4090")
    assert (after.tdp_w, after.vram_gb, after.source) == (455.0, before.vram_gb, before.source)


def test_a_new_sheet_without_what_it_needs_is_refused_with_the_names_of_the_columns(paula: Client) -> None:
    upload = typed(paula, "gpu_sheet", {"name": "X900", "vendor": "NVIDIA"})
    text = site.words(paula, "list", upload.pk)
    assert "Application impossible" in text and "mem_bw_gb_s" in text
    assert site.decide(paula, "list-apply", upload).status_code == 422
    assert not Gpu.objects.filter(name="X900").exists()


def test_a_number_that_is_none_is_said_beside_its_field(paula: Client) -> None:
    answer = paula.post(reverse("list-item", args=["gpu_sheet"]), {**GPU_ROW, "vram_gb": "beaucoup"})
    assert answer.status_code == 422 and 'value="beaucoup"' in answer.text
    assert not PriceUpload.objects.exists()


def test_an_empty_field_is_not_said() -> None:
    form = sheetforms.GpuSheetForm({"name": "RTX 4090", "tdp_w": "455"})
    assert form.is_valid()
    assert json.loads(form.content())["rows"] == [{"name": "RTX 4090", "tdp_w": "455"}]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_doors_lead_to_both_forms(paula: Client, language: str) -> None:
    with override(language):
        page = pagetext.words(paula.get(reverse("list-item", args=["sku"])).text)
        told = {"fr": ("Fiche d’un GPU", "Fiche d’un modèle"), "en": ("GPU data sheet", "Model data sheet")}
        assert all(name in page for name in told[language])
        assert paula.get(reverse("list-item", args=["model_sheet"])).status_code == 200
