"""The multi-GPU answer in words: every code has a sentence in both languages, every formula its title and meanings."""

import ast
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import plotly.graph_objects as go
import pytest
from django.utils import translation

import calculator.domain
from calculator import interconnects
from calculator.charts import parallelism as charts
from calculator.domain.calibration import Band
from calculator.domain.interconnects import Reach
from calculator.domain.parallel_scenario import BatchBy, Cause, ParallelismEstimate, Plausibility, Sharing
from calculator.domain.scenario import Message
from calculator.presenters import (
    parallelism,
    parallelism_causes,
    parallelism_headline,
    parallelism_notices,
    parallelism_rows,
    parallelism_steps,
    parallelism_tables,
    parallelism_units,
)
from tests.domain.parallel_factories import answer, calibrated, facts, sku
from tests.domain.serving_factories import LINK, LLAMA_70B, MISTRAL

DOMAIN = Path(calculator.domain.__path__[0])
VALUES: dict[str, str | int | float] = {
    "tensor": 8,
    "pipeline": 2,
    "ranks": 16,
    "gpus": 8,
    "model": "Mistral-7B",
    "link": "PCIe 4.0 ×16",
    "most": 2,
    "gpu": "T4",
    "vendor": "AMD",
    "mfu": 0.261,
    "typed": 0.3,
    "calibrated": 0.4,
    "sku": "GPU-PRO",
    "own": "NVLink3",
    "machines": 2,
    "cards": 8,
    "network": "Ethernet",
    "tokens": 730,
    "sequence": 2048,
    "needed_bytes": 1.6e11,
    "usable_bytes": 8.6e10,
    "line": "weights",
    "instances": 8,
    "rate": 256e9,
    "slot": 32e9,
}
CASES: dict[str, dict[str, object]] = {
    "published": {},
    "one": {"gpu_count": 1},
    "many": {"gpu_count": 64},
    "fixed batch": {"gpu_count": 64, "batch_by": BatchBy.STEP, "step_tokens": Decimal(16_384)},
    "sharded": {"sharing": Sharing.SHARDED},
    "split": {"tensor_parallel": 4, "pipeline_parallel": 2, "gpu_count": 16, "layers_count": 32, "hidden_width": 2560},
    "odd": {"gpu_count": 11},
    "not possible": {"tensor_parallel": 8, "pipeline_parallel": 2},
}


def codes_in_domain() -> set[str]:
    """Every message code that the multi-GPU modules of the domain write."""
    found = set()
    for path in DOMAIN.glob("parallel_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Message":
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return (
        found
        | {f"parallel_{name}" for name in ("heads", "kv_heads", "vocabulary", "layers")}
        | {
            "does_not_fit",
            "does_not_fit_sharded",
        }
    )


def test_every_message_code_has_a_sentence_and_no_sentence_is_left_over() -> None:
    assert codes_in_domain() == set(parallelism_notices.SENTENCES)


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("code", sorted(parallelism_notices.SENTENCES))
def test_each_message_becomes_a_sentence(code: str, language: str) -> None:
    with translation.override(language):
        notice = parallelism_notices.notice(Message(code, VALUES))
    assert notice.lead.endswith(".") and notice.text
    assert "%(" not in notice.text


def test_english_sentences_are_translated() -> None:
    for code in parallelism_notices.SENTENCES:
        with translation.override("fr"):
            french = parallelism_notices.notice(Message(code, VALUES))
        with translation.override("en"):
            english = parallelism_notices.notice(Message(code, VALUES))
        assert french.text != english.text and french.lead != english.lead, code


def estimates() -> dict[str, ParallelismEstimate]:
    found = {name: answer(**changes) for name, changes in CASES.items()}
    found["priced"] = answer(facts(offer=sku(8, "43.20")))
    found["model"] = answer(facts(model=MISTRAL, offer=sku(8, "43.20")), gpu_count=16, sharing=Sharing.SHARDED)
    found["too big"] = answer(facts(model=LLAMA_70B))
    return found


ESTIMATES = estimates()


def test_tokens_take_de_from_a_million_on() -> None:
    with translation.override("fr"):
        assert all(parallelism_headline.eyebrow(found).endswith("Md de tokens") for found in ESTIMATES.values())


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("name", ESTIMATES)
def test_each_answer_becomes_a_page(name: str, language: str) -> None:
    with translation.override(language):
        page = parallelism.parallelism(ESTIMATES[name])
        rows = parallelism_rows.export_rows(ESTIMATES[name])
    assert page.lead and page.eyebrow and page.status
    words = " ".join(str(row) for row in rows)
    assert "nan" not in words.lower().split()
    assert not re.search(r"\bNone\b", str(page.stats))


@pytest.mark.parametrize("name", ESTIMATES)
def test_each_formula_has_a_title_and_a_meaning_for_every_symbol(name: str) -> None:
    titles, meanings = parallelism_steps.titles(), parallelism_steps.meanings(ESTIMATES[name])
    for step in ESTIMATES[name].steps:
        text = parallelism_steps.expression(step)
        assert titles[step.code]
        for term in step.terms:
            assert meanings[term.symbol]
            assert re.search(rf"\b{term.symbol}\b", text), (step.code, term.symbol)


def test_the_sentence_says_days_factor_and_share() -> None:
    with translation.override("fr"):
        text = parallelism_headline.sentence(answer(step_tokens=Decimal(730)))
    assert "8 × A100-SXM-80GB" in text.replace("\u00a0", " ")
    # 92 ÷ (8 × 0.8216): the published 14 days.
    assert "14 jours" in text.replace("\u00a0", " ")
    assert "6,57 fois plus vite, 82" in text


def test_the_published_days_stand_beside_ours_and_what_is_left_out_is_said() -> None:
    """92 days ÷ 8.00 = 11.5 where nothing of the exchange shows; the offer publishes 14."""
    with translation.override("fr"):
        found = answer(overlap_ratio=Decimal("0.5"))
        text = parallelism_headline.sentence(found).replace("\u00a0", " ")
        note = parallelism.stats(found)[1].note.replace("\u00a0", " ")
        stated = parallelism_headline.sentence(answer(observed_days=Decimal(13)))
    assert "dure 11,5 jours (l’offre publie 14 jours), hors attente des données, sauvegardes et GPU en retard" in text
    assert "8,00 fois plus vite" in text and "idéal" not in text
    assert note == "les échanges coûtent moins de 1 % du temps"
    assert "l’offre publie" not in stated


def test_a_fitted_speed_puts_its_band_in_the_sentence() -> None:
    with translation.override("fr"):
        found = replace(answer(observed_days=Decimal(13), overlap_ratio=Decimal("0.5")), mfu_band=Band(0.8, 1.25, 40))
        text = parallelism_headline.sentence(found).replace("\u00a0", " ")
    # 11.5 ÷ 1.25 = 9.2; 11.5 ÷ 0.8 = 14.4.
    assert "dure 11,5 jours, de 9,2 à 14,4 jours (8 mesures sur 10), hors attente des données" in text


def test_almost_all_is_never_written_as_all() -> None:
    with translation.override("fr"):
        nearly = parallelism_headline.efficiency(answer(overlap_ratio=Decimal("0.0095")).rows[-2])
    assert nearly.startswith("9") or nearly.startswith(">")


def test_a_model_that_does_not_fit_leads_the_sentence() -> None:
    with translation.override("fr"):
        text = parallelism_headline.sentence(ESTIMATES["too big"])
    assert text.startswith("Llama-3.1-70B ne tient pas sur")


def test_pitfall_37_no_days_stand_for_what_does_not_fit() -> None:
    with translation.override("fr"):
        page = parallelism.parallelism(ESTIMATES["too big"])
    assert page.short == page.stats[0].value == "ne tient pas"
    assert page.stats[0].note.endswith("si cela tenait")
    assert all("ne tient pas en mémoire" in line.marks for line in page.counts)


def test_without_a_price_the_bill_is_a_word() -> None:
    with translation.override("fr"):
        page = parallelism.parallelism(ESTIMATES["published"])
    assert page.stats[3].value == "sur devis"
    assert {line.eur for line in page.counts} == {"sur devis"}


def test_the_bill_is_told_net_and_gross() -> None:
    with translation.override("fr"):
        page = parallelism.parallelism(ESTIMATES["priced"])
    assert "HT" in page.total and "TTC (TVA 20" in page.total


def test_the_table_marks_the_cheapest_and_the_fastest() -> None:
    with translation.override("fr"):
        counts = parallelism_tables.counts(ESTIMATES["priced"])
    marked = {mark: line.gpus for line in counts for mark in line.marks}
    assert marked["le plus rapide"] == "64" and int(marked["le moins cher"]) >= 8


@pytest.mark.parametrize("code", sorted(parallelism_causes.names()))
@pytest.mark.parametrize("plausibility", list(Plausibility))
@pytest.mark.parametrize("value", [None, 0.5])
def test_each_cause_is_told_with_its_reason(code: str, plausibility: Plausibility, value: float | None) -> None:
    told = {"sequence": 2048.0, "global": 5833.0, "stated": 300e9, "ratio": 0.05, "share": 0.18, "estimated_days": 11.5}
    with translation.override("fr"):
        line = parallelism_causes.line(Cause(code, value, plausibility, told))
    assert line.name and line.value and line.verdict and line.why
    assert line.is_plausible is (plausibility is Plausibility.PLAUSIBLE)


@pytest.mark.parametrize("name", [name for name in ESTIMATES if ESTIMATES[name].rows])
def test_each_figure_is_valid_for_plotly(name: str) -> None:
    for draw in (charts.speed_up, charts.cost):
        plot = draw(ESTIMATES[name])
        if plot is not None:
            go.Figure(data=plot.figure["data"], layout=plot.figure["layout"])


def test_the_estimate_is_dashed_and_the_ideal_is_the_number_of_gpus() -> None:
    plot = charts.speed_up(ESTIMATES["many"])
    assert plot is not None
    by_role = {trace["meta"]["role"]: trace for trace in plot.figure["data"]}
    assert by_role["gpu"]["line"]["dash"] == "dash"
    counts = by_role["gpu"]["x"]
    assert by_role["mute"]["x"] == by_role["mute"]["y"] == [counts[0], counts[-1]]
    assert all(reached <= count for reached, count in zip(by_role["gpu"]["y"], counts, strict=True))


def test_the_cost_chart_shows_gpu_hours_where_there_is_no_price() -> None:
    free, priced = charts.cost(ESTIMATES["published"]), charts.cost(ESTIMATES["priced"])
    assert free is not None and priced is not None
    # 92 days × 24 h on one GPU.
    assert free.figure["data"][0]["y"][0] == pytest.approx(2208, rel=1e-3)
    # The whole machine of eight for 92 days at 43.20 €.
    assert priced.figure["data"][0]["y"][0] == pytest.approx(95_386, rel=1e-3)


def test_one_count_alone_draws_no_line() -> None:
    lone = answer(facts(model=LLAMA_70B), tensor_parallel=8, pipeline_parallel=8, gpu_count=64)
    assert charts.cost(lone) is None


@pytest.mark.parametrize(
    ("value", "text"), [(92.0, "92 jours"), (11.504, "11,5 jours"), (0.5, "12 h"), (1234.6, "1 235 jours")]
)
def test_days_are_written_as_people_say_them(value: float, text: str) -> None:
    with translation.override("fr"):
        assert re.sub(r"[\u00a0\u202f]", " ", parallelism_units.days(value)) == text


def test_every_interconnect_has_a_source_and_a_rate() -> None:
    known = interconnects.interconnects()
    assert all(one.source and one.note and one.bytes_per_s > 0 for one in known)
    assert len({one.code for one in known}) == len(known)
    assert {one.reach for one in known} == set(Reach)


@pytest.mark.parametrize(
    ("code", "gigabytes"),
    [
        ("pcie3", 16),
        ("pcie4", 32),
        ("pcie5", 64),
        ("nvlink2", 150),
        ("nvlink3", 300),
        ("nvlink4", 450),
        ("nvlink5", 900),
        ("ib-hdr", 25),
        ("ib-ndr", 50),
        ("eth10", 1.25),
        ("eth25", 3.125),
        ("eth100", 12.5),
        ("eth400", 50),
    ],
)
def test_pitfalls_43_and_48_rates_are_one_way_and_in_bytes(code: str, gigabytes: float) -> None:
    found = interconnects.interconnect(code)
    assert found is not None and found.bytes_per_s == gigabytes * 1e9


def plain(text: str) -> str:
    """Spaces of any kind made plain."""
    return re.sub(r"[\u00a0\u202f]", " ", text)


def test_pitfall_13_memory_is_told_in_the_units_of_the_card() -> None:
    # 160 × 10⁹ bytes are 149.0 GiB; 85 899 345 920 are the 80 GiB of an "80 GB" card.
    with translation.override("fr"):
        french = parallelism_notices.notice(Message("does_not_fit", {**VALUES, "usable_bytes": 85_899_345_920}))
    with translation.override("en"):
        english = parallelism_notices.notice(Message("does_not_fit", {**VALUES, "usable_bytes": 85_899_345_920}))
    assert "149 Gio par GPU pour 80 Gio" in plain(french.text)
    assert "149 GiB" in plain(english.text) and "80 GiB" in plain(english.text)


def test_pitfall_13_no_memory_of_the_page_is_in_decimal_units() -> None:
    with translation.override("en"):
        page = parallelism.parallelism(ESTIMATES["too big"])
    assert page.lead.count("GiB") == 2 and "TB" not in page.lead
    assert all("GiB" in line.memory for line in page.ways if line.memory != "unknown")


def banded(bandwidth_ratio: float, *, is_borrowed: bool = False) -> str:
    """The sentence of the band 0.9 to 1.25 of 137 measurements."""
    known = calibrated(replace(LINK, bandwidth_ratio=bandwidth_ratio))
    found = replace(answer(facts(known=known)), allreduce_band=Band(0.9, 1.25, 137, is_borrowed))
    with translation.override("en"):
        return plain(parallelism.allreduce_band(found))


def test_the_band_never_starts_below_what_the_link_carries() -> None:
    # 31.5 ms at 100 %: 25.2 ms would be faster than the link.
    text = banded(1.0)
    assert "31.5 ms to 35 ms" in text and "bounded by the data sheet" in text


def test_a_band_above_the_floor_is_told_as_it_is() -> None:
    # 63 ms at half: 50.4 ms to 70 ms.
    text = banded(0.5)
    assert "50.4 ms to 70 ms" in text and "bounded" not in text


def test_a_band_of_other_gpus_is_said_to_be_one() -> None:
    assert "of other GPUs, widened" in banded(0.5, is_borrowed=True)
    assert "other GPUs" not in banded(0.5)


def test_measurements_are_counted_and_not_said_to_be_independent() -> None:
    text = banded(0.5)
    assert "(137 measurements)" in text and "fit" not in text


def details(language: str, **changes: object) -> dict[str, str]:
    with translation.override(language):
        return {line.name: plain(line.detail) for line in parallelism_tables.links(answer(**changes))}


def test_each_link_says_where_it_runs_and_with_how_many_cards() -> None:
    one = details("en")
    assert one["NVLink3 + NVSwitch"] == "your configuration, inside the machine"
    assert one["Ethernet 100 Gb/s"] == "between 8 machines of one GPU, 1 card each"
    apart = details("en", machine_gpus=1, cards_count=2)
    assert apart["Ethernet 100 Gb/s"] == "between 8 machines of one GPU, 2 cards each"
    current = "your configuration, between 8 machines of one GPU, 2 cards each, bounded by PCIe"
    assert apart["InfiniBand HDR 200 Gb/s"] == current
    assert apart["PCIe 4.0 ×16"] == "in machines of 8 GPUs, hypothetical"


def test_a_link_that_is_not_the_bottleneck_names_the_one_that_is() -> None:
    spread = details("en", gpu_count=16)
    assert spread["NVLink 4 + NVSwitch (H100)"].endswith("; held up by InfiniBand HDR 200 Gb/s")
    assert "held up" not in spread["PCIe 4.0 ×16"]


def kinds(estimate: ParallelismEstimate) -> dict[str, str]:
    with translation.override("en"):
        rows = parallelism_rows.export_rows(estimate)
    return {row.label: row.kind for row in rows if row.section == "Answer"}


def test_each_row_of_the_answer_has_the_origin_of_its_own_figure() -> None:
    found = kinds(answer(facts(offer=sku(1, "5.40")), gpu_count=8))
    assert found["Time on a single GPU"] == "claim"
    assert found["Machines"] == found["Time"] == found["Cost"] == "assumption"
    assert kinds(answer())["Machines"] == "claim"


def test_the_published_utilisation_is_a_claim_in_the_files() -> None:
    with translation.override("en"):
        rows = parallelism_rows.export_rows(answer())
    (told,) = [row for row in rows if row.label == "MFU of a single GPU"]
    assert told.kind == "claim"


def test_the_symbol_of_the_rate_names_the_way_that_is_computed_with() -> None:
    with translation.override("fr"):
        inside = parallelism_steps.meanings(answer(gpu_count=16))["B"]
        between = parallelism_steps.meanings(answer(gpu_count=16, cards_count=1))["B"]
    assert "NVLink3 + NVSwitch" in inside and "InfiniBand HDR 200 Gb/s" in between
