"""The stranger's pages: whoever holds a quote's link sees that quote, may try other volumes and send them back.

Nothing else is reached from here, nothing is remembered of the visitor but the first instant of opening, and no cache,
search engine or foreign page learns the address.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from calculator import formats
from sales.quoting import change, difference, files, forms, offers, sheet, words, writing
from sales.quoting.links import NO_REFERRER, OWN_REFERRER, Opened, by_link
from sales.quoting.pagestate import files_of
from sales.quoting.refusals import Refused

COMMENT_CHARACTERS = 1000


@require_safe
@by_link(NO_REFERRER)
def opened(request: HttpRequest, found: Opened) -> HttpResponse:
    """The quote. Opening counts when a person reads: not for the people of the house, not for what loads ahead."""
    ahead = request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))
    if request.method == "GET" and not request.user.is_authenticated and "prefetch" not in ahead:
        writing.mark_opened(found.link)
    today = timezone.localdate()
    context = {
        "token": found.token,
        "document": sheet.html(found.quote, sheet.of_final(found.quote), today),
        "number": str(found.quote),
        "files": files_of("quote-open-file", found.token),
        "has_expired": found.quote.valid_until < today,
        "until": formats.date(found.quote.valid_until),
        "is_sent": "sent" in request.GET,
        "may_change": bool(change.ChangeForm(found.quote, None).fields),
    }
    return render(request, "sales/quote_open.html", context)


@require_safe
@by_link(NO_REFERRER)
def opened_file(request: HttpRequest, found: Opened, suffix: str) -> HttpResponse:
    """The quote as a file."""
    return files.response(found.quote, sheet.of_final(found.quote), suffix)


@require_safe
@by_link(OWN_REFERRER)
def changed(request: HttpRequest, found: Opened) -> HttpResponse:
    """A copy with other volumes, at the quote's frozen prices; nothing is kept until it is sent back."""
    return _change_page(request, found, change.ChangeForm(found.quote, request.GET))


def _change_page(
    request: HttpRequest, found: Opened, form: change.ChangeForm, refused: Refused | None = None, comment: str = ""
) -> HttpResponse:
    copy = form.offer(found.quote) if form.is_valid() else None
    quoted = found.quote.results[found.quote.language]
    again = offers.in_language(copy, found.quote.language) if copy else None
    context = {
        "token": found.token,
        "number": str(found.quote),
        "language": found.quote.language,
        "form": form,
        "sent": [(name, form.data.get(name, "")) for name in form.keys] if copy else [],
        "sentence": again["answer"]["sentence"] if again else "",
        "changes": difference.changes(quoted, again) if again else (),
        "quoted_total": formats.money(found.quote.total_eur),
        "total": formats.money(copy.totals.total_eur if copy.totals else None) if copy else "",
        "total_ttc": formats.money(copy.totals.total_ttc_eur if copy.totals else None) if copy else "",
        "period": words.period(quoted["period"]),
        "no_answer": form.is_bound and form.is_valid() and copy is None,
        "has_expired": found.quote.valid_until < timezone.localdate(),
        "refusal": words.refusal(refused) if refused else "",
        "comment": comment,
        "most": COMMENT_CHARACTERS,
    }
    status = 422 if refused or (form.is_bound and not form.is_valid()) else 200
    return render(request, "sales/quote_change.html", context, status=status)


@require_POST
@by_link(OWN_REFERRER)
def propose(request: HttpRequest, found: Opened) -> HttpResponse:
    """Send the copy back to the seller."""
    form = change.ChangeForm(found.quote, request.POST)
    comment = forms.written(request.POST.get("comment", ""), COMMENT_CHARACTERS)
    if not form.is_valid():
        return _change_page(request, found, form, Refused("no_answer"), comment)
    try:
        writing.propose(found.quote, found.link, form.offer(found.quote), comment)
    except Refused as refused:
        return _change_page(request, found, form, refused, comment)
    return HttpResponseRedirect(reverse("quote-open", args=[found.token]) + "?sent=1", status=303)
