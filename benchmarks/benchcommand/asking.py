"""What the branches of the command share: fields of a form as options, and a refusal that ends it with status 2."""

from pathlib import Path
from typing import Any

from django import forms
from django.core.management.base import CommandError, CommandParser

REFUSED = 2
FILE_MARK = "@"


def refusal(*sentences: str) -> CommandError:
    """An error that ends the command with status 2 and says why on stderr."""
    return CommandError("\n".join(sentences), returncode=REFUSED)


def option(name: str) -> str:
    """The option of a form's field.

    >>> option("rate_limit")
    '--rate-limit'
    """
    return f"--{name.replace('_', '-')}"


def add_fields(parser: CommandParser, form: type[forms.Form]) -> None:
    """An option for each field of the form, of the same name; a value @PATH is read from that file."""
    for name, field in form.base_fields.items():
        parser.add_argument(option(name), dest=name, metavar="…", help=str(field.label).replace("%", "%%"))


def data_of(form: type[forms.Form], initial: dict[str, Any], options: dict[str, Any]) -> dict[str, str]:
    """What the page would send: the options given, for the others what the form stands filled with."""
    start = {name: str(value) for name, value in initial.items()}
    given = {name: options[name] for name in form.base_fields if options.get(name) is not None}
    return start | {name: from_file(value) for name, value in given.items()}


def from_file(value: str) -> str:
    if not value.startswith(FILE_MARK):
        return value
    try:
        return Path(value.removeprefix(FILE_MARK)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise refusal(f"{value}: {error}") from error


def sentences(form: forms.Form) -> list[str]:
    """Each fault with the option that is meant."""
    return [f"{option(name)}: {fault}" for name, faults in form.errors.items() for fault in faults]
