"""Static files as they are served: our style sheets as one, our sheets and scripts without comments and spare blanks.

Written by hand they stay in parts with comments; a browser fetches one sheet, which compresses better than four.
Nothing is renamed or reordered.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from whitenoise.storage import CompressedManifestStaticFilesStorage

STRING = re.compile(r'("[^"]*")')
STRING_OR_COMMENT = re.compile(r'("[^"]*")|/\*.*?\*/', re.DOTALL)
BLANKS = re.compile(r"\s+")
AROUND = re.compile(r" ?([{};,]) ?")
# A colon before a value; in a selector none is followed by a blank.
BEFORE_VALUE = re.compile(r": ")


def light_css(text: str) -> str:
    """A style sheet without comments and blanks that mean nothing; what stands in quotes stays as it is."""
    pieces = STRING.split(STRING_OR_COMMENT.sub(lambda found: found[1] or "", text).strip())
    # Every second piece is a quoted text.
    return "".join(piece if place % 2 else _light(piece) for place, piece in enumerate(pieces))


def _light(piece: str) -> str:
    return BEFORE_VALUE.sub(":", AROUND.sub(r"\1", BLANKS.sub(" ", piece))).replace(";}", "}")


def light_js(text: str) -> str:
    """A script without indentation and lines of comment. Its line ends stay, so no statement runs into another."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"


LIGHTER = {"css": light_css, "js": light_js}


class LightStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """Hashed, compressed, and light where the files are ours."""

    joins_styles = True

    def post_process(self, paths: Mapping[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Lighten what was collected, then hash and compress it all."""
        if not dry_run:
            paths = {**paths, **{name: (self, name) for name in self._lightened(paths)}}
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def _lightened(self, paths: Mapping[str, Any]) -> Iterator[str]:
        """The names of our sheets and scripts, rewritten, and of the sheet that joins the parts."""
        texts = {name: LIGHTER[_folder(name)](_source(paths[name])) for name in paths if _folder(name) in LIGHTER}
        if set(settings.STYLE_PARTS) <= set(texts):
            texts[settings.STYLE_SHEET] = "".join(texts[name] for name in settings.STYLE_PARTS)
        for name, text in texts.items():
            Path(self.path(name)).write_text(text, encoding="utf-8")
            yield name


def _folder(name: str) -> str:
    return Path(name).parts[0]


def _source(found: tuple[Any, str]) -> str:
    storage, path = found
    with storage.open(path) as file:
        return str(file.read().decode())
