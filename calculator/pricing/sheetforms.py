"""Forms for one data sheet of a GPU or of an open-weights model: a file of one line, like a price that is typed in.

The fields are the columns of the table, in its order, so that the file and the form hold the same. An empty field says
nothing: a known sheet keeps what it has, a new one needs what is marked.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.db import models
from django.utils.translation import gettext_lazy as _

from calculator.fields import Limits, NumberField, Quantity, Text, plain
from calculator.pricelist.columns import SHEETS
from calculator.pricelist.contract import FileKind
from calculator.pricelist.otherlines import COUNT_BELOW, SHEET_BELOW
from calculator.pricing.filing import file_of

TEXT_CHARACTERS = 1_000
NEEDED = _("Nécessaire pour une fiche nouvelle.")
FLAGS = (("", _("non précisé")), ("true", _("oui")), ("false", _("non")))
LABELS: Mapping[str, Text] = {
    "name": _("Nom"),
    "aliases": _("Autres noms"),
    "vendor": _("Fabricant"),
    "architecture": _("Architecture"),
    "vram_gb": _("Mémoire (Go)"),
    "driver_mib": _("Mémoire annoncée par le pilote (Mio)"),
    "mem_type": _("Sorte de mémoire"),
    "mem_bw_gb_s": _("Débit de la mémoire (Go/s)"),
    "fp16_tflops_dense_fp32acc": _("FP16 dense, somme en FP32 (TFLOP/s)"),
    "bf16_tflops_dense": _("BF16 dense (TFLOP/s)"),
    "fp16_tflops_dense_fp16acc": _("FP16 dense, somme en FP16 (TFLOP/s)"),
    "fp8_tflops_dense": _("FP8 dense (TFLOP/s)"),
    "int8_tops_dense": _("INT8 dense (TOP/s)"),
    "fp4_tflops_dense": _("FP4 dense (TFLOP/s)"),
    "fp32_tflops": _("FP32 (TFLOP/s)"),
    "nvlink_gen": _("Génération du lien entre GPU"),
    "link_gb_s_per_direction": _("Lien entre GPU, un sens (Go/s)"),
    "link_gb_s_bidirectional": _("Lien entre GPU, deux sens (Go/s)"),
    "pcie_gen": _("Génération PCIe"),
    "pcie_gb_s_per_direction": _("PCIe, un sens (Go/s)"),
    "tdp_w": _("Puissance (W)"),
    "compute_capability": _("Capacité de calcul"),
    "bf16_native": _("BF16 natif"),
    "fp8_native": _("FP8 natif"),
    "fp4_native": _("FP4 natif"),
    "mamf_bf16_tflops": _("BF16 atteint, mesuré (TFLOP/s)"),
    "mamf_fp8_tflops": _("FP8 atteint, mesuré (TFLOP/s)"),
    "measured_mem_bw_gb_s": _("Débit de la mémoire mesuré (Go/s)"),
    "source": _("Source"),
    "note": _("Remarque"),
    "hf_id": _("Identifiant Hugging Face"),
    "is_test": _("Modèle d’essai"),
    "params_total": _("Paramètres"),
    "params_active": _("Paramètres actifs"),
    "params_non_embedding": _("Paramètres hors embeddings"),
    "layers": _("Couches"),
    "hidden": _("Dimension cachée"),
    "heads": _("Têtes d’attention"),
    "kv_heads": _("Têtes clé-valeur"),
    "head_dim": _("Dimension d’une tête"),
    "intermediate": _("Dimension intermédiaire"),
    "vocab": _("Vocabulaire"),
    "tied_embeddings": _("Embeddings liés"),
    "gated_mlp": _("MLP à porte"),
    "max_context": _("Contexte (tokens)"),
    "sliding_window": _("Fenêtre glissante (tokens)"),
    "sliding_pattern": _("Couches à fenêtre glissante"),
    "attention": _("Attention"),
    "q_lora_rank": _("Rang des requêtes (MLA)"),
    "kv_lora_rank": _("Rang clé-valeur (MLA)"),
    "qk_nope_head_dim": _("Dimension sans position (MLA)"),
    "qk_rope_head_dim": _("Dimension de position (MLA)"),
    "v_head_dim": _("Dimension des valeurs (MLA)"),
    "n_experts": _("Experts"),
    "experts_top_k": _("Experts par token"),
    "moe_intermediate": _("Dimension d’un expert"),
    "shared_experts": _("Experts partagés"),
    "shared_intermediate": _("Dimension des experts partagés"),
    "moe_layers": _("Couches à experts"),
    "dense_layers": _("Couches denses"),
    "kv_bytes_per_token_16bit": _("Cache clé-valeur par token, 16 bits (octets)"),
    "native_dtype": _("Format natif"),
}


class SheetForm(forms.Form):
    """One data sheet; `kind` says of what."""

    kind: FileKind

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = [column for column in SHEETS[self.kind]._meta.fields if not column.primary_key]
        for column in sorted(columns, key=lambda one: not is_needed(one)):
            self.fields[column.name] = field_of(column)

    def content(self) -> bytes:
        """The sheet as a file of one line."""
        return file_of(self.kind, {name: said(value) for name, value in self.cleaned_data.items()})


class GpuSheetForm(SheetForm):
    """The data sheet of a GPU."""

    kind = FileKind.GPU_SHEET


class ModelSheetForm(SheetForm):
    """The dimensions of an open-weights model."""

    kind = FileKind.MODEL_SHEET


def is_needed(column: "models.Field[Any, Any]") -> bool:
    """Whether a new sheet cannot be recorded without this column."""
    return not (column.null or column.blank or column.has_default())


def field_of(column: "models.Field[Any, Any]") -> forms.Field:
    """The field for one column; only the name is needed of a sheet that is known."""
    told: dict[str, Any] = {"label": LABELS[column.name], "required": column.name == "name"}
    if is_needed(column) and column.name != "name":
        told["help_text"] = NEEDED
    if isinstance(column, models.BooleanField):
        return forms.ChoiceField(choices=FLAGS, **told)
    if isinstance(column, models.FloatField):
        return NumberField(Quantity(Limits(Decimal(0), SHEET_BELOW)), **told)
    if isinstance(column, models.IntegerField):
        return NumberField(Quantity(Limits(Decimal(0), Decimal(COUNT_BELOW)), whole=True), **told)
    return forms.CharField(max_length=column.max_length or TEXT_CHARACTERS, **told)


def said(value: object) -> str:
    """A value of the form as a file writes it; "" for what was left empty."""
    return plain(value) if isinstance(value, Decimal) else str(value or "")
