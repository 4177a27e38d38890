"""What the page of a new measurement shows: the form, a preset for each offer, the forecast of time and cost."""

from typing import Any

from benchmarks import engineform, forecast, presets, vllmconfig
from benchmarks.forms import INITIAL, RunForm


def first(code: str, config: str = "") -> dict[str, Any]:
    """The form filled for an offer, or with the usual values, and what these would take.

    `config` is a vLLM configuration that comes from the inference page.
    """
    initial = presets.initial(code, INITIAL)
    if config:
        initial |= {"engine": engineform.VLLM, "config": config[: vllmconfig.LONGEST_TEXT]}
    asked = RunForm({name: str(value) for name, value in initial.items()})
    return context(RunForm(initial=initial)) | told(asked) | {"preset": initial.get("sku", "")}


def context(form: RunForm) -> dict[str, Any]:
    return {"form": form, "offers": presets.offers()}


def told(form: RunForm) -> dict[str, Any]:
    """The forecast of what a form asks for; nothing for one that cannot be read."""
    if not form.is_valid():
        return {}
    return {"forecast": forecast.words(forecast.forecast(form.to_config(), form.repeats_count()))}
