"""A formula written as one line of text, turned into MathML with the numbers as the reader writes them."""

import re
from decimal import Decimal

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from calculator import formats

TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z]+)(?:_(?P<index>[A-Za-z0-9]+))?(?P<power>[²³])?|(?P<sign>[^\s\w])"
)
FRACTION = {"{": "<mfrac><mrow>", "|": "</mrow><mrow>", "}": "</mrow></mfrac>"}
POWERS = {"²": "2", "³": "3"}


def mathml(text: str) -> SafeString:
    """`K = {d × u | 3}` as a <math> element: names, indices (`t_ar`), squares, signs, and fractions in braces."""
    body = "".join(map(_element, TOKEN.finditer(text)))
    return mark_safe(f'<math displaystyle="true">{body}</math>')  # noqa: S308 - every piece is escaped below


def _element(token: re.Match[str]) -> str:
    if number := token["number"]:
        return f"<mn>{formats.number(Decimal(number), len(number.partition('.')[2]))}</mn>"
    if sign := token["sign"]:
        return FRACTION.get(sign) or f"<mo>{escape(sign)}</mo>"
    return _identifier(token["name"], token["index"], token["power"])


def _identifier(name: str, index: str | None, power: str | None) -> str:
    base = f"<mi>{escape(name)}</mi>"
    if index:
        base = f"<msub>{base}<mtext>{escape(index)}</mtext></msub>"
    return f"<msup>{base}<mn>{POWERS[power]}</mn></msup>" if power else base
