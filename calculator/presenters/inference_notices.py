"""What the reader of an inference answer must know: every message code as a sentence."""

from collections.abc import Mapping

from django.utils.html import conditional_escape
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.scenario import Message
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_outcome import Target
from calculator.domain.units import to_decimal
from calculator.presenters import inference_words as words
from calculator.presenters import quantities
from calculator.presenters.notices import Notice, Wording

FIELD_IDS: Mapping[str, str] = {
    "sku": "id_sku",
    "precision": "id_prec",
    "cache": "id_kv",
    "tensor_parallel": "id_tp",
    "pipeline_parallel": "id_pp",
    "instances": "id_count",
    "prompt_tokens": "id_in",
    "concurrency": "id_conc",
    "requests_per_s": "id_rps",
    "engine": "id_engine",
    "price_eur": "id_price",
    "basis": "id_basis",
}
CHANGE = gettext_lazy("Changer")
DIVISION = gettext_lazy("Ce découpage n’est pas possible.")

SENTENCES: Mapping[str, Wording] = {
    "no_data_sheet": Wording(
        gettext_lazy("Pas de fiche technique."),
        gettext_lazy("%(name)s n’a pas de GPU dont la fiche est au catalogue\u00a0: aucune estimation."),
        "bad",
        CHANGE,
    ),
    "vendor_not_calibrated": Wording(
        gettext_lazy("Non calé."),
        gettext_lazy("L’étalonnage ne connaît que NVIDIA\u00a0: pas de chiffre pour %(name)s (%(vendor)s)."),
        "bad",
        CHANGE,
    ),
    "unknown_peak": Wording(
        gettext_lazy("Pic de calcul inconnu."),
        gettext_lazy("La fiche de %(name)s ne donne pas de FLOP/s denses sur 16\u00a0bits."),
        "bad",
        CHANGE,
    ),
    "unknown_link": Wording(
        gettext_lazy("Lien inconnu."),
        gettext_lazy("La fiche de %(name)s ne donne pas le débit entre GPU\u00a0: pas de chiffre sur plusieurs GPU."),
        "bad",
    ),
    "tensor_parallel_llama_cpp": Wording(
        gettext_lazy("llama.cpp partage les couches."),
        gettext_lazy("Le parallélisme tensoriel ×%(tp)s n’y est pas modélisé\u00a0: utilisez le pipeline."),
        "bad",
        CHANGE,
    ),
    "division_heads": Wording(
        DIVISION, gettext_lazy("Les %(count)s têtes d’attention ne se divisent pas par %(tp)s."), "bad", CHANGE
    ),
    "division_kv_heads": Wording(
        DIVISION, gettext_lazy("Les %(count)s têtes clé-valeur et %(tp)s GPU ne se divisent pas."), "bad", CHANGE
    ),
    "division_vocabulary": Wording(
        DIVISION, gettext_lazy("Le vocabulaire de %(count)s entrées ne se divise pas par %(tp)s."), "bad", CHANGE
    ),
    "division_layers": Wording(DIVISION, gettext_lazy("Il y a %(count)s couches pour %(pp)s étages."), "bad", CHANGE),
    "division_chosen": Wording(
        gettext_lazy("Découpage choisi pour vous."),
        gettext_lazy(
            "Une réplique tient sur TP\u00a0%(tp)s × PP\u00a0%(pp)s, le plus petit découpage qui suffit, sans étages "
            "si possible\u00a0; les %(gpus)s GPU en portent %(replicas)s. Un nombre dans «\u00a0Parallélisme "
            "tensoriel\u00a0» l’impose."
        ),
        "",
        CHANGE,
    ),
    "division_widest": Wording(
        gettext_lazy("Même découpé au plus large."),
        gettext_lazy(
            "TP\u00a0%(tp)s × PP\u00a0%(pp)s est le plus grand découpage possible sur %(gpus)s GPU, et il ne "
            "suffit pas."
        ),
        "warn",
        CHANGE,
    ),
    "precision_not_for_engine": Wording(
        gettext_lazy("Format non modélisé."),
        gettext_lazy("%(engine)s n’a pas été calé avec des poids %(precision)s."),
        "bad",
        CHANGE,
    ),
    "not_enough_gpus": Wording(
        gettext_lazy("Pas assez de GPU."),
        gettext_lazy("Ce découpage demande %(wanted)s GPU, vous en louez %(gpus)s."),
        "bad",
        gettext_lazy("Augmenter le nombre"),
    ),
    "context_beyond_model": Wording(
        gettext_lazy("Trop long pour ce modèle."),
        gettext_lazy("Prompt et réponse font %(context)s tokens, le modèle en accepte %(limit)s."),
        "warn",
        gettext_lazy("Raccourcir"),
    ),
    "window_not_applied": Wording(
        gettext_lazy("Fenêtre non comptée."),
        gettext_lazy(
            "On ignore quelles couches la fenêtre de %(window)s tokens borne\u00a0: tout le contexte est compté."
        ),
    ),
    "own_model": Wording(
        gettext_lazy("Dimensions saisies."),
        gettext_lazy("Elles remplacent le modèle de la liste\u00a0; videz-les pour y revenir."),
    ),
    "fp8_weights_emulated": Wording(
        gettext_lazy("Pas d’unités fp8."),
        gettext_lazy(
            "%(gpu)s (capacité %(capability)s, il faut 8.9)\u00a0: les poids tiennent sur 8\u00a0bits, le calcul reste "
            "sur 16\u00a0bits et n’accélère pas."
        ),
        "warn",
        CHANGE,
    ),
    "fp4_weights_emulated": Wording(
        gettext_lazy("Pas d’unités fp4."),
        gettext_lazy("%(gpu)s garde les poids sur 4\u00a0bits mais calcule dans un format plus large."),
        "warn",
        CHANGE,
    ),
    "bf16_not_native": Wording(
        gettext_lazy("Pas d’unités bf16."),
        gettext_lazy("%(gpu)s calcule en fp16\u00a0: c’est ce qui est estimé et configuré."),
        "warn",
        CHANGE,
    ),
    "fp8_cache_not_written": Wording(
        gettext_lazy("Le cache fp8 n’est pas écrit dans la configuration."),
        gettext_lazy(
            "%(gpu)s (capacité %(capability)s, il faut 8.9) n’a pas d’unités fp8 : les chiffres d’ici supposent "
            "le cache fp8 émulé, lu bien plus lentement ; la configuration vLLM et le classement prennent un "
            "cache de 16 bits."
        ),
        "warn",
        CHANGE,
    ),
    "fp8_cache_refused": Wording(
        gettext_lazy("Cache fp8 refusé."),
        gettext_lazy(
            "vLLM ne lit pas de cache fp8 sur %(gpu)s (capacité %(capability)s, il faut 8.0) : tout est compté, "
            "et configuré, avec un cache de 16 bits."
        ),
        "warn",
        CHANGE,
    ),
    "capability_too_low": Wording(
        gettext_lazy("Format refusé par ce GPU."),
        gettext_lazy(
            "vLLM ne démarre pas avec des poids %(precision)s sur %(gpu)s : capacité %(capability)s, il faut "
            "%(needed)s."
        ),
        "bad",
        CHANGE,
    ),
    "few_measurements": Wording(
        gettext_lazy("Peu de mesures publiées sur cette architecture (%(rows)s)."),
        gettext_lazy("La fourchette vient d’autres GPU et elle est élargie (%(chip)s)."),
    ),
    "fp8_cache_emulated": Wording(
        gettext_lazy("Cache fp8 émulé."),
        gettext_lazy(
            "%(gpu)s (capacité %(capability)s, il faut 8.9) lit un cache fp8 en le convertissant\u00a0: deux fois plus "
            "de tokens, mais une lecture bien plus lente, et certains moteurs refusent."
        ),
        "warn",
        CHANGE,
    ),
    "replica_across_instances": Wording(
        gettext_lazy("Plusieurs GPU dans une machine."),
        gettext_lazy(
            "%(sku)s se loue avec %(gpus)s GPU\u00a0: une réplique sur plusieurs suppose qu’ils soient réunis dans une "
            "machine, avec les liens de leur fiche technique. À demander au vendeur."
        ),
        "warn",
    ),
    "idle_gpus": Wording(
        gettext_lazy("GPU inutilisés."),
        gettext_lazy("%(idle)s des %(gpus)s GPU loués ne portent aucune réplique."),
        "warn",
        CHANGE,
    ),
    "test_host": Wording(gettext_lazy("Machine d’essai."), gettext_lazy("Elle n’est pas à louer.")),
    "no_rate": Wording(
        gettext_lazy("Débit d’arrivée manquant."),
        gettext_lazy("La charge est donnée en requêtes par seconde."),
        "warn",
        gettext_lazy("Le saisir"),
    ),
    "beyond_capacity": Wording(
        gettext_lazy("Débordé."),
        gettext_lazy(
            "%(asked)s requêtes/s arrivent, %(capacity)s au plus sont servies\u00a0: la file s’allonge sans fin. Les "
            "temps affichés sont ceux du serveur plein, sans cette file."
        ),
        "bad",
        gettext_lazy("Réduire"),
    ),
    "rate_near_capacity": Wording(
        gettext_lazy("Près de la saturation."),
        gettext_lazy(
            "%(asked)s requêtes/s pour %(capacity)s au plus\u00a0: des arrivées groupées feront des files que la "
            "moyenne ne montre pas."
        ),
        "warn",
    ),
    "queueing": Wording(
        gettext_lazy("File d’attente."),
        gettext_lazy("%(concurrency)s flux pour %(running)s en même temps\u00a0: les autres attendent leur tour."),
        "warn",
        gettext_lazy("Réduire"),
    ),
    "batch_not_calibrated": Wording(
        gettext_lazy("Calé sur un seul flux."),
        gettext_lazy("Aucune mesure publiée de %(engine)s à plusieurs flux n’a servi à l’étalonnage."),
        "warn",
    ),
    "vendor_claim": Wording(
        gettext_lazy("Débit annoncé."),
        gettext_lazy(
            "Le vendeur annonce %(claim)s\u00a0tok/s en un seul flux, conditions non précisées\u00a0; l’estimation "
            "d’un flux seul, ici, est de %(alone)s\u00a0tok/s."
        ),
    ),
    "measured_here": Wording(
        gettext_lazy("Mesuré."), gettext_lazy("Le débit total est celui de notre mesure %(run)s, dans ces conditions.")
    ),
    "scaled_from_run": Wording(
        gettext_lazy("Recalé sur une mesure."),
        gettext_lazy(
            "Notre mesure %(run)s, proche, donne %(factor)s fois l’estimation\u00a0: elle est mise à cette échelle."
        ),
    ),
    "margin_within_band": Wording(
        gettext_lazy("Marge plus petite que l’erreur."),
        gettext_lazy("%(target)s\u00a0: %(value)s pour %(limit)s. Une mesure trancherait."),
        "warn",
    ),
    "calibration_changed": Wording(
        gettext_lazy("Étalonnage changé."),
        gettext_lazy(
            "Ce lien a été fait avec l’étalonnage %(then)s\u00a0; le résultat est recalculé avec l’actuel, %(now)s."
        ),
        "warn",
    ),
    "price_on_request": Wording(
        gettext_lazy("Prix non publié."),
        gettext_lazy("%(sku)s est sur devis\u00a0: les coûts attendent un prix."),
        "",
        gettext_lazy("Saisir un prix"),
    ),
    "hourly_price_used": Wording(
        gettext_lazy("Pas de prix au mois."),
        gettext_lazy("%(sku)s n’a qu’un prix à l’heure\u00a0: il est compté sur les heures du mois."),
    ),
}
COUNTS = frozenset({"rows", "count", "tp", "pp", "wanted", "gpus", "idle", "context", "limit", "window", "running"})
RATES = frozenset({"asked", "capacity", "factor", "claim", "alone"})


def value(name: str, given: object, code: str) -> str:
    """One value of a message as the sentence says it."""
    if code == "margin_within_band":
        return str(words.TARGETS[Target(str(given))]).capitalize() if name == "target" else _seconds(given)
    if name == "precision":
        return words.precision(str(given))
    if name == "concurrency":
        return words.clients(float(str(given)))
    if name in RATES and given is not None:
        return quantities.digits(to_decimal(float(str(given))))
    if name in COUNTS and given is not None:
        return formats.number(int(str(given)))
    return str(given)


def _seconds(given: object) -> str:
    return words.milliseconds(float(str(given)))


def notice(message: Message) -> Notice:
    """One message as a sentence; a code without words shows as itself, which a test forbids."""
    found = SENTENCES.get(message.code, Wording(message.code, ""))
    values = {name: value(name, given, message.code) for name, given in message.values.items()}
    return Notice(
        lead=str(found.lead) % values,
        text=conditional_escape(str(found.text) % values),
        level=found.level,
        field=FIELD_IDS.get(message.field, ""),
        action=str(found.action),
        code=message.code,
    )


def notices(estimate: InferenceEstimate) -> tuple[Notice, ...]:
    """Every notice of the page, the most serious first."""
    order = {"bad": 0, "warn": 1, "": 2}
    found = [notice(message) for message in estimate.warnings]
    return tuple(sorted(found, key=lambda one: order[one.level]))
