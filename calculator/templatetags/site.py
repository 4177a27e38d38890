"""Tags of the page frame, and the filters through which templates print numbers (all of them call `formats`)."""

import datetime as dt
from decimal import Decimal

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_info

from calculator import formats, registry
from calculator.domain.provenance import Sourced
from calculator.language import gettext as _
from calculator.presenters import labels

register = template.Library()


@register.simple_tag
def page(name: str, *args: str) -> str:
    """The address of a page; a room that is not installed leads home instead of breaking every page."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return f"/{get_language()}/"


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, name: str, label: str, *args: str) -> SafeString:
    """One entry of the navigation; the page we are on carries aria-current."""
    href = page(name, *args)
    request = context.get("request")
    here = request is not None and request.path == href
    return format_html('<a href="{}"{}>{}</a>', href, SafeString(' aria-current="page"') if here else "", label)


@register.simple_tag(takes_context=True)
def nav_calculator(context: template.Context, name: str, label: str) -> SafeString:
    """One calculator in the navigation; one that is only announced leads to what it will answer."""
    if name in registry.CALCULATORS:
        return nav_link(context, name, label)
    return nav_link(context, "coming", label, name)


@register.simple_tag(takes_context=True)
def language_links(context: template.Context) -> SafeString:
    """The same address in the other language, with its whole query."""
    request = context.get("request")
    path = request.get_full_path() if request else "/"
    active = get_language() or settings.LANGUAGE_CODE
    rows = [(_in_language(path, code), code, code == active) for code, _name in settings.LANGUAGES]
    return format_html_join("\n", '<a href="{}" lang="{}" hreflang="{}" aria-label="{}"{}>{}</a>', map(_cells, rows))


def _in_language(path: str, code: str) -> str:
    first, _, rest = path.lstrip("/").partition("/")
    known = {language for language, _name in settings.LANGUAGES}
    return f"/{code}/{rest}" if first in known else f"/{code}/"


def _cells(row: tuple[str, str, bool]) -> tuple[str, str, str, str, str, str]:
    href, code, current = row
    name = get_language_info(code)["name_local"]
    mark = SafeString(' aria-current="true"') if current else ""
    return href, code, code, f"{code.upper()}, {name}", mark, code.upper()


@register.simple_tag
def style_sheets() -> SafeString:
    """The sheets of every page: joined into one where static files are collected, else part by part."""
    joined = getattr(staticfiles_storage, "joins_styles", False)
    names = [settings.STYLE_SHEET] if joined else settings.STYLE_PARTS
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', ((static(name),) for name in names))


@register.filter
def day(value: dt.date | dt.datetime | None) -> str:
    """A date as the reader writes it."""
    return formats.date(value)


@register.filter
def plain(value: Decimal | float | int | None) -> str:
    """A number with all its digits."""
    return formats.number(value)


@register.filter
def dollars(value: Decimal | None) -> str:
    """An exchange rate in dollars, four decimals as the central bank prints it."""
    return formats.money(value, "USD", 4)


@register.filter
def rate_source(rate: Sourced[Decimal]) -> str:
    """Who published an exchange rate."""
    return labels.rate_source(rate)


@register.filter
def contact_href(contact: str) -> str:
    """The seller's contact as an address to follow: a page as it is, a mailbox as mailto, "" for anything else."""
    if contact.startswith(("https://", "http://", "mailto:")):
        return contact
    return f"mailto:{contact}" if "@" in contact and " " not in contact else ""


@register.simple_tag
def ask_price(contact: str) -> SafeString:
    """The way to a price that is not published: a link to the seller, or his contact as it stands."""
    href = contact_href(contact)
    if href:
        return format_html('<a class="link" href="{}">{}</a>', href, _("Demander un prix"))
    return format_html("{}", contact or _("contact du vendeur non renseigné"))
