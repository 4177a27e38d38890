"""Strict numbers. The decimal mark is decided once for the whole file, never by the language of the person's pages.

A cell tells the mark when it can be read in one way only; “1,234” cannot. Groups of three may be parted by spaces of
any kind or by the other mark. Anything else is refused, and named.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext

from calculator.pricelist.contract import Value
from calculator.pricelist.limits import AMOUNT_BELOW, NUMBER_CHARACTERS

MARKS = (",", ".")
OTHER = {",": ".", ".": ","}
SPACES = re.compile("[\u0020\u00a0\u202f\u2009]")
SIGNS = {"€": "EUR", "EUR": "EUR", "$US": "USD", "US$": "USD", "$": "USD", "USD": "USD"}
"""How a cell may name its currency beside the number; longer names first, for “$US” begins with “$”."""
FOREIGN_SIGN = re.compile(r"[£¥₹₽₩]|\b(?:GBP|CHF|JPY|CNY|CAD)\b")
PLAIN = re.compile(r"(?P<whole>[0-9]+)(?:(?P<mark>[.,])(?P<rest>[0-9]+))?(?P<exponent>[eE][+-]?[0-9]{1,4})?")
SPACED = re.compile(r"[1-9][0-9]{0,2}(?: [0-9]{3})+(?:(?P<mark>[.,])[0-9]+)?")
MIXED = re.compile(r"[1-9][0-9]{0,2}(?P<group>[.,])[0-9]{3}(?:(?P=group)[0-9]{3})*(?!(?P=group))(?P<mark>[.,])[0-9]+")
REPEATED = re.compile(r"[1-9][0-9]{0,2}(?P<group>[.,])[0-9]{3}(?:(?P=group)[0-9]{3})+")
"""Groups of three: the first is never begun by a zero, and one sign parts them all."""
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|∞)", re.IGNORECASE)
NEGATIVE = ("-", "\u2212", "(")
EXPONENT_LIMIT = 30
DIGITS = 2 * NUMBER_CHARACTERS
"""Working digits: no cell that is short enough to be read is ever rounded."""
GROUP_OF_THREE = 3


class NumberError(ValueError):
    """A text that is no number as this file writes them. `code` and `values` go into the problem of its line."""

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(code)
        self.code, self.values = code, values


@dataclass(frozen=True, slots=True)
class Decision:
    """What decides a file's decimal mark: `mark` is "" when no cell needs one.

    `undecidable` are the lines whose number has two readings while nothing decides; `against` is a pair of lines that
    contradict each other.
    """

    mark: str
    undecidable: tuple[tuple[int, str], ...] = ()
    against: tuple[tuple[int, str], tuple[int, str]] | None = None


def bare(text: str) -> tuple[str, str]:
    """The number's own text and the currency that a sign beside it names ("" without one). NumberError: other sign."""
    if text.isascii() and text[:1].isdigit() and text[-1:].isdigit():
        return text, ""
    body = SPACES.sub(" ", text).strip()
    for sign, currency in SIGNS.items():
        if body.endswith(sign):
            return body[: -len(sign)].strip(), currency
        if body.startswith(sign):
            return body[len(sign) :].strip(), currency
    if FOREIGN_SIGN.search(body):
        raise NumberError("currency_sign_unknown", text=text)
    return body, ""


def evidence(body: str) -> str:
    """The decimal mark that `body` shows: a mark, "" when it shows none, "?" when it can be read in two ways."""
    if plain := PLAIN.fullmatch(body):
        return _evidence_of_plain(plain)
    if spaced := SPACED.fullmatch(body):
        return spaced["mark"] or ""
    if mixed := MIXED.fullmatch(body):
        return mixed["mark"]
    if repeated := REPEATED.fullmatch(body):
        return OTHER[repeated["group"]]
    return ""


def _evidence_of_plain(found: re.Match[str]) -> str:
    if not found["mark"]:
        return ""
    return "?" if _may_be_groups(found) else found["mark"]


def _may_be_groups(found: re.Match[str]) -> bool:
    """Whether the only mark may part a group of three: “1,234”, but neither “0,234” nor “1234,567”."""
    whole, rest = found["whole"], found["rest"] or ""
    groups = len(rest) == GROUP_OF_THREE and len(whole) <= GROUP_OF_THREE and whole[0] != "0"
    return groups and not found["exponent"]


def decide(cells: Iterable[tuple[int, str]]) -> Decision:
    """The decimal mark of a file from all its numbers, given as (line, text)."""
    first: dict[str, tuple[int, str]] = {}
    open_cells: list[tuple[int, str]] = []
    for line, text in cells:
        try:
            shown = evidence(bare(text)[0])
        except NumberError:
            continue
        if shown == "?":
            open_cells.append((line, text))
        elif shown:
            first.setdefault(shown, (line, text))
    if len(first) > 1:
        return Decision("", against=(first[","], first["."]))
    if first:
        return Decision(next(iter(first)))
    return Decision("", undecidable=tuple(open_cells))


def both_readings(text: str) -> tuple[Decimal, Decimal]:
    """What a number with two readings means with a decimal comma and with a decimal point."""
    body = bare(text)[0]
    return number(body, ","), number(body, ".")


def number(body: str, mark: str) -> Decimal:
    """The number that `body` is in a file with this decimal mark ("" = no cell of the file has one).

    Raises NumberError: not_finite, negative_number, wrong_mark, too_many_digits, not_a_number.
    """
    if len(body) > NUMBER_CHARACTERS:
        raise NumberError("too_many_digits")
    text = _with_a_point(body, mark)
    if text is None:
        raise _why_not(body)
    exponent = text.partition("e")[2]
    if exponent and abs(int(exponent)) > EXPONENT_LIMIT:
        raise NumberError("out_of_range", limit=AMOUNT_BELOW)
    with localcontext(prec=DIGITS):
        return +Decimal(text)


def _with_a_point(body: str, mark: str) -> str | None:
    """`body` with a decimal point and no groups; None when it is not a number with this mark."""
    if plain := PLAIN.fullmatch(body):
        if plain["mark"] in (None, mark):
            return body.replace(",", ".").replace("E", "e")
        return plain["whole"] + plain["rest"] if mark and _may_be_groups(plain) else None
    if (spaced := SPACED.fullmatch(body)) and spaced["mark"] in (None, mark):
        return body.replace(" ", "").replace(",", ".")
    if (mixed := MIXED.fullmatch(body)) and mixed["mark"] == mark and mixed["group"] == OTHER[mark]:
        return body.replace(OTHER[mark], "").replace(mark, ".")
    if (repeated := REPEATED.fullmatch(body)) and OTHER.get(mark) == repeated["group"]:
        return body.replace(repeated["group"], "")
    return None


def _why_not(body: str) -> NumberError:
    if NOT_FINITE.fullmatch(body):
        return NumberError("not_finite")
    if body.startswith(NEGATIVE):
        return NumberError("negative_number")
    if evidence(body) not in ("", "?"):
        return NumberError("wrong_mark")
    return NumberError("not_a_number")


def decimals(value: Decimal) -> int:
    """How many decimals `value` needs, whatever its length: no digit is lost on the way.

    >>> decimals(Decimal("1.500")), decimals(Decimal("1E+3"))
    (1, 0)
    """
    _sign, digits, exponent = value.as_tuple()
    if not value or not isinstance(exponent, int):
        return 0
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return max(0, -(exponent + zeros))


def written(value: Decimal, mark: str = ".") -> str:
    """`value` as a cell of a file with this mark: no groups, no exponent, and never to be read in two ways.

    >>> written(Decimal("1.234"), ",")
    '1,2340'
    """
    text = f"{value:.{decimals(value)}f}"
    whole, point, rest = text.partition(".")
    if not point:
        return whole
    return f"{whole}{mark}{rest}0" if len(rest) == GROUP_OF_THREE else f"{whole}{mark}{rest}"
