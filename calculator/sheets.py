"""Data sheets of GPUs and open-weights models, and how one is found by name.

`gpu_sheets` and `language_models` read the database; what the calculators look up is kept in process memory under the
newest version, since the sheets change only with one. An empty table is never kept: the fixtures may still be on their
way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from calculator import state
from calculator.accuracy.sheets import SAME_SHAPE
from calculator.domain.hardware import Gpu, Roofs
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Sku
from calculator.models import Gpu as GpuRecord
from calculator.models import LanguageModel as ModelRecord

MEASURED = "roofs"
"""The field that no data sheet has: it comes from our own published probes."""
TUNED = ("-instruct", "-chat", "-it", "-base")
"""What a publisher appends to the name of a checkpoint that was trained further: its dimensions are the same."""


@dataclass(frozen=True, slots=True)
class Sheets:
    """Every sheet in order of name, and by each of its names in small letters."""

    gpus: tuple[Gpu, ...]
    models: tuple[LanguageModel, ...]
    gpu_by_name: Mapping[str, Gpu]
    model_by_name: Mapping[str, LanguageModel]


def stored[D: Gpu | LanguageModel](kind: type[D], record: GpuRecord | ModelRecord) -> D:
    """A stored data sheet as the formulas know it: the columns bear the names of its fields."""
    return kind(**{field.name: getattr(record, field.name) for field in fields(kind) if field.name != MEASURED})


def gpu_sheets() -> tuple[Gpu, ...]:
    """The GPU data sheets by name."""
    return tuple(stored(Gpu, record) for record in GpuRecord.objects.order_by("name"))


def language_models(include_test: bool = False) -> tuple[LanguageModel, ...]:
    """The open-weights models by name; test models (random weights) only when asked for."""
    records = ModelRecord.objects.order_by("name")
    shown = records if include_test else records.filter(is_test=False)
    return tuple(stored(LanguageModel, record) for record in shown)


def gpu_names(gpu: Gpu) -> list[str]:
    """A GPU's name and its aliases, in small letters."""
    names = (gpu.name, *gpu.aliases.split(";"))
    return [name.strip().casefold() for name in names if name.strip()]


def untuned(name: str) -> str:
    """A model's name in small letters without its publisher and without what marks further training.

    >>> untuned("mistralai/Mistral-7B-Instruct-v0.3")
    'mistral-7b-v0.3'
    """
    short = name.casefold().rpartition("/")[2]
    for word in TUNED:
        head, found, tail = short.rpartition(word)
        if found and (not tail or tail.startswith("-")):
            return head + tail
    return short


def model_names(model: LanguageModel) -> list[str]:
    """A model's name, its repository's with and without the publisher, and names of the same dimensions."""
    twins = [other for other, owner in SAME_SHAPE.items() if owner == model.name]
    names = (model.name, model.hf_id, model.hf_id.rpartition("/")[2], untuned(model.hf_id), *twins)
    return [name.casefold() for name in names if name]


def by_name[D: Gpu | LanguageModel](sheets: Iterable[tuple[D, list[str]]]) -> dict[str, D]:
    """Sheets by each of their names; the first name of a sheet goes before another one's alias."""
    listed = list(sheets)
    found = {names[0]: sheet for sheet, names in listed}
    for sheet, names in listed:
        for name in names[1:]:
            found.setdefault(name, sheet)
    return found


_kept: dict[int | None, Sheets] = {}


def current() -> Sheets:
    """The sheets of the newest version: two queries the first time in a process, none until another version comes."""
    number = state.current().newest_version
    if number in _kept:
        return _kept[number]
    gpus, known = gpu_sheets(), language_models()
    sheets = Sheets(
        gpus, known, by_name((gpu, gpu_names(gpu)) for gpu in gpus), by_name((one, model_names(one)) for one in known)
    )
    if gpus and known:
        _kept.clear()
        _kept[number] = sheets
    return sheets


def forget() -> None:
    """Drop what is kept in process memory."""
    _kept.clear()


def gpu(name: str) -> Gpu | None:
    """The GPU of that name or alias in any case; None when there is none."""
    return current().gpu_by_name.get(name.strip().casefold())


def gpu_of(sku: Sku, roofs: Mapping[str, Roofs]) -> Gpu | None:
    """The GPU of an offer with what was measured of it; None where the catalogue has no sheet. What was measured of
    one offer says nothing about another one with the same card."""
    found = gpu(sku.gpu) if sku.gpu else None
    measured = None if sku.is_test_host else roofs.get(sku.code)
    return found if found is None or measured is None else replace(found, roofs=measured)


def language_model(name: str) -> LanguageModel | None:
    """The model of that name in any case: the catalogue's, its repository's, or a tuned variant's; None otherwise."""
    known, folded = current().model_by_name, name.strip().casefold()
    return known.get(folded) or known.get(untuned(folded))


def gpus() -> tuple[Gpu, ...]:
    """Every GPU sheet in order of name."""
    return current().gpus


def models() -> tuple[LanguageModel, ...]:
    """Every open-weights model in order of name, without the test models."""
    return current().models
