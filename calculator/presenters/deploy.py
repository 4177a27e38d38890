"""A deployment's configuration as the page shows it: texts to copy with their comments, and notes in full sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.deploy.arguments import arguments
from calculator.deploy.containers import CONFIG_FILE
from calculator.deploy.plan import DeployPlan, plan
from calculator.deploy.point import DeployError, Note, ServingPoint
from calculator.fields import Text


@dataclass(frozen=True, slots=True)
class Snippet:
    """One text to copy. `file_name` is empty for a command."""

    code: str
    title: str
    text: str
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class DeployPage:
    """What the deployment part of a page shows; `refused` is the reason where there is no configuration."""

    version: str
    snippets: tuple[Snippet, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""


TOKENS = frozenset({"asked", "limit", "written"})
"""Values that are numbers of tokens, written as such."""

NOTES: Mapping[str, Text] = {
    "checkpoint_format": gettext_lazy(
        "Poids %(precision)s\u00a0: le modèle nommé doit déjà être enregistré dans ce format, vLLM le reconnaît "
        "seul. Remplacez le nom si c’est celui du modèle en 16\u00a0bits."
    ),
    "converted_while_loading": gettext_lazy(
        "Poids %(precision)s\u00a0: vLLM convertit le modèle en 16\u00a0bits au chargement "
        "(fp8_per_tensor\u00a0; la valeur fp8 seule n’est plus acceptée pour cela). Si le modèle nommé est déjà "
        "enregistré en fp8, retirez la clé quantization."
    ),
    "fp8_weight_only": gettext_lazy(
        "%(gpu)s (capacité %(capability)s) n’a pas d’unités fp8, qui demandent 8.9\u00a0: les poids tiennent sur "
        "8\u00a0bits et le calcul reste en 16\u00a0bits (noyau Marlin). La mémoire baisse, le calcul n’accélère "
        "pas."
    ),
    "float16_refused": gettext_lazy(
        "vLLM refuse float16 pour %(model)s (instabilité numérique)\u00a0: bfloat16 est écrit à la place."
    ),
    "bf16_not_native": gettext_lazy(
        "%(gpu)s (capacité %(capability)s) ne connaît pas bfloat16, qui demande 8.0\u00a0: float16 est écrit à "
        "la place."
    ),
    "kv_fp8_check_quality": gettext_lazy(
        "Cache KV en fp8 sans facteurs d’échelle dans le modèle\u00a0: vLLM prend 1.0. Vérifiez la qualité sur "
        "vos propres réponses avant la mise en service."
    ),
    "kv_fp8_emulated": gettext_lazy(
        "Le cache KV reste sur 16\u00a0bits\u00a0: %(gpu)s (capacité %(capability)s) n’a pas d’unités fp8, qui "
        "demandent 8.9. vLLM n’y lirait un cache fp8 qu’avec les noyaux FlashInfer, en convertissant à chaque "
        "lecture, et refuse avec Triton. Refaites l’estimation avec un cache sur 16\u00a0bits\u00a0: il prend "
        "deux fois plus de place."
    ),
    "kv_fp8_refused": gettext_lazy(
        "Le cache KV reste sur 16\u00a0bits\u00a0: sur %(gpu)s (capacité %(capability)s), vLLM refuse un cache "
        "fp8 pour ce modèle. Refaites l’estimation avec un cache sur 16\u00a0bits\u00a0: il prend deux fois plus "
        "de place."
    ),
    "context_capped": gettext_lazy(
        "Contexte ramené de %(asked)s à %(limit)s tokens, le plus long que ce modèle accepte."
    ),
    "batched_tokens_raised": gettext_lazy(
        "Tokens par batch portés de %(asked)s à %(written)s\u00a0: vLLM demande au moins un token par séquence, et "
        "tout le contexte quand le prompt n’est pas lu par morceaux."
    ),
    "swap_space_gone": gettext_lazy(
        "L’exemple publié pose swap_space (4\u00a0Gio)\u00a0: cette clé n’existe plus. Une séquence interrompue "
        "est recalculée\u00a0; kv-offloading-size peut garder des blocs du cache en mémoire centrale, ce qui "
        "n’est pas le même mécanisme."
    ),
    "guided_decoding_gone": gettext_lazy(
        "L’exemple publié pose guided_decoding_backend\u00a0: cette clé n’existe plus. Elle se dit maintenant "
        "structured-outputs-config, avec backend."
    ),
    "stats_by_default": gettext_lazy(
        "Les statistiques demandées par l’exemple publié sont actives par défaut\u00a0: aucune clé ne les pose."
    ),
    "replicas": gettext_lazy(
        "%(replicas)s répliques\u00a0: lancez la commande une fois par groupe de %(gpus)s GPU, chacune sur son "
        "port, derrière un répartiteur de charge. Kubernetes les décrit toutes, Compose jusqu’à %(machine)s GPU "
        "sur une machine."
    ),
    "local_folder": gettext_lazy(
        "Le modèle est un dossier de la machine\u00a0: montez-le au même chemin dans le conteneur."
    ),
    "image_other_vendor": gettext_lazy(
        "%(gpu)s n’est pas un GPU NVIDIA\u00a0: l’image publique de vLLM n’est pas faite pour lui, Docker et "
        "Kubernetes ne sont donc pas décrits."
    ),
}

ERRORS: Mapping[str, Text] = {
    "name_missing": gettext_lazy("Aucun nom de modèle à charger\u00a0: saisissez un nom ou un chemin."),
    "name_too_long": gettext_lazy("Nom de modèle trop long (%(limit)s caractères au plus)."),
    "name_dash": gettext_lazy("Un nom de modèle ne commence pas par un tiret\u00a0: vLLM le lirait comme une option."),
    "name_control": gettext_lazy("Le nom du modèle contient un caractère invisible ou une fin de ligne."),
    "precision_not_served": gettext_lazy(
        "vLLM ne sert plus le format %(precision)s dans cette version\u00a0: prenez fp8, AWQ ou GPTQ, ou un "
        "autre moteur."
    ),
    "capability_too_low": gettext_lazy(
        "vLLM refuse les poids %(precision)s sur %(gpu)s\u00a0: capacité %(capability)s, il faut %(needed)s."
    ),
    "no_sixteen_bit_type": gettext_lazy(
        "%(model)s ne tourne pas en float16 avec vLLM, et %(gpu)s (capacité %(capability)s) ne connaît pas bfloat16."
    ),
    "count_below_one": gettext_lazy("GPU, répliques, séquences, tokens et contexte sont au moins 1."),
    "memory_ratio": gettext_lazy("La part de mémoire du GPU est entre 0 et 1."),
    "structured_outputs": gettext_lazy("vLLM ne connaît pas le moteur de sorties structurées %(backend)s."),
    "parallel_heads": gettext_lazy(
        "Les têtes d’attention de %(model)s ne se divisent pas par %(tensor)s GPU (parallélisme tensoriel)."
    ),
    "parallel_kv_heads": gettext_lazy(
        "Les têtes KV de %(model)s ne se répartissent pas sur %(tensor)s GPU (parallélisme tensoriel)."
    ),
    "parallel_vocabulary": gettext_lazy(
        "Le vocabulaire de %(model)s ne se divise pas par %(tensor)s GPU (parallélisme tensoriel)."
    ),
    "parallel_layers": gettext_lazy("%(model)s a moins de couches que d’étages de pipeline (%(pipeline)s)."),
    "several_hosts": gettext_lazy(
        "%(gpus)s GPU par réplique demandent plusieurs machines, ce que ces fichiers ne décrivent pas (%(limit)s "
        "au plus)."
    ),
}


def sentence(item: Note | DeployError) -> str:
    """The sentence of one note or refusal."""
    shown = {key: formats.number(int(value)) if key in TOKENS else value for key, value in item.values.items()}
    return str((NOTES if isinstance(item, Note) else ERRORS)[item.code]) % shown


def page(point: ServingPoint) -> DeployPage:
    """The deployment part of a page; a point that vLLM would refuse gives the reason and no texts."""
    try:
        made = plan(point)
    except DeployError as error:
        return DeployPage(arguments().version, refused=sentence(error))
    return DeployPage(made.vllm_version, tuple(_snippets(made)), tuple(sentence(note) for note in made.notes))


def commented(lines: list[str], text: str) -> str:
    """A YAML text below comment lines."""
    return "".join(f"# {line}\n" for line in lines) + text


def _snippets(made: DeployPlan) -> Iterator[Snippet]:
    version = f"vLLM {made.vllm_version}"
    use = _("Lancement\u00a0: vllm serve --config %(file)s") % {"file": CONFIG_FILE}
    yield Snippet("config", _("Configuration (YAML)"), commented([version, use], made.config_yaml), CONFIG_FILE)
    yield Snippet("command", _("Ligne de commande"), made.command_line)
    yield from _containers(made)


def _containers(made: DeployPlan) -> Iterator[Snippet]:
    """The container texts, each saying where its secrets come from and that nobody has run it."""
    untried = _("Vérifié contre le schéma, non essayé sur un serveur ni sur un cluster.")
    environment = _("HF_TOKEN (modèles à accès restreint) et VLLM_API_KEY viennent de votre environnement.")
    beside = _("À placer à côté de %(file)s.") % {"file": CONFIG_FILE}
    secret = _(
        "Secret facultatif vllm, à créer avant\u00a0: kubectl create secret generic vllm "
        "--from-file=hf-token --from-file=api-key"
    )
    if made.docker_run is not None:
        yield Snippet("docker", "Docker", commented([untried, environment], made.docker_run))
    if made.compose_yaml is not None:
        text = commented([untried, beside, environment], made.compose_yaml)
        yield Snippet("compose", "Docker Compose", text, "compose.yaml")
    if made.kubernetes_yaml is not None:
        text = commented([untried, secret], made.kubernetes_yaml)
        yield Snippet("kubernetes", "Kubernetes", text, "vllm-kubernetes.yaml")
    if made.kserve_yaml is not None:
        instead = _("Avec l’opérateur KServe (0.15 ou plus), à la place du Deployment et du Service.")
        text = commented([untried, instead, secret], made.kserve_yaml)
        yield Snippet("kserve", "KServe", text, "vllm-kserve.yaml")
