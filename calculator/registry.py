"""The calculators by name: one view, one set of exports, one command and one snapshot serve every one of them.

A calculator is open (it answers) or only announced; an announced one has a title and nothing that looks like a result.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from calculator import permalinks
from calculator.fields import Text
from calculator.tool import Calculator, Preset
from calculator.tools import economics, inference, parallelism, tokens, training

ECONOMICS = economics.TOOL.name


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


TOOLS: tuple[Calculator, ...] = (economics.TOOL, inference.TOOL, training.TOOL, parallelism.TOOL, tokens.TOOL)
"""In the order of the pages' navigation."""
CALCULATORS: Mapping[str, Calculator] = {tool.name: tool for tool in TOOLS}
DOORS: Mapping[str, Door] = {}
"""Announced and not open yet: none."""


def defaults_of(tool: Calculator) -> Mapping[str, Any]:
    """The documented defaults of a calculator's scenario, by attribute; what has none is absent."""
    listed = fields(tool.notation.scenario)
    return {item.name: item.default for item in listed if item.default is not MISSING}


def preset_links(tool: Calculator, scenario: Any) -> tuple[PresetLink, ...]:
    """The cases, each replacing every input; the one that is now shown is marked."""
    return tuple(
        PresetLink(preset.code, str(preset.title), preset.query, is_shown(tool, preset, scenario))
        for preset in tool.presets
    )


def is_shown(tool: Calculator, preset: Preset, scenario: Any) -> bool:
    """Whether `scenario` is the preset's case: its values, and the defaults for all the others."""
    if not preset.fits(scenario):
        return False
    default = type(scenario)(catalog_version=scenario.catalog_version, at=scenario.at)
    return bool(tool.own(preset.applied(default)) == tool.own(scenario))


def profile_links(tool: Calculator, scenario: Any) -> tuple[PresetLink, ...]:
    """The profiles, each changing one input of the scenario now shown and keeping the others."""
    return tuple(
        PresetLink(profile.code, str(profile.title), _changed(profile, scenario), profile.fits(scenario))
        for profile in tool.profiles
    )


def _changed(profile: Preset, scenario: Any) -> str:
    return permalinks.write(scenario, **profile.attributes(scenario))
