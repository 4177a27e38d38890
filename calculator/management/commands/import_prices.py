"""`manage.py import_prices FILE --by USER`: read, compare, guard and apply a price file, as the pages do.

Exit status: 0 applied, applicable (--dry-run) or nothing to change; 1 a second person has to agree first, or the step
was refused; 2 the file, or the command, cannot be read, with every sentence.
"""

import datetime as dt
import hashlib
import json
from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator.models import Audience, PriceRow, PriceUpload
from calculator.presenters import pricelist, pricelist_terminal
from calculator.pricelist import library, publish
from calculator.pricelist.cells import CellError, instant_of
from calculator.pricelist.contract import FileKind, PriceFileError
from calculator.pricelist.delimited import ENCODINGS
from calculator.pricelist.limits import FILE_BYTES
from calculator.pricelist.publish import Checked
from calculator.pricelist.refusals import Refused
from calculator.pricing import said, steps
from calculator.snapshots import PARIS

HELD_BACK, BAD_INPUT = 1, 2


@dataclass(frozen=True, slots=True)
class Ending:
    """How the command ends: what became of the file, and the exit status."""

    outcome: str
    message: str
    status: int = 0
    upload: int | None = None
    version: int | None = None


class Command(BaseCommand):
    help = "Applies a price file (CSV, XLSX, JSON, or the ECB's XML, CSV or zip) with the same checks as the pages."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = (__doc__ or "").partition("\n\n")[2]
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE")
        parser.add_argument("--library", action="store_true", help="take what genai-prices proposes instead of a file")
        parser.add_argument("--dry-run", action="store_true", help="read and compare only; nothing is written")
        parser.add_argument("--json", action="store_true", help="the result as JSON, decimals as text")
        parser.add_argument("--at", help="when prices without a start begin: 2026-12-15 or an instant with its offset")
        parser.add_argument("--by", metavar="USER", help="whose rights apply and whose name is recorded")
        parser.add_argument("--reason", default="", help="recorded with the version; needed for prices in the past")
        parser.add_argument("--kind", choices=[kind.value for kind in FileKind], help="where the columns do not tell")
        parser.add_argument("--encoding", choices=list(ENCODINGS), help="where the file does not tell")
        parser.add_argument("--decimal-mark", choices=[",", "."], help="where no number decides")
        parser.add_argument(
            "--map", action="append", default=[], metavar="HEADER=COLUMN", help="what a foreign header means; '' = none"
        )
        parser.add_argument(
            "--accept-old-rate",
            action="store_true",
            help="apply although the exchange rate is over ten working days old",
        )
        parser.add_argument("--private", action="store_true", help="negotiated prices, for the sales group only")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            try:
                draft = drafted(options)
                checked = publish.preview(draft)
            except PriceFileError as error:
                raise refusal(pricelist.refusal(error)) from None
            ending = finished(draft, checked, options)
            self.stdout.write(as_json(draft, checked, ending) if options["json"] else as_text(checked, ending))
        if ending.status:
            raise SystemExit(ending.status)


def refusal(text: str) -> CommandError:
    """An answer to bad input: exit status 2."""
    return CommandError(text, returncode=BAD_INPUT)


def drafted(options: Mapping[str, Any]) -> PriceUpload:
    """The file as an upload that is not stored: what a dry run looks at, and what the real run stores."""
    name, content = content_of(options)
    return PriceUpload(
        original_name=name,
        content=content,
        sha256=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
        today=timezone.now().astimezone(PARIS).date(),
        origin=origin_of(options),
        audience=Audience.SALES if options["private"] else Audience.PUBLIC,
        kind=options["kind"] or "",
        encoding=options["encoding"] or "",
        decimal_mark=options["decimal_mark"] or "",
        columns=mapping_of(options["map"]),
        default_valid_from=start_of(options["at"]),
    )


def content_of(options: Mapping[str, Any]) -> tuple[str, bytes]:
    """The name and the bytes of the file, or of the library's proposal."""
    if options["library"] == bool(options["file"]):
        raise refusal(_("Donnez un fichier, ou --library, et pas les deux."))
    if options["library"]:
        return library.proposal(publish.newest(), timezone.now())
    try:
        with options["file"].open("rb") as stream:
            return options["file"].name, stream.read(FILE_BYTES + 1)
    except OSError as error:
        raise refusal(
            _("%(file)s ne se lit pas\u00a0: %(why)s.") % {"file": options["file"], "why": error.strerror}
        ) from None


def origin_of(options: Mapping[str, Any]) -> str:
    """Where the prices come from, as it is recorded with each."""
    if options["private"]:
        return PriceRow.Origin.NEGOTIATED
    return PriceRow.Origin.LIBRARY if options["library"] else PriceRow.Origin.UPLOAD


def mapping_of(pairs: list[str]) -> dict[str, str]:
    """What foreign headers mean."""
    if wrong := [pair for pair in pairs if "=" not in pair]:
        raise refusal(_("«\u00a0%(pair)s\u00a0» n’a pas la forme en-tête=colonne.") % {"pair": wrong[0]})
    return {header: column for header, _sign, column in (pair.rpartition("=") for pair in pairs)}


def start_of(text: str | None) -> Any:
    """The instant of --at, None without it."""
    try:
        return instant_of(text.strip()) if text else None
    except CellError as error:
        raise refusal(pricelist.cell_sentence(error.code, text=text or "", **error.values)) from None


def finished(draft: PriceUpload, checked: Checked, options: Mapping[str, Any]) -> Ending:
    """What becomes of the file."""
    if checked.diff.errors:
        return Ending("errors", pricelist_terminal.outcome("errors"), BAD_INPUT)
    if checked.diff.is_empty:
        return Ending("nothing_to_change", unchanged(checked))
    if options["dry_run"]:
        code = "would_need_second_person" if checked.needs_second_person else "would_apply"
        return Ending(code, pricelist_terminal.outcome(code), HELD_BACK if checked.needs_second_person else 0)
    try:
        return applied(draft, checked, person(options["by"]), options["reason"], accepts_old=options["accept_old_rate"])
    except Refused as refused:
        return Ending("refused", said.refusal(refused), HELD_BACK)


def unchanged(checked: Checked) -> str:
    """Nothing to change, and which earlier file said the same."""
    said_before = pricelist_terminal.outcome("nothing_to_change")
    earlier = checked.earlier
    if earlier is None:
        return said_before
    return f"{said_before} {pricelist.same_as(earlier.pk, earlier.uploaded_at, earlier.original_name)}"


def person(name: str | None) -> User:
    """The person in whose name the file is applied."""
    if not name:
        raise refusal(_("Indiquez avec --by qui applique ces prix."))
    found = get_user_model().objects.filter(username=name, is_active=True).first()
    if found is None:
        raise refusal(_("Aucune personne active ne s’appelle «\u00a0%(name)s\u00a0».") % {"name": name})
    return found


def applied(draft: PriceUpload, first: Checked, by: User, reason: str, *, accepts_old: bool) -> Ending:
    """Store, validate and apply the file; one with blocked lines waits for a second person.

    Where the exchange rate is too old to be taken without a word, nothing is stored until that is accepted.
    """
    day = None if accepts_old or first.needs_second_person else old_rate(first)
    if day is not None:
        return Ending("old_rate", pricelist_terminal.old_rate_asks(day), HELD_BACK)
    upload = publish.receive(
        bytes(draft.content), draft.original_name, by, origin=draft.origin, audience=draft.audience
    )
    choices = {name: getattr(draft, name) for name in publish.CONFIGURABLE}
    upload = publish.configure(upload, by, **choices)
    checked = publish.validate(upload, by)
    if checked.needs_second_person:
        message = pricelist_terminal.outcome("waiting", upload=upload.pk)
        return Ending("waiting", message, HELD_BACK, upload=upload.pk)
    version = publish.apply(upload, by, reason=reason).version.number
    return Ending("applied", pricelist_terminal.outcome("applied", version=version), upload=upload.pk, version=version)


def old_rate(checked: Checked) -> dt.date | None:
    """The day of an exchange rate that is too old, where the file changes prices and brings no rates itself."""
    return None if checked.file.kind is FileKind.FX or checked.diff.is_empty else steps.old_rate()


def as_text(checked: Checked, ending: Ending) -> str:
    """The result for a terminal."""
    day = None if ending.outcome == "old_rate" else old_rate(checked)
    old = () if day is None else (pricelist_terminal.old_rate(day),)
    return "\n".join((*pricelist_terminal.lines(checked.file, checked.diff, checked.guards), *old, ending.message))


def as_json(draft: PriceUpload, checked: Checked, ending: Ending) -> str:
    """The result for a script."""
    found = {
        "file": draft.original_name,
        "sha256": draft.sha256,
        "outcome": ending.outcome,
        "message": ending.message,
        "upload": ending.upload,
        "version": ending.version,
        **pricelist_terminal.document(checked.file, checked.diff, checked.guards),
    }
    return json.dumps(found, ensure_ascii=False, indent=1)
