"""What each GPU is good for, as tables: derived ratings, the published ones beside them, one recommendation a job."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings

from calculator import calibrated, catalog, formats, sheets
from calculator.domain import ratings as domain
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Sku
from calculator.domain.provenance import Kind
from calculator.domain.ratings import Job, Rating, Ratings, Reason, Recommendation, Word
from calculator.domain.training import Method
from calculator.language import gettext as _
from calculator.presenters import quantities
from calculator.presenters.badges import Badge, of_kind

REFERENCE_MODEL = "Llama-3.1-8B"
PUBLISHED_FILE = "published_ratings.json"
SAME, NEAR = 0, 1
KEPT_AT_MOST = 16


class JobCell(NamedTuple):
    """One job of one GPU: its word, its throughput, what stands behind it."""

    word: str
    value: str
    detail: str


class Line(NamedTuple):
    """One GPU."""

    name: str
    training: JobCell
    inference: JobCell
    fits: str
    trains: str
    cost: tuple[str, ...]


class Claim(NamedTuple):
    """What the offer publishes of one GPU, and whether the calculation agrees."""

    name: str
    training_claim: str
    training: str
    training_verdict: str
    inference_claim: str
    inference: str
    inference_verdict: str
    best_use: str


class Advice(NamedTuple):
    """One GPU for one job, with its reason and its weakest evidence."""

    title: str
    text: str
    evidence: Badge | None
    band: str


class RatingTable(NamedTuple):
    """The section of ratings."""

    model: str
    rule: str
    advice: tuple[Advice, ...]
    same_note: str
    lines: tuple[Line, ...]
    claims: tuple[Claim, ...]
    claim_badge: Badge | None


@lru_cache(maxsize=1)
def published() -> tuple[dict[str, Any], ...]:
    """The ratings that the offer prints, by GPU."""
    text = (settings.BASE_DIR / "fixtures" / PUBLISHED_FILE).read_text(encoding="utf-8")
    return tuple(json.loads(text))


def skus_by_gpu(skus: Iterable[Sku]) -> dict[str, tuple[Sku, ...]]:
    """The offers of each data sheet, test hosts left out."""
    found: dict[str, tuple[Sku, ...]] = {}
    for sku in skus:
        sheet = sheets.gpu(sku.gpu) if sku.gpu and not sku.is_test_host else None
        if sheet is not None:
            found[sheet.name] = (*found.get(sheet.name, ()), sku)
    return found


class Offers(tuple[Sku, ...]):
    """Offers that compare by what a rating reads of them: code, GPU, count, prices."""

    __slots__ = ()

    def read(self) -> tuple[Any, ...]:
        """What a rating reads."""
        return tuple((sku.code, sku.gpu, sku.gpu_count, *(one.value for one in sku.prices.values())) for sku in self)

    def __hash__(self) -> int:
        return hash(self.read())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offers) and self.read() == other.read()


@lru_cache(maxsize=KEPT_AT_MOST)
def rated(offers: Offers) -> Ratings | None:
    """Computed once for the same offers: the sheets and the calibration are those of the process."""
    reference = sheets.language_model(REFERENCE_MODEL)
    if reference is None:
        return None
    by_gpu = skus_by_gpu(offers)
    return domain.ratings(sheets.gpus(), sheets.models(), reference, by_gpu, calibrated.calibration())


def table() -> RatingTable | None:
    """The section as of now; None while there is no catalogue to rate by."""
    try:
        scenario = catalog.default_scenario()
    except catalog.NotFound:
        return None
    found = rated(Offers(catalog.sku_choices(scenario.catalog_version, scenario.at)))
    return None if found is None else shown(found)


def shown(found: Ratings) -> RatingTable:
    """Ratings in words."""
    by_name = {row.gpu.name: row for row in found.rows}
    same = found.training.sku is not None and found.training.sku is found.inference.sku
    return RatingTable(
        model=found.model.name,
        rule=rule(found.model),
        advice=(advice(found.training), advice(found.inference)),
        same_note=_same_note() if same else "",
        lines=tuple(line(row) for row in by_worth(found.rows)),
        claims=tuple(claim(row, by_name[row["gpu"]]) for row in published() if row["gpu"] in by_name),
        claim_badge=of_kind(Kind.CLAIM),
    )


def by_worth(rows: Iterable[Rating]) -> list[Rating]:
    """The best for inference first, what is not rated last."""
    return sorted(rows, key=lambda row: -(row.inference.tok_per_s or 0.0))


def rule(model: LanguageModel) -> str:
    """What a word means."""
    return _(
        "Le mot est le quart du classement par débit, sur un GPU seul\u00a0: %(model)s, prompts de %(prompt)s tokens "
        "et réponses de %(output)s pour l’inférence\u00a0; LoRA de rang %(rank)s pour l’entraînement. Un GPU où le "
        "modèle ne tient qu’en 4 bits est classé au plus «\u00a0correct\u00a0» ou «\u00a0limité\u00a0». Le classement "
        "part des fiches techniques\u00a0: les plafonds mesurés valent pour une offre, pas pour un modèle de GPU."
    ) % {
        "model": model.name,
        "prompt": formats.number(domain.PROMPT_TOKENS),
        "output": formats.number(domain.OUTPUT_TOKENS),
        "rank": formats.number(domain.LORA_RANK),
    }


def _same_note() -> str:
    return _(
        "Le calcul désigne ici la même carte pour les deux\u00a0: la moins chère par token. Dès qu’il faut plus de "
        "mémoire qu’elle n’en a, ou tenir un délai, les deux choix se séparent."
    )


def word_of(word: Word | None) -> str:
    """A rating in words."""
    if word is None:
        return _("non noté")
    return {
        Word.VERY_GOOD: _("très bon"),
        Word.GOOD: _("bon"),
        Word.FAIR: _("correct"),
        Word.LIMITED: _("limité"),
    }[word]


def reason_of(reason: Reason | None, vendor: str) -> str:
    """Why a GPU is not rated."""
    if reason is None:
        return ""
    return {
        Reason.VENDOR: _("les moteurs ne sont pas modélisés sur les GPU %(vendor)s") % {"vendor": vendor},
        Reason.NO_PEAK: _("aucun pic de calcul sur sa fiche"),
        Reason.DOES_NOT_FIT: _("le modèle de référence n’y tient pas"),
    }[reason]


def job_cell(job: Job, vendor: str) -> JobCell:
    """One job in words: the word, tok/s, share of the best."""
    if job.tok_per_s is None:
        return JobCell(word_of(None), "", reason_of(job.reason, vendor))
    share = _("%(share)s du meilleur") % {"share": formats.percent(job.share)}
    parts = [share, _("en 4 bits seulement") if job.reduced else ""]
    if job.best is not None:
        parts.append(_("%(rate)s sous 100\u00a0ms et 60 tok/s") % {"rate": _rate(job.best.output_tok_per_s)})
    return JobCell(word_of(job.word), _rate(job.tok_per_s), " · ".join(part for part in parts if part))


def _rate(value: float) -> str:
    return f"{quantities.digits(value)}{formats.NBSP}tok/s"


def line(row: Rating) -> Line:
    """One GPU in words."""
    return Line(
        name=row.gpu.name,
        training=job_cell(row.training, row.gpu.vendor),
        inference=job_cell(row.inference, row.gpu.vendor),
        fits=fits(row),
        trains=trains(row),
        cost=cost(row),
    )


def fits(row: Rating) -> str:
    """The largest models served."""
    served = row.fit.served
    if not served:
        return "—"
    parts = ((_("16 bits"), served["fp16"]), (_("8 bits"), served["fp8"]), (_("4 bits"), served["awq-int4"]))
    return " · ".join(formats.labelled(name, model.name if model else _("aucun")) for name, model in parts)


def trains(row: Rating) -> str:
    """Which trainings of the reference model fit."""
    names = {Method.QLORA: "QLoRA", Method.LORA: "LoRA", Method.FULL: _("complet")}
    held = [names[method] for method, holds in row.fit.trained.items() if holds]
    if not row.fit.trained:
        return "—"
    return ", ".join(held) or _("aucun entraînement")


def cost(row: Rating) -> tuple[str, ...]:
    """What a million tokens costs on each offer; or that there is none, or none with a price."""
    if row.costs:
        return tuple(
            _("%(sku)s\u00a0: %(output)s / 1M produits, %(trained)s / 1M entraînés")
            % {
                "sku": one.sku.code,
                "output": formats.unit_price(one.output_eur, unknown="—"),
                "trained": formats.unit_price(one.trained_eur, unknown="—"),
            }
            for one in row.costs
        )
    return (_("sur devis"),) if row.on_request else (_("pas au catalogue"),)


def verdict(claimed: int, job: Job) -> str:
    """Whether the calculation agrees with a published rating."""
    if job.word is None:
        return _("non vérifiable")
    gap = abs(claimed - job.word)
    if gap == SAME:
        return _("confirmé")
    if gap == NEAR:
        return _("un cran de plus") if job.word > claimed else _("un cran de moins")
    return _("contredit")


def claims_in_words() -> dict[str, str]:
    """The published words and uses in the reader's language."""
    return {
        "very good": _("très bon"),
        "good": _("bon"),
        "fair": _("moyen"),
        "with care": _("avec précaution"),
        "distributed LLM training": _("entraînement de LLM distribué"),
        "medium training, high-performance inference": _("entraînement moyen, inférence performante"),
        "production inference at reduced cost": _("inférence de production à coût réduit"),
        "prototypes, small models": _("prototypes, petits modèles"),
        "massive training, inference": _("entraînement massif, inférence"),
    }


def claim(row: dict[str, Any], rated: Rating) -> Claim:
    """One published line beside the calculation."""
    said = claims_in_words()
    return Claim(
        name=row["gpu"],
        training_claim=said[row["training_claim"]],
        training=word_of(rated.training.word),
        training_verdict=verdict(row["training"], rated.training),
        inference_claim=row["inference_claim"],
        inference=word_of(rated.inference.word),
        inference_verdict=verdict(row["inference"], rated.inference),
        best_use=said[row["best_use"]],
    )


def advice(found: Recommendation) -> Advice:
    """One GPU for one job."""
    title = _("Pour entraîner") if found.job == "training" else _("Pour servir")
    fastest = found.fastest.name if found.fastest else _("aucun")
    if found.sku is None:
        text = _("Aucune offre avec un prix ne tient cette tâche. Le plus rapide du catalogue\u00a0: %(fastest)s.")
        return Advice(title, text % {"fastest": fastest}, None, "")
    values = {
        "sku": f"{found.sku.code} ({found.sku.gpu})",
        "price": formats.unit_price(found.eur_per_mtok),
        "fastest": fastest,
    }
    return Advice(title, _advice_text(found) % values, of_kind(found.evidence), _band(found))


def _advice_text(found: Recommendation) -> str:
    if found.job == "training":
        return _(
            "%(sku)s\u00a0: le moins cher par token entraîné, %(price)s HT par million à pleine charge, parmi les "
            "offres qui tiennent LoRA en 16 bits. Le plus rapide du catalogue\u00a0: %(fastest)s."
        )
    if found.by_target:
        return _(
            "%(sku)s\u00a0: le moins cher par token produit sous 100\u00a0ms et 60 tok/s, %(price)s HT par million à "
            "pleine charge. Le plus rapide du catalogue\u00a0: %(fastest)s."
        )
    return _(
        "%(sku)s\u00a0: le moins cher par token produit, %(price)s HT par million à pleine charge. Aucune offre avec "
        "un prix ne tient 100\u00a0ms avant le premier token pour ces prompts. Le plus rapide du catalogue\u00a0: "
        "%(fastest)s."
    )


def _band(found: Recommendation) -> str:
    if found.low_ratio is None or found.high_ratio is None:
        return ""
    return _("8 mesures publiées sur 10 tombent entre %(low)s et %(high)s du débit calculé.") % {
        "low": formats.percent(found.low_ratio),
        "high": formats.percent(found.high_ratio),
    }
