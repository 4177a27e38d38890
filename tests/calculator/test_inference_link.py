"""The inference link: both directions, every key with bad input, and thousands of random queries without an error."""

import datetime as dt
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import answers, permalinks
from calculator.domain.calibration import Engine, Era
from calculator.domain.llm import LOCAL_LAYERS
from calculator.domain.offers import Basis
from calculator.domain.serving_scenario import CachePrecision, InferenceScenario, LoadBy
from calculator.fields import Quantity
from calculator.forms import MAX_TEXT_CHARACTERS
from calculator.forms.inference import InferenceForm
from calculator.permalinks import inference as notation
from calculator.tools.inference import TOOL, default_scenario
from tests import factories

NUMBER_KEYS = sorted(key.name for key in notation.KEYS if key.quantity)
CHOICES = ("prec", "kv", "engine", "era", "load", "basis", "tied", "pattern")
HUGE = "9" * 40
BAD_NUMBERS = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,5", "", "0x10", "٣"]
BAD_CHOICES = ["", "zork", "VLLM ", HUGE, "fp16,fp8", "\x00"]
DIMENSIONS = ("params", "active", "layers", "width", "heads", "kv_heads", "head_dim", "intermediate", "vocab")
# A described model needs all of its sizes: one alone is told as incomplete, whatever its text.
ALONE = {"params", "layers", "width", "heads", "vocab"}


def of(quantity: Quantity) -> st.SearchStrategy[Any]:
    """Values that the quantity takes, in the type of the scenario."""
    low, high = quantity.limits.low, quantity.limits.high
    if quantity.whole:
        return st.integers(int(low), int(high))
    return st.decimals(low, high, places=4, allow_nan=False).filter(quantity.takes)


KEY_OF = {key.attribute: key for key in notation.KEYS}


@st.composite
def scenarios(draw: st.DrawFn) -> InferenceScenario:
    """Scenarios of the whole notation but the described model, whose sizes bind each other."""
    values: dict[str, Any] = {}
    for key in notation.KEYS:
        described = key.name in (*DIMENSIONS, "context", "experts", "topk", "latent", "rope", "window")
        if key.quantity is None or described or key.attribute == "catalog_version":
            continue
        found = of(key.quantity)
        values[key.attribute] = draw(st.none() | found if key.name in notation.OPTIONAL else found)
    load = draw(st.sampled_from(LoadBy))
    if load is LoadBy.RATE and values["requests_per_s"] is None:
        values["requests_per_s"] = Decimal(1)
    return InferenceScenario(
        catalog_version=1,
        at=factories.NOW,
        model=draw(st.sampled_from(["Mistral-7B-v0.3", "Llama-3-8B", "Mine, really"])),
        sku=draw(st.sampled_from(["GPU-PRO", "GPU-TITAN"])),
        gpu=draw(st.sampled_from(["", "RTX 4090", "H100-HBM2e-96GB (500W)"])),
        precision=draw(st.sampled_from(notation.PRECISION_CODES)),
        cache=draw(st.sampled_from(CachePrecision)),
        engine=draw(st.sampled_from(Engine)),
        era=draw(st.sampled_from(Era)),
        load=load,
        basis=draw(st.sampled_from(Basis)),
        tied=draw(st.booleans()),
        window_pattern=draw(st.sampled_from(["", *LOCAL_LAYERS])),
        also_ranked=tuple(draw(st.lists(st.sampled_from(notation.PRECISION_CODES), unique=True, max_size=4))),
        calibration=draw(st.sampled_from(["", "0123456789ab"])),
        **values,
    )


@given(scenario=scenarios())
def test_a_link_read_back_is_the_scenario(scenario: InferenceScenario) -> None:
    reading = permalinks.read(QueryDict(permalinks.write(scenario)), InferenceScenario(1, factories.NOW))
    assert reading.problems == ()
    assert reading.scenario == scenario


def test_a_described_model_is_read_back_whole() -> None:
    scenario = InferenceScenario(
        1,
        factories.NOW,
        model="Mine",
        params=46_702_792_704,
        active_params=12_879_925_248,
        layers=32,
        hidden=4096,
        heads=32,
        kv_heads=8,
        head_dim=128,
        intermediate=14_336,
        vocab=32_000,
        max_context=32_768,
        experts=8,
        experts_top_k=2,
        window=4096,
        window_pattern="all layers",
    )
    assert (
        permalinks.read(QueryDict(permalinks.write(scenario)), InferenceScenario(1, factories.NOW)).scenario == scenario
    )


def test_every_attribute_of_the_scenario_has_its_key() -> None:
    assert {key.attribute for key in notation.KEYS} == set(InferenceScenario.__dataclass_fields__)


def test_patterns_are_written_as_words_without_spaces() -> None:
    scenario = InferenceScenario(1, factories.NOW, window_pattern="5 local : 1 global")
    assert "pattern=five_of_six" in permalinks.write(scenario)


def test_a_rate_load_needs_its_rate() -> None:
    reading = permalinks.read(QueryDict("load=rate"), InferenceScenario(1, factories.NOW))
    assert [problem.key for problem in reading.problems] == ["rps"]


@pytest.mark.django_db
class TestBadInput:
    """Every key and every field: a sentence beside it, the rest kept."""

    @pytest.mark.parametrize("key", NUMBER_KEYS)
    def test_a_bad_number_in_a_link_is_told_by_its_key(self, seeded: None, key: str) -> None:
        for text in BAD_NUMBERS:
            outcome = answers.from_link(TOOL, QueryDict(urlencode({key: text})))
            assert outcome.answer is None, text
            assert {problem.key for problem in outcome.problems} == {key}, text

    @pytest.mark.parametrize("key", CHOICES)
    def test_a_bad_choice_in_a_link_is_told_by_its_key(self, seeded: None, key: str) -> None:
        for text in BAD_CHOICES:
            outcome = answers.from_link(TOOL, QueryDict(urlencode({key: text})))
            assert outcome.answer is None, text
            assert {problem.key for problem in outcome.problems} == {key}, text

    @pytest.mark.parametrize("name", sorted(InferenceForm.NUMBERS))
    def test_a_bad_number_in_a_field_stands_beside_it_and_the_rest_is_kept(self, seeded: None, name: str) -> None:
        other = "hours" if name != "hours" else "util"
        for text in ("abc", HUGE, "-5", "1e3", "1,2,3"):
            outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, other: "77"})))
            assert outcome.answer is None, text
            assert set(outcome.form.errors) == {name}, text
            assert outcome.form[other].value() == "77"
            assert outcome.form[name].value() == text[:MAX_TEXT_CHARACTERS]

    def test_a_bad_format_to_rank_is_told_by_its_key(self, seeded: None) -> None:
        for text in ("", "fp9", "none,fp8", HUGE):
            outcome = answers.from_link(TOOL, QueryDict(urlencode({"also": text})))
            assert {problem.key for problem in outcome.problems} == {"also"}, text

    def test_arrivals_must_be_given_where_they_count(self, seeded: None) -> None:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", "load": "rate", "rps": ""})))
        assert set(outcome.form.errors) == {"rps"}

    @pytest.mark.parametrize("query", ["sku=zork", "gpu=zork", "model=zork", "catalog=999", "sku=<b>", "model=%00"])
    def test_a_code_that_does_not_exist_leaves_the_page_standing(
        self, client: Client, seeded: None, query: str
    ) -> None:
        response = client.get(f"/fr/inference?{query}")
        assert response.status_code == 200
        assert response.context["estimate"] is None
        assert response.context["errors"]

    @pytest.mark.parametrize(
        "query",
        [
            "in=10000000&out=10000000&conc=100000",
            "tp=1024",
            "pp=1024&count=1024",
            "replicas=1024",
            "hit=1&in=1",
            "util=0.01&hours=1&volume=1000000000000000",
            "mem=0.05",
            "maxseq=1&conc=100000",
            "load=rate&rps=1000000",
            "load=rate&rps=0.0001",
            "params=100000000000000&layers=1000&width=10000000&heads=1&vocab=1000",
            "params=1000000&layers=1&width=8&heads=8&vocab=1000&experts=8&topk=9",
            "engine=llama.cpp&prec=gguf-q4_k_m&pp=4&count=4&sku=GPU-PRO",
            "sku=CPU-LOCAL",
        ],
    )
    def test_extreme_but_valid_input_is_answered_or_refused_in_words(
        self, client: Client, seeded: None, query: str
    ) -> None:
        response = client.get(f"/fr/inference?{query}")
        assert response.status_code == 200
        assert response.context["page"] is not None or response.context["errors"]


KEYS = [key.name for key in notation.KEYS]
TEXTS = st.one_of(
    st.sampled_from(["", "1", "0", "16", "fp8", "rate", "GPU-PRO", "none", "é", "\x00", "-1", "1e9", "NaN", HUGE]),
    st.integers(-5, 10**7).map(str),
    st.text(max_size=12),
)


@pytest.mark.slow
@pytest.mark.django_db
@settings(max_examples=600, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(st.sampled_from(KEYS), TEXTS), max_size=5), form=st.booleans())
def test_random_queries_always_give_a_page(seeded: None, pairs: list[tuple[str, str]], form: bool) -> None:
    query = QueryDict(urlencode([*pairs, *([("form", "1")] if form else [])]))
    outcome = answers.from_form(TOOL, query) if form else answers.from_link(TOOL, query)
    assert (outcome.answer is None) == bool(outcome.problems or outcome.form.errors)
    if outcome.answer is not None:
        TOOL.page(outcome.answer)
        assert TOOL.rows(outcome.answer.estimate)


@pytest.mark.django_db
def test_the_default_scenario_is_of_now_to_the_second(seeded: None) -> None:
    scenario = default_scenario()
    assert scenario.at.tzinfo is dt.UTC
    assert scenario.at.microsecond == 0
