"""The answer of a count in words: figures, tokenizers side by side, the sample, the first tokens one by one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator import fields, formats, permalinks
from calculator.counting import parallel
from calculator.counting.encoders import Token
from calculator.counting.limits import SPLIT_TOKENS
from calculator.counts import OWN, Column, CountAnswer
from calculator.domain.samples import SampleStatistics, margin_tokens
from calculator.forms.tokens import NAMES_OF_TOKENIZERS
from calculator.language import gettext as _
from calculator.presenters import count_problems
from calculator.presenters.stats import Stat

CONFIDENCE_RATIO = 0.95
LINE_FEED = "↵\n"


class Line(NamedTuple):
    """One tokenizer's line in the table."""

    name: str
    tokens: str
    per_word: str
    per_character: str
    against: str
    vocabulary: str
    spread: str
    is_first: bool


class Piece(NamedTuple):
    """One token as it is shown; `is_part` = bytes that are no whole characters, written in hexadecimal."""

    text: str
    number: str
    is_part: bool


class Parallel(NamedTuple):
    """The same content in two languages under one tokenizer, and tokens a word there and in the visitor's sample."""

    name: str
    french: str
    english: str
    ratio: str
    french_word: str
    english_word: str
    own_word: str


@dataclass(frozen=True, slots=True)
class CountPage:
    """Everything that the page prints of a count."""

    lead: SafeString
    stats: tuple[Stat, ...]
    lines: tuple[Line, ...]
    has_sample: bool
    notes: tuple[str, ...]
    split_name: str
    pieces: tuple[Piece, ...]
    split_note: str
    corpus_query: str
    own_query: str


def name_of(code: str) -> str:
    """A tokenizer by name; the uploaded one is the visitor's."""
    return _("le vôtre") if code == OWN else NAMES_OF_TOKENIZERS[code]


@formats.one_language()
def count(found: CountAnswer, kept: tuple[tuple[str, str], ...] = ()) -> CountPage:
    """A count in the active language; `kept` is what its links to a budget keep of the one that was left."""
    first = found.columns[0]
    pieces = tuple(_pieces(first, found.start))
    return CountPage(
        lead=_lead(found, first),
        stats=_stats(found, first),
        lines=tuple(_line(found, column) for column in found.columns),
        has_sample=found.documents_count > 1,
        notes=tuple(_notes(found)),
        split_name=name_of(first.tokenizer),
        pieces=pieces,
        split_note=_split_note(len(pieces), first.statistics.total_tokens),
        corpus_query=_query(first, kept),
        own_query=_query(first, kept, docs=str(found.documents_count)),
    )


def _tokens(value: int) -> str:
    return formats.number(value)


def _lead(found: CountAnswer, first: Column) -> SafeString:
    count = _tokens(first.statistics.total_tokens)
    name = name_of(first.tokenizer)
    characters = formats.number(found.characters_count)
    if found.documents_count == 1:
        return format_html(_("{} en {}, pour {} caractères."), _bold(count), name, characters)
    documents = formats.number(found.documents_count)
    return format_html(_("{} en {}, dans {} documents."), _bold(count), name, documents)


def _bold(count: str) -> SafeString:
    return format_html("<b>{}</b>", _("%(count)s tokens") % {"count": count})


def ratio(value: float) -> str:
    """A ratio with three significant digits."""
    return formats.number(formats.significant(value))


def _stats(found: CountAnswer, first: Column) -> tuple[Stat, ...]:
    total = first.statistics.total_tokens
    per_character = _("%(ratio)s token par caractère") % {"ratio": ratio(total / found.characters_count)}
    per_word = _("%(ratio)s token par mot") % {"ratio": ratio(total / found.words_count)}
    return (
        Stat(_tokens(total), _("tokens en %(name)s") % {"name": name_of(first.tokenizer)}, ""),
        Stat(formats.number(found.characters_count), _("caractères"), per_character),
        Stat(formats.number(found.words_count), _("mots"), per_word),
        Stat(formats.number(found.bytes_count), _("octets en UTF-8"), _documents(found)),
    )


def _documents(found: CountAnswer) -> str:
    if found.documents_count == 1 and not found.blank_count:
        return _("un seul document")
    values = {"count": formats.number(found.documents_count), "blank": formats.number(found.blank_count)}
    if found.blank_count:
        return _("%(count)s documents, %(blank)s vides laissés de côté") % values
    return _("%(count)s documents") % values


def _line(found: CountAnswer, column: Column) -> Line:
    total, first = column.statistics.total_tokens, found.columns[0]
    against = total / first.statistics.total_tokens - 1 if first.statistics.total_tokens else 0
    return Line(
        name=name_of(column.tokenizer),
        tokens=_tokens(total),
        per_word=ratio(total / found.words_count),
        per_character=ratio(total / found.characters_count),
        against="" if column is first else formats.percent(against, signed=True),
        vocabulary=formats.number(column.vocabulary_count),
        spread=_spread(column.statistics),
        is_first=column is first,
    )


def _spread(found: SampleStatistics) -> str:
    """Mean with its interval for an endless corpus, median and tail of a sample of several documents."""
    if found.count == 1 or found.sd_tokens is None:
        return ""
    half = margin_tokens(found.sd_tokens, found.count, 10**12, CONFIDENCE_RATIO)
    return _("moyenne %(mean)s ± %(half)s · P50 %(p50)s · P95 %(p95)s") % {
        "mean": _short(found.mean_tokens),
        "half": _short(half or 0.0),
        "p50": _short(found.p50_tokens),
        "p95": _short(found.p95_tokens),
    }


def _short(value: float) -> str:
    return formats.number(formats.significant(value, 4) if value < 1000 else round(value))


def _notes(found: CountAnswer) -> Iterator[str]:
    for name, encoding in found.encodings.items():
        yield _("%(file)s était en %(encoding)s\u00a0; compté après conversion en UTF-8.") % {
            "file": fields.printable(name),
            "encoding": encoding,
        }
    if found.left_out:
        names = ", ".join(map(name_of, found.left_out))
        yield _("Au-delà de 5\u00a0Mo, un seul tokenizer compte. Laissés de côté\u00a0: %(names)s.") % {"names": names}
    if found.own_problem is not None:
        yield count_problems.sentence(found.own_problem)


def _pieces(column: Column, start: str) -> Iterator[Piece]:
    if column.spans:
        yield from _spans(column.spans, start)
        return
    for token in column.tokens:
        yield _piece(token)


def _piece(token: Token) -> Piece:
    try:
        text, is_part = token.raw.decode(), False
    except UnicodeDecodeError:
        text, is_part = "".join(f"\\x{byte:02X}" for byte in token.raw), True
    return Piece(visible(text), str(token.id), is_part)


def _spans(spans: Iterable[tuple[int, int, int]], start: str) -> Iterator[Piece]:
    """The tokens of an uploaded tokenizer by their place in the text; those that share a character are parts of it."""
    listed = list(spans)
    for place, (number, low, high) in enumerate(listed):
        neighbours = (*listed[max(0, place - 1) : place], *listed[place + 1 : place + 2])
        shared = any((low, high) == (other_low, other_high) for _number, other_low, other_high in neighbours)
        yield Piece(visible(start[low:high]), str(number), shared)


def visible(text: str) -> str:
    """A token's text with its line feeds marked."""
    return text.replace("\n", LINE_FEED)


def _split_note(shown: int, total: int) -> str:
    if shown >= min(total, SPLIT_TOKENS) and total > shown:
        return _("Les %(shown)s premiers tokens du premier document.") % {"shown": formats.number(shown)}
    return _("Les octets qui ne forment pas un caractère entier sont écrits \\x…")


def _query(column: Column, kept: tuple[tuple[str, str], ...], **more: str) -> str:
    """The sample's statistics in place of those of the budget that was left: numbers only."""
    found = column.statistics
    values: dict[str, str] = {
        "v": permalinks.VERSION,
        **more,
        "mean": _number(found.mean_tokens),
        "tokenizer": "other" if column.tokenizer == OWN else column.tokenizer,
        "n": str(found.count),
        "p50": _number(found.p50_tokens),
        "p95": _number(found.p95_tokens),
    }
    if found.sd_tokens is not None:
        values["sd"] = _number(found.sd_tokens)
    return urlencode([*values.items(), *(pair for pair in kept if pair[0] not in values)])


def _number(value: float) -> str:
    return fields.plain(Decimal(repr(value)).quantize(Decimal("0.01")))


@formats.one_language()
def parallels(found: CountAnswer | None = None) -> tuple[Parallel, ...]:
    """The shipped texts under every tokenizer, beside the sample where one was counted."""
    own = {column.tokenizer: column.statistics.total_tokens for column in found.columns} if found else {}
    return tuple(
        Parallel(
            name=NAMES_OF_TOKENIZERS[item.tokenizer],
            french=formats.number(item.french_tokens),
            english=formats.number(item.english_tokens),
            ratio=f"×{formats.NBSP}{formats.number(item.ratio, 2)}",
            french_word=ratio(item.french_tokens / item.french_words),
            english_word=ratio(item.english_tokens / item.english_words),
            own_word=ratio(own[item.tokenizer] / found.words_count) if found and item.tokenizer in own else "",
        )
        for item in parallel.compared()
    )
