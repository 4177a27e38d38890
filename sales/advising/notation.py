"""The link of a need. A text that was counted is never part of it: only its numbers are."""

from enum import StrEnum

from django.utils.translation import gettext as _

from calculator import fields, permalinks
from calculator.domain.training import Method
from calculator.fields import Quantity, limits
from calculator.permalinks.inference import MILLISECONDS
from calculator.permalinks.notation import (
    Key,
    Notation,
    Problem,
    catalogue_state,
    code,
    enum,
    flag,
    name,
    number,
    parse_choice,
)
from calculator.permalinks.tokens import DOCUMENTS, MEAN
from calculator.permalinks.training import CORPUS, EPOCHS, PARAMS, ROWS
from calculator.permalinks.training import MEAN as ROW
from sales.domain.language import Language
from sales.domain.need import Constraint, LoadBy, Need, Unit, Use, volume_tokens
from sales.domain.ranges import Range
from sales.domain.week import Shape

PEOPLE = Quantity(limits("1", "1000000000"), ("personnes", "utilisateurs", "people", "users"), scaled=True, whole=True)
DAILY = Quantity(limits("0.01", "100000"), ("requêtes", "requests"))
LENGTH = Quantity(limits("1", "1000000"), (*fields.TOKENS, "mots", "words"))
DAYS = Quantity(limits("0.01", "3650"), ("jours", "jour", "days", "day", "j", "d"))


def many(key: str, attribute: str, members: type[StrEnum]) -> Key:
    """A key for several members of an enumeration, each once."""
    values = tuple(member.value for member in members)
    return Key(key, attribute, parse_choice(values, members), str, many=True)


KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    enum("use", "use", Use),
    enum("lang", "language", Language),
    enum("load", "load", LoadBy),
    number("users", "users_count", PEOPLE),
    number("daily", "daily_requests", DAILY),
    number("requests", "requests_count", fields.REQUESTS),
    number("volume", "volume_tokens", fields.VOLUME),
    enum("shape", "shape", Shape),
    enum("unit", "unit", Unit),
    number("in", "prompt_length", LENGTH),
    number("out", "output_length", LENGTH),
    number("ttft", "first_token_ms", MILLISECONDS),
    number("tpot", "token_ms", MILLISECONDS),
    name("model", "model"),
    flag("small", "compressed"),
    many("range", "ranges", Range),
    many("must", "constraints", Constraint),
    number("docs", "documents_count", DOCUMENTS),
    number("doc", "document_tokens", MEAN),
    number("rows", "rows_count", ROWS),
    number("row", "row_tokens", ROW),
    number("epochs", "epochs", EPOCHS),
    enum("method", "method", Method),
    number("params", "params_count", PARAMS),
    number("corpus", "corpus_tokens", CORPUS),
    number("days", "deadline_days", DAYS),
    number("fx", "usd_per_eur", fields.USD_PER_EUR),
    code("cal", "calibration"),
)
OPTIONAL = frozenset(
    {
        *("users", "daily", "requests", "volume", "in", "out", "ttft", "tpot", "model"),
        *("docs", "doc", "rows", "row", "params", "corpus", "days", "fx", "cal"),
    }
)


LOAD_KEYS = {LoadBy.USERS: "users", LoadBy.REQUESTS: "requests", LoadBy.TOKENS: "volume"}


def load_problems(need: Need) -> list[Problem]:
    """The number that the stated load is missing."""
    match need.load:
        case LoadBy.USERS if need.users_count is None:
            return [Problem("users", _("Indiquez le nombre de personnes (users)."))]
        case LoadBy.USERS if need.daily_requests is None:
            return [Problem("daily", _("Indiquez les requêtes par personne et par jour (daily)."))]
        case LoadBy.REQUESTS if need.requests_count is None:
            return [Problem("requests", _("Indiquez le nombre de requêtes par mois (requests)."))]
        case LoadBy.TOKENS if need.volume_tokens is None:
            return [Problem("volume", _("Indiquez le volume de sortie par mois (volume)."))]
    volume = volume_tokens(need)
    if volume is not None and not fields.VOLUME.limits.hold(volume):
        return [
            Problem(
                LOAD_KEYS[need.load], _("Ces requêtes et ces réponses font plus de tokens qu’on n’en peut compter.")
            )
        ]
    return []


NOTATION = Notation(Need, KEYS, OPTIONAL, load_problems)
permalinks.add(NOTATION)
