"""What a visitor may ask of a measurement: typed text in, a RunConfig out, within what this machine can do."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks import refusals
from benchmarks.engineform import ENGINE_FIELDS, VLLM, EngineFields
from benchmarks.listfields import ConcurrenciesField, RatesField
from benchmarks.load import targets
from benchmarks.load.records import CLOSED
from benchmarks.load.targets import Target, TargetError
from benchmarks.series import REPEATS_MAX_COUNT
from benchmarks.services import RunConfig
from calculator import formats
from calculator.fields import Limits, NumberField, Quantity

TARGET_CONCURRENCY_MAX_COUNT = 256
TOKENS_UNITS = ("tokens", "token", "tok")
REQUESTS = Quantity(Limits(Decimal(8), Decimal(512)), ("requêtes", "requests"), whole=True)
PROMPT_TOKENS = Quantity(Limits(Decimal(1), Decimal(1024)), TOKENS_UNITS, whole=True)
OUTPUT_TOKENS = Quantity(Limits(Decimal(2), Decimal(512)), TOKENS_UNITS, whole=True)
REPEATS = Quantity(Limits(Decimal(1), Decimal(REPEATS_MAX_COUNT)), ("exécutions", "runs"), whole=True)
# What a server that is not the test model may be asked: its context and its speed are not those of a small CPU.
SERVER_QUANTITIES = {
    "requests": Quantity(Limits(Decimal(8), Decimal(10_000)), REQUESTS.units, whole=True),
    "prompt": Quantity(Limits(Decimal(1), Decimal(131_072)), TOKENS_UNITS, whole=True),
    "output": Quantity(Limits(Decimal(2), Decimal(16_384)), TOKENS_UNITS, whole=True),
}
SEED = Quantity(Limits(Decimal(0), Decimal(2**31 - 1)), whole=True)
SECONDS = Quantity(Limits(Decimal(1), Decimal(600)), ("s", "secondes", "seconds"))
MILLISECONDS = Quantity(Limits(Decimal(1), Decimal(600_000)), ("ms",))
PER_SECOND = Quantity(Limits(Decimal("0.01"), Decimal(1000)), ("req/s",))
SHARED_TOKENS = Quantity(Limits(Decimal(0), Decimal(1024)), TOKENS_UNITS, whole=True)
PATTERNS = (
    (CLOSED, gettext_lazy("dès la réponse précédente (boucle fermée)")),
    ("constant", gettext_lazy("à rythme constant")),
    ("poisson", gettext_lazy("au hasard autour d’un rythme (Poisson)")),
    ("ramp", gettext_lazy("en montée régulière jusqu’à un rythme")),
)
SEARCHES = (
    ("", gettext_lazy("tous les paliers")),
    ("sweep", gettext_lazy("jusqu’à la saturation")),
    ("knee", gettext_lazy("le plus haut rythme tenu")),
)
ROUTES = (("chat", "chat/completions"), ("completions", "completions"))
# What a server calls the length of an answer, and whether it can be told not to end early.
DIALECTS = {"engine": ("max_tokens", True), "strict": ("max_tokens", False), "openai": ("max_completion_tokens", False)}
DIALECT_CHOICES = (
    ("engine", gettext_lazy("moteur : longueur exacte (vLLM, SGLang, llama.cpp)")),
    ("strict", gettext_lazy("API stricte, max_tokens")),
    ("openai", gettext_lazy("API stricte, max_completion_tokens")),
)
LOAD_FIELDS = ("pattern", "rates", "ramp", "duration", "search", "ttft", "tpot")
TARGET_FIELDS = ("url", "route", "model", "dialect", "key_variable", "rate_limit", "shared", "prompts", "region")
INITIAL = {"concurrencies": "1, 2, 4, 8", "requests": Decimal(128), "prompt": Decimal(128), "output": Decimal(128)}


class RunForm(EngineFields):
    """The defaults take about half a minute on two cores."""

    concurrencies = ConcurrenciesField(
        label=gettext_lazy("Flux simultanés, un palier chacun"),
        help_text=gettext_lazy("Des nombres de 1 à 32 séparés par des virgules. Par exemple 1, 2, 4, 8."),
        max_length=100,
    )
    requests = NumberField(
        REQUESTS,
        label=gettext_lazy("Requêtes mesurées par palier"),
        help_text=gettext_lazy("De 8 à 512 ; le p99 n’est montré qu’à partir de 100."),
        unit=gettext_lazy("requêtes"),
    )
    prompt = NumberField(
        PROMPT_TOKENS,
        label=gettext_lazy("Longueur du prompt"),
        help_text=gettext_lazy("De 1 à 1 024. Par exemple 128."),
        unit=gettext_lazy("tokens"),
    )
    output = NumberField(
        OUTPUT_TOKENS,
        label=gettext_lazy("Longueur de la réponse"),
        help_text=gettext_lazy("De 2 à 512, exacte : le modèle ne s’arrête pas avant. Par exemple 128."),
        unit=gettext_lazy("tokens"),
    )
    repeats = NumberField(
        REPEATS,
        required=False,
        label=gettext_lazy("Répétitions"),
        help_text=gettext_lazy(
            "De 1 à 10, l’une après l’autre, prompts nouveaux. Il en faut 5 pour publier. Vide : une."
        ),
    )
    seed = NumberField(
        SEED,
        required=False,
        label=gettext_lazy("Graine des prompts"),
        help_text=gettext_lazy("Vide : une graine nouvelle est tirée et notée."),
    )

    pattern = forms.ChoiceField(choices=PATTERNS, required=False, label=gettext_lazy("Départ des requêtes"))
    rates = RatesField(
        required=False,
        label=gettext_lazy("Rythmes, un palier chacun"),
        help_text=gettext_lazy(
            "Des requêtes par seconde, par exemple 2, 4, 8. Le premier nombre de flux borne alors les requêtes"
            " en cours."
        ),
        max_length=100,
    )
    ramp = NumberField(SECONDS, required=False, label=gettext_lazy("Durée de la montée"), unit="s")
    duration = NumberField(
        SECONDS,
        required=False,
        label=gettext_lazy("Durée d’un palier"),
        help_text=gettext_lazy("Vide : le palier dure jusqu’à sa dernière requête."),
        unit="s",
    )
    search = forms.ChoiceField(choices=SEARCHES, required=False, label=gettext_lazy("Paliers à mener"))
    ttft = NumberField(
        MILLISECONDS,
        required=False,
        label=gettext_lazy("Objectif de TTFT"),
        help_text=gettext_lazy("Depuis le départ prévu quand les requêtes partent à un rythme."),
        unit="ms",
    )
    tpot = NumberField(MILLISECONDS, required=False, label=gettext_lazy("Objectif de TPOT"), unit="ms")
    url = forms.CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Adresse du serveur"),
        help_text=gettext_lazy(
            "Vide : le modèle d’essai de cette machine. Sinon une API compatible OpenAI, par exemple"
            " https://api.exemple.fr/v1."
        ),
    )
    route = forms.ChoiceField(choices=ROUTES, required=False, label=gettext_lazy("Route"))
    model = forms.CharField(required=False, max_length=200, label=gettext_lazy("Modèle, tel que le serveur le nomme"))
    dialect = forms.ChoiceField(choices=DIALECT_CHOICES, required=False, label=gettext_lazy("Genre de serveur"))
    key_variable = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("Variable qui porte la clé"),
        help_text=gettext_lazy(
            "Le nom d’une variable d’environnement du service de mesure ; il commence par BENCHMARK_KEY_. La clé n’est"
            " jamais enregistrée ni montrée."
        ),
    )
    rate_limit = NumberField(
        PER_SECOND,
        required=False,
        label=gettext_lazy("Limite d’envoi"),
        help_text=gettext_lazy("Pour ne pas dépasser le quota d’une API."),
        unit=gettext_lazy("req/s"),
    )
    shared = NumberField(
        SHARED_TOKENS,
        required=False,
        label=gettext_lazy("Début commun à tous les prompts"),
        help_text=gettext_lazy("Vide : aucun, et aucun cache ne peut aider."),
        unit=gettext_lazy("tokens"),
    )
    prompts = forms.RegexField(
        r"\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.jsonl\Z",
        required=False,
        label=gettext_lazy("Prompts à vous"),
        help_text=gettext_lazy("Le nom d’un fichier JSONL du dossier prompts du service de mesure."),
        error_messages={"invalid": gettext_lazy("Un nom de fichier simple, terminé par .jsonl.")},
    )

    region = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("Région du serveur"),
        help_text=gettext_lazy(
            "Telle que le fournisseur la nomme. Elle accompagne un délai publié, par exemple eu-west-3."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if str(self.data.get("url", "")).strip() or self.data.get("engine") == VLLM:
            self.fields["concurrencies"].high = TARGET_CONCURRENCY_MAX_COUNT  # type: ignore[attr-defined]
            for name, quantity in SERVER_QUANTITIES.items():
                self.fields[name] = within(self.fields[name], quantity)

    def plain(self) -> Iterator[forms.BoundField]:
        """The fields that every measurement has."""
        return (self[name] for name in self.fields if name not in LOAD_FIELDS + TARGET_FIELDS + ENGINE_FIELDS)

    def load(self) -> list[forms.BoundField]:
        return [self[name] for name in LOAD_FIELDS]

    def target(self) -> list[forms.BoundField]:
        return [self[name] for name in TARGET_FIELDS]

    def load_open(self) -> bool:
        """Whether the fields of the load hold something that the visitor should see."""
        return self._filled(LOAD_FIELDS, {"pattern": CLOSED})

    def target_open(self) -> bool:
        return self._filled(TARGET_FIELDS, {"route": "chat", "dialect": "engine"})

    def _filled(self, names: tuple[str, ...], usual: dict[str, str]) -> bool:
        return any(self[name].errors or str(self[name].value() or "") not in ("", usual.get(name)) for name in names)

    def clean(self) -> dict[str, Any]:
        """What goes together: rates with a pattern, a model with a server, and a server that may be measured."""
        given = super().clean() or self.cleaned_data
        given["pattern"] = given.get("pattern") or CLOSED
        self._check_load(given)
        self._check_target(given)
        self.check_engine(given)
        return given

    def _check_load(self, given: dict[str, Any]) -> None:
        closed, rates = given["pattern"] == CLOSED, given.get("rates")
        if not closed and not rates and "rates" not in self.errors:
            self.add_error("rates", _("Indiquez au moins un rythme, par exemple 2."))
        if closed and rates:
            self.add_error("rates", _("Un rythme demande un départ à rythme constant, au hasard ou en montée."))
        if closed and given.get("search") == "knee":
            self.add_error("search", _("Chercher le plus haut rythme tenu demande un rythme de départ."))

    def _check_target(self, given: dict[str, Any]) -> None:
        if not given.get("url"):
            for name in ("model", "key_variable", "rate_limit", "prompts", "region"):
                if given.get(name):
                    self.add_error("url", _("Sans adresse, les options du serveur ne servent à rien."))
                    return
            return
        if not given.get("model"):
            self.add_error("model", _("Indiquez le modèle à demander."))
        try:
            given["checked"] = targets.checked(self._target(given))
        except TargetError as refusal:
            self.add_error(refusals.field(refusal.code), refusals.sentence(refusal))

    def _target(self, given: dict[str, Any]) -> Target:
        length_field, ignore_eos = DIALECTS[given.get("dialect") or "engine"]
        return Target(
            base_url=given["url"],
            route=given.get("route") or "chat",
            model=given.get("model") or "",
            key_variable=given.get("key_variable") or "",
            ignore_eos=ignore_eos,
            length_field=length_field,
            rate_limit_per_s=number(given.get("rate_limit")),
            allowed=tuple(settings.BENCHMARK_TARGETS),
        )

    def repeats_count(self) -> int:
        return int(self.cleaned_data.get("repeats") or 1)

    def to_config(self) -> RunConfig:
        given = self.cleaned_data
        return RunConfig(
            concurrencies=given["concurrencies"],
            requests_count=int(given["requests"]),
            prompt_tokens=int(given["prompt"]),
            output_tokens=int(given["output"]),
            seed=None if given["seed"] is None else int(given["seed"]),
            pattern=given["pattern"],
            rates_per_s=given["rates"] or (),
            ramp_s=number(given["ramp"]) or 0.0,
            duration_s=number(given["duration"]),
            search=given["search"],
            limit_ttft_ms=number(given["ttft"]),
            limit_tpot_ms=number(given["tpot"]),
            shared_prefix_tokens=int(given["shared"] or 0),
            prompts_name=given["prompts"],
            target=given.get("checked"),
            region=given["region"],
            **self.vllm_values(),
        )


def within(field: forms.Field, quantity: Quantity) -> NumberField:
    """The same field with other limits, which its hint then states."""
    limits = quantity.limits
    hint = _("De %(low)s à %(high)s.") % {"low": formats.number(limits.low), "high": formats.number(limits.high)}
    unit = getattr(field, "unit", "")
    return NumberField(quantity, required=field.required, label=field.label or "", help_text=hint, unit=unit)


def number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
