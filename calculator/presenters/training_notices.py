"""What the reader of a training estimate must know beside the figures: message codes as sentences, with the way out."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.memory import Line
from calculator.domain.scenario import Message, MessageValue
from calculator.domain.training_scenario import TrainingEstimate
from calculator.language import gettext as _
from calculator.permalinks import training as keys
from calculator.presenters import training_words
from calculator.presenters.notices import Notice, Wording
from calculator.presenters.training_words import gib
from calculator.staleness import is_stale_price, price_days

FIELD_IDS: Mapping[str, str] = {key.attribute: f"id_{key.name}" for key in keys.KEYS}
# Said elsewhere on the page: in the sentence under the figures.
SILENT = frozenset({"price_on_request"})
LEVELS = ("bad", "warn", "")
BYTES = ("needed", "usable", "high")
ENTER = gettext_lazy("Saisir")

SENTENCES: Mapping[str, Wording] = {
    "does_not_fit": Wording(
        gettext_lazy("Ne tient pas en mémoire."),
        gettext_lazy(
            "Il faut %(needed)s par GPU pour %(usable)s\u00a0; la première ligne qui dépasse\u00a0: %(line)s. Les "
            "solutions sont calculées plus bas."
        ),
        "bad",
    ),
    "known_does_not_fit": Wording(
        gettext_lazy("Ne tient pas en mémoire."),
        gettext_lazy(
            "Sans ce qui n’est pas modélisé, il faut déjà %(needed)s par GPU pour %(usable)s\u00a0; la première ligne "
            "qui dépasse\u00a0: %(line)s."
        ),
        "bad",
    ),
    "speed_despite_misfit": Wording(
        gettext_lazy("Vitesse gardée malgré la mémoire."),
        gettext_lazy("D’après ce calcul, ce réglage ne peut pas tourner\u00a0: vérifiez d’où vient cette vitesse."),
        "bad",
    ),
    "tight_memory": Wording(
        gettext_lazy("Mémoire juste."),
        gettext_lazy("En haut de la fourchette il faut %(high)s pour %(usable)s\u00a0: gardez une marge."),
        "warn",
    ),
    "fault_heads": Wording(
        gettext_lazy("Têtes d’attention indivisibles."),
        gettext_lazy("TP\u00a0= %(tp)s ne divise pas les têtes du modèle."),
        "bad",
        gettext_lazy("Changer TP"),
    ),
    "fault_kv_heads": Wording(
        gettext_lazy("Têtes KV indivisibles."),
        gettext_lazy("TP\u00a0= %(tp)s ne divise pas les têtes KV et n’en est pas un multiple."),
        "bad",
        gettext_lazy("Changer TP"),
    ),
    "fault_vocabulary": Wording(
        gettext_lazy("Vocabulaire indivisible."),
        gettext_lazy("TP\u00a0= %(tp)s ne divise pas le vocabulaire, même complété à 64."),
        "bad",
        gettext_lazy("Changer TP"),
    ),
    "fault_layers": Wording(
        gettext_lazy("Trop d’étages."),
        gettext_lazy("PP\u00a0= %(pp)s dépasse le nombre de couches."),
        "bad",
        gettext_lazy("Changer PP"),
    ),
    "division_chosen": Wording(
        gettext_lazy("Découpage choisi pour vous."),
        gettext_lazy(
            "Une copie du modèle tient sur TP\u00a0%(tp)s × PP\u00a0%(pp)s, le plus petit découpage possible\u00a0; "
            "copies en parallèle\u00a0: %(copies)s. Un nombre dans «\u00a0Parallélisme tensoriel\u00a0» l’impose."
        ),
        "",
        gettext_lazy("Changer TP"),
    ),
    "division_of_known": Wording(
        gettext_lazy("Mémoire comptée sur TP\u00a0%(tp)s × PP\u00a0%(pp)s."),
        gettext_lazy(
            "Le plus petit découpage où tient ce qui est connu, sans les adaptateurs\u00a0: rien ne dit encore que "
            "l’entraînement y tient."
        ),
        "",
        gettext_lazy("Changer TP"),
    ),
    "fault_gpus": Wording(
        gettext_lazy("TP × PP ne va pas dans ces GPU."),
        gettext_lazy("TP\u00a0= %(tp)s fois PP\u00a0= %(pp)s ne divise pas %(gpus)s GPU."),
        "bad",
        gettext_lazy("Changer TP"),
    ),
    "network_unknown": Wording(
        gettext_lazy("Réseau entre instances inconnu."),
        gettext_lazy(
            "La vitesse suppose les liens d’une même machine. Le réseau entre %(sku)s n’est pas publié\u00a0: le "
            "calculateur Multi-GPU chiffre ce qu’il coûte."
        ),
        "warn",
    ),
    "division_textbook": Wording(
        gettext_lazy("Division non calibrée."),
        gettext_lazy(
            "Les échanges de TP et l’attente du pipeline suivent les formules des manuels\u00a0: pas de fourchette."
        ),
        "warn",
    ),
    "tensor_across_instances": Wording(
        gettext_lazy("TP sur plusieurs machines."),
        gettext_lazy("Ces échanges à chaque couche passeraient par le réseau entre %(sku)s\u00a0: à éviter."),
        "warn",
        gettext_lazy("Changer TP"),
    ),
    "nothing_to_shard": Wording(
        gettext_lazy("Rien à partager."),
        gettext_lazy("Il n’y a qu’une copie du modèle\u00a0: ZeRO et FSDP ne changent rien."),
    ),
    "tokens_needed": Wording(
        gettext_lazy("Travail inconnu."),
        gettext_lazy("Indiquez le nombre de tokens pour connaître durée et coût."),
        "warn",
        ENTER,
    ),
    "data_needed": Wording(
        gettext_lazy("Travail inconnu."),
        gettext_lazy("Indiquez le nombre d’exemples et leur longueur moyenne."),
        "warn",
        ENTER,
    ),
    "rows_cut": Wording(
        gettext_lazy("Exemples coupés."),
        gettext_lazy(
            "Leur moyenne de %(mean)s tokens dépasse la séquence de %(sequence)s\u00a0: le reste n’est pas vu."
        ),
        "warn",
    ),
    "less_than_a_step": Wording(
        gettext_lazy("Moins d’un pas."),
        gettext_lazy("Tout le travail tient dans un seul batch de %(batch)s séquences."),
        "warn",
    ),
    "shape_assumed": Wording(
        gettext_lazy("Forme supposée."),
        gettext_lazy(
            "Pour ce nombre de paramètres\u00a0: %(layers)s couches de largeur %(hidden)s (hypothèse). Attention, "
            "activations et logits en dépendent\u00a0; les FLOP à 6N et les poids, non."
        ),
        "",
    ),
    "adapters_not_modelled": Wording(
        gettext_lazy("Adaptateurs non modélisés."),
        gettext_lazy(
            "Les matrices de %(model)s (experts ou attention latente) ont d’autres formes, et aucune mesure publiée "
            "n’en donne la vitesse\u00a0: ni durée ni coût. La mémoire n’est qu’un minimum, sans les adaptateurs."
        ),
        "bad",
        gettext_lazy("Changer de méthode"),
    ),
    "beyond_context": Wording(
        gettext_lazy("Séquence trop longue."),
        gettext_lazy("Le contexte du modèle s’arrête à %(context)s tokens."),
        "warn",
        gettext_lazy("Raccourcir"),
    ),
    "no_bf16": Wording(
        gettext_lazy("Pas de bf16 sur %(gpu)s."),
        gettext_lazy("Cette carte calcule en fp16, avec mise à l’échelle de la perte."),
        "warn",
        gettext_lazy("Choisir fp16"),
    ),
    "no_fp8": Wording(
        gettext_lazy("Pas de fp8 sur %(gpu)s."),
        gettext_lazy("Cette carte n’a pas d’unités fp8\u00a0: la vitesse est celle du calcul sur 16 bits."),
        "warn",
    ),
    "fused_same_states": Wording(
        gettext_lazy("AdamW fusionné."),
        gettext_lazy("Il évite des tampons temporaires, pas les 12 octets d’états par paramètre."),
    ),
    "no_power": Wording(
        gettext_lazy("Énergie inconnue."),
        gettext_lazy("La fiche de %(gpu)s ne donne pas de puissance."),
    ),
    "above_peak": Wording(
        gettext_lazy("Vitesse au-dessus du pic."),
        gettext_lazy("Elle suppose %(ratio)s du pic de calcul de la carte\u00a0: elle est impossible."),
        "bad",
        gettext_lazy("Corriger"),
    ),
    "rate_needed": Wording(
        gettext_lazy("Débit attendu."),
        gettext_lazy("Indiquez le débit d’entraînement d’un GPU, ou choisissez la vitesse estimée."),
        "warn",
        ENTER,
    ),
    "mfu_needed": Wording(
        gettext_lazy("MFU attendu."),
        gettext_lazy("Indiquez le MFU, ou choisissez la vitesse estimée."),
        "warn",
        ENTER,
    ),
    "no_published_run": Wording(
        gettext_lazy("Aucun essai annoncé."),
        gettext_lazy("Le vendeur n’annonce rien pour ce modèle, ce GPU et cette méthode."),
        "warn",
        gettext_lazy("Choisir une autre vitesse"),
    ),
    "unknown_peak": Wording(
        gettext_lazy("Pic de calcul inconnu."),
        gettext_lazy("La fiche de %(gpu)s ne le donne pas dans ce format\u00a0: pas de vitesse."),
        "bad",
        gettext_lazy("Saisir un débit"),
    ),
    "unknown_link": Wording(
        gettext_lazy("Lien inconnu."),
        gettext_lazy("La fiche de %(gpu)s ne donne pas de lien entre GPU\u00a0: pas de vitesse."),
        "bad",
        gettext_lazy("Saisir un débit"),
    ),
    "fp32_not_calibrated": Wording(
        gettext_lazy("fp32 non calibré."),
        gettext_lazy("Aucune mesure publiée n’entraîne en fp32\u00a0: mémoire seulement, pas de vitesse."),
        "warn",
        gettext_lazy("Saisir un débit"),
    ),
    "no_input_price": Wording(
        gettext_lazy("Prix d’entrée inconnu."),
        gettext_lazy("Cette API n’a pas de prix d’entrée au tarif standard."),
        "warn",
        gettext_lazy("Choisir une API"),
    ),
    "no_exchange_rate": Wording(
        gettext_lazy("Taux de change indisponible."),
        gettext_lazy("L’économie reste en dollars, sans comparaison en euros."),
        "bad",
        gettext_lazy("Saisir un cours"),
    ),
    "no_prefill_rate": Wording(
        gettext_lazy("Vitesse de lecture inconnue."),
        gettext_lazy("Rien ne dit à quelle vitesse ce GPU lit un prompt de ce modèle."),
        "warn",
        gettext_lazy("Saisir cette vitesse"),
    ),
    "no_hour_price": Wording(
        gettext_lazy("Pas de prix à l’heure."),
        gettext_lazy("Une économie de temps ne vaut de l’argent que sur un GPU payé à l’heure."),
        "warn",
        gettext_lazy("Saisir un prix"),
    ),
}


def notices(estimate: TrainingEstimate) -> tuple[Notice, ...]:
    """Every message in words, the serious ones first."""
    payback = estimate.payback.reasons if estimate.payback else ()
    messages = [message for message in (*estimate.warnings, *payback) if message.code not in SILENT]
    found = [notice_of(message) for message in messages]
    return tuple(sorted([*found, *_stale_price(estimate)], key=lambda notice: LEVELS.index(notice.level)))


def notice_of(message: Message) -> Notice:
    """One message as a sentence with the field that settles it."""
    wording = SENTENCES[message.code]
    values = {name: value_of(name, value) for name, value in message.values.items()}
    return Notice(
        lead=str(wording.lead) % values,
        text=SafeString(format_html("{}", str(wording.text) % values)),
        level=wording.level,
        field=FIELD_IDS.get(message.field, ""),
        action=str(wording.action),
        code=message.code,
    )


def value_of(name: str, value: MessageValue) -> str:
    """A value of a message as the sentence prints it."""
    if name == "line":
        return training_words.line_name(Line(str(value))).lower()
    if name in BYTES and isinstance(value, int | float):
        return gib(value)
    if name == "ratio" and isinstance(value, int | float):
        return formats.percent(value)
    if isinstance(value, int | float | Decimal):
        return formats.number(value)
    return str(value)


def _stale_price(estimate: TrainingEstimate) -> Iterator[Notice]:
    price = estimate.bill.price if estimate.bill else None
    if price is None or price.date is None or price.replaces:
        return
    if is_stale_price(price.date, timezone.localdate(estimate.scenario.at)):
        text = _("Non vérifié depuis plus de %(days)s jours\u00a0: %(sku)s.") % {
            "days": price_days(),
            "sku": estimate.sku.code,
        }
        yield Notice(_("Prix ancien."), SafeString(format_html("{}", text)), "warn", code="stale_price")
