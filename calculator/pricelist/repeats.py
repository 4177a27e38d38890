"""The same thing said twice in one file: identical twins are one line and a warning, two different lines an error."""

from collections.abc import Hashable
from dataclasses import fields

from calculator.pricelist.contract import Content, Item, ItemFields, Price, Rate, Severity, Sheet
from calculator.pricelist.table import Problems

ITEM_FIELDS = tuple(field.name for field in fields(ItemFields) if field.name != "aliases")


def key_of(content: Content) -> Hashable:
    """What may be said once in a file."""
    match content:
        case Price():
            return (
                content.item_kind,
                content.code.casefold(),
                content.component,
                content.mode,
                content.region,
                content.context_over,
                content.window,
                content.currency,
                content.valid_from,
            )
        case Rate():
            return (content.quote, content.rate_date, content.source)
        case Sheet():
            return content.name.casefold()
        case Item():
            return ("item", content.item_kind, content.code.casefold(), content.valid_from, content.item)


def value_of(content: Content) -> object:
    """What two lines of one key must agree on to be twins."""
    match content:
        case Price():
            return (content.kind, content.amount, content.valid_until)
        case Rate():
            return content.rate
        case Sheet():
            return dict(content.values)
        case Item():
            return content.item


class Repeats:
    """Remembers what the file has said so far."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.said: dict[Hashable, tuple[int, object]] = {}
        self.items: dict[Hashable, ItemFields] = {}
        self.fields: dict[Hashable, tuple[int, object]] = {}

    def is_new(self, line_no: int, content: Content) -> bool:
        """Whether the line is to be kept; notes a twin or a contradiction."""
        if isinstance(content, Price | Item):
            self._compare_fields(line_no, content)
        value = value_of(content)
        first_line, first = self.said.setdefault(key_of(content), (line_no, value))
        if first_line == line_no:
            return True
        if first == value:
            self.problems.add(line_no, "", "said_twice", Severity.WARNING, first_line=first_line)
        else:
            self.problems.add(line_no, "", "same_key_twice", first_line=first_line, line=line_no)
        return False

    def _compare_fields(self, line_no: int, content: Price | Item) -> None:
        """Each column about an item must say the same on all of its lines."""
        code = (content.item_kind, content.code.casefold())
        if content.item == self.items.get(code):
            return
        self.items.setdefault(code, content.item)
        for name in ITEM_FIELDS:
            value = getattr(content.item, name)
            if value is not None:
                first_line, first = self.fields.setdefault((*code, name), (line_no, value))
                if first != value:
                    self.problems.add(
                        line_no, name, "item_said_differently", first_line=first_line, first=str(first), text=str(value)
                    )
