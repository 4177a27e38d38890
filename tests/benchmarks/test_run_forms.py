"""What may be asked of a measurement, as it is typed."""

import pytest
from django.utils import translation

from benchmarks import forms
from benchmarks.services import RunConfig

GOOD = {"concurrencies": "1, 2, 4, 8", "requests": "128", "prompt": "128", "output": "128", "seed": ""}


def errors(**values: str) -> dict[str, list[str]]:
    form = forms.RunForm(GOOD | values)
    return {name: [str(error) for error in found] for name, found in form.errors.items()}


def config(**values: str) -> RunConfig:
    form = forms.RunForm(GOOD | values)
    assert form.is_valid(), form.errors
    return form.to_config()


def test_the_defaults_are_valid_and_mean_what_they_show() -> None:
    assert config() == RunConfig((1, 2, 4, 8), 128, 128, 128, None)
    shown = forms.RunForm(initial=forms.INITIAL)
    assert shown["concurrencies"].value() == "1, 2, 4, 8"


@pytest.mark.parametrize("text", ["8 4;2,1", "1,2,4,8", " 1 2  4 8 ", "8,8,4,2,1,1"])
def test_steps_are_sorted_and_each_once(text: str) -> None:
    assert config(concurrencies=text).concurrencies == (1, 2, 4, 8)


@pytest.mark.parametrize("text", ["0", "33", "-1", "1.5", "zwei", "1e3", "٣", "9" * 90, "NaN", "1, 2, x"])
def test_a_step_that_is_none_is_named(text: str) -> None:
    with translation.override("fr"):
        (sentence,) = errors(concurrencies=text)["concurrencies"]
    assert "entre 1 et 32" in sentence
    assert len(sentence) < 150


def test_no_step_and_too_many_steps_are_refused() -> None:
    assert errors(concurrencies=" , ")["concurrencies"]
    assert errors(concurrencies="")["concurrencies"]
    assert errors(concurrencies=",".join(map(str, range(1, 10))))["concurrencies"]


@pytest.mark.parametrize("name", ["requests", "prompt", "output"])
@pytest.mark.parametrize("text", ["", "0", "-5", "1,5", "abc", "NaN", "inf", "10000", "1e9"])
def test_counts_outside_their_limits_are_refused_beside_their_field(name: str, text: str) -> None:
    assert list(errors(**{name: text})) == [name]


def test_both_ways_of_writing_thousands_are_read() -> None:
    assert config(prompt="1 024").prompt_tokens == config(prompt="1,024").prompt_tokens == 1024


def test_a_seed_is_optional_and_kept_when_given() -> None:
    assert config(seed="").seed is None
    assert config(seed="42").seed == 42
    assert errors(seed=str(2**31))["seed"]


def test_sentences_come_in_both_languages() -> None:
    with translation.override("en"):
        assert errors(concurrencies="x") == {"concurrencies": ["“x” is not a number of streams between 1 and 32."]}
    with translation.override("fr"):
        french = "«\u00a0x\u00a0» n’est pas un nombre de flux entre 1 et 32."
        assert errors(concurrencies="x") == {"concurrencies": [french]}
