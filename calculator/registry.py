"""The calculators by name: one view, one set of exports, one command and one snapshot serve every one of them.

A calculator is open (it answers) or only announced; an announced one has a title and nothing that looks like a result.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from calculator import answers, charts, permalinks
from calculator.domain.scenario import EconomicsEstimate, EconomicsScenario
from calculator.fields import Text
from calculator.forms import EconomicsForm

ECONOMICS = "economics"


@dataclass(frozen=True, slots=True)
class Preset:
    """A named case as changes to the default scenario, in the keys and notation of the link."""

    code: str
    title: Text
    changes: Mapping[str, str]

    @property
    def query(self) -> str:
        return encoded(tuple(self.changes.items()))

    def applied(self, scenario: EconomicsScenario) -> EconomicsScenario:
        """`scenario` with the preset's changes."""
        return replace(scenario, **changed_attributes(self.query))


@functools.cache
def encoded(changes: tuple[tuple[str, str], ...]) -> str:
    """The query of a preset, written once a process."""
    return urlencode((("v", permalinks.VERSION), *changes), safe=":/")


@functools.cache
def changed_attributes(query: str) -> Mapping[str, Any]:
    """The scenario's attributes that a preset's query sets, read once a process."""
    pairs = QueryDict(query)
    keys = [permalinks.BY_NAME[name] for name in pairs if name in permalinks.BY_NAME]
    return {key.attribute: key.parse(pairs[key.name]) for key in keys}


@dataclass(frozen=True, slots=True)
class Calculator:
    """An open calculator: its form, the ways to an answer, its presets (whole cases) and profiles (one change)."""

    name: str
    title: Text
    form: type[EconomicsForm]
    from_link: Callable[[QueryDict], answers.Outcome]
    from_form: Callable[[QueryDict], answers.Outcome]
    answer: Callable[[EconomicsScenario], answers.Answer]
    presets: tuple[Preset, ...]
    profiles: tuple[Preset, ...]
    charts: Callable[[EconomicsEstimate], Any]


@dataclass(frozen=True, slots=True)
class Door:
    """A calculator that is announced and answers nothing yet."""

    name: str
    title: Text


@dataclass(frozen=True, slots=True)
class PresetLink:
    """A preset as a link from the page now shown."""

    code: str
    title: str
    query: str
    is_current: bool


PRESETS = (
    Preset("prototype", gettext_lazy("Prototype 10\u00a0M"), {"volume": "10000000"}),
    Preset("team", gettext_lazy("Équipe 50\u00a0M"), {"volume": "50000000"}),
    Preset("internal", gettext_lazy("Interne 100\u00a0M"), {"volume": "100000000"}),
    Preset("production", gettext_lazy("Production 300\u00a0M"), {"volume": "300000000"}),
    Preset("prompt", gettext_lazy("Avec prompts, 4 pour 1"), {"volume": "100000000", "in": "2000", "out": "500"}),
    Preset(
        "hours_used",
        gettext_lazy("GPU-TITAN à l’usage"),
        {"volume": "100000000", "sku": "GPU-TITAN", "basis": "hour", "rental": "hours_used"},
    ),
)
PROFILES = (
    Preset("office", gettext_lazy("Bureau 24\u00a0%"), {"util": "0.24"}),
    Preset("steady", gettext_lazy("Interne 65\u00a0%"), {"util": "0.65"}),
    Preset("batch", gettext_lazy("Batch 90\u00a0%"), {"util": "0.90"}),
)

CALCULATORS: Mapping[str, Calculator] = {
    ECONOMICS: Calculator(
        name=ECONOMICS,
        title=gettext_lazy("Économie des tokens"),
        form=EconomicsForm,
        from_link=answers.from_link,
        from_form=answers.from_form,
        answer=answers.answer,
        presets=PRESETS,
        profiles=PROFILES,
        charts=charts.break_even,
    )
}
DOORS: Mapping[str, Door] = {
    door.name: door
    for door in (
        Door("inference", gettext_lazy("Inférence")),
        Door("training", gettext_lazy("Entraînement")),
        Door("parallelism", gettext_lazy("Multi-GPU")),
        Door("tokens", gettext_lazy("Tokens")),
    )
}


def default_of(attribute: str) -> Any:
    """The documented default of one attribute of the economics scenario."""
    return next(item.default for item in fields(EconomicsScenario) if item.name == attribute)


def preset_links(tool: Calculator, scenario: EconomicsScenario) -> tuple[PresetLink, ...]:
    """The cases, each replacing every input; the one that is now shown is marked."""
    default = EconomicsScenario(catalog_version=scenario.catalog_version, at=scenario.at)
    shown = replace(scenario, figure_id=None, usd_per_eur=None)
    return tuple(
        PresetLink(preset.code, str(preset.title), preset.query, preset.applied(default) == shown)
        for preset in tool.presets
    )


def profile_links(tool: Calculator, scenario: EconomicsScenario) -> tuple[PresetLink, ...]:
    """The profiles, each changing one input of the scenario now shown and keeping the others."""
    applied = ((profile, profile.applied(scenario)) for profile in tool.profiles)
    return tuple(
        PresetLink(profile.code, str(profile.title), permalinks.write(changed), changed == scenario)
        for profile, changed in applied
    )
