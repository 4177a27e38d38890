"""The break-even figure: valid for plotly, a staircase and not a line, and every point of it worked out by hand."""

import itertools
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go
import pytest
from django.utils import translation

from calculator import charts
from calculator.charts import staircase
from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep, EconomicsEstimate, Rental
from calculator.presenters.headline import plain
from tests.domain import factories as offer

NB = "\u00a0"
CAPACITY_MTOK = 107.8272
"""64 × 3 600 × 720 × 0.65, in millions."""

CASES = {
    "default": {},
    "by the hour": {"basis": Basis.HOUR},
    "hours used": {"basis": Basis.HOUR, "rental": Rental.HOURS_USED},
    "one token": {"volume_tokens": Decimal(1)},
    "a billion billion": {"volume_tokens": Decimal(10**15)},
    "extra costs": {"operations_eur_per_month": Decimal(1000)},
    "prompts": {"input_tokens": Decimal(2000)},
    "response cache": {"response_cache_ratio": Decimal("0.4")},
    "never": {"reference": "gpt-5.4-mini"},
}


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def chart(**fields: object) -> charts.Chart:
    drawn = charts.break_even(answer(**fields))
    assert drawn is not None
    return drawn


def traces(drawn: charts.Chart, role: str) -> list[dict[str, Any]]:
    return [trace for trace in drawn.figure["data"] if trace["meta"]["role"] == role]


@pytest.mark.parametrize("name", CASES)
def test_each_figure_is_valid_for_plotly(name: str) -> None:
    figure = chart(**CASES[name]).figure
    go.Figure(data=figure["data"], layout=figure["layout"])


@pytest.mark.parametrize("name", CASES)
def test_no_figure_grows_with_the_numbers(name: str) -> None:
    data = chart(**CASES[name]).figure["data"]
    assert len(data) <= 25
    assert sum(len(trace["x"]) for trace in data) < 3000


@pytest.mark.parametrize("name", CASES)
def test_no_figure_holds_a_colour_or_a_title(name: str) -> None:
    text = str(chart(**CASES[name]).figure)
    assert "#" not in text and "rgb" not in text
    assert "title" not in chart(**CASES[name]).figure["layout"]


def test_the_gpu_is_a_staircase_that_steps_at_its_capacity() -> None:
    gpu = traces(chart(), "gpu")[0]
    points = list(zip(gpu["x"], gpu["y"], strict=True))
    assert points[0][1] == 830.64
    assert (CAPACITY_MTOK, 830.64) in points and (CAPACITY_MTOK, 1661.28) in points
    assert (2 * CAPACITY_MTOK, 2491.92) in points


@pytest.mark.parametrize(("thirteenths", "count"), [(7000, 3), (1000, 8), (4000, 4)])
def test_a_corner_belongs_to_the_instances_that_just_suffice(thirteenths: int, count: int) -> None:
    """A capacity that is no round number, times a whole number, may lie a last digit above the corner that it is."""
    capacity = Decimal(thirteenths) / 13
    stairs = staircase.Stairs(step=Decimal(10), fixed=Decimal(5), capacity=capacity)
    assert stairs.cost(capacity * count) == 10 * count + 5
    assert stairs.cost_above(capacity * count) == 10 * (count + 1) + 5


def test_the_staircase_never_falls() -> None:
    heights = traces(chart(), "gpu")[0]["y"]
    assert heights == sorted(heights)


def test_the_reference_is_highlighted_and_the_others_are_grey_and_dashed() -> None:
    drawn = chart()
    assert len(traces(drawn, "api")) == 1 and len(traces(drawn, "mute")) == 4
    dashes = [trace["line"]["dash"] for trace in traces(drawn, "mute")]
    assert len(set(dashes)) == 4


def test_no_line_covers_the_reference() -> None:
    roles = [trace["meta"]["role"] for trace in chart().figure["data"]]
    assert roles.index("api") > max(index for index, role in enumerate(roles) if role == "mute")


def test_an_apis_line_is_its_price() -> None:
    """15 $ ÷ 1.1172 = 13.4264 € per million at each point."""
    line = traces(chart(), "api")[0]
    assert all(y == pytest.approx(x * 13.42642, rel=1e-3) for x, y in zip(line["x"], line["y"], strict=True))


def test_crossings_are_dotted_where_the_gpu_becomes_cheaper() -> None:
    """830.64 ÷ 13.4264 = 61.866; 1 661.28 ÷ 13.4264 = 123.732."""
    dots = traces(chart(), "dot")[0]
    assert dots["x"] == pytest.approx([61.866, 123.732], abs=0.001)
    assert dots["y"] == [830.64, 1661.28]


def test_each_crossing_drops_a_line_to_the_axis_and_the_own_volume_stands_full() -> None:
    shapes = chart().figure["layout"]["shapes"]
    own, *drops = shapes
    assert own["yref"] == "paper" and own["x0"] == own["x1"] == 100.0
    assert [shape["y1"] for shape in drops] == [830.64, 1661.28]


def test_the_areas_lie_where_the_gpu_costs_less() -> None:
    areas = traces(chart(), "area")
    assert [round(min(area["x"]), 1) for area in areas] == [61.9, 123.7]
    assert round(max(areas[0]["x"]), 1) == 107.8
    assert all(area["fill"] == "toself" for area in areas)


def test_volumes_stand_on_a_log_axis_with_round_ticks() -> None:
    axis = chart().figure["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["ticktext"] == ["10", "20", "50", "100", "200", "300"]
    assert axis["range"][0] == 1.0


def test_the_zero_of_money_is_in_the_picture() -> None:
    assert chart().figure["layout"]["yaxis"]["rangemode"] == "tozero"


def words(drawn: charts.Chart) -> dict[str, str]:
    return {note["text"]: note["name"] for note in drawn.figure["layout"]["annotations"]}


def test_lines_are_named_at_their_ends_and_no_legend_is_needed() -> None:
    named = words(chart())
    assert named["gpt-5.4<br>claude-sonnet-4-6"] == "api"
    assert named[f"GPU-PRO{NB}× 3"] == "gpu"
    assert named["gpt-5.4-mini"] == "mute" and named["mistral-small-2603"] == "mute"
    assert chart().figure["layout"]["showlegend"] is False


def test_the_crossing_and_the_own_volume_are_in_words() -> None:
    named = words(chart())
    assert f"votre volume{NB}: 100{NB}M" in named
    assert f"équivalence<br>61,9{NB}M = 831{NB}€" in named


def test_words_follow_the_language() -> None:
    with translation.override("en"):
        named = words(chart())
    assert "your volume: 100M" in named and "break-even<br>61.9M = €831" in named


def test_end_labels_keep_clear_of_each_other() -> None:
    ends = [
        (Decimal(100), "a", "api"),
        (Decimal(101), "b", "mute"),
        (Decimal(102), "c", "mute"),
        (Decimal(900), "d", "gpu"),
    ]
    placed = staircase._apart(ends)
    heights = [int(cost / 900 * staircase.PLOT_HEIGHT_PX) + shift for cost, _text, _role, shift in placed]
    assert all(above - below >= staircase.LABEL_GAP_PX for below, above in itertools.pairwise(heights))


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ({}, f"GPU-PRO passe devant gpt-5.4 à partir de 61,9{NB}M de tokens, sauf de 108{NB}M à 124{NB}M"),
        ({"reference": "gpt-5.4-mini"}, "À aucun volume GPU-PRO ne coûte moins que gpt-5.4-mini"),
        (
            {"basis": Basis.HOUR, "rental": Rental.HOURS_USED},
            "GPU-PRO passe devant gpt-5.4 à partir de 112\u202f000 tokens, avec un recul à chaque marche",
        ),
        (
            {"basis": Basis.HOUR},
            f"GPU-PRO passe devant gpt-5.4 à partir de 80,4{NB}M de tokens, avec un recul à chaque marche",
        ),
        ({"input_tokens": Decimal(2000)}, f"GPU-PRO passe devant gpt-5.4 à partir de 37,1{NB}M de tokens"),
    ],
)
def test_the_title_is_the_finding(fields: dict[str, object], title: str) -> None:
    assert plain(chart(**fields).title) == title


def test_the_caption_names_the_lines_that_never_meet_the_staircase() -> None:
    assert chart().caption == (
        "mistral-small-2603, gpt-5.4-mini et claude-haiku-4-5 restent moins chères que le GPU à tout volume."
    )


@pytest.mark.parametrize("step", BillingStep)
def test_thousands_of_hours_used_are_drawn_as_the_line_they_look_like(step: BillingStep) -> None:
    drawn = chart(**CASES["hours used"], billing_step=step)
    gpu = traces(drawn, "gpu")[0]
    assert len(gpu["x"]) == staircase.POINTS_PER_LINE
    assert all(abs(y - 10.016 * x) < 0.02 for x, y in zip(gpu["x"], gpu["y"], strict=True))
    assert ("droite" in drawn.subtitle) == (step is BillingStep.SECOND)


@pytest.mark.parametrize("step", BillingStep)
def test_a_volume_of_less_than_an_hour_does_not_bend_the_line(step: BillingStep) -> None:
    """1 000 tokens cost a whole hour, 1.50 €; 1.4976 M still cost ten and not 1 498 times as much."""
    drawn = chart(**CASES["hours used"], volume_tokens=Decimal(1000), billing_step=step)
    gpu = traces(drawn, "gpu")[0]
    assert gpu["y"][-1] / gpu["x"][-1] == pytest.approx(10.02, rel=0.01)
    own = next(row for row in drawn.points if row.label == "votre volume")
    assert own.gpu == {BillingStep.HOUR: f"1,50{NB}€", BillingStep.SECOND: f"0,01{NB}€"}[step]


def test_each_hour_used_is_a_step_where_few_are_drawn() -> None:
    """149 760 tokens an hour at 65 %; the first hour is earned back by 1.50 × 1.1172 ÷ 15 = 111 720 tokens."""
    drawn = chart(**CASES["hours used"], volume_tokens=Decimal(150_000), hours_per_month_h=Decimal(24))
    points = list(zip(traces(drawn, "gpu")[0]["x"], traces(drawn, "gpu")[0]["y"], strict=True))
    assert (0.14976, 1.5) in points and (0.14976, 3.0) in points and (0.29952, 3.0) in points
    first = next(row for row in drawn.points if row.label == "équivalence")
    assert (first.volume, first.gpu, first.api) == ("111\u202f700", f"1,50{NB}€", f"1,50{NB}€")


def test_the_table_holds_the_points_of_the_drawing_in_order() -> None:
    rows = chart().points
    assert [row.label for row in rows] == [
        "équivalence", "votre volume", f"au-delà{NB}: 2ᵉ GPU", "équivalence", f"au-delà{NB}: 3ᵉ GPU",
    ]  # fmt: skip
    assert rows[0].volume == f"61,87{NB}M" and rows[0].gpu == rows[0].api == f"830,64{NB}€"
    assert rows[2].gpu == f"1\u202f661,28{NB}€" and rows[2].api == f"1\u202f447,73{NB}€"


def test_the_longest_name_has_room_beside_the_plot() -> None:
    """18 characters of “mistral-small-2603”, each under 8 px in bold at 12 px, and as much beside them."""
    assert chart().figure["layout"]["margin"]["r"] == 19 * 8
    named = [{"text": "GPU-SUPERCOMPUTE\u00a0× 12<br>b"}]
    assert staircase._room(named) == 22 * 8


def test_nothing_is_drawn_without_a_price_a_rate_or_an_api() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    assert charts.break_even(asked) is None
    assert charts.break_even(estimate(offer.scenario(), offer.facts(usd_per_eur=None))) is None
    assert charts.break_even(estimate(offer.scenario(apis=()), offer.facts(apis=()))) is None


def test_thousands_of_steps_are_drawn_as_the_line_they_look_like() -> None:
    """10¹⁵ tokens are 9 274 098 GPUs: no pixel could show one of them."""
    gpu = traces(chart(**CASES["a billion billion"]), "gpu")[0]
    assert len(gpu["x"]) == staircase.POINTS_PER_LINE


def test_at_most_five_api_lines_are_drawn() -> None:
    apis = tuple(offer.flat_api(f"{number}.00", f"api-{number}") for number in range(5, 14))
    result = estimate(offer.scenario(apis=tuple(a.code for a in apis), reference="api-9"), offer.facts(apis=apis))
    drawn = charts.break_even(result)
    assert drawn is not None and drawn.api_name == "api-9"
    assert len(traces(drawn, "api")) + len(traces(drawn, "mute")) == staircase.LINES_AT_MOST


def test_the_label_of_an_early_crossing_stays_inside_the_plot() -> None:
    """112 k of 10 k to 300 M lie in the left quarter; 61.9 M of 10 M to 300 M in the middle."""
    sides = [
        next(note for note in drawn.figure["layout"]["annotations"] if "équivalence" in note["text"])["xanchor"]
        for drawn in (chart(**CASES["hours used"]), chart())
    ]
    assert sides == ["left", "right"]


def test_an_early_crossing_is_labelled_to_the_cent_and_its_axis_has_room() -> None:
    """The first hour is 1.50 €, not 2 €; 10 k to 300 M are five decades and the end, six ticks and not fifteen."""
    layout = chart(**CASES["hours used"]).figure["layout"]
    label = next(note["text"] for note in layout["annotations"] if "équivalence" in note["text"])
    assert label.endswith(f"= 1,50{NB}€") and len(layout["xaxis"]["tickvals"]) == 6
