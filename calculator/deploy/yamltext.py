"""YAML as our configurations and container descriptions are written: block style, key order kept, texts safe.

Every reader must find the same values: PyYAML here and in vLLM, Go's in Kubernetes and Compose, whose ideas of a number
differ. Texts that a visitor typed are therefore always quoted.
"""

from collections.abc import Iterable
from typing import Any

import yaml

LINE_CHARACTERS = 4096
"""No text of ours is folded over lines."""


class Quoted(str):
    """A text that is always written between double quotes."""

    __slots__ = ()


class Block(str):
    """A text of several lines that is written as they are, below `|`."""

    __slots__ = ()


class _Writer(yaml.SafeDumper):
    """Indents lists below their key, as container descriptions usually are."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Repeat a value rather than point at its first place."""
        return True


def _quoted(writer: _Writer, text: Quoted) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


def _block(writer: _Writer, text: Block) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:str", str(text), style="|")


_Writer.add_representer(Quoted, _quoted)
_Writer.add_representer(Block, _block)


def quoted(value: object) -> Quoted:
    """A value as a text between double quotes, whatever it looks like."""
    return Quoted(value)


def write(document: object) -> str:
    """One document.

    >>> write({"model": quoted("1e3"), "count": 2})
    'model: "1e3"\\ncount: 2\\n'
    """
    return yaml.dump(
        document,
        Dumper=_Writer,
        sort_keys=False,
        allow_unicode=True,
        width=LINE_CHARACTERS,
        default_flow_style=False,
    )


def joined(documents: Iterable[str]) -> str:
    """Several documents in one text, separated as Kubernetes reads them."""
    return "---\n".join(documents)
