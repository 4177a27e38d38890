"""From a query to an answer: the path that the page, its fragment, the exports, a saved estimate and the command share.

`from_link` reads a canonical query, `from_form` what was typed. Both keep everything that could be read, say in a
sentence what could not, and give no answer rather than one to another question.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from calculator import catalog, fields, figures, formats, permalinks
from calculator.domain import economics
from calculator.domain.offers import EconomicsFacts
from calculator.domain.scenario import EconomicsEstimate, EconomicsScenario
from calculator.figures import Figures
from calculator.forms import Choices, EconomicsForm
from calculator.permalinks import Problem

# Each unknown code costs one look-up before the next can be named.
MAX_REPAIRS = 12
MAX_NOTICE_CHARACTERS = 400
KEY_OF_KIND = {"sku": "sku", "figure": "fig", "model": "model", "version": "catalog"}
HELD_BY_FORM = ("v", "catalog", "at")


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the result, with where it leads; `code` says which template wording or style it has."""

    code: str
    text: str
    query: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An estimate with the scenario that reproduces it: codes, figure and exchange rate written down."""

    scenario: EconomicsScenario
    facts: EconomicsFacts
    estimate: EconomicsEstimate

    @property
    def query(self) -> str:
        return permalinks.write(self.scenario)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query leads to: a form to show, an answer or the reasons why there is none, and notices."""

    form: EconomicsForm
    answer: Answer | None = None
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()
    today: Answer | None = None
    defaults: tuple[str, ...] = ()
    newest_version: int | None = None


def answer(scenario: EconomicsScenario, known: Figures | None = None) -> Answer:
    """The estimate of `scenario` from the catalogue it names; raises catalog.NotFound for a code it does not hold.

    `known` are the figures as a page has read them already, once for all that it asks.
    """
    facts = catalog.for_economics(scenario, known)
    named = canonical(scenario, facts)
    estimate = economics.estimate(permalinks.released(named, facts), facts)
    return Answer(permalinks.pinned(named, facts), facts, estimate)


def canonical(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsScenario:
    """`scenario` with every code and name as the catalogue writes it, whatever case or alias it was asked by."""
    measured = facts.sku.throughput.model if facts.sku.throughput else ""
    return replace(
        scenario,
        sku=facts.sku.code,
        apis=tuple(api.code for api in facts.apis),
        reference=catalog.canonical_code("api", scenario.reference, facts.catalog_version, facts.at),
        model=measured if measured.casefold() == scenario.model.casefold() else scenario.model,
    )


def from_link(query: QueryDict) -> Outcome:
    """The outcome of a canonical query; absent keys take the defaults of today's catalogue."""
    default = catalog.default_scenario()
    reading = permalinks.read(query, default)
    known = figures.current()
    found, kept, missing = _answered(reading.kept, known)
    problems = (*reading.problems, *missing)
    if problems or found is None:
        form = _marked(_form_of_link(query, reading.problems, kept, known), problems)
        notices = _unknown_keys(reading.unknown) + _proposal(missing, kept)
        return Outcome(form, None, problems, notices, newest_version=default.catalog_version)
    today = todays(found, default, known)
    notices = _unknown_keys(reading.unknown) + dated_notices(found, today)
    form = EconomicsForm.from_scenario(found.scenario, choices(found.scenario, known, facts=found.facts))
    return Outcome(form, found, (), notices, today, reading.defaults, default.catalog_version)


def from_form(query: QueryDict) -> Outcome:
    """The outcome of a submitted form: localised text, at the catalogue version and instant that the form holds."""
    default, known = catalog.default_scenario(), figures.current()
    reading, newest = permalinks.read(_held(query), default), default.catalog_version
    try:
        base = _known_sku(query.get("sku", ""), reading.kept)
    except catalog.NotFound as error:
        base = _repaired(reading.kept, error)
        reading = replace(reading, problems=(*reading.problems, _missing(error, reading.kept)))
    form = EconomicsForm.from_texts(query, base, choices(base, known, chosen=query.getlist("api")))
    if not form.is_valid() or reading.problems:
        return Outcome(_marked(form, reading.problems), None, reading.problems, newest_version=newest)
    found, _kept, missing = _answered(form.to_scenario(), known)
    if found is None:
        return Outcome(_marked(form, missing), None, missing, newest_version=newest)
    return Outcome(form, found, newest_version=newest)


def _held(query: QueryDict) -> QueryDict:
    """What the form sends unseen, where it does: notation, catalogue version, instant."""
    held = QueryDict(mutable=True)
    for key in HELD_BY_FORM:
        if any(query.getlist(key)):
            held.setlist(key, query.getlist(key))
    return held


def _known_sku(code: str, base: EconomicsScenario) -> EconomicsScenario:
    """`base` with the SKU that was picked, so that the form offers that SKU's figures. NotFound: unknown version."""
    codes = {sku.code.casefold(): sku.code for sku in catalog.sku_choices(base.catalog_version, base.at)}
    return replace(base, sku=codes.get(code.casefold(), base.sku))


def _answered(
    scenario: EconomicsScenario, known: Figures
) -> tuple[Answer | None, EconomicsScenario, tuple[Problem, ...]]:
    """The answer, or every code that the catalogue does not hold, with the scenario that does without them."""
    problems: list[Problem] = []
    for _attempt in range(MAX_REPAIRS):
        try:
            found = answer(scenario, known)
        except catalog.NotFound as error:
            problems.append(_missing(error, scenario))
            scenario = _repaired(scenario, error)
        else:
            return (None if problems else found), scenario, tuple(problems)
    return None, catalog.default_scenario(), tuple(problems)


def _missing(error: catalog.NotFound, scenario: EconomicsScenario) -> Problem:
    """The sentence that names what vanished, and the nearest that exists."""
    key, code = _key_of(error, scenario), fields.printable(error.code)
    names = {
        "sku": _("Le GPU «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "api": _("L’API «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "ref": _("L’API de référence «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "fig": _("Le débit n°\u00a0%(code)s n’existe pas pour ce GPU à cette date."),
        "model": _("Le modèle «\u00a0%(code)s\u00a0» n’est pas au catalogue."),
        "catalog": _("La liste de prix n°\u00a0%(code)s n’existe pas."),
    }
    sentence = names[key] % {"code": code}
    if error.nearest:
        sentence = f"{sentence} {_('Le plus proche\u00a0: %(nearest)s.') % {'nearest': error.nearest}}"
    return Problem(key, sentence, code)


def missing_sentence(error: catalog.NotFound, scenario: EconomicsScenario) -> str:
    """What vanished, as a sentence."""
    return _missing(error, scenario).message


def _key_of(error: catalog.NotFound, scenario: EconomicsScenario) -> str:
    """The link's key behind a code that the catalogue does not hold."""
    if error.kind != "api":
        return KEY_OF_KIND[error.kind]
    return "api" if error.code in scenario.apis else "ref"


def _repaired(scenario: EconomicsScenario, error: catalog.NotFound) -> EconomicsScenario:
    """`scenario` without what the catalogue does not hold; a vanished SKU or reference gives way to the nearest."""
    default = EconomicsScenario(catalog_version=scenario.catalog_version, at=scenario.at)
    match _key_of(error, scenario):
        case "sku":
            return replace(scenario, sku=error.nearest or default.sku, figure_id=None)
        case "api":
            return replace(scenario, apis=tuple(code for code in scenario.apis if code != error.code))
        case "ref":
            return replace(scenario, reference=error.nearest or default.reference)
        case "fig":
            return replace(scenario, figure_id=None)
        case "model":
            return replace(scenario, model="")
    return replace(scenario, catalog_version=catalog.latest_version())


def choices(
    scenario: EconomicsScenario, known: Figures, facts: EconomicsFacts | None = None, chosen: Iterable[str] = ()
) -> Choices:
    """What the form offers: all that is for sale, and what is retired only where it is chosen already."""
    version, at = scenario.catalog_version, scenario.at
    kept = {code.casefold() for code in (*chosen, *scenario.apis, scenario.reference)}
    today = timezone.localdate(at)
    every = catalog.api_choices(version, at, include_retired=True)
    offered = {api.code for api in every if api.retired_on is None or api.retired_on > today}
    skus = catalog.sku_choices(version, at)
    if facts is not None and facts.sku.code not in {sku.code for sku in skus}:
        skus = (*skus, facts.sku)
    return Choices(
        skus=skus,
        apis=tuple(api for api in every if api.code in offered or api.code.casefold() in kept),
        figures=catalog.throughputs(scenario.sku, at, include_test=True, known=known),
    )


def _form_of_link(
    query: QueryDict, problems: Iterable[Problem], kept: EconomicsScenario, known: Figures
) -> EconomicsForm:
    """The form of a link that cannot be answered: what could be read in its field, the rest as it stood."""
    texts = QueryDict(mutable=True)
    for problem in problems:
        if problem.key in query:
            texts.setlist(problem.key, query.getlist(problem.key))
    return EconomicsForm.from_texts(texts, kept, choices(kept, known, chosen=kept.apis))


def _marked(form: EconomicsForm, problems: Iterable[Problem]) -> EconomicsForm:
    """`form` with each problem beside its field, those without a field at its head."""
    form.full_clean()
    for problem in problems:
        if problem.key not in form.fields:
            form.add_error(None, problem.message)
        elif problem.key not in form.errors:
            form.add_error(problem.key, problem.message)
    return form


def todays(found: Answer, default: EconomicsScenario, known: Figures) -> Answer | None:
    """The same question put to the catalogue of `default`; None when the answer is of that version and day already."""
    same_day = timezone.localdate(found.scenario.at) == timezone.localdate(default.at)
    if same_day and found.scenario.catalog_version == default.catalog_version:
        return None
    try:
        return answer(recalculated(found, default), known)
    except catalog.NotFound:
        return None


def recalculated(found: Answer, default: EconomicsScenario) -> EconomicsScenario:
    """The visitor's own inputs at another catalogue state: what came from the catalogue is asked for again."""
    own = permalinks.released(found.scenario, found.facts)
    return replace(own, catalog_version=default.catalog_version, at=default.at, figure_id=None)


def dated_notices(found: Answer, today: Answer | None) -> tuple[Notice, ...]:
    """The state that an old answer is of, with the link to today's."""
    if today is None:
        return ()
    text = _("Résultat aux prix de la liste n°\u00a0%(version)s du %(date)s.") % {
        "version": found.scenario.catalog_version,
        "date": formats.date(found.scenario.at),
    }
    return (Notice("outdated", text, today.query),)


def not_saved(outcome: Outcome) -> Outcome:
    """`outcome` with the sentence that it could not be kept, and what keeps it meanwhile."""
    text = _(
        "L’estimation n’a pas pu être enregistrée. Rien n’est perdu\u00a0: son lien la rouvre, réessayez plus tard."
    )
    query = outcome.answer.query if outcome.answer else ""
    return replace(outcome, notices=(Notice("not_saved", text, query), *outcome.notices))


def _unknown_keys(names: Iterable[str]) -> tuple[Notice, ...]:
    listed = ", ".join(names)
    if not listed:
        return ()
    text = _("Ce lien contient des clés inconnues, laissées de côté\u00a0: %(names)s.") % {"names": listed}
    return (Notice("unknown_keys", text[:MAX_NOTICE_CHARACTERS]),)


def _proposal(missing: tuple[Problem, ...], kept: EconomicsScenario) -> tuple[Notice, ...]:
    """A link to the same scenario without what vanished."""
    if not missing:
        return ()
    return (Notice("proposal", _("Continuer avec ce qui existe, sans rien changer d’autre."), permalinks.write(kept)),)
