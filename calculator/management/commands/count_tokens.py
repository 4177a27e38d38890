"""`manage.py count_tokens FILE… [--tokenizer CODE] [--json]`: counts files of any size, or standard input as `-`.

Texts are streamed: memory does not grow with the file, and the count is that of the whole text.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator.counting.encoders import ENCODERS, encoder
from calculator.counting.problems import ReadingError
from calculator.counting.readers import SUFFIXES, Reading, Split
from calculator.counting.sample import Sample, counted, of_files
from calculator.domain.samples import statistics
from calculator.presenters import count_problems

REFUSED = 2
STDIN = "-"
LABEL_WIDTH = 22


class Command(BaseCommand):
    help = f"Counts tokens, words, characters and bytes of files ({', '.join(SUFFIXES)}) or of standard input (-)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for text on standard input")
        parser.add_argument("--tokenizer", action="append", choices=list(ENCODERS), help="may be given several times")
        parser.add_argument("--split", choices=[split.value for split in Split], default=Split.WHOLE.value)
        parser.add_argument("--column", default="", help="column or key of CSV, TSV and JSONL files")
        parser.add_argument("--json", action="store_true", help="counts as JSON")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        codes = options["tokenizer"] or list(ENCODERS)
        reading = Reading(Split(options["split"]), options["column"])
        with override(options["lang"]):
            sample = counted_files(options["files"], codes, reading)
            self.stdout.write(as_json(sample) if options["json"] else "\n".join(as_text(sample)))


def counted_files(names: Sequence[str], codes: Sequence[str], reading: Reading) -> Sample:
    """The sample of the files; status 2 with a sentence where one cannot be read."""
    with ExitStack() as stack:
        files = [(opened(name, stack), "stdin.txt" if name == STDIN else name) for name in names]
        try:
            return counted(of_files(files, reading), {code: encoder(code) for code in codes})
        except ReadingError as error:
            raise CommandError(count_problems.sentence(error), returncode=REFUSED) from error


def opened(name: str, stack: ExitStack) -> BinaryIO:
    """A file for reading, or standard input."""
    if name == STDIN:
        return sys.stdin.buffer
    try:
        return stack.enter_context(Path(name).open("rb"))
    except OSError as error:
        sentence = _("«\u00a0%(file)s\u00a0» ne s’ouvre pas\u00a0: %(reason)s.")
        raise CommandError(sentence % {"file": name, "reason": error.strerror}, returncode=REFUSED) from error


def as_json(sample: Sample) -> str:
    """Counts and the statistics of the documents under each tokenizer."""
    tokenizers = {
        code: {
            "tokens": found.total_tokens,
            "mean": found.mean_tokens,
            "sd": found.sd_tokens,
            "p50": found.p50_tokens,
            "p95": found.p95_tokens,
        }
        for code, counts in sample.tokens.items()
        for found in [statistics(counts)]
    }
    told = {
        "documents": sample.documents_count,
        "blank": sample.blank_count,
        "characters": sample.characters_count,
        "bytes": sample.bytes_count,
        "words": sample.words_count,
        "tokenizers": tokenizers,
    }
    return json.dumps(told, indent=2)


def as_text(sample: Sample) -> Iterator[str]:
    """The same as lines; numbers plain, so that they can be cut out."""
    yield from (
        f"{label:<{LABEL_WIDTH}} {value}"
        for label, value in (
            (_("documents"), sample.documents_count),
            (_("caractères"), sample.characters_count),
            (_("octets"), sample.bytes_count),
            (_("mots"), sample.words_count),
        )
    )
    for code, counts in sample.tokens.items():
        found = statistics(counts)
        several = f"  P50 {found.p50_tokens:.0f}  P95 {found.p95_tokens:.0f}" if found.count > 1 else ""
        yield f"{code:<{LABEL_WIDTH}} {found.total_tokens}{several}"
