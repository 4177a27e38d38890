"""The tables: sorted by cost, marked in words, unknown as a word, and every number worked out by hand."""

from decimal import Decimal

import pytest
from django.utils import translation

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsEstimate, RateOrigin, Verdict
from calculator.presenters import rows, tables, words
from calculator.presenters.headline import plain
from tests.domain import factories as offer

NB, THIN = "\u00a0", "\u202f"


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


@pytest.fixture
def default() -> EconomicsEstimate:
    """GPU-PRO by the month, 100 M output tokens, ECB rate of 30 October 2026."""
    return answer()


def test_offers_stand_from_the_cheapest_up(default: EconomicsEstimate) -> None:
    rows = tables.offers(default, {}).rows
    assert [row.name for row in rows] == [
        "mistral-small-2603", "gpt-5.4-mini", "claude-haiku-4-5", "GPU-PRO", "gpt-5.4", "claude-sonnet-4-6",
    ]  # fmt: skip
    assert [row.is_gpu for row in rows] == [False, False, False, True, False, False]


def test_offers_cost_dollars_divided_by_the_rate(default: EconomicsEstimate) -> None:
    """100 × 0.60, 4.50, 5.00, 15.00 $ ÷ 1.1172."""
    months = {row.name: row.month for row in tables.offers(default, {}).rows}
    assert months["mistral-small-2603"] == f"53,71{NB}€"
    assert months["gpt-5.4-mini"] == f"402,79{NB}€"
    assert months["claude-haiku-4-5"] == f"447,55{NB}€"
    assert months["gpt-5.4"] == f"1{THIN}342,64{NB}€"
    assert months["GPU-PRO"] == f"830,64{NB}€"


def test_bars_are_per_cent_of_the_longest_and_the_line_marks_the_gpu(default: EconomicsEstimate) -> None:
    """53.71, 402.79, 447.55, 830.64 € of 1 342.64 €."""
    table = tables.offers(default, {})
    assert [row.width for row in table.rows] == ["4.0%", "30.0%", "33.3%", "61.9%", "100.0%", "100.0%"]
    assert table.line == "61.9%"


def test_offers_carry_verdicts_in_words(default: EconomicsEstimate) -> None:
    """830.64 ÷ 53.71 = 15.5; ÷ 402.79 = 2.06; ÷ 447.55 = 1.86; ÷ 1 342.64 = 0.62."""
    marks = {row.name: (row.mark.text, row.mark.css) for row in tables.offers(default, {}).rows}
    assert marks["mistral-small-2603"] == ("15,5 fois plus cher", "lose")
    assert marks["gpt-5.4-mini"] == (f"106{NB}% de plus", "lose")
    assert marks["claude-haiku-4-5"] == (f"86{NB}% de plus", "lose")
    assert marks["gpt-5.4"] == (f"38{NB}% de moins", "win")
    assert marks["GPU-PRO"] == ("référence", "")


def test_unknown_costs_stand_last_and_are_words() -> None:
    free = offer.api("mystery", offer.rates("1.00", None, None))
    result = estimate(offer.scenario(apis=("mystery", "gpt-5.4")), offer.facts(apis=(free, offer.GPT_54)))
    last = tables.offers(result, {"mystery": ("prix inconnu",)}).rows[-1]
    assert (last.name, last.month, last.per_mtok, last.mark.text) == ("mystery", "inconnu", "inconnu", "inconnu")
    assert last.width == "" and last.reasons == ("prix inconnu",)


def test_without_a_rate_dollars_are_shown_as_dollars() -> None:
    result = estimate(offer.scenario(), offer.facts(usd_per_eur=None))
    row = next(row for row in tables.offers(result, {}).rows if row.name == "gpt-5.4")
    assert row.month == f"1{THIN}500,00{NB}$, taux indisponible"
    assert "€" not in row.month


def test_a_gpu_on_request_has_no_bar_and_no_line() -> None:
    result = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    table = tables.offers(result, {})
    gpu = next(row for row in table.rows if row.is_gpu)
    assert (gpu.month, gpu.width, table.line) == ("sur devis", "", "")


def test_several_gpus_are_counted_in_the_name() -> None:
    result = answer(volume_tokens=Decimal(300_000_000))
    gpu = next(row for row in tables.offers(result, {}).rows if row.is_gpu)
    assert gpu.name == f"3{NB}× GPU-PRO"


@pytest.mark.parametrize(
    ("kind", "difference", "words_", "short", "css"),
    [
        (Verdict.GPU, "-0.381", f"38{NB}% de moins", f"−38{NB}%", "win"),
        (Verdict.API, "0.865", f"87{NB}% de plus", f"+87{NB}%", "lose"),
        (Verdict.API, "2", f"200{NB}% de plus", f"+200{NB}%", "lose"),
        (Verdict.API, "2.01", "3,0 fois plus cher", f"×{NB}3,0", "lose"),
        (Verdict.API, "14.465", "15,5 fois plus cher", f"×{NB}15,5", "lose"),
        (Verdict.API, "150.4", "151 fois plus cher", f"×{NB}151", "lose"),
        (Verdict.EQUIVALENT, "0.031", "équivalent", f"≈{NB}+3{NB}%", "tie"),
        (Verdict.EQUIVALENT, "0", "équivalent", f"≈{NB}0{NB}%", "tie"),
        (Verdict.UNKNOWN, None, "inconnu", "inconnu", ""),
    ],
)
def test_a_verdict_is_words_and_a_sign(
    kind: Verdict, difference: str | None, words_: str, short: str, css: str
) -> None:
    ratio = None if difference is None else Decimal(difference)
    assert words.verdict(kind, ratio) == (words_, css)
    assert words.delta(kind, ratio) == (short, css)


def test_each_gpu_stands_against_each_api(default: EconomicsEstimate) -> None:
    """GPU-STARTER: ⌈100 ÷ 37.07⌉ = 3 × 612.00 = 1 836.00 €, 37 % over 1 342.64 €; GPU-TITAN 3 888.00 €."""
    rows = {(row.code, row.price): row for row in tables.overview(default)}
    starter = rows["GPU-STARTER", f"0,85{NB}€/h"]
    assert (starter.gpus, starter.month, starter.per_mtok) == ("3", f"1{THIN}836,00", "18,36")
    assert starter.cells[3].text == f"+37{NB}%"
    assert rows["GPU-TITAN", f"5,40{NB}€/h"].month == f"3{THIN}888,00"
    assert rows["GPU-PRO", f"1,50{NB}€/h"].per_mtok == "10,80"


def test_tables_say_that_the_prompt_is_read_for_nothing() -> None:
    """Four input tokens an output token and no rate to read them at: every verdict lacks that time."""
    found = answer(input_tokens=Decimal(2000), output_tokens=Decimal(500))
    said = f"Temps du prompt non compté{NB}: verdicts incomplets."
    assert (tables.overview_reserve(found), tables.chosen_reserve(found)) == (said, said)


def test_tables_name_the_gpus_whose_prompt_time_is_missing() -> None:
    found = answer(input_tokens=Decimal(2000), output_tokens=Decimal(500), prefill_tok_per_s=Decimal(5000))
    said = tables.overview_reserve(found)
    assert said == (f"Temps du prompt non compté pour GPU-STARTER, GPU-ENTERPRISE, GPU-TITAN{NB}: verdicts incomplets.")
    assert tables.chosen_reserve(found) == ""


def test_tables_have_nothing_to_add_without_a_prompt_or_a_verdict(default: EconomicsEstimate) -> None:
    assert (tables.overview_reserve(default), tables.chosen_reserve(default)) == ("", "")
    unknown = estimate(offer.scenario(input_tokens=Decimal(2000)), offer.facts(sku=offer.SUPERCOMPUTE))
    assert tables.chosen_reserve(unknown) == ""


@pytest.mark.parametrize(("origin", "kind"), [(None, "votre saisie"), (RateOrigin.ESTIMATE, "estimation")])
def test_a_rate_of_ones_own_does_not_stand_silently_among_single_stream_claims(
    origin: RateOrigin | None, kind: str
) -> None:
    found = answer(rate_tok_per_s=Decimal(448), rate_concurrency=32, rate_origin=origin)
    said = tables.overview_reserve(found)
    assert said.startswith(f"GPU-PRO est compté au débit saisi ou repris ({kind}), les autres GPU au débit annoncé")
    kinds = {row.code: row.kind.word for row in tables.overview(found) if row.kind}
    assert (kinds["GPU-PRO"], kinds["GPU-STARTER"]) == (kind, "annoncé")
    reserves = [row.value for row in rows.export_rows(found) if row.label == "Réserve" and row.section == "Chaque GPU"]
    assert reserves == [said]


def test_a_typed_single_stream_rate_compares_with_the_other_lines() -> None:
    assert tables.overview_reserve(answer(rate_tok_per_s=Decimal(50), rate_concurrency=1)) == ""


def test_only_the_chosen_gpu_at_its_own_basis_is_marked(default: EconomicsEstimate) -> None:
    marked = [(row.code, row.price) for row in tables.overview(default) if row.is_current]
    assert marked == [("GPU-PRO", f"830,64{NB}€/mois")]


def test_a_gpu_without_a_price_shows_words_and_leads_to_a_price(default: EconomicsEstimate) -> None:
    row = next(row for row in tables.overview(default) if row.code == "GPU-SUPERCOMPUTE")
    assert row.on_request and row.price == "sur devis"
    assert "sku=GPU-SUPERCOMPUTE" in row.query


def test_choosing_another_gpu_lets_go_of_what_was_typed_for_this_one() -> None:
    typed = answer(rate_tok_per_s=Decimal(900), price_eur=Decimal(700), prefill_tok_per_s=Decimal(5000))
    other = next(row for row in tables.overview(typed) if row.code == "GPU-TITAN").query
    assert "rate=" not in other and "price=" not in other and "prefill=" not in other
    same = next(row for row in tables.overview(typed) if row.is_current).query
    assert "rate=900" in same and "price=700" in same


def test_volumes_show_whole_euros_and_count_gpus(default: EconomicsEstimate) -> None:
    lines = {line.volume: line for line in tables.volumes(default)}
    assert lines[f"10{NB}M"].gpu.text == "831" and lines[f"10{NB}M"].gpus == ""
    assert lines[f"300{NB}M"].gpu.text == f"2{THIN}492" and lines[f"300{NB}M"].gpus == "3 GPU"
    assert lines[f"500{NB}M"].gpu.text == f"4{THIN}153"
    assert [cell.text for cell in lines[f"50{NB}M"].cells] == ["27", "201", "224", "671", "671"]


def test_the_cheapest_of_each_volume_is_underlined_once(default: EconomicsEstimate) -> None:
    for line in tables.volumes(default):
        assert [line.gpu.best, *(cell.best for cell in line.cells)].count(True) == 1


def test_volumes_read_as_verdicts_by_api(default: EconomicsEstimate) -> None:
    reading = {line.volume: line.reading.text for line in tables.volumes(default)}
    assert reading[f"10{NB}M"] == "API moins chère"
    assert reading[f"100{NB}M"] == "GPU devant 2 API"


@pytest.mark.parametrize(
    ("verdicts", "text", "css"),
    [
        ((Verdict.API, Verdict.API), "API moins chère", "lose"),
        ((Verdict.API, Verdict.GPU), "GPU devant 1 API", "win"),
        ((Verdict.GPU, Verdict.GPU), "GPU devant toutes", "win"),
        ((Verdict.GPU,), "GPU devant 1 API", "win"),
        ((Verdict.API, Verdict.EQUIVALENT), "équivalent à 1 API", "tie"),
        ((Verdict.UNKNOWN, Verdict.GPU), "GPU devant 1 API", "win"),
        ((Verdict.UNKNOWN,), "inconnu", ""),
        ((), "inconnu", ""),
    ],
)
def test_a_reading_counts_what_is_known(verdicts: tuple[Verdict, ...], text: str, css: str) -> None:
    assert tables.reading(verdicts) == (text, css)


@pytest.mark.parametrize(
    ("difference", "css"),
    [
        ("2.01", "h0"), ("2", "h1"), ("1.01", "h1"), ("1", "h2"), ("0.41", "h2"), ("0.4", "h3"), ("0.06", "h3"),
        ("-0.06", "h5"), ("-0.15", "h5"), ("-0.16", "h6"), ("-0.30", "h6"), ("-0.31", "h7"), ("-0.42", "h7"),
        ("-0.43", "h8"), ("-0.52", "h8"), ("-0.53", "h9"), ("-0.99", "h9"),
    ],
)  # fmt: skip
def test_heat_classes_change_at_their_thresholds(difference: str, css: str) -> None:
    kind = Verdict.API if Decimal(difference) > 0 else Verdict.GPU
    assert tables.heat_class(kind, Decimal(difference)) == css


def test_heat_is_hatched_where_equivalent_and_empty_where_unknown() -> None:
    assert tables.heat_class(Verdict.EQUIVALENT, Decimal("0.03")) == "h4"
    assert tables.heat_class(Verdict.UNKNOWN, None) == ""


def test_the_heat_table_circles_one_cell(default: EconomicsEstimate) -> None:
    table = tables.heat(default)
    assert len(table.volumes) == 10 and len(table.rows) == 8
    circled = [(label, cell) for label, cells in table.rows for cell in cells if cell.css.endswith(" you")]
    assert circled == [(f"65{NB}%", ("h7 you", f"−38{NB}%"))]


def test_a_year_is_twelve_months_and_a_loss_has_a_minus(default: EconomicsEstimate) -> None:
    """12 × 830.64 = 9 967.68; 12 × 1 342.6423 = 16 111.71; the saving 6 144.03, 38 %."""
    lines = {line.name: line for line in tables.years(default)}
    assert lines["GPU-PRO"].year == f"9{THIN}967,68"
    assert lines["GPU-PRO"].saving == f"6{THIN}144,03" and lines["GPU-PRO"].share == f"38{NB}%"
    assert lines["gpt-5.4"].is_reference and lines["gpt-5.4"].saving == "0,00"
    dearer = {line.name: line for line in tables.years(answer(reference="gpt-5.4-mini"))}["GPU-PRO"]
    assert dearer.saving.startswith("−")


def test_the_year_marks_the_reference_that_its_savings_are_against() -> None:
    marked = [line for line in tables.years(answer(reference="gpt-9")) if line.is_reference]
    assert [(line.saving, line.share) for line in marked] == [("0,00", f"0{NB}%")]


def test_tax_is_added_once_on_the_total() -> None:
    """3 × 830.64 = 2 491.92; × 1.20 = 2 990.304 → 2 990.30 (per GPU it would be 2 990.31)."""
    total = tables.total(answer(volume_tokens=Decimal(300_000_000)))
    assert total is not None
    assert (total.net, total.rate, total.gross) == (f"2{THIN}491,92{NB}€", f"20{NB}%", f"2{THIN}990,30{NB}€")


def test_a_tax_with_a_decimal_keeps_it() -> None:
    total = tables.total(answer(vat_ratio=Decimal("0.055")))
    assert total is not None and total.rate == f"5,5{NB}%"


def test_nothing_is_filled_with_unknown_where_the_gpu_has_no_cost() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    assert tables.total(asked) is None
    assert tables.heat(asked) == tables.HeatTable((), ())


def test_the_overviews_badge_is_that_of_its_weakest_throughput_whichever_gpu_is_chosen() -> None:
    """The catalogue's throughputs are claims; a typed one of the chosen GPU does not make them typed."""
    badge = tables.weakest_throughput(answer(rate_tok_per_s=Decimal(900)))
    assert badge is not None and badge.kind == "claim"


def test_prices_say_their_period() -> None:
    assert words.price(offer.PRO, Basis.MONTH) == f"830,64{NB}€/mois"
    assert words.price(offer.PRO, Basis.HOUR) == f"1,50{NB}€/h"
    assert words.price(offer.SUPERCOMPUTE, Basis.HOUR) == "sur devis"


@pytest.mark.parametrize(("count", "french"), [(1, "1ᵉʳ"), (2, "2ᵉ"), (9276, f"9{THIN}276ᵉ")])
def test_ranks_are_written_as_in_french(count: int, french: str) -> None:
    assert words.ordinal(count) == french


@pytest.mark.parametrize(
    ("count", "english"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ranks_are_written_as_in_english(count: int, english: str) -> None:
    with translation.override("en"):
        assert words.ordinal(count) == english


@pytest.mark.parametrize(
    ("names", "text"), [((), ""), (("A",), "A"), (("A", "B"), "A et B"), (("A", "B", "C"), "A, B et C")]
)
def test_names_are_listed_as_people_do(names: tuple[str, ...], text: str) -> None:
    assert plain(words.listing(names)) == text
