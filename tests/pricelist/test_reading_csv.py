"""The price cases about reading a CSV file: encodings, delimiters, decimal marks, codes."""

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.pricelist.contract import FileKind, Item, Price, PriceFileError
from tests.pricelist.filefactory import GPU_HEADER, LLM_HEADER, amounts, csv, errors, gpu, parsed, warnings

P03 = csv(
    "sku;component;amount;currency;unit",
    "GPU-PRO;instance_hour;1,50;EUR;instance_hour",
    "GPU-TITAN;instance_hour;5,40;EUR;instance_hour",
)


def price(content: bytes, index: int = 0) -> Price:
    found = parsed(content)
    assert found.errors == ()
    one = found.lines[index].content
    assert isinstance(one, Price)
    return one


def test_p01_a_byte_order_mark_is_not_part_of_the_first_header() -> None:
    plain = csv(GPU_HEADER, "GPU-PRO,instance_hour,1.50,EUR,instance_hour")
    marked = b"\xef\xbb\xbf" + plain
    assert parsed(marked).lines == parsed(plain).lines
    assert parsed(marked).columns[0] == "sku"


def test_p02_windows_1252_is_found_said_and_read() -> None:
    content = csv(
        "sku;label_fr;amount;currency;component;unit",
        "GPU-PRO;Carte dédiée;1,50 €;EUR;instance_hour;instance_hour",
        encoding="cp1252",
    )
    assert b"\x80" in content
    assert b"\xe9" in content
    found = parsed(content)
    assert found.encoding == "windows-1252"
    assert warnings(content) == [(0, "read_as_windows_1252")]
    assert price(content).item.label_fr == "Carte dédiée"
    assert (price(content).amount, price(content).currency) == (Decimal("1.50"), "EUR")


def test_p02_the_person_may_say_the_encoding() -> None:
    content = csv(
        "sku;label_fr;component;amount;currency;unit", "A;Ÿ;instance_hour;1,5;EUR;instance_hour", encoding="cp1252"
    )
    assert parsed(content, encoding="windows-1252").encoding == "windows-1252"
    with pytest.raises(PriceFileError) as refused:
        parsed(content, encoding="utf-8")
    assert refused.value.code == "encoding_wrong"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"\r\n  \r\n", "empty"),
        (b"sku,component\x00", "binary"),
        (bytes(range(256)) * 8, "binary"),
        (csv(GPU_HEADER) + b"\x81\x8d\x8f\x90\x9d", "encoding_unknown"),
    ],
)
def test_what_is_no_text_is_refused_and_nothing_replaces_its_characters(content: bytes, code: str) -> None:
    with pytest.raises(PriceFileError) as refused:
        parsed(content)
    assert refused.value.code == code


def test_a_replacement_character_in_a_file_is_an_error_of_its_cell() -> None:
    content = csv("sku,label_fr,component,amount,currency,unit", "A,D\ufffddi,instance_hour,1.5,EUR,instance_hour")
    assert errors(content) == [(2, "label_fr", "characters_lost")]


def test_p03_semicolons_with_decimal_commas() -> None:
    found = parsed(P03)
    assert (found.kind, found.delimiter, found.decimal_mark) == (FileKind.GPU, ";", ",")
    assert amounts(P03) == ["1.5", "5.4"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_each_delimiter_is_found(delimiter: str) -> None:
    content = gpu("1.50", "5.40", delimiter=delimiter)
    assert parsed(content).delimiter == delimiter
    assert amounts(content) == ["1.5", "5.4"]


def test_a_decimal_comma_between_commas_is_an_error_not_another_column() -> None:
    content = csv(GPU_HEADER, "GPU-PRO,instance_hour,1,50,EUR,instance_hour")
    assert (2, "", "too_many_cells") in errors(content)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_p04_a_decimal_comma_is_never_a_thousands_mark_whatever_the_language(language: str) -> None:
    with translation.override(language):
        assert amounts(gpu("4,20")) == ["4.2"]


@pytest.mark.parametrize("space", ["\u0020", "\u00a0", "\u202f", "\u2009"])
def test_p05_thousands_are_parted_by_any_space(space: str) -> None:
    assert amounts(gpu(f"1{space}234,56")) == ["1234.56"]


@pytest.mark.parametrize("text", ["12 34,5", "1 2345,6", "1234 567,8", "1  234,5"])
def test_p05_a_group_that_is_not_of_three_is_an_error(text: str) -> None:
    assert [code for _line, _column, code in errors(gpu(text))] == ["not_a_number"]


def test_p06_one_number_with_two_readings_is_an_error_that_shows_both() -> None:
    found = parsed(gpu("1,234"))
    assert [(problem.line_no, problem.code) for problem in found.errors] == [(2, "decimal_mark_undecidable")]
    values = found.errors[0].values
    assert (values["text"], values["with_comma"], values["with_point"]) == ("1,234", "1.2340", "1234")
    assert found.lines == ()


def test_p06_another_row_decides() -> None:
    assert amounts(gpu("1,234", "0,85")) == ["1.234", "0.85"]
    assert amounts(gpu("1,234", "0.85")) == ["1234", "0.85"]


def test_p06_the_person_decides() -> None:
    assert amounts(gpu("1,234"), decimal_mark=",") == ["1.234"]
    assert amounts(gpu("1,234"), decimal_mark=".") == ["1234"]
    assert parsed(gpu("1,234"), decimal_mark=",").decimal_mark_declared


def test_two_rows_that_contradict_each_other_are_named_together() -> None:
    found = parsed(gpu("1,50", "2.75"))
    assert [problem.code for problem in found.errors if problem.code == "decimal_marks_differ"] != []
    values = found.errors[0].values
    assert (values["comma_line"], values["point_line"]) == (2, 3)


def test_p07_codes_stay_text() -> None:
    rows = [f"{code};instance_hour;1,50;EUR;instance_hour" for code in ("0017", "1E10", "2-4")]
    found = parsed(csv("sku;component;amount;currency;unit", *rows))
    assert [line.content.code for line in found.lines if isinstance(line.content, Price)] == ["0017", "1E10", "2-4"]


def test_p10_an_exponent_is_read_and_converted() -> None:
    header = "model;component;amount;currency;unit"
    assert amounts(csv(header, "m;output;1.5E-05;USD;token")) == ["15"]
    assert amounts(csv(header, "m;output;1,5E-05;USD;token")) == ["15"]


def test_p10_what_is_no_number_is_an_error_with_its_line() -> None:
    rows = [f"m{place};output;{text};USD;token" for place, text in enumerate(("1E400", "Infinity", "NaN", "-0,00"))]
    content = csv("model;component;amount;currency;unit", *rows)
    assert errors(content) == [
        (2, "amount", "out_of_range"),
        (3, "amount", "not_finite"),
        (4, "amount", "not_finite"),
        (5, "amount", "negative_number"),
    ]


def test_p11_one_key_with_two_amounts_is_an_error_that_names_both_lines() -> None:
    content = csv(GPU_HEADER, *(f"GPU-PRO,instance_hour,{amount},EUR,instance_hour" for amount in ("1.50", "1.60")))
    found = parsed(content)
    assert [(problem.line_no, problem.code) for problem in found.errors] == [(3, "same_key_twice")]
    assert (found.errors[0].values["first_line"], found.errors[0].values["line"]) == (2, 3)


def test_p11_identical_twins_are_one_row_and_a_warning() -> None:
    row = "GPU-PRO,instance_hour,1.50,EUR,instance_hour"
    content = csv(GPU_HEADER, row, row.lower().replace("eur", "EUR"))
    assert amounts(content) == ["1.5"]
    assert warnings(content) == [(3, "said_twice")]


def test_p12_a_file_without_the_currency_is_an_error() -> None:
    content = csv("sku,component,amount,unit", "GPU-PRO,instance_hour,1.50,instance_hour")
    assert errors(content) == [(1, "currency", "column_missing")]
    assert parsed(content).lines == ()


def test_p12_an_unknown_currency_or_a_sign_that_differs_is_an_error() -> None:
    content = csv(
        "sku;component;amount;currency;unit",
        "A;instance_hour;1,50;JPY;instance_hour",
        "B;instance_hour;1,50 $;EUR;instance_hour",
        "C;instance_hour;1,50;;instance_hour",
        "D;instance_hour;£1,50;EUR;instance_hour",
    )
    assert errors(content) == [
        (2, "currency", "not_one_of"),
        (3, "amount", "currency_sign_differs"),
        (4, "currency", "missing"),
        (5, "amount", "currency_sign_unknown"),
    ]


@pytest.mark.parametrize("text", ["7,50 $US", "US$7,50", "$7,50", "7,50 USD", "7,50\u00a0$"])
def test_a_sign_that_agrees_is_taken_away(text: str) -> None:
    assert amounts(csv("model;component;amount;currency;unit", f"m;output;{text};USD;mtok")) == ["7.5"]


def test_p13_a_negative_sentinel_is_an_error() -> None:
    content = csv(
        "model,component,mode,context_over,amount,currency,unit", "openrouter/auto,input,standard,0,-1,USD,token"
    )
    assert errors(content) == [(2, "amount", "negative_number")]
    assert parsed(content).lines == ()


def test_p14_zero_must_be_said_to_be_free_and_nothing_is_not_zero() -> None:
    content = csv(
        "model,component,kind,amount,currency,unit",
        "a,output,,0,USD,mtok",
        "b,output,free,0,USD,mtok",
        "c,output,,,USD,mtok",
        "d,output,free,1,USD,mtok",
        "e,output,withdrawn,,USD,mtok",
        "f,output,withdrawn,3,USD,mtok",
    )
    assert errors(content) == [
        (2, "amount", "zero_without_free"),
        (4, "amount", "amount_missing"),
        (5, "amount", "free_with_amount"),
        (7, "amount", "withdrawn_with_amount"),
    ]
    kept = [line.content for line in parsed(content).lines]
    assert [(one.kind, one.amount) for one in kept if isinstance(one, Price)] == [
        ("free", Decimal(0)),
        ("withdrawn", None),
    ]


def test_p16_every_error_of_a_file_is_said_at_once() -> None:
    content = csv(
        "sku;component;amount;currency;unit",
        "A;instance_hour;1,50;EUR;instance_hour",
        "B;instance_day;1,50;EUR;instance_hour",
        "C;instance_hour;1,50;EUR;hour",
        "D;instance_hour;abc;EUR;instance_hour",
        ";instance_hour;1,50;EUR;instance_hour",
    )
    assert errors(content) == [
        (3, "component", "not_one_of"),
        (4, "unit", "not_one_of"),
        (5, "amount", "not_a_number"),
        (6, "sku", "missing"),
    ]


def test_p24_what_was_neutralised_for_a_spreadsheet_comes_back() -> None:
    labels = ["=1+1", "+33", "@x", "\t=1", "-2+3+cmd|x"]
    rows = [f'G{place},instance_hour,1.5,EUR,instance_hour,"\'{label}"' for place, label in enumerate(labels)]
    found = parsed(csv(f"{GPU_HEADER},label_fr", *rows))
    assert [line.content.item.label_fr for line in found.lines if isinstance(line.content, Price)] == labels


def test_p24_an_apostrophe_that_guards_nothing_is_the_labels_own() -> None:
    content = csv(f"{GPU_HEADER},label_fr", "G,instance_hour,1.5,EUR,instance_hour,'s-Hertogenbosch")
    assert price(content).item.label_fr == "'s-Hertogenbosch"


def test_p27_an_end_before_the_start_is_an_error_and_no_end_is_open() -> None:
    content = csv(
        f"{GPU_HEADER},valid_from,valid_until",
        "A,instance_hour,1.5,EUR,instance_hour,2027-02-01,2027-01-01",
        "B,instance_hour,1.5,EUR,instance_hour,2027-02-01,2027-02-01",
        "C,instance_hour,1.5,EUR,instance_hour,2027-02-01,",
    )
    assert errors(content) == [
        (2, "valid_until", "ends_before_it_starts"),
        (3, "valid_until", "ends_before_it_starts"),
    ]
    assert parsed(content).lines[0].content.valid_until is None  # type: ignore[union-attr]


def test_p29_a_plain_day_begins_at_midnight_in_paris() -> None:
    content = csv(f"{GPU_HEADER},valid_from", "A,instance_hour,1.5,EUR,instance_hour,2026-12-01")
    assert price(content).valid_from == dt.datetime(2026, 11, 30, 23, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("01/12/2026", "not_an_instant"),
        ("2026-12-01T00:00:00", "instant_without_offset"),
        ("2026-02-30", "not_a_day"),
        ("2026-12-01T25:00Z", "not_an_instant"),
        ("0001-01-01", "day_out_of_range"),
        ("9999-12-31T23:59:59-14:00", "day_out_of_range"),
        ("46357", "not_an_instant"),
    ],
)
def test_p29_any_other_date_is_an_error(text: str, code: str) -> None:
    content = csv(f"{GPU_HEADER},valid_from", f"A,instance_hour,1.5,EUR,instance_hour,{text}")
    assert errors(content) == [(2, "valid_from", code)]


def test_p30_prices_per_token_per_thousand_and_per_million_are_one_price() -> None:
    header = "model,component,amount,currency,unit"
    rows = ["a,output,0.000015,USD,token", "b,output,0.015,USD,ktok", "c,output,15,USD,mtok"]
    assert amounts(csv(header, *rows)) == ["15", "15", "15"]


def test_p30_fifteen_a_token_is_out_of_range() -> None:
    assert errors(csv(LLM_HEADER, "a,output,15,USD,token")) == [(2, "amount", "out_of_range")]


def test_p31_an_hour_and_a_month_are_two_components_with_their_own_unit() -> None:
    content = csv(GPU_HEADER, "GPU-PRO,instance_month,830.64,EUR,instance_month")
    found = price(content)
    assert (found.component, found.mode, found.unit, found.amount) == (
        "instance_month",
        "reserved",
        "instance_month",
        Decimal("830.64"),
    )
    assert errors(csv(GPU_HEADER, "GPU-PRO,instance_hour,830.64,EUR,instance_month")) == [(2, "unit", "not_one_of")]


@pytest.mark.parametrize("text", ["0.0028", "0.003625", "35000.00", "999999.999999999", "0.000000001"])
def test_p34_every_digit_of_an_amount_is_kept(text: str) -> None:
    found = price(csv(LLM_HEADER, f"m,cache_read,{text},USD,mtok"))
    assert found.amount == Decimal(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [("0.0000000001", "too_many_decimals"), ("1000000", "out_of_range"), ("1" * 61, "too_many_digits")],
)
def test_p34_what_does_not_fit_is_refused_and_never_rounded(text: str, code: str) -> None:
    assert errors(csv(LLM_HEADER, f"m,cache_read,{text},USD,mtok")) == [(2, "amount", code)]


@pytest.mark.parametrize("unit", ["mtok", "token"])
@pytest.mark.parametrize("text", [f"0.5{'0' * 30}1", f"0.{'0' * 9}1{'0' * 20}1", "0.12345678901234567"])
def test_p34_a_digit_far_behind_is_seen_and_refused(text: str, unit: str) -> None:
    ((line, column, code),) = errors(csv(LLM_HEADER, f"m,cache_read,{text},USD,{unit}"))
    assert (line, column) == (2, "amount")
    assert code in ("too_many_decimals", "too_many_digits")


def test_a_new_item_brings_its_data_sheet() -> None:
    content = csv(
        f"{GPU_HEADER},provider,label_fr,label_en,gpu,gpu_count,vram_gb,status,aliases",
        "GPU-DUO,instance_hour,3.00,EUR,instance_hour,VMCloud,Deux L40S,Two L40S,L40S,2,96,offered,duo|GPU Duo",
    )
    item = price(content).item
    assert (item.provider, item.gpu, item.gpu_count, item.vram_gb, item.status) == (
        "VMCloud",
        "L40S",
        2,
        96.0,
        "offered",
    )
    assert item.aliases == ("duo", "gpu duo")


def test_a_row_without_a_price_states_an_item() -> None:
    content = csv("model,provider,aliases", "new-model,Somebody,latest|newest")
    found = parsed(content)
    assert found.errors == ()
    one = found.lines[0].content
    assert isinstance(one, Item)
    assert (one.code, one.item.provider, one.item.aliases) == ("new-model", "Somebody", ("latest", "newest"))


def test_a_row_that_says_nothing_is_an_error() -> None:
    assert errors(csv("model,provider", "new-model,")) == [(2, "", "nothing_said")]
    assert errors(csv(GPU_HEADER, "GPU-PRO,,,,")) == [(2, "", "nothing_said")]


def test_two_rows_that_say_an_item_differently_are_an_error() -> None:
    content = csv(
        f"{GPU_HEADER},label_fr",
        "A,instance_hour,1.5,EUR,instance_hour,Une carte",
        "A,instance_month,800,EUR,instance_month,Deux cartes",
    )
    assert errors(content) == [(3, "label_fr", "item_said_differently")]


def test_a_column_that_the_kind_does_not_know_is_an_error_and_a_mapping_settles_it() -> None:
    content = csv("Produit;component;Tarif;currency;unit", "GPU-PRO;instance_hour;1,50;EUR;instance_hour")
    with pytest.raises(PriceFileError) as refused:
        parsed(content)
    assert refused.value.code == "kind_unknown"
    assert amounts(content, columns={"Produit": "sku", "Tarif": "amount"}) == ["1.5"]
    assert errors(content, columns={"Produit": "sku"}) == [
        (1, "Tarif", "unknown_column"),
        (1, "amount", "column_missing"),
    ]
    assert amounts(content + b"", columns={"produit": "sku", " TARIF ": "amount"}) == ["1.5"]


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "ftp://a.example/x", "example.org", "https://", "https://a b/"]
)
def test_only_web_addresses_are_taken_as_sources(link: str) -> None:
    content = csv(f"{GPU_HEADER},source_url", f"A,instance_hour,1.5,EUR,instance_hour,{link}")
    assert errors(content) == [(2, "source_url", "not_a_link")]


def test_a_price_cannot_have_been_checked_tomorrow() -> None:
    content = csv(f"{GPU_HEADER},checked_on", "A,instance_hour,1.5,EUR,instance_hour,2026-12-01")
    assert errors(content, today=dt.date(2026, 11, 30)) == [(2, "checked_on", "checked_in_the_future")]
    assert errors(content, today=dt.date(2026, 12, 1)) == []


def test_the_raw_line_and_its_number_are_kept_also_when_a_cell_spans_lines() -> None:
    content = csv(
        f"{GPU_HEADER},note",
        'A,instance_hour,1.5,EUR,instance_hour,"two\r\nlines"',
        "B,instance_hour,2.5,EUR,instance_hour,",
    )
    found = parsed(content)
    assert [line.line_no for line in found.lines] == [2, 4]
    assert found.lines[0].raw == 'A,instance_hour,1.5,EUR,instance_hour,"two\r\nlines"'
    assert found.lines[1].raw == "B,instance_hour,2.5,EUR,instance_hour,"


def test_a_quote_that_never_ends_is_an_error_of_its_line() -> None:
    content = csv(GPU_HEADER, "A,instance_hour,1.5,EUR,instance_hour", 'B,"instance_hour,1.5,EUR,instance_hour')
    assert [(line, code) for line, _column, code in errors(content)] == [(3, "csv_broken")]


def test_the_unicode_text_of_a_spreadsheet_is_read_by_its_mark() -> None:
    """UTF-16 with a mark and tabs between the cells, as Excel saves “Unicode text”."""
    content = gpu("1,50", delimiter="\t").decode().encode("utf-16")
    found = parsed(content)
    assert (found.encoding, found.delimiter) == ("utf-16", "\t")
    assert amounts(content) == ["1.5"]
