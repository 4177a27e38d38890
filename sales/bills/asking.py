"""What was posted to the bill's page, as the report or the totals that it stands for. Nothing of it is kept."""

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from django.http import HttpRequest, QueryDict

from calculator import fields
from sales.bills import totals
from sales.bills.reading import report
from sales.bills.reading.delimited import folded
from sales.bills.reading.formats import MAPPED, Meaning
from sales.bills.reading.limits import MOST_DAYS, WAITING_BYTES
from sales.bills.reading.problems import ReportError
from sales.bills.reading.report import Named, Report
from sales.bills.totals import Totals
from sales.domain.bills import covered, gathered

CURRENCIES = ("USD", "EUR")
COLUMN = "column-"
"""The beginning of a field's name in the mapping step; the number of the column follows, its name in `name-`."""
NAME = "name-"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was read. Without `totals` the report has problems, columns without a name, or a `refusal`; `waiting` is
    its text, `named` what the visitor called its columns."""

    totals: Totals | None = None
    report: Report | None = None
    waiting: str = ""
    model: str = ""
    named: Named | None = None
    refusal: ReportError | None = None


def received(request: HttpRequest) -> Asked:
    """The posted report or totals. ReportError: refused as a whole."""
    posted = request.POST
    model = fields.printable(posted.get("model", ""))[:100]
    if posted.get("totals"):
        return Asked(totals.read(posted["totals"]), model=model)
    content = _content(request)
    named = _named(posted)
    found = report.read(content, named)
    asked = Asked(report=found, waiting=_waiting(content), model=model, named=named)
    if found.code == "unknown" or found.problems:
        return asked
    try:
        return replace(asked, totals=_totals(found, stated_days(posted)))
    except ReportError as error:
        return replace(asked, refusal=error)


def _waiting(content: bytes) -> str:
    """The report as a text that the page holds until its columns are named; "" for one that is chosen again."""
    if len(content) > WAITING_BYTES:
        return ""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""


def _content(request: HttpRequest) -> bytes:
    file = request.FILES.get("report")
    if file is not None:
        return bytes(file.read())
    text = request.POST.get("text", "")
    if not text:
        raise ReportError("missing")
    return text.encode()


def _named(posted: QueryDict) -> Named | None:
    """What the visitor called the columns; None before the mapping step."""
    columns = {}
    for key in posted:
        number = key.removeprefix(COLUMN)
        if key.startswith(COLUMN) and posted[key] in MAPPED:
            columns[folded(posted.get(f"{NAME}{number}", ""))] = Meaning(str(posted[key]))
    if "mapped" not in posted:
        return None
    currency = posted.get("currency", "")
    return Named(columns, posted.get("includes") != "0", currency if currency in CURRENCIES else CURRENCIES[0])


def stated_days(posted: QueryDict) -> Decimal | None:
    """The days that the visitor says the report covers; None where he says none. ReportError: bad_days."""
    text = posted.get("days", "").strip().replace(",", ".")
    if not text:
        return None
    try:
        days = Decimal(text) if len(text) <= len(str(MOST_DAYS)) + 4 else Decimal(0)
    except InvalidOperation:
        days = Decimal(0)
    if not days.is_finite() or not 1 <= days <= MOST_DAYS:
        raise ReportError("bad_days", limit=str(MOST_DAYS))
    return days


def _totals(found: Report, days: Decimal | None) -> Totals:
    period = covered(found.lines, days)
    if period is None:
        raise ReportError("days_unknown")
    return Totals(found.provider, period, gathered(found.lines))
