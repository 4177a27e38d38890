"""The options of a need: each is a scenario of a calculator and has that calculator's numbers."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict

from calculator import catalog, permalinks, registry
from calculator.tools import economics, inference
from sales.advising import lead
from sales.advising.tool import TOOL, answer
from sales.domain.advice import Advice
from sales.domain.need import Constraint, LoadBy, Need, Use, peak_per_s, volume_tokens
from sales.domain.options import Option, Targets, Way, shown
from sales.domain.ranges import Range
from sales.domain.week import Shape

pytestmark = pytest.mark.django_db
BOTH = tuple(Range)
HUNDRED_M = {"load": LoadBy.TOKENS, "volume_tokens": Decimal(100_000_000), "shape": Shape.STEADY, "ranges": BOTH}


def need(**values: Any) -> Need:
    return replace(catalog.first_visit(Need), **values)


def advised(**values: Any) -> Advice:
    found: Advice = answer(need(**values)).estimate
    return found


def options(advice: Advice) -> tuple[Option, ...]:
    assert advice.serving is not None
    return advice.serving.all_options


def of(advice: Advice, way: Way, code: str = "") -> Option:
    return next(
        one for one in options(advice) if one.way is way and code in (one.sized.sku.code if one.sized else one.code)
    )


NEEDS = (
    {},
    HUNDRED_M,
    {"use": Use.RAG, "users_count": 2000, "shape": Shape.PUBLIC},
    {"use": Use.BATCH, "load": LoadBy.REQUESTS, "requests_count": Decimal(2_000_000), "shape": Shape.NIGHT},
    {"model": "Llama-3.1-70B", "users_count": 5000, "ranges": BOTH},
)


@pytest.mark.parametrize("values", NEEDS)
def test_each_option_costs_what_the_economics_page_says(seeded: None, noon: Any, values: dict[str, Any]) -> None:
    for option in options(advised(**values)):
        there = economics.answer(option.month).estimate
        if option.way is Way.API:
            assert there.comparisons[0].bill.eur == option.month_eur
            assert there.comparisons[0].bill.eur_per_mtok == option.eur_per_mtok
            continue
        assert there.gpu.instances is None or option.bill is not None
        assert there.gpu.total_eur == (option.bill.total_eur if option.bill else None)
        if option.way is Way.GPU:
            assert there.gpu.total_eur == option.month_eur
        else:
            assert option.rest is not None and option.month_eur is not None
            rest = economics.answer(option.rest).estimate.comparisons[0].bill.eur
            assert option.month_eur == there.gpu.total_eur + rest


@pytest.mark.parametrize("values", NEEDS)
def test_the_rates_are_those_that_the_inference_page_hands_over(
    seeded: None, noon: Any, values: dict[str, Any]
) -> None:
    for option in options(advised(**values)):
        if option.sized is None:
            continue
        query = inference.economics_query(inference.answer(option.sized.scenario))
        handed = permalinks.read(QueryDict(query), option.month).kept
        names = ("rate_tok_per_s", "prefill_tok_per_s", "rate_concurrency", "instances_per_set", "input_tokens")
        assert [getattr(handed, name) for name in names] == [getattr(option.month, name) for name in names]


def test_the_peak_is_the_inference_page_under_the_busiest_hour(seeded: None, noon: Any) -> None:
    asked = need()
    option = of(answer(asked).estimate, Way.GPU, "GPU-PRO")
    assert option.peak is not None and option.busiest is not None and option.busiest.served is not None
    there = inference.answer(option.peak).estimate
    assert there.chosen.served == option.busiest.served
    assert float(option.peak.requests_per_s or 0) == pytest.approx(float(peak_per_s(asked) or 0), abs=1e-4)


@pytest.mark.parametrize("values", NEEDS)
def test_a_gpu_option_that_meets_holds_its_targets_in_the_busiest_hour(
    seeded: None, noon: Any, values: dict[str, Any]
) -> None:
    for option in options(advised(**values)):
        if option.way is Way.GPU and option.targets is Targets.MET:
            assert option.busiest is not None
            assert option.busiest.misses == ()


def test_hundred_million_tokens_on_gpu_pro_cost_its_month(seeded: None, noon: Any) -> None:
    """One GPU-PRO by the month: 830.64 €, 8.3064 € per million at 100 M tokens; the API of four cents wins."""
    found = advised(**HUNDRED_M)
    option = of(found, Way.GPU, "GPU-PRO")
    assert (option.month_eur, option.eur_per_mtok) == (Decimal("830.64"), Decimal("8.3064"))
    assert found.headline.code == "api_wins"


def test_mistral_small_costs_its_list_price(seeded: None, noon: Any) -> None:
    """100 M tokens out at 0.60 $ and 400 M in at 0.15 $: 120 $; ÷ 1.1172 = 107.41 €."""
    found = advised(**HUNDRED_M, prompt_length=Decimal(2000), output_length=Decimal(500))
    option = next(one for one in options(found) if one.api and one.api.code == "mistral-small-2603")
    assert option.month_eur is not None
    assert round(option.month_eur, 2) == Decimal("107.41")


def test_gpt_counts_french_in_its_own_tokens(seeded: None, noon: Any) -> None:
    """100 M out at 4.50 $ and 400 M in at 0.75 $ are 750 $; 0.74 of the tokens: 555 $ ÷ 1.1172 = 496.78 €."""
    found = advised(**HUNDRED_M, prompt_length=Decimal(2000), output_length=Decimal(500))
    option = next(one for one in options(found) if one.api and one.api.code == "gpt-5.4-mini")
    assert option.month_eur is not None
    assert round(option.month_eur, 2) == Decimal("496.78")


@pytest.mark.parametrize("constraint", Constraint)
def test_a_constraint_never_yields_an_api(seeded: None, noon: Any, constraint: Constraint) -> None:
    found = advised(constraints=(constraint,), ranges=BOTH)
    assert {option.way for option in options(found)} == {Way.GPU}
    assert found.serving is not None
    assert {item.name for item in found.serving.excluded} >= {"gpt-5.4-mini", "Claude Sonnet 4.6"}


def test_the_cheapest_that_misses_nothing_comes_first(seeded: None, noon: Any) -> None:
    for values in NEEDS:
        ranked = [one for one in options(advised(**values)) if one.targets is not Targets.MISSED]
        costs = [one.month_eur for one in ranked if one.month_eur is not None]
        assert costs == sorted(costs)


def test_at_most_five_are_shown_and_each_way_keeps_its_best(seeded: None, noon: Any) -> None:
    for values in NEEDS:
        every = options(advised(**values))
        kept = shown(every)
        assert len(kept) <= 5
        for way in {one.way for one in every}:
            assert next(one for one in every if one.way is way) in kept


def test_the_supercomputer_has_no_price_and_none_is_made_up(seeded: None, noon: Any) -> None:
    option = of(advised(), Way.GPU, "GPU-SUPERCOMPUTE")
    assert option.month_eur is None and option.eur_per_mtok is None


def test_nothing_meets_twenty_milliseconds_on_a_long_prompt(seeded: None, noon: Any) -> None:
    """1 024 tokens are 14.8 TFLOP for a 7B: at the A100's 312 TFLOP/s 47 ms, whatever the server."""
    found = advised(constraints=(Constraint.FAST,))
    assert found.headline.code == "none_meets"
    assert {option.targets for option in options(found)} == {Targets.MISSED}


def test_a_model_that_fits_nowhere_leaves_no_gpu(seeded: None, noon: Any) -> None:
    found = advised(model="Llama-3.1-405B", constraints=(Constraint.RESIDENCY,))
    assert found.headline.code == "nothing_possible"
    assert found.serving is not None
    assert {reason.code for item in found.serving.excluded for reason in item.reasons} >= {"does_not_fit"}


def test_batch_is_priced_at_the_batch_price_and_by_the_hours_used(seeded: None, noon: Any) -> None:
    """2 M requests of 1 024 in, 512 out on Mistral Small: 2 048 M × 0.075 + 1 024 M × 0.30 = 460.80 $ = 412.46 €."""
    found = advised(**NEEDS[3])
    option = next(one for one in options(found) if one.api and one.api.code == "mistral-small-2603")
    assert option.month_eur is not None and round(option.month_eur, 2) == Decimal("412.46")
    assert option.month.mode.value == "batch"
    assert of(found, Way.GPU, "GPU-PRO").month.rental.value == "hours_used"


@pytest.mark.parametrize(
    ("code", "sets", "hours"), [("GPU-TITAN", 1, 117), ("GPU-ENTERPRISE", 1, 148), ("GPU-STARTER", 2, 475)]
)
def test_hours_used_at_night_carry_a_third_of_the_month(
    seeded: None, noon: Any, code: str, sets: int, hours: int
) -> None:
    """1 024 M take `hours` of a set; 240 of 720 hours are night: one more set is needed beyond sets × 240 of them."""
    option = of(advised(**NEEDS[3]), Way.GPU, code)
    step = next(message for message in option.loses if message.code == "one_more_from")
    carried = Decimal(1_024_000_000) * sets * 240 / hours
    assert float(step.values["tokens"]) == pytest.approx(float(carried), rel=0.01)


def test_different_models_are_said_to_differ(seeded: None, noon: Any) -> None:
    codes = {message.code for message in advised().warnings}
    assert {"models_differ", "api_latency_unknown"} <= codes
    alone = {message.code for message in advised(constraints=(Constraint.OWN_WEIGHTS,)).warnings}
    assert "models_differ" not in alone


class TestHybrid:
    """GPUs for the base, an API for the peaks."""

    def test_both_parts_make_the_month(self, seeded: None, noon: Any) -> None:
        asked = need(**NEEDS[2])
        option = of(answer(asked).estimate, Way.HYBRID)
        assert option.rest is not None
        assert option.month.volume_tokens + option.rest.volume_tokens == volume_tokens(asked)
        assert option.share == pytest.approx(
            option.month.volume_tokens / (volume_tokens(asked) or 1), abs=Decimal("1e-8")
        )

    def test_it_rents_fewer_gpus_than_the_busiest_hour_takes(self, seeded: None, noon: Any) -> None:
        found = advised(**NEEDS[2])
        for option in (one for one in options(found) if one.way is Way.HYBRID):
            assert option.sized is not None and option.instances is not None
            assert option.instances < (option.sized.instances or 0)
            assert option.month_eur is not None and option.sized.bill.total_eur is not None
            assert option.month_eur < option.sized.bill.total_eur

    def test_a_load_that_one_gpu_carries_has_no_peak_to_hand_over(self, seeded: None, noon: Any) -> None:
        assert Way.HYBRID not in {option.way for option in options(advised(**HUNDRED_M))}

    def test_the_split_and_its_amounts_worked_by_hand(self, seeded: None, noon: Any) -> None:
        """8 000 people × 20 × 150 ÷ 7 days × 256 = 877.714 M; one of three GPU-PRO carries a third of 1 090.8 M
        in office hours, 1.5048 mean hours of 1.1012 each: min(load, 1.6570) sums to 20.227 of 37 = 54.67 %.

        830.64 € + 45.33 % of 877.714 M at (1 024 × 0.15 + 256 × 0.60) ÷ 256 ÷ 1.1172 = 1.0741 € are 1 258.0 €. The GPU
        would have to carry 830.64 ÷ 1.0741 = 773 M; its open hours (65 of 168) hold 511 M.
        """
        option = of(advised(users_count=8000), Way.HYBRID, "GPU-PRO")
        assert round(option.share, 4) == Decimal("0.5467")
        assert option.month_eur is not None and round(option.month_eur) == 1258
        assert option.utilisation_ratio is not None and round(option.utilisation_ratio, 4) == Decimal("0.2906")
        assert [message.code for message in option.loses] == ["api_always_wins"]

    def test_its_gpus_lose_while_they_carry_less_than_their_month_buys(self, seeded: None, noon: Any) -> None:
        """Two GPU-PRO, 1 661.28 €, at 1.0741 € a million: 1 546.7 M, of the part that stays on them."""
        steady = {"load": LoadBy.TOKENS, "volume_tokens": Decimal(3_000_000_000), "shape": Shape.STEADY}
        (message,) = of(advised(**steady), Way.HYBRID, "GPU-PRO").loses
        assert message.code == "base_loses_below"
        assert round(Decimal(str(message.values["tokens"])) / 10**6, 1) == Decimal("1546.7")

    def test_it_does_not_win_over_gpus_that_cost_the_same(self, seeded: None, noon: Any) -> None:
        """900 000 requests of 6 000 in, 400 out: 3 284.50 € with GPT-4.1; 4 × 830.64 = 3 322.56 € alone."""
        asked = {"use": Use.RAG, "load": LoadBy.REQUESTS, "requests_count": Decimal(900_000), "shape": Shape.PUBLIC}
        found = advised(**asked, ranges=(Range.LARGE,))
        assert options(found)[0].way is Way.HYBRID and found.headline.code == "equivalent"
        assert lead.sentence(found).endswith("3\u202f322,56\u00a0€ HT par mois.")

    def test_it_needs_an_api_that_is_accepted(self, seeded: None, noon: Any) -> None:
        found = advised(**NEEDS[2], constraints=(Constraint.FIXED,))
        assert Way.HYBRID not in {option.way for option in options(found)}


def test_the_advisor_is_no_calculator_of_the_registry() -> None:
    assert TOOL.name not in registry.CALCULATORS


def test_within_five_percent_nobody_wins(seeded: None, noon: Any) -> None:
    """GPT-4.1 costs 8 € a million with 4 in for 1 out: (4 × 2 + 8) × 0.74 ÷ 1.1172 = 10.60 €; 830.64 € are 78.38 M.

    At 79 M it costs 837.2 €, 0.8 % more than a GPU-PRO; at 90 M 953.8 €, 15 % more.
    """
    large = {**HUNDRED_M, "ranges": (Range.LARGE,), "prompt_length": Decimal(2000), "output_length": Decimal(500)}
    near = advised(**{**large, "volume_tokens": Decimal(79_000_000)})
    far = advised(**{**large, "volume_tokens": Decimal(90_000_000)})
    assert (near.headline.code, far.headline.code) == ("equivalent", "gpu_wins")


class TestFormulas:
    """The advisor's own formulas, with numbers that anybody can check."""

    def test_people_make_requests_and_the_busiest_hour(self, seeded: None, noon: Any) -> None:
        """4 000 × 150 ÷ 7 days = 85 714; × 672 ÷ 185 ÷ 2 592 000 = 40 ÷ 333 a second; 0.8 × 185 ÷ 672 = 22.02 %."""
        found = {step.code: step for step in advised().steps}
        assert list(found) == ["advice_people", "advice_peak", "advice_ceiling"]
        assert float(found["advice_people"].result) == pytest.approx(85_714.29, abs=0.01)
        assert float(found["advice_peak"].result) == pytest.approx(40 / 333, abs=1e-9)
        assert found["advice_ceiling"].result == Decimal("0.2202")

    def test_each_result_follows_from_its_terms(self, seeded: None, noon: Any) -> None:
        for step in advised(**HUNDRED_M).steps:
            value = {term.symbol: float(term.source.value) for term in step.terms}
            expected = {
                "advice_requests": lambda v: v["V"] / v["o"],
                "advice_peak": lambda v: v["R"] * v["k"] / (v["H"] * 3600),
                "advice_ceiling": lambda v: v["c"] / v["k"],
            }[step.code](value)
            assert float(step.result) == pytest.approx(expected, rel=1e-3)

    def test_a_default_that_nobody_typed_is_an_assumption(self, seeded: None, noon: Any) -> None:
        kinds = [term.source.shown_kind.value for term in advised().steps[0].terms]
        typed = [term.source.shown_kind.value for term in advised(users_count=7).steps[0].terms]
        assert kinds == ["assumption", "assumption", "assumption"]
        assert typed == ["input", "assumption", "assumption"]

    def test_the_hybrid_is_the_sum_of_its_sides(self, seeded: None, noon: Any) -> None:
        found = advised(**NEEDS[2])
        step = next(step for step in found.steps if step.code == "advice_hybrid")
        assert step.result == of(found, Way.HYBRID).month_eur == sum(term.source.value for term in step.terms)
