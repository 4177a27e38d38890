"""From a query to an answer: the path that the page, its fragment, the exports, a saved estimate and the command share.

`from_link` reads a canonical query, `from_form` what was typed. Both keep everything that could be read, say in a
sentence what could not, and give no answer rather than one to another question. What differs from one calculator to
the next stands in its `Calculator`.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from calculator import fields, formats, permalinks
from calculator.catalog import NotFound, retirement
from calculator.forms.base import ScenarioForm
from calculator.permalinks import Problem
from calculator.tool import Answer, Calculator, Notice, Outcome

# Each unknown code costs one look-up before the next can be named.
MAX_REPAIRS = 12
MAX_NOTICE_CHARACTERS = 400
HELD_BY_FORM = ("v", "catalog", "at")
CHOSEN = {"sku": "sku", "embedding": "embedding", "reference": "api"}
"""What a scenario chooses of the catalogue, by attribute, with its kind there."""
NO_LONGER_SOLD = "no_longer_sold"


def from_link(tool: Calculator, query: QueryDict) -> Outcome:
    """The outcome of a canonical query; absent keys take the defaults of today's catalogue."""
    default = tool.default()
    reading = permalinks.read(query, default)
    known = tool.reads()
    # What contradicts itself is not computed: a formula may divide by it.
    unfit = bool(tool.notation.check(reading.kept))
    found, kept, missing = (None, reading.kept, ()) if unfit else _answered(tool, reading.kept, known)
    found, never = _computable(tool, found)
    problems = (*reading.problems, *missing, *never)
    if problems or found is None:
        form = _marked(_form_of_link(tool, query, reading.problems, kept, known), problems)
        notices = _unknown_keys(reading.unknown) + _proposal(missing, kept)
        return Outcome(form, None, problems, notices, newest_version=default.catalog_version)
    today = todays(tool, found, default, known)
    notices = _unknown_keys(reading.unknown) + dated_notices(found, today) + said_of(tool, found)
    form = tool.form.from_scenario(found.scenario, tool.choices(found.scenario, known, found.facts, None))
    return Outcome(form, found, (), notices, today, reading.defaults, default.catalog_version)


def from_form(tool: Calculator, query: QueryDict) -> Outcome:
    """The outcome of a submitted form: localised text, at the catalogue version and instant that the form holds."""
    default, known = tool.default(), tool.reads()
    reading, newest = permalinks.read(_held(query), default), default.catalog_version
    try:
        base = tool.based(query, reading.kept)
    except NotFound as error:
        base = tool.repaired(reading.kept, error)
        reading = replace(reading, problems=(*reading.problems, _missing(tool, error, reading.kept)))
    offered, base, absent = _offered(tool, base, known, query)
    reading = replace(reading, problems=(*reading.problems, *absent))
    form = tool.form.from_texts(query, base, offered)
    if not form.is_valid() or reading.problems:
        return Outcome(_marked(form, reading.problems), None, reading.problems, newest_version=newest)
    scenario = form.to_scenario()
    unfit = tuple(permalinks.notation_of(scenario).check(scenario))
    found, _kept, missing = (None, scenario, unfit) if unfit else _answered(tool, scenario, known)
    found, never = _computable(tool, found)
    if found is None:
        return Outcome(_marked(form, (*missing, *never)), None, (*missing, *never), newest_version=newest)
    return Outcome(form, found, (), said_of(tool, found), newest_version=newest)


def _offered(
    tool: Calculator, scenario: Any, known: Any, query: QueryDict | None
) -> tuple[Any, Any, tuple[Problem, ...]]:
    """What the form's lists offer, the scenario they are of, and the sentence where its list of prices is none."""
    try:
        return tool.choices(scenario, known, None, query), scenario, ()
    except NotFound as error:
        kept = tool.repaired(scenario, error)
        return tool.choices(kept, known, None, query), kept, (_missing(tool, error, scenario),)


def _held(query: QueryDict) -> QueryDict:
    """What the form sends unseen, where it does: notation, catalogue version, instant."""
    held = QueryDict(mutable=True)
    for key in HELD_BY_FORM:
        if any(query.getlist(key)):
            held.setlist(key, query.getlist(key))
    return held


def _answered(tool: Calculator, scenario: Any, known: Any) -> tuple[Answer | None, Any, tuple[Problem, ...]]:
    """The answer, or every code that the catalogue does not hold, with the scenario that does without them."""
    problems: list[Problem] = []
    for _attempt in range(MAX_REPAIRS):
        try:
            found = tool.answer(scenario, known)
        except NotFound as error:
            problems.append(_missing(tool, error, scenario))
            scenario = tool.repaired(scenario, error)
        else:
            return (None if problems else found), scenario, tuple(problems)
    return None, tool.default(), tuple(problems)


def _computable(tool: Calculator, found: Answer | None) -> tuple[Answer | None, tuple[Problem, ...]]:
    """The answer, or the typed values for which there can be none."""
    never = () if found is None else tuple(replace(one, code="impossible") for one in tool.impossible(found))
    return (None if never else found), never


def _missing(tool: Calculator, error: NotFound, scenario: Any) -> Problem:
    return absence(tool.key_of(error, scenario), error)


def absence(key: str, error: NotFound) -> Problem:
    """The sentence that names what the catalogue does not hold, and the nearest that exists."""
    code = fields.printable(error.code)
    names = {
        "sku": _("Le GPU «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "gpu": _("Le GPU «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "api": _("L’API «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "ref": _("L’API de référence «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "fig": _("Le débit n°\u00a0%(code)s n’existe pas pour ce GPU à cette date."),
        "model": _("Le modèle «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "catalog": _("La liste de prix n°\u00a0%(code)s n’existe pas."),
        "version": _("La liste de prix n°\u00a0%(code)s n’existe pas."),
        "embedding": _("Le modèle d’indexation «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "figure": _("Le débit n°\u00a0%(code)s n’existe pas pour ce GPU à cette date."),
    }
    unnamed = _("«\u00a0%(code)s\u00a0» n’est pas au catalogue.")
    sentence = names.get(key, unnamed) % {"code": code}
    if error.nearest:
        sentence = f"{sentence} {_('Le plus proche\u00a0: %(nearest)s.') % {'nearest': error.nearest}}"
    return Problem(key, sentence, code, "missing")


def missing_sentence(tool: Calculator, error: NotFound, scenario: Any) -> str:
    """What vanished, as a sentence."""
    return _missing(tool, error, scenario).message


def _form_of_link(
    tool: Calculator, query: QueryDict, problems: Iterable[Problem], kept: Any, known: Any
) -> ScenarioForm:
    """The form of a link that cannot be answered: what could be read in its field, the rest as it stood."""
    texts = QueryDict(mutable=True)
    for problem in problems:
        if problem.key in query:
            texts.setlist(problem.key, query.getlist(problem.key))
    offered, base, _absent = _offered(tool, kept, known, None)
    return tool.form.from_texts(texts, base, offered)


def _marked(form: ScenarioForm, problems: Iterable[Problem]) -> ScenarioForm:
    """`form` with each problem beside its field, those without a field at its head."""
    form.full_clean()
    for problem in problems:
        if problem.key not in form.fields:
            form.add_error(None, problem.message)
        elif problem.key not in form.errors:
            form.add_error(problem.key, problem.message)
    return form


def todays(tool: Calculator, found: Answer, default: Any, known: Any) -> Answer | None:
    """The same question put to the catalogue of `default`; None when the answer is of that version and day already."""
    same_day = timezone.localdate(found.scenario.at) == timezone.localdate(default.at)
    if same_day and found.scenario.catalog_version == default.catalog_version:
        return None
    try:
        return tool.answer(recalculated(tool, found, default), known)
    except NotFound:
        return None


def recalculated(tool: Calculator, found: Answer, default: Any) -> Any:
    """The visitor's own inputs at another catalogue state: what came from the catalogue is asked for again."""
    return replace(tool.released(found), catalog_version=default.catalog_version, at=default.at)


def dated_notices(found: Answer, today: Answer | None) -> tuple[Notice, ...]:
    """The state that an old answer is of, with the link to today's."""
    if today is None:
        return ()
    text = _("Résultat aux prix de la liste n°\u00a0%(version)s du %(date)s.") % {
        "version": found.scenario.catalog_version,
        "date": formats.date(found.scenario.at),
    }
    return (Notice("outdated", text, today.query),)


def said_of(tool: Calculator, found: Answer) -> tuple[Notice, ...]:
    """What is said above any answer: what it chose that is sold no more, and the calculator's own notices."""
    scenario = found.scenario
    chosen = ((getattr(scenario, name, ""), kind) for name, kind in CHOSEN.items())
    # Where several APIs are compared, each one's line says it.
    asked = ((code, kind) for code, kind in chosen if code and not (kind == "api" and hasattr(scenario, "apis")))
    retired = (_retired(code, kind, scenario.catalog_version, scenario.at) for code, kind in asked)
    return (*(notice for notice in retired if notice is not None), *tool.notices(found))


def _retired(code: str, kind: str, version: int, at: dt.datetime) -> Notice | None:
    day = retirement(kind, code, version, at)
    if day is None:
        return None
    if day > timezone.localdate(at):
        text = _("%(code)s ne sera plus en vente à partir du %(day)s.")
    else:
        text = _("%(code)s n’est plus en vente depuis le %(day)s\u00a0: son dernier prix sert encore ici.")
    return Notice(NO_LONGER_SOLD, text % {"code": code, "day": formats.date(day)})


def not_saved(outcome: Outcome) -> Outcome:
    """`outcome` with the sentence that it could not be kept, and what keeps it meanwhile."""
    text = _(
        "L’estimation n’a pas pu être enregistrée. Rien n’est perdu\u00a0: son lien la rouvre, réessayez plus tard."
    )
    return _with_notice(outcome, "not_saved", text)


def too_many_saved(outcome: Outcome) -> Outcome:
    """`outcome` with the sentence that too much was kept of late, and what keeps it meanwhile."""
    text = _(
        "Trop d’estimations ont été enregistrées depuis une heure. Rien n’est perdu\u00a0: son lien rouvre celle-ci, "
        "réessayez plus tard."
    )
    return _with_notice(outcome, "not_saved", text)


def _with_notice(outcome: Outcome, code: str, text: str) -> Outcome:
    query = outcome.answer.query if outcome.answer else ""
    return replace(outcome, notices=(Notice(code, text, query), *outcome.notices))


def _unknown_keys(names: Iterable[str]) -> tuple[Notice, ...]:
    listed = ", ".join(names)
    if not listed:
        return ()
    text = _("Ce lien contient des clés inconnues, laissées de côté\u00a0: %(names)s.") % {"names": listed}
    return (Notice("unknown_keys", text[:MAX_NOTICE_CHARACTERS]),)


def _proposal(missing: tuple[Problem, ...], kept: Any) -> tuple[Notice, ...]:
    """A link to the same scenario without what vanished."""
    if not missing:
        return ()
    return (Notice("proposal", _("Continuer avec ce qui existe, sans rien changer d’autre."), permalinks.write(kept)),)
