"""The forms of the calculators, each in the module of its name."""

from calculator.forms.base import MAX_TEXT_CHARACTERS, Fieldset, NumberSpec, ScenarioForm
from calculator.forms.economics import Choices, EconomicsForm

__all__ = ["MAX_TEXT_CHARACTERS", "Choices", "EconomicsForm", "Fieldset", "NumberSpec", "ScenarioForm"]
