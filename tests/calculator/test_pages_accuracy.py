"""The Accuracy page: goals beside what was reached, the chart, worst rows, refusals in words, the file of all rows."""

import csv
import datetime as dt
import gzip
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from django.test import Client
from django.utils import translation

from calculator import recorded
from calculator.accuracy.record import FILE, Checked, Record, read
from calculator.accuracy.statistics import Result
from calculator.charts.accuracy import predicted_and_measured
from calculator.listing import accuracy as listing
from calculator.presenters import accuracy as presenter
from calculator.presenters import accuracy_words as words
from tests import pagetext

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CODES = [metric.code for metric in words.METRICS]

pytestmark = pytest.mark.usefixtures("noon", "seeded")


def result(predicted: float | None = 110.0, measured: float | None = 100.0, **more: Any) -> Result:
    given: dict[str, Any] = {
        "file": "inference_batched.csv",
        "line": 2,
        "metric": "total_output_tok_s",
        "engine_class": "vLLM",
        "family": "fp16",
        "low": 90.0,
        "high": 120.0,
        "reason": "",
        "apart": "",
        "held_out": False,
    }
    return Result(predicted=predicted, measured=measured, **(given | more))


def row(*args: Any, **more: Any) -> Checked:
    return Checked(result(*args, **more), "L4", "Llama-3-8B", "engine=vLLM 0.6; n_gpus=1", "https://example.org/bench")


def recorded_rows(*rows: Checked) -> Record:
    return Record(dt.date(2026, 11, 30), "a" * 64, rows)


def shown(*rows: Checked, code: str = "throughput") -> presenter.Page:
    return presenter.page(recorded_rows(*rows), "a" * 64, code)


def get(client: Client, query: str = "", language: str = "fr") -> str:
    response = client.get(f"/{language}/accuracy/{query}")
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def other_record(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Puts another record in place of the shipped one."""
    listing._page.cache_clear()

    def place(found: Record | None) -> None:
        monkeypatch.setattr(recorded, "accuracy", lambda: found)

    yield place
    listing._page.cache_clear()


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("code", CODES)
def test_every_metric_has_its_page(client: Client, code: str, language: str) -> None:
    html = get(client, f"?metric={code}", language)
    assert 'id="plot-data"' in html
    assert html.count('aria-current="true"') >= 1


@pytest.mark.parametrize("query", ["?metric=", "?metric=<script>", "?metric=tpot&metric=%00", "?mood=good"])
def test_an_unknown_metric_shows_the_first_one(client: Client, query: str) -> None:
    assert get(client, query).count('<tr class="ref">') == 1


def test_the_page_asks_the_database_no_more_than_any_other(client: Client, django_assert_max_num_queries: Any) -> None:
    get(client)
    with django_assert_max_num_queries(6):
        get(client, "?metric=tpot")


def test_the_first_view_stays_light(client: Client) -> None:
    """20 kB on the wire; the rows that miss, a hundred and more for one metric, are among them."""
    for code in CODES:
        content = get(client, f"?metric={code}").encode()
        assert len(content) < 96_000, code
        assert len(gzip.compress(content, 6)) < 20_000, code


def test_goals_stand_beside_what_the_calibration_recorded(client: Client) -> None:
    """The table says what fixtures/calibration.json says was reached."""
    reached = json.loads((FIXTURES / "calibration.json").read_text(encoding="utf-8"))["reached"]
    html = get(client)
    for metric in words.METRICS:
        cells = " ".join(pagetext.row(html, str(metric.name)))
        for part in ("held_out", "all"):
            found = reached[part][" ".join(metric.key)]
            told = [float(text.replace(",", ".")) for text in re.findall(r"\d+,\d", cells)]
            place = 0 if part == "held_out" else 4
            for number, name in enumerate(("median", "mean", "p90"), start=place):
                assert told[number] == pytest.approx(found[name] * 100, abs=0.06), (metric.code, part, name)


def test_the_lead_counts_the_goals_that_hold(client: Client) -> None:
    found = re.search(r"(\d) objectifs sur 9 sont tenus, et (\d) sur 9", pagetext.words(get(client)))
    assert found is not None
    rows = [" ".join(cells) for cells in pagetext.rows(get(client)) if " / " in " ".join(cells)]
    table = [text for text in rows if text.startswith(tuple(str(metric.name) for metric in words.METRICS))][:9]
    assert sum(text.count("tenu") for text in table) == int(found.group(1)) + int(found.group(2))


def test_a_missed_goal_names_what_misses() -> None:
    line = shown(*(row(predicted=150.0, held_out=True) for _ in range(5))).goals[0]
    assert (line.unseen.is_met, line.unseen.verdict) == (
        False,
        "manqué\u00a0: médiane, moyenne, p90, fourchette",
    )


def test_a_held_goal_says_so() -> None:
    rows = [row(predicted=102.0) for _ in range(8)] + [row(predicted=102.0, low=101.0, high=103.0) for _ in range(2)]
    line = shown(*rows).goals[0]
    assert (line.everywhere.errors, line.everywhere.verdict, line.everywhere.band) == (
        "2,0 / 2,0 / 2,0",
        "tenu",
        "80,0",
    )


def test_too_few_answers_miss_a_goal_however_good_they_are() -> None:
    rows = [row(predicted=100.0)] * 8 + [row(predicted=None, low=None, high=None, reason="unknown GPU")] * 2
    found = shown(*rows).goals[0].everywhere
    assert (found.rows, found.verdict) == ("8 lignes sur 10", "manqué\u00a0: réponses, fourchette")


def test_the_worst_rows_are_those_furthest_off_as_a_factor() -> None:
    rows = [row(predicted=value) for value in (100.0, 25.0, 300.0, 110.0)] + [row(predicted=1.0, apart="AMD")]
    assert [line.factor for line in shown(*rows).worst] == ["×\u00a00,25", "×\u00a03", "×\u00a01,1", "×\u00a01"]


def test_ten_rows_at_most_are_called_worst() -> None:
    assert len(shown(*(row() for _ in range(30))).worst) == 10


def test_the_data_of_a_chart_is_a_sample_spread_over_all_measurements() -> None:
    rows = [row(predicted=100.0, measured=float(value)) for value in range(1, 201)]
    sample = shown(*rows).sample
    assert len(sample) == 40
    assert [line.measured for line in sample[:3]] == ["1", "6", "11"]


def test_rows_apart_set_no_goal_and_are_counted_by_why() -> None:
    page = shown(row(), row(apart="AMD"), row(apart="AMD"), row(apart="below 1 MiB"))
    assert page.apart == (("GPU AMD, non calibrés", "2"), ("All-reduce de moins de 1 Mio", "1"))
    assert page.goals[0].everywhere.rows == "1 ligne"


def test_classes_tell_refusals_in_words() -> None:
    page = shown(row(), row(predicted=None, reason="does not fit"), row(predicted=None, reason="unknown model"))
    line = next(line for line in page.classes if line.name == "vLLM")
    assert line.refused == ("modèle inconnu\u00a0: 1", "ne tient pas en mémoire, compté comme une erreur\u00a0: 1")
    assert (line.rows, line.answered) == ("3", "1")


def test_chips_are_told_apart_and_few_rows_are_said_to_be_few() -> None:
    """Twelve rows of Hopper, of which three unseen; two of Ada, off by 10 and 50 %, one of them in its band of 90–120;
    Turing measured for another metric alone."""
    hopper = [row(predicted=110.0, chip="Hopper/HBM", held_out=place < 3) for place in range(12)]
    ada = [row(predicted=110.0, chip="Ada/GDDR"), row(predicted=150.0, low=130.0, high=170.0, chip="Ada/GDDR")]
    other = row(chip="Turing/GDDR", metric="tpot_ms", file="inference_serving_latency.csv")
    found = [tuple(line) for line in shown(*hopper, *ada, other, row(chip="Hopper/HBM", apart="AMD")).chips]
    # p90 of 10 and 50 % lies at nine tenths of the way: 46 %.
    assert found == [
        ("Ada, GDDR", "vLLM", "2", "0", "30,0", "46,0", "50,0", "peu de mesures, fourchette élargie"),
        ("Hopper, HBM", "vLLM", "12", "3", "10,0", "10,0", "100,0", ""),
        ("Turing, GDDR", "aucun", "0", "0", *("aucun chiffre",) * 3, "aucune mesure sur cette architecture"),
    ]


def test_few_rows_of_memory_widen_no_band() -> None:
    rows = [row(metric="measured_gb", file="memory.csv", engine_class="qlora", chip="Ada/GDDR") for _ in range(3)]
    assert shown(*rows, code="memory").chips[0].evidence == "peu de mesures"


def test_the_offers_cards_are_seen_to_be_thinly_measured(client: Client) -> None:
    """First tokens of vLLM: eleven on Ada, all unseen; none on Turing, which was measured for other metrics."""
    table = [cells for cells in pagetext.rows(get(client, "?metric=ttft")) if len(cells) == 8]
    assert ["Ada, GDDR", "vLLM", "11", "11"] in [cells[:4] for cells in table]
    assert ["Turing, GDDR", "aucun", "0", "0"] in [cells[:4] for cells in table]


def test_each_verdict_says_on_how_many_rows_it_rests(client: Client) -> None:
    cells = pagetext.row(get(client), "Premier token d’un seul flux")
    assert [text for cell in cells for text in re.findall(r"\d+ lignes", pagetext.plain(cell))] == [
        "7 lignes",
        "36 lignes",
    ]


def test_the_bias_is_the_mean_factor() -> None:
    # ln 2 and ln ½ cancel out; twice everywhere is +100 %.
    both = shown(row(predicted=200.0), row(predicted=50.0)).classes[0]
    twice = shown(row(predicted=200.0), row(predicted=200.0)).classes[0]
    assert (both.bias, twice.bias) == ("0\u00a0%", "+100\u00a0%")


def test_a_class_without_an_answer_prints_words_and_no_zero() -> None:
    line = shown(row(), row(predicted=None, engine_class="MLC", reason="engine not modelled")).classes[-1]
    assert (line.median, line.bias, line.band) == ("aucun chiffre",) * 3


def test_a_metric_without_answers_has_no_chart() -> None:
    page = shown(row(predicted=None, reason="unknown GPU"))
    assert (page.plot, page.worst, page.sample) == (None, (), ())


def test_a_record_of_another_calibration_is_said_to_be_so(client: Client, other_record: Any) -> None:
    assert "d’un autre étalonnage" not in get(client)
    other_record(recorded_rows(row()))
    listing._page.cache_clear()
    assert "d’un autre étalonnage" in get(client)


def test_without_a_record_the_page_says_how_to_make_one(client: Client, other_record: Any) -> None:
    other_record(None)
    text = pagetext.words(get(client))
    assert "Aucun relevé" in text
    assert "check_accuracy --write" in text


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"date": "2026-11-30"}', "not json"])
def test_a_record_that_cannot_be_read_is_none(text: str, tmp_path: Path, settings: Any) -> None:
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / FILE).write_text(text)
    settings.BASE_DIR = tmp_path
    recorded.accuracy.cache_clear()
    assert recorded.accuracy() is None
    recorded.accuracy.cache_clear()


def test_the_public_predictor_is_cited_with_its_figures(client: Client) -> None:
    html = get(client)
    assert pagetext.row(html, "Temps par token, plusieurs clients")[0]
    peers = [
        cells for cells in pagetext.rows(html) if len(cells) == 4 and cells[3] in ("27 / 112", "10 / 214", "48 / 82")
    ]
    assert len(peers) == 3
    assert words.PEER_SOURCE in html
    assert "GenZ 104 %, roofline 144 %" in pagetext.words(html)


def test_held_out_pairs_and_sources_are_listed(client: Client) -> None:
    text = pagetext.words(get(client))
    assert "H200-SXM, Llama-3.1-70B" in text
    assert "databasemart.com" in text
    assert "B200-SXM, 32 GPU de 4 machines" in text
    assert "H200-SXM, 8 GPU d’une machine" in text


def test_every_reason_and_mark_of_the_record_has_words() -> None:
    found = read(FIXTURES / FILE)
    for checked in found.checked:
        assert not checked.result.reason or words.reason(checked.result.reason) != checked.result.reason
        assert not checked.result.apart or checked.result.apart in words.APART


def test_a_reason_with_a_name_keeps_the_name() -> None:
    assert words.reason("unknown_link: X1") == "lien absent de la fiche technique (X1)"
    assert words.reason("something new") == "something new"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (
            "engine=vLLM 0.6; n_gpus=8; tp=4; isl=1024; osl=128; concurrency=16",
            "vLLM 0.6, 8 GPU (TP 4), 1 024 + 128 tokens, 16 clients",
        ),
        (
            "engine=vLLM; n_gpus=1; tp=1; isl=512; osl=512; concurrency=max",
            "vLLM, 1 GPU, 512 + 512 tokens, serveur saturé",
        ),
        ("engine=vLLM; n_gpus=1; isl=512; osl=512; concurrency=1", "vLLM, 1 GPU, 512 + 512 tokens, 1 client"),
        ("method=lora; n_gpus=1; seq_len=2048; micro_batch=4", "lora, 1 GPU, 2 048 tokens, batch de 4"),
        ("interconnect=NVLink4; n_gpus=8; bytes=1048576", "NVLink4, 8 GPU, 1 Mio"),
        ("", ""),
    ],
)
def test_how_a_row_was_measured_is_told_in_words(cells: str, told: str) -> None:
    assert pagetext.plain(words.setup(cells)) == told


def test_the_file_holds_every_row_in_the_readers_notation(client: Client) -> None:
    count = len(read(FIXTURES / FILE).checked)
    for language, delimiter, decimal in (("fr", ";", ","), ("en", ",", ".")):
        response = client.get(f"/{language}/accuracy.csv")
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert 'filename="accuracy.csv"' in response.headers["Content-Disposition"]
        rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig")), delimiter=delimiter))
        assert len(rows) == count + 1
        assert {len(cells) for cells in rows} == {len(listing.columns())}
        assert re.fullmatch(rf"\d+{re.escape(decimal)}\d+", rows[1][8])


def test_no_cell_of_the_file_runs_as_a_formula(client: Client, other_record: Any) -> None:
    listing._file_text.cache_clear()
    evil = Checked(result(), "=1+1", "@SUM(A1)", "-2", "+3")
    other_record(recorded_rows(evil))
    text = client.get("/en/accuracy.csv").content.decode("utf-8-sig")
    listing._file_text.cache_clear()
    cells = next(csv.reader(io.StringIO(text.splitlines()[1])))
    assert [cells[5], cells[6], cells[7], cells[15]] == ["'=1+1", "'@SUM(A1)", "'-2", "'+3"]


@pytest.mark.parametrize("code", CODES)
def test_each_figure_is_valid_for_plotly_and_square_in_range(code: str) -> None:
    found = read(FIXTURES / FILE)
    page = presenter.page(found, found.data_hash, code)
    assert page.plot is not None
    figure = page.plot.figure
    go.Figure(data=figure["data"], layout=figure["layout"])
    assert figure["layout"]["xaxis"]["range"] == figure["layout"]["yaxis"]["range"]
    assert len(figure["layout"]["xaxis"]["tickvals"]) >= 2


def test_every_answered_row_is_a_point_seen_and_unseen_apart() -> None:
    plot = predicted_and_measured([result(), result(held_out=True), result(predicted=None, reason="unknown GPU")], "ms")
    assert plot is not None
    points = [trace for trace in plot.figure["data"] if trace["mode"] == "markers"]
    assert [(trace["x"], trace["y"], trace["marker"]["symbol"]) for trace in points] == [
        ([100.0], [110.0], "circle"),
        ([100.0], [110.0], "diamond"),
    ]


def test_the_title_of_the_chart_is_its_finding() -> None:
    rows = [result(predicted=value) for value in (100.0, 105.0, 150.0)]
    with translation.override("fr"):
        plot = predicted_and_measured(rows, "tok/s")
    assert plot is not None
    assert plot.title == "La moitié des estimations est à moins de 5,0\u00a0% de la mesure"


def test_lines_of_half_and_twice_run_beside_equality() -> None:
    plot = predicted_and_measured([result()], "ms")
    assert plot is not None
    lines = [trace for trace in plot.figure["data"] if trace["mode"] == "lines"]
    ratios = sorted(round(trace["y"][0] / trace["x"][0], 6) for trace in lines)
    assert ratios == [0.5, 1.0, 2.0]


def test_the_page_is_linked_from_every_page(client: Client) -> None:
    assert "/fr/accuracy/" in client.get("/fr/methodology/").content.decode()
