"""A walk over every address of the site that reads the catalogue: pages in both languages, files, interface, command.

`faults` says where the walk failed: an address that broke, a word of the program in a text, a row of a file that says
nothing.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from calculator import catalog
from calculator.models import CatalogItem
from calculator.snapshots import NAME_OF_KIND
from tests import pagetext
from tests.platform import rightstable as table

Stop = tuple[str, dict[str, object]]
LANGUAGES = ("fr", "en")
SUFFIXES = ("csv", "xlsx", "json")
OUTSIDE = (
    *("root", "healthz", "api-openapi", "login", "logout", "account", "password", "admin-password", "admin-sign-in"),
    *("factor", "factor-off", "people", "person-new", "workers", "coming", "accuracy", "accuracy-rows", "run-compare"),
    *("run-start", "probe-start", "run-import", "list-rollback", "planned-cancel", "set-password"),
)
"""Addresses that show nothing of the catalogue, or that belong to a row which no state makes."""
PROGRAM = re.compile(r"(?<![\w’'/.-])(None|nan|NaN|inf|Infinity(?! Fabric)|Decimal\(|Traceback|datetime\.)(?![\w-])")
ENGLISH_NONE = ("None of", "Limit None on", "to None", "à None")
"""Where the word stands in a sentence of ours: English, or the name that PyTorch gives it."""


def boss() -> Client:
    """Somebody who may see every page."""
    person, _made = User.objects.get_or_create(username="boss", defaults={"is_superuser": True, "is_staff": True})
    client = Client(raise_request_exception=False)
    client.force_login(person)
    return client


def stops() -> Iterator[Stop]:
    """The name and arguments of every address to visit; those of one item for the six newest items."""
    for name, rule in table.RULES.items():
        unmade = {str(value) for value in rule.args.values()} & {"999999", "none", "no-such-run"}
        if rule.get and name not in OUTSIDE and not unmade and "token" not in rule.args:
            yield name, dict(rule.args)
    for suffix in SUFFIXES:
        yield from (("export", {"name": name, "suffix": suffix}) for name in table.CALCULATORS)
        yield from ((name, {"suffix": suffix}) for name in ("advice-file", "outlook-export"))
        yield from (("list-current", {"kind": kind, "suffix": suffix}) for kind in ("gpu", "llm"))
    yield "foresight", {"name": "training"}
    yield from (("list-price", {"kind": kind}) for kind in ("gpu", "llm"))
    for item in CatalogItem.objects.order_by("-pk")[:6]:
        place = {"kind": NAME_OF_KIND[item.kind], "code": item.code}
        yield from ((name, place) for name in ("price-history", "api-price-history"))
        if item.kind != CatalogItem.Kind.EMBEDDING:
            yield "api-request", place


def addresses(more: Iterable[str] = ()) -> Iterator[str]:
    """Every page in both languages, everything else once; `more` are paths below a language."""
    seen: set[str] = set()
    for language in LANGUAGES:
        with translation.override(language):
            found = [reverse(name, kwargs=args) for name, args in stops() if language == "fr" or "suffix" not in args]
        yield from (path for path in (*found, *(f"/{language}/{one}" for one in more)) if path not in seen)
        seen.update(found)


def faults(more: Iterable[str] = ()) -> list[str]:
    """What is wrong on the walk, one line each."""
    catalog.forget()
    client = boss()
    found = [line for path in addresses(more) for line in wrong_with(client, path)]
    return [*found, *(line for name in table.CALCULATORS for line in wrong_in_terminal(name))]


def wrong_with(client: Client, path: str) -> list[str]:
    """What is wrong with one answer."""
    answer = client.get(path)
    if answer.status_code >= 500:
        why = getattr(answer, "exc_info", None)
        return [f"{path}: {answer.status_code} {why[1]!r}" if why else f"{path}: {answer.status_code}"]
    kind = answer.headers.get("Content-Type", "")
    if "html" in kind:
        return words_of_program(path, pagetext.words(answer.text))
    if answer.status_code in (301, 302, 303) or "sheet" in kind:
        return []
    text = answer.getvalue().decode()
    if "json" in kind:
        json.loads(text, parse_constant=refuse)
    return words_of_program(path, text)


def refuse(name: str) -> None:
    """NaN and the infinities are no JSON."""
    raise AssertionError(f"{name} in a document")


def words_of_program(place: str, text: str) -> list[str]:
    """Each word of the program in a text, with what stands around it."""
    for known in ENGLISH_NONE:
        text = text.replace(known, "")
    return [f"{place}: …{text[max(0, hit.start() - 40) : hit.end() + 40]}…" for hit in PROGRAM.finditer(text)]


def wrong_in_terminal(name: str) -> list[str]:
    """What is wrong with the command's answer; a refusal in words is none."""
    out = io.StringIO()
    for options in ([], ["--json"]):
        try:
            call_command("estimate", name, *options, stdout=out)
        except CommandError:
            continue
    return words_of_program(f"estimate {name}", out.getvalue())
