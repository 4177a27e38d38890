"""Words, conventions and differences of the page “Method”; the formulas are in formulas.py and bounds.py."""

from django.utils.translation import gettext_lazy as _

from calculator.domain.provenance import Kind
from calculator.fields import Text

SYMBOLS: tuple[tuple[str, Text, Text], ...] = (
    ("V", _("tokens de sortie à produire, après le cache de réponses"), _("tokens par mois")),
    ("d", _("débit de sortie d’une instance, aux conditions indiquées"), _("tok/s")),
    ("g", _("GPU d’une instance"), _("GPU")),
    ("f", _("débit de lecture des prompts d’une instance"), _("tok/s")),
    ("i, o", _("tokens de prompt hors cache, et de sortie, d’une requête"), _("tokens")),
    ("h", _("heures payées dans le mois"), _("h")),
    ("u", _("utilisation : part des heures payées où le GPU produit au débit d"), _("0 à 1")),
    ("K", _("capacité prévue d’une instance"), _("tokens par mois")),
    ("n", _("instances louées, entières"), _("instances")),
    ("P", _("prix d’une instance, au mois ou à l’heure"), _("€ HT")),
    ("B, F, C", _("facture de location ; exploitation, stockage et réseau ; leur total"), _("€ HT par mois")),
    ("c", _("coût du million de tokens de sortie"), _("€ HT")),
    ("q", _("part des requêtes servie par le cache de réponses"), _("0 à 1")),
    ("p", _("prix d’une API par million de tokens de sortie, prompts compris"), _("$ HT")),
    ("x", _("cours : dollars pour un euro"), _("$ pour 1 €")),
)

KINDS: tuple[tuple[Kind, Text], ...] = (
    (Kind.MEASURED, _("Notre propre mesure publiée, aux conditions qu’elle indique.")),
    (Kind.PUBLISHED, _("Une mesure publiée par d’autres, avec sa source.")),
    (Kind.DATA_SHEET, _("La spécification du fabricant ; même rang qu’un tarif public.")),
    (Kind.LIST_PRICE, _("Un prix que le vendeur publie, avec sa source et le jour de sa vérification.")),
    (Kind.ESTIMATE, _("Un résultat de formule, ou une valeur transposée d’une mesure faite ailleurs.")),
    (Kind.CLAIM, _("La parole d’un vendeur, conditions non précisées.")),
    (Kind.ASSUMPTION, _("Une convention de notre part, ou ce que vous saisissez à la place d’un prix ou d’un débit.")),
    (Kind.INPUT, _("Une valeur de votre scénario (volume, longueurs) ; elle n’entre pas dans le classement.")),
)

CONVENTIONS: tuple[tuple[Text, Text], ...] = (
    (
        _("Heures du mois"),
        _("720 (30 jours), modifiable : 730, 744 ou votre valeur. Un seul réglage pour le coût et pour la capacité."),
    ),
    (
        _("Utilisation"),
        _(
            "Part des heures payées pendant lesquelles le GPU produit au débit indiqué ; 65 % par défaut. C’est un "
            "plafond de dimensionnement : elle ne multiplie jamais la facture."
        ),
    ),
    (
        _("Taxes"),
        _("Prix et résultats hors taxes (HT). Un total TTC se calcule une seule fois, sur le total HT."),
    ),
    (
        _("Équivalent"),
        _("Deux coûts séparés d’au plus 5 % du plus petit : les données ne sont pas plus précises que cela."),
    ),
    (
        _("Cours de change"),
        _(
            "Le cours s’écrit en dollars pour un euro : $ ÷ cours = €. Il est toujours daté ; signalé après 4 jours "
            "ouvrés, en alerte après 10. Un prix en dollars ne bouge pas quand le cours bouge."
        ),
    ),
    (
        _("Prix dans le temps"),
        _(
            "Un prix vaut de son début jusqu’au début suivant. Avant le premier, il n’y a « pas de prix » : ni 0, "
            "ni le plus proche. Un prix non vérifié depuis plus de 90 jours est signalé. Un jour commence à minuit, "
            "heure de Paris."
        ),
    ),
    (
        _("Arrondi"),
        _("Au plus proche, la moitié vers le haut, à l’affichage seulement. L’inconnu s’écrit en toutes lettres."),
    ),
    (
        _("Unités"),
        _("1 Go = 10⁹ octets, 1 Gio = 2³⁰ octets, M = 10⁶. Les TFLOP/s sont denses, en bf16 ou fp16 cumulés en fp32."),
    ),
    (
        _("Ratios du catalogue"),
        _("€ par heure ÷ Go de mémoire de l’instance ; € par heure ÷ TFLOP/s denses de l’instance."),
    ),
)

DIFFERENCES: tuple[tuple[Text, Text], ...] = (
    (
        _("gpt-5.4 à 7,50 $ et gpt-5.4-mini à 2,25 $, au milieu de prix publics"),
        _(
            "Ce sont des prix batch : au mode standard, 15,00 $ et 4,50 $. Les trois autres API de la liste sont en "
            "standard."
        ),
    ),
    (
        _("Euros et dollars comparés comme égaux"),
        _("À 1 € = 1,1172 $, 7,50 $ valent 6,71 € et 15,00 $ valent 13,43 €."),
    ),
    (
        _("« 108 M tokens par mois »"),
        _("107,83 M : 720 h à 65 %. Un mois de 730 h donne 109,32 M, et 7,60 € au lieu de 7,70 €."),
    ),
    (
        _("7,70 € le million, « proche de gpt-5.4 »"),
        _(
            "Au prix imprimé de 7,50 $ et à parité, l’équivalence serait à 110,8 M, au-delà des 107,8 M d’une carte : "
            "jamais. À 15,00 $, elle est à 61,9 M."
        ),
    ),
    (
        _("100 M de tokens face à Claude Sonnet 4.6 : « API »"),
        _("830,64 € contre 1 500 $, soit 1 342,64 € : le GPU coûte 38 % de moins."),
    ),
    (
        _("300 M de tokens : une seule lecture pour toutes les API"),
        _(
            "Trois cartes, 2 491,92 € : moins que Sonnet 4.6 (4 027,93 €), plus que gpt-5.4 en batch (2 013,96 €). "
            "Il faut un verdict par API."
        ),
    ),
    (
        _("Prix de la sortie seule"),
        _(
            "Avec 4 tokens de prompt par token de sortie, le million de tokens de sortie coûte 25,00 $ sur gpt-5.4 "
            "standard."
        ),
    ),
    (
        _("22 à 124 tok/s, conditions non précisées"),
        _(
            "De 88 à 100 % de la borne de bande passante d’un flux 7B en fp16 : à lire comme un seul flux, "
            "étiquette « annoncé »."
        ),
    ),
)

GLOSSARY: tuple[tuple[str, Text, Text], ...] = (
    (
        "ttft",
        "TTFT",
        _("Temps jusqu’au premier token, de l’envoi de la requête à sa réception : attente, prompt, premier pas."),
    ),
    ("itl", "ITL", _("Temps entre deux tokens d’une réponse ; le premier token n’y compte pas.")),
    (
        "tpot",
        "TPOT",
        _("Temps par token de sortie : l’ITL moyen d’une requête. Certains outils y ajoutent le TTFT, pas nous."),
    ),
    ("prefill", "Prefill", _("La lecture du prompt, limitée par le calcul.")),
    ("decode", "Decode", _("L’écriture de la réponse, un token par pas, limitée par la bande passante mémoire.")),
    (
        "kv-cache",
        _("Cache KV"),
        _("Clés et valeurs gardées pour chaque token d’une requête en cours, pour ne pas les recalculer."),
    ),
    (
        "prefix-cache",
        _("Cache de préfixes"),
        _("Cache KV gardé entre des requêtes qui commencent pareil ; il abrège la lecture du prompt."),
    ),
    (
        "response-cache",
        _("Cache de réponses"),
        _("Réponses gardées pour des requêtes identiques : ni temps de GPU, ni appel d’API."),
    ),
    (
        "continuous-batching",
        _("Regroupement continu"),
        _("Les requêtes entrent dans le batch et en sortent à chaque pas (continuous batching)."),
    ),
    ("concurrency", _("Concurrence"), _("Nombre de requêtes en cours au même instant.")),
    (
        "single-stream",
        _("Un seul flux"),
        _("Une requête à la fois (single-stream) : ce que voit un utilisateur seul, pas ce que produit un serveur."),
    ),
    ("goodput", "Goodput", _("Débit des seules requêtes qui ont tenu l’objectif de latence.")),
    ("mfu", "MFU", _("Rendement de calcul : FLOP/s utiles au modèle ÷ pic dense de la fiche technique.")),
    (
        "tensor-parallel",
        _("Parallélisme tensoriel"),
        _(
            "Les matrices de chaque couche sont réparties sur plusieurs GPU, qui échangent leurs résultats deux "
            "fois par couche."
        ),
    ),
    ("ht", _("HT, TTC"), _("Hors taxes, toutes taxes comprises.")),
)
