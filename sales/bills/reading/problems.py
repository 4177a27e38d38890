"""What is wrong with a report: a code with its place, worded by sales.bills.words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sales.bills.reading.limits import PROBLEMS


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `place` is the line of a CSV or the position in a JSON; "" for the whole file."""

    place: str
    column: str
    code: str
    values: Mapping[str, str] = field(default_factory=dict)


class ReportError(Exception):
    """A report that is refused as a whole."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code)
        self.code, self.values = code, values


class Problems:
    """What was found so far: faults keep the report out, remarks are shown beside the result, each kind once."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self.more = 0
        self.remarks: dict[tuple[str, str], Problem] = {}

    def add(self, place: str, column: str, code: str, **values: str) -> None:
        """Note a fault."""
        if len(self.found) < PROBLEMS:
            self.found.append(Problem(place, column, code, values))
        else:
            self.more += 1

    def remark(self, place: str, column: str, code: str, **values: str) -> None:
        """Note what the result must say."""
        self.remarks.setdefault((code, values.get("text", "")), Problem(place, column, code, values))
