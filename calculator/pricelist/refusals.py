"""Why a step with a price file, a version or a planned price was refused: a code with values, never a sentence."""

from collections.abc import Iterable

from django.contrib.auth.models import User

Value = str | int | tuple[str, ...]
UPLOAD, APPROVE, APPLY = "calculator.upload_prices", "calculator.approve_prices", "calculator.apply_prices"
BACKDATE, ROLLBACK = "calculator.backdate_prices", "calculator.rollback_prices"
VIEW_PRIVATE = "calculator.view_private_prices"
REASON_CHARACTERS = 500


class Refused(Exception):  # noqa: N818  (it is an answer, not a fault)
    """The step was not taken and nothing was written. `code` and `values` are worded by presenters."""

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(f"{code} {values}" if values else code)
        self.code, self.values = code, values


def require(by: User, *rights: str) -> None:
    """Refuse a person without one of the rights; superusers have them all."""
    for right in rights:
        if not by.has_perm(right):
            raise Refused("right_missing", right=right)


def reason_of(text: str) -> str:
    """A reason that says something, cut to what is kept. Refuses an empty one."""
    reason = text.replace("\x00", "").strip()
    if not reason:
        raise Refused("reason_missing")
    return reason[:REASON_CHARACTERS]


def rights_for(audience: str, right: str) -> Iterable[str]:
    """What a step with a file of this audience asks for."""
    return (right, VIEW_PRIVATE) if audience == "sales" else (right,)
