"""The engine of a measurement: which one, on which host, with which configuration; vLLM where a live worker has it."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks import fleet, vllmconfig
from benchmarks.installed import VLLM as VLLM_NAME
from benchmarks.vllmconfig import ConfigError, VllmConfig
from calculator.fields import printable

LLAMA_CPP, VLLM = "llama_cpp", "vllm"
ENGINE_FIELDS = ("engine", "sku", "config")
ENGINES = {
    LLAMA_CPP: gettext_lazy("llama.cpp et le modèle d’essai, sur cette machine"),
    VLLM: gettext_lazy("vLLM, démarré pour la mesure"),
}
EXAMPLE = "model: /models/mistral-7b\ndtype: bfloat16\nmax-model-len: 8192\n"


def hosts() -> dict[str, str]:
    """SKU ("" = this installation's own host) → version of the vLLM that a live worker of its queue can start."""
    found: dict[str, str] = {}
    for worker in fleet.alive().order_by("pk"):
        if VLLM_NAME in worker.engines:
            served = [fleet.queue_of(worker.sku_code)] if worker.sku_code else []
            if any(queue in worker.queues for queue in served):
                found[worker.sku_code] = worker.engines[VLLM_NAME]
            if fleet.queue_of("") in worker.queues:
                found[""] = worker.engines[VLLM_NAME]
    return found


def engine_choices() -> list[tuple[str, Any]]:
    """llama.cpp, and vLLM where somebody can start it."""
    return list(ENGINES.items()) if hosts() else [(LLAMA_CPP, ENGINES[LLAMA_CPP])]


def host_choices() -> list[tuple[str, str]]:
    return [(code, code or str(_("cette machine"))) for code in hosts()]


class EngineFields(forms.Form):
    """The fields of a form that may start an engine."""

    engine = forms.ChoiceField(
        required=False,
        choices=engine_choices,
        label=gettext_lazy("Moteur"),
        error_messages={
            "invalid_choice": gettext_lazy(
                "Aucun worker actif n’offre ce moteur : démarrez-en un sur une machine où vLLM est installé."
            )
        },
    )
    sku = forms.ChoiceField(required=False, choices=host_choices, label=gettext_lazy("Machine de vLLM"))
    config = forms.CharField(
        required=False,
        max_length=vllmconfig.LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "placeholder": EXAMPLE}),
        label=gettext_lazy("Configuration vLLM"),
        help_text=gettext_lazy(
            "Le fichier de la page Inférence, une ligne « clé: valeur » par réglage. « load-format: dummy » mesure avec"
            " des poids factices, et la mesure le dit."
        ),
    )

    @cached_property
    def vllm_hosts(self) -> dict[str, str]:
        return hosts()

    def offers_vllm(self) -> bool:
        return bool(self.vllm_hosts)

    def engine_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ENGINE_FIELDS]

    def engine_open(self) -> bool:
        """Whether these fields hold something that the visitor should see."""
        usual = {"engine": LLAMA_CPP}
        return any(
            self[name].errors or str(self[name].value() or "") not in ("", usual.get(name)) for name in ENGINE_FIELDS
        )

    def check_engine(self, given: dict[str, Any]) -> None:
        """A configuration with vLLM, on a machine that has it, and with no other engine; `given` gets it read."""
        if given.get("engine") != VLLM:
            if given.get("config"):
                self.add_error("engine", _("Cette configuration est pour vLLM : choisissez ce moteur."))
            return
        if given.get("url"):
            self.add_error("url", _("vLLM est démarré pour la mesure : il n’a pas d’adresse à donner."))
        if "sku" in self.errors or given.get("sku", "") not in self.vllm_hosts:
            self.add_error("sku", _("Choisissez une machine où un worker actif a vLLM."))
        try:
            given["vllm"] = vllmconfig.read(given.get("config") or "")
        except ConfigError as refusal:
            self.add_error("config", config_sentence(refusal))

    def vllm_values(self) -> dict[str, Any]:
        """The part of a run's configuration that this decides. A GPU host lends as many GPUs as the server spans."""
        config: VllmConfig | None = self.cleaned_data.get("vllm")
        if config is None:
            return {}
        sku = self.cleaned_data.get("sku") or ""
        return {"vllm": config, "sku_code": sku, "gpus_count": config.gpus_count if sku else 0}


def config_sentence(refusal: ConfigError) -> str:
    """What is wrong with a configuration, and what would be accepted."""
    key = {"key": printable(refusal.detail)}
    known = {
        "too_long": _("La configuration dépasse %(key)s caractères.") % key,
        "unreadable": _("Cette configuration ne se lit pas : écrivez une ligne « clé: valeur » par réglage."),
        "model_missing": _("Indiquez le modèle, par exemple « model: /models/mistral-7b »."),
        "model_name": _("Le modèle est un dossier de la machine de mesure ou « auteur/modèle »."),
        "key_refused": _("La clé « %(key)s » n’est pas admise dans une mesure.") % key,
        "key_unknown": _("La clé « %(key)s » n’est pas une option de vLLM.") % key,
        "value_type": _("La valeur de « %(key)s » n’est pas du genre attendu.") % key,
        "value_unknown": _("La valeur de « %(key)s » n’est pas une de celles que vLLM connaît.") % key,
        "value_range": _("La valeur de « %(key)s » est hors limites.") % key,
    }
    return known[refusal.code]
