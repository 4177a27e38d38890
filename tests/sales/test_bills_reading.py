"""The readers of usage reports: what each provider's counts include, and what is refused with its line and column."""

import datetime as dt
import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.offers import Mode
from sales.bills.reading import limits, report
from sales.bills.reading.formats import Meaning
from sales.bills.reading.problems import ReportError
from sales.bills.reading.report import Named, Report
from sales.domain.bills import UsageLine, gathered

FILES = Path(__file__).parent / "bills"
OPENAI_HEADER = (
    "start_time,end_time,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens,num_model_requests"
)
DAY = "1793491200,1793577600"
OWN = Named(
    {
        "Jour": Meaning.START,
        "Modèle": Meaning.MODEL,
        "Entrée": Meaning.INPUT,
        "Dont cache": Meaning.CACHE_READ,
        "Sortie": Meaning.OUTPUT,
        "Requêtes": Meaning.REQUESTS,
        "Coût": Meaning.AMOUNT,
    },
    includes_cache=True,
    currency="USD",
)


NAMES = st.sampled_from(["data", "results", "completion", "models", "start_time", "input", "prices", "x"])
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def sample(name: str, named: Named | None = None) -> Report:
    return report.read((FILES / name).read_bytes(), named)


def openai(*rows: str) -> Report:
    return report.read("\n".join((OPENAI_HEADER, *rows)).encode())


def told(found: Report) -> list[tuple[str, str, str]]:
    return [(problem.place, problem.column, problem.code) for problem in found.problems]


def counts(line: UsageLine) -> tuple[Decimal, ...]:
    usage = line.usage
    return (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
    )


class TestOpenAI:
    def test_51_the_input_count_includes_cached_tokens(self) -> None:
        found = sample("openai.csv")
        assert (found.code, found.provider, found.problems) == ("openai_csv", "OpenAI", ())
        assert counts(found.lines[0]) == (262_960, 257_955, 0, 0, 1_744)

    def test_55_the_batch_flag_is_the_mode(self) -> None:
        assert [line.mode for line in sample("openai.csv").lines] == [
            Mode.STANDARD,
            Mode.STANDARD,
            Mode.BATCH,
            Mode.STANDARD,
        ]

    def test_a_day_without_usage_counts_as_a_day_and_no_more(self) -> None:
        empty = sample("openai.csv").lines[1]
        assert counts(empty) == (0, 0, 0, 0, 0)
        assert (empty.start, empty.end) == (dt.date(2026, 11, 2), dt.date(2026, 11, 3))

    def test_the_json_report_says_the_same_as_the_csv(self) -> None:
        lines = sample("openai.json").lines
        assert counts(lines[0]) == counts(sample("openai.csv").lines[0])
        assert lines[1].mode is Mode.BATCH
        assert lines[2].start == dt.date(2026, 11, 30)

    def test_several_pages_in_a_list_are_one_report(self) -> None:
        page = json.loads((FILES / "openai.json").read_text())
        assert len(report.read(json.dumps([page, page]).encode()).lines) == 6

    def test_hours_belong_to_their_day(self) -> None:
        found = openai("1793491200,1793494800,gpt-5.4,,,1,1,0,1", "1793494800,1793498400,gpt-5.4,,,1,1,0,1")
        assert {(line.start, line.end) for line in found.lines} == {(dt.date(2026, 11, 1), dt.date(2026, 11, 2))}

    @pytest.mark.parametrize(
        ("tier", "mode"), [("flex", Mode.FLEX), ("priority", Mode.PRIORITY), ("default", Mode.STANDARD)]
    )
    def test_service_tiers_are_modes(self, tier: str, mode: Mode) -> None:
        assert openai(f"{DAY},gpt-5.4,,{tier},1,1,0,1").lines[0].mode is mode

    def test_59_an_unknown_tier_is_a_problem_not_the_standard_price(self) -> None:
        assert told(openai(f"{DAY},gpt-5.4,,turbo,1,1,0,1")) == [("2", "service_tier", "bad_tier")]

    def test_a_report_not_grouped_by_model_is_refused(self) -> None:
        assert told(openai(f"{DAY},,,,5,1,0,1")) == [("2", "model", "model_missing")]

    def test_tokens_of_audio_are_not_priced_as_text(self) -> None:
        rows = f"{OPENAI_HEADER},input_audio_tokens\n{DAY},gpt-5.4,,,9,1,0,1,7"
        assert told(report.read(rows.encode())) == [("2", "input_audio_tokens", "not_text")]

    def test_an_export_of_costs_is_told_from_one_of_usage(self) -> None:
        with pytest.raises(ReportError) as refused:
            report.read(b"start_time,amount_value,amount_currency,line_item\n1793491200,3,usd,x")
        assert refused.value.code == "costs_only"


class TestAnthropic:
    @pytest.mark.parametrize("name", ["anthropic.csv", "anthropic.json"])
    def test_53_cached_and_written_tokens_stand_beside_the_input(self, name: str) -> None:
        lines = sample(name).lines
        assert counts(lines[0]) == (4_000_000, 1_000_000, 1_000_000, 1_000_000, 0)
        assert (lines[1].mode, counts(lines[1])[0]) == (Mode.BATCH, 2_000_000)
        assert lines[0].requests is None

    def test_a_report_with_more_pages_says_so_and_what_it_does_not_price(self) -> None:
        remarks = {remark.code for remark in sample("anthropic.json").remarks}
        assert remarks == {"more_pages", "extra"}

    def test_the_long_context_band_is_kept_apart(self) -> None:
        text = (FILES / "anthropic.csv").read_text().replace("standard,≤ 200k", "standard,> 200k", 1)
        found = gathered(report.read(text.encode()).lines)
        assert {each.over_tokens for each in found} == {0, 200_000}

    def test_a_modified_price_is_said(self) -> None:
        text = (FILES / "anthropic.csv").read_text().replace("global", "us", 1)
        assert [remark.code for remark in report.read(text.encode()).remarks] == ["modifier"]


class TestMistral:
    def test_groups_add_up_and_hold_what_was_paid(self) -> None:
        """4 M + 6 M + 2 M in, 1 M out; 4 × 0.13 + 0.52 = 1.04 € on the first day, 6 × 0.13 + 2 × 0.013 = 0.806 €."""
        found = sample("mistral.json")
        assert (found.provider, found.problems) == ("Mistral", ())
        (total,) = gathered(found.lines)
        assert (total.model, total.currency) == ("mistral-small-2603", "EUR")
        assert (total.usage.input_tokens, total.usage.cache_read_tokens) == (12_000_000, 2_000_000)
        assert total.amount == Decimal("1.846")

    def test_seconds_of_audio_are_no_tokens(self) -> None:
        document = json.loads((FILES / "mistral.json").read_text())
        entry = next(iter(document["completion"]["models"].values()))["input"][0]
        entry["event_type"] = "api_audio_seconds"
        assert [problem.code for problem in report.read(json.dumps(document).encode()).problems] == ["not_tokens"]

    def test_a_group_without_a_price_leaves_the_amount_unknown(self) -> None:
        document = json.loads((FILES / "mistral.json").read_text())
        document["prices"] = document["prices"][:1]
        (total,) = gathered(report.read(json.dumps(document).encode()).lines)
        assert total.amount is None


class TestOwnColumns:
    def test_an_unknown_header_comes_back_to_be_named(self) -> None:
        found = sample("own.csv")
        assert (found.code, found.lines) == ("unknown", ())
        assert found.header == ("Jour", "Modèle", "Entrée", "Dont cache", "Sortie", "Requêtes", "Coût")

    def test_named_columns_are_read_with_the_files_own_decimal_mark(self) -> None:
        lines = sample("own.csv", OWN).lines
        assert counts(lines[0]) == (1_000_000, 500_000, 0, 0, 200_000)
        assert (lines[0].amount, lines[0].currency) == (Decimal("4.63"), "USD")
        assert lines[1].requests == 500

    def test_a_cache_beside_the_input_is_added(self) -> None:
        beside = Named(OWN.columns, includes_cache=False, currency="EUR")
        assert counts(sample("own.csv", beside).lines[0])[0] == 1_500_000

    def test_a_number_with_two_readings_is_refused_when_nothing_decides(self) -> None:
        named = Named({"m": Meaning.MODEL, "i": Meaning.INPUT, "o": Meaning.OUTPUT}, True, "USD")
        found = report.read(b"m;i;o\ngpt-5.4;1,234;5", named)
        assert "two_readings" in [problem.code for problem in found.problems]

    def test_without_model_or_tokens_nothing_can_be_read(self) -> None:
        found = sample("own.csv", Named({"Jour": Meaning.START}, True, "USD"))
        assert {problem.values["text"] for problem in found.problems if problem.code == "column_missing"} == {
            "model",
            "input",
            "output",
        }


class TestHostileInput:
    @pytest.mark.parametrize(
        ("cell", "code"),
        [
            ("-5", "negative_number"),
            ("NaN", "not_finite"),
            ("inf", "not_finite"),
            ("=1+1", "not_a_number"),
            ("1.5", "not_whole"),
            ("9" * 30, "too_large"),
            ("9" * 5000, "too_many_digits"),
            ("1e16", "too_large"),
            ("abc", "not_a_number"),
            ("0x10", "not_a_number"),
        ],
    )
    def test_a_count_that_is_none_is_named_with_line_and_column(self, cell: str, code: str) -> None:
        assert told(openai(f"{DAY},gpt-5.4,,,{cell},1,0,1")) == [("2", "input_tokens", code)]

    def test_all_problems_come_at_once(self) -> None:
        found = openai(f"{DAY},gpt-5.4,perhaps,turbo,-1,x,0,1", f"{DAY},,,,5,1,9,1", "soon,,gpt-5.4,,,1,1,0,1")
        assert told(found) == [
            ("2", "input_tokens", "negative_number"),
            ("2", "output_tokens", "not_a_number"),
            ("2", "batch", "bad_flag"),
            ("2", "service_tier", "bad_tier"),
            ("3", "input_cached_tokens", "cached_over_input"),
            ("4", "start_time", "bad_day"),
        ]

    def test_problems_beyond_the_limit_are_counted(self) -> None:
        found = openai(*[f"{DAY},gpt-5.4,,,-1,1,0,1"] * (limits.PROBLEMS + 7))
        assert (len(found.problems), found.more_count) == (limits.PROBLEMS, 7)

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (b"", "empty"),
            (b"PK\x03\x04rest", "archive"),
            (b"\x1f\x8b\x08rest", "archive"),
            (b"%PDF-1.7", "archive"),
            (b"a,b\x00c\n1,2", "binary"),
            (b"x" * (limits.FILE_BYTES + 1), "too_large"),
            (("a," * 1_000_000).encode(), "too_many_columns"),
            (b"m,i,o\n" + b"\n" * 4_000_000, "too_many_rows"),
            (b"{", "json_broken"),
            (b'{"data": NaN}', "json_broken"),
            (b'{"data": 1, "data": 2}', "json_key_twice"),
            (b'{"a": "\\u0000"}', "binary"),
            (b'{"data": [{"start_time": 1, "results": [{"model": "\\ud83d"}]}]}', "json_broken"),
            (b'{"completion": {"models": {"\\uDC00": {}}}}', "json_broken"),
            (b'{"\\ud800": 1, "\\ud800": 2}', "json_key_twice"),
            (b"[" * 90_000, "json_broken"),
            (b"[" * 200_000, "too_many_rows"),
            (b'{"data": ' + b"9" * 6_000 + b"}", "json_broken"),
            (b'{"rows": []}', "json_unknown"),
            (b'{"data": [{"results": 5}]}', "json_unknown"),
            (b"[1, 2]", "json_unknown"),
            ((OPENAI_HEADER + "\n").encode(), "no_rows"),
        ],
    )
    def test_what_is_no_report_is_refused_with_a_code(self, content: bytes, code: str) -> None:
        with pytest.raises(ReportError) as refused:
            report.read(content)
        assert refused.value.code == code

    def test_a_header_that_holds_a_name_twice_is_a_problem(self) -> None:
        rows = f"{OPENAI_HEADER},model\n{DAY},gpt-5.4,,,1,1,0,1,gpt-4.1"
        assert ("1", "model", "header_twice") in told(report.read(rows.encode()))

    def test_more_rows_than_the_limit_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(report, "ROWS", 3)
        with pytest.raises(ReportError) as refused:
            openai(*[f"{DAY},gpt-5.4,,,1,1,0,1"] * 4)
        assert refused.value.code == "too_many_rows"

    def test_more_models_than_the_limit_are_refused(self) -> None:
        with pytest.raises(ReportError) as refused:
            openai(*[f"{DAY},model-{number},,,1,1,0,1" for number in range(limits.TRAFFICS + 1)])
        assert refused.value.code == "too_many_models"

    def test_a_formula_in_a_models_name_stays_text(self) -> None:
        assert openai(f"{DAY},=cmd(),,,1,1,0,1").lines[0].model == "=cmd()"

    def test_a_character_spelled_in_two_halves_is_one(self) -> None:
        day = {"input_tokens": 1, "output_tokens": 1, "num_model_requests": 1, "model": "m\U0001f600"}
        page = {"data": [{"start_time": 1793491200, "end_time": 1793577600, "results": [day]}]}
        held = json.dumps(page)
        assert "\\ud83d\\ude00" in held
        assert report.read(held.encode()).lines[0].model == "m\U0001f600"

    @pytest.mark.parametrize("price", ["1e999999", "1", "NaN"])
    def test_counts_and_prices_beyond_reason_are_told_and_never_multiplied(self, price: str) -> None:
        entry = '{"value": 1e999999, "timestamp": "2026-11-01", "billing_metric": "m"}'
        priced = f'"prices": [{{"billing_metric": "m", "billing_group": "input", "price": "{price}"}}]'
        text = f'{{"completion": {{"models": {{"a::b": {{"input": [{entry}, {entry}]}}}}}}, {priced}}}'
        assert [problem.code for problem in report.read(text.encode()).problems] == ["too_large", "too_large"]

    def test_a_price_beyond_reason_is_no_price(self) -> None:
        entry = '{"value": 10, "timestamp": "2026-11-01", "billing_metric": "m"}'
        priced = '"prices": [{"billing_metric": "m", "billing_group": "input", "price": "1e999999"}]'
        text = f'{{"completion": {{"models": {{"a::b": {{"input": [{entry}], "output": [{entry}]}}}}}}, {priced}}}'
        found = report.read(text.encode())
        assert [(line.usage.input_tokens, line.amount) for line in found.lines] == [(10, None)]

    def test_windows_and_utf_16_files_are_read(self) -> None:
        text = (FILES / "own.csv").read_text()
        for encoding in ("cp1252", "utf-16", "utf-8-sig"):
            assert len(report.read(text.encode(encoding), OWN).lines) == 2

    def test_an_anthropic_file_is_not_read_as_openais(self) -> None:
        """Cached tokens are added for one and inside for the other: the header alone decides."""
        assert sample("anthropic.csv").code == "anthropic_csv"

    @given(st.binary(max_size=400))
    def test_no_bytes_do_anything_but_read_or_refuse(self, content: bytes) -> None:
        try:
            report.read(content)
        except ReportError as error:
            assert error.code

    @given(DOCUMENTS)
    def test_no_json_does_anything_but_read_or_refuse(self, document: Any) -> None:
        try:
            report.read(json.dumps(document).encode())
        except ReportError as error:
            assert error.code

    def test_a_large_file_is_read_in_reasonable_time(self) -> None:
        picked = random.Random(7)
        rows = [f"{DAY},gpt-5.4,,,{picked.randrange(10**6)},5,0,1" for _ in range(40_000)]
        assert len(openai(*rows).lines) == 40_000
