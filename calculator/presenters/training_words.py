"""Small pieces of language of the training page: names of methods, formats, memory lines, and its quantities."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from calculator import calibrated, formats, permalinks
from calculator.domain.calibration import Framework
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import Line
from calculator.domain.offers import Sku
from calculator.domain.training import Method
from calculator.domain.training_scenario import (
    Fit,
    Numbers,
    Optimizer,
    TrainingEstimate,
    TrainingScenario,
    Utilisation,
    Verdict,
)
from calculator.domain.training_work import SHAPE_NAME
from calculator.domain.units import GIB, Number, to_decimal
from calculator.language import gettext as _
from calculator.presenters import quantities
from calculator.presenters.words import Mark


def gib(size: Number | None) -> str:
    """Bytes as binary gigabytes, the unit in which a 24 GB card holds 24."""
    if size is None:
        return formats.number(None)
    unit = "Gio" if formats.is_french() else "GiB"
    return f"{quantities.digits(to_decimal(size) / GIB)}{formats.NBSP}{unit}"


def needed(fit: Fit) -> str:
    """What one GPU needs: at least the lines that are known."""
    size = gib(fit.memory.needed_bytes)
    return _("au moins %(size)s") % {"size": size} if fit.unknown else size


def verdict(found: Verdict) -> Mark:
    """Whether it runs, in words and class."""
    return {
        Verdict.FITS: Mark(_("tient"), "win"),
        Verdict.MISFIT: Mark(_("ne tient pas"), "lose"),
        Verdict.UNKNOWN: Mark(_("inconnu"), ""),
        Verdict.IMPOSSIBLE: Mark(_("impossible"), "lose"),
        Verdict.BATCH: Mark(_("batch indivisible"), "lose"),
    }[found]


def link(scenario: TrainingScenario, changes: Mapping[str, Any]) -> str:
    """The link of a scenario with an alternative's changes: all of them, so that it gives the alternative's figures."""
    return permalinks.write(replace(scenario, calibration=calibrated.mark(), **changes))


def method_name(method: Method) -> str:
    """The method as the form names it."""
    return {
        Method.QLORA: "QLoRA",
        Method.LORA: "LoRA",
        Method.FULL: _("complet"),
        Method.PRETRAIN: _("pré-entraînement"),
    }[method]


def model_name(model: LanguageModel) -> str:
    """The model's name, or its size where only that is known."""
    if model.name != SHAPE_NAME:
        return model.name
    return _("modèle de %(count)s de paramètres") % {"count": formats.tokens(model.params_total)}


def machine(sku: Sku, instances: int) -> str:
    """“GPU-PRO”, “4 × GPU-PRO”."""
    return sku.code if instances == 1 else f"{formats.number(instances)}{formats.NBSP}×{formats.NBSP}{sku.code}"


def numbers_name(numbers: Numbers) -> str:
    """The number format, which is a name."""
    return numbers.value


def optimizer_name(optimizer: Optimizer) -> str:
    """The optimizer with what its states weigh."""
    return {
        Optimizer.ADAMW: _("AdamW, états sur 32 bits"),
        Optimizer.FUSED: _("AdamW fusionné, mêmes états"),
        Optimizer.EIGHT_BIT: _("AdamW 8 bits"),
        Optimizer.HALF: _("AdamW tout en 16 bits"),
    }[optimizer]


def framework_name(framework: Framework) -> str:
    """The class of software whose efficiency was fitted."""
    return {
        Framework.TRANSFORMERS: "Transformers, PEFT, TRL",
        Framework.FSDP: "PyTorch FSDP",
        Framework.MEGATRON: "Megatron, NeMo",
        Framework.NATIVE: _("code C++/CUDA dédié"),
    }[framework]


def line_name(line: Line) -> str:
    """One line of memory."""
    return {
        Line.WEIGHTS: _("Poids"),
        Line.ADAPTERS: _("Adaptateurs"),
        Line.GRADIENTS: _("Gradients"),
        Line.OPTIMIZER: _("États de l’optimiseur"),
        Line.ACTIVATIONS: _("Activations"),
        Line.LOGITS: _("Logits"),
        Line.RUNTIME: _("Contexte CUDA et bibliothèques"),
        Line.KV_CACHE: _("Cache KV"),
    }[line]


def utilisation_name(kind: Utilisation) -> str:
    """A utilisation with the FLOP that it counts."""
    return {
        Utilisation.SIX: _("MFU compté à 6N, l’usage courant"),
        Utilisation.SIX_ATTENTION: _("MFU à 6N, matrice d’attention entière comprise"),
        Utilisation.METHOD: _("MFU selon la méthode, sans attention"),
        Utilisation.HARDWARE: _("HFU\u00a0: attention causale et recalcul compris"),
    }[kind]


def banded(low: str, high: str) -> str:
    """“de 0,78 à 0,96”: the ends of a band."""
    return _("de %(low)s à %(high)s") % {"low": low, "high": high}


def eur(value: Decimal | None, estimate: TrainingEstimate) -> str:
    """The run's cost, or the words for a price on request and an unknown duration."""
    if value is not None:
        return formats.money(value)
    on_request = estimate.bill is not None and estimate.bill.price is None
    return _("sur devis") if on_request else _("inconnu")


def instances(sku: Sku, count: int) -> str:
    """What is rented, with the GPUs in it where one instance holds several."""
    name = machine(sku, count)
    if sku.gpu_count == 1:
        return name
    return _("%(machine)s (%(gpus)s GPU)") % {"machine": name, "gpus": formats.number(sku.gpu_count * count)}
