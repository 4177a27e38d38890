"""The advisor over the interface: a need in, ranked offers out, the very numbers of its page.

`lang` is the language of every answer here, so that the language of the need itself, `lang` in the page's link, is
`need_lang`; all other keys are those of the link.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, JsonResponse, QueryDict
from ninja import Router

from calculator.permalinks import Notation
from sales.advising import notation
from sales.advising.form import NeedForm
from sales.advising.tool import TOOL
from sales.api import estimates, schemas
from sales.api.asking import query_of, unknown
from sales.api.frame import LANGUAGE
from sales.api.problems import RefusedError
from sales.domain.need import Need

NEED_LANGUAGE = "need_lang"
OPERATION = "advice"
FORM = NeedForm
NOTATION = Notation(
    Need,
    tuple(replace(key, name=NEED_LANGUAGE) if key.name == LANGUAGE.name else key for key in notation.KEYS),
    notation.OPTIONAL,
    notation.load_problems,
)
"""The need as it is asked about here."""
router = Router()


def answered(query: QueryDict, address: Callable[[str], str]) -> dict[str, Any]:
    """The advice for a need; RefusedError names every key that is wrong, as it is called here."""
    wrong = (*unknown(NOTATION, query), *NOTATION.read(query, TOOL.default()).problems)
    if wrong:
        raise RefusedError(wrong)
    held = estimates.answered(TOOL, of_link(query), address)
    return {**held, "scenario": named_here(held["scenario"]), "defaults": named_here(held["defaults"])}


def of_link(query: QueryDict) -> QueryDict:
    """The query with the keys of the page's link."""
    found = query.copy()
    if NEED_LANGUAGE in found:
        found.setlist(LANGUAGE.name, found.pop(NEED_LANGUAGE))
    return found


def named_here(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the keys of the interface."""
    return dict(_renamed(values.items()))


def _renamed(pairs: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    return ((NEED_LANGUAGE if name == LANGUAGE.name else name, value) for name, value in pairs)


@router.get(
    "/advice",
    response=schemas.Estimate,
    url_name="api-advice",
    operation_id=OPERATION,
    by_alias=True,
    summary="Advice: from a need to ranked offers",
    description="The keys are those of the page's link, `lang` of the need as `need_lang`. Each option names the "
    "calculator's link that gives its amounts.",
)
def advice(request: HttpRequest) -> Any:
    """Ranked ways to serve, train or index, with what each costs and what would make it lose."""
    held = answered(query_of(request), request.build_absolute_uri)
    headers = {"ETag": estimates.tag_of(held)}
    return JsonResponse(held, json_dumps_params={"ensure_ascii": False}, headers=headers)
