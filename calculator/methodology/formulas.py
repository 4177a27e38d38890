"""The formulas as the page “Method” tells them, in the order in which an answer is built.

Each worked number is an expression and its result; a test evaluates the expression, and another compares it with
what the domain computes. docs/methodology.md tells the same in English.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.fields import Text


@dataclass(frozen=True, slots=True)
class Worked:
    """One example: `expression` uses × ÷ − + ( ) and ⌈ ⌉, `decimals` is what the page shows of `result`."""

    expression: str
    result: Decimal
    unit: Text
    decimals: int = 2


@dataclass(frozen=True, slots=True)
class Formula:
    """One heading of the page; `code` is the code of the step that shows it with the visitor's numbers."""

    code: str
    title: Text
    formulas: tuple[str, ...]
    units: Text
    source: Text
    worked: tuple[Worked, ...]
    limits: Text


INSTANCE_RATE = Formula(
    code="instance_rate",
    title=_("Débit d’une instance"),
    formulas=("d = d_1 × g",),
    units=_("tok/s d’un GPU × GPU de l’instance = tok/s de l’instance."),
    source=_("Définition, quand le débit est donné pour un seul GPU d’une instance qui en a plusieurs."),
    worked=(Worked("124 × 8", Decimal(992), _("tok/s, huit GPU à 124 tok/s chacun"), 0),),
    limits=_(
        "Suppose huit copies indépendantes du modèle. Un débit donné pour l’instance entière n’est pas multiplié : le "
        "faire diviserait le coût par huit."
    ),
)
CAPACITY = Formula(
    code="capacity",
    title=_("Capacité prévue d’une instance"),
    formulas=("K = d × 3600 × h × u",),
    units=_("tok/s × s/h × h par mois × part des heures payées = tokens de sortie par mois."),
    source=_("Calcul direct à partir du débit ; l’utilisation (65 % par défaut) est une hypothèse de dimensionnement."),
    worked=(Worked("64 × 3600 × 720 × 0.65", Decimal("107827200"), _("tokens par mois"), 0),),
    limits=_(
        "Un débit ne vaut que pour un modèle, une précision, un moteur, des longueurs et une concurrence. Un débit "
        "en un seul flux est celui d’une requête à la fois : un serveur qui regroupe les requêtes en produit "
        "plusieurs fois plus au total, et K est alors un minimum. Seule la sortie compte ici : le temps de lecture "
        "des prompts s’ajoute par la formule suivante quand on connaît leur débit."
    ),
)
CAPACITY_WITH_PROMPT = Formula(
    code="capacity_with_prompt",
    title=_("Capacité quand les prompts comptent"),
    formulas=("K = {3600 × h × u × o | i ÷ f + o ÷ d}",),
    units=_(
        "Secondes de GPU du mois ÷ secondes par requête × tokens de sortie par requête = tokens de sortie par mois."
    ),
    source=_("Définition : prompts et réponses se partagent le même GPU."),
    worked=(
        Worked(
            "3600 × 720 × 0.65 × 640 ÷ (1000 × (1 − 0.5) ÷ 2000 + 640 ÷ 64)",
            Decimal("105197268"),
            _("tokens par mois : 1 000 tokens de prompt dont la moitié en cache, 640 de sortie"),
            0,
        ),
    ),
    limits=_(
        "i est le prompt hors cache de préfixes. Si f est inconnu, le temps des prompts n’est pas compté : la page "
        "l’écrit à côté du verdict, marqué incomplet. Le cache de préfixes abrège le calcul du prompt, pas la "
        "mémoire qu’il occupe."
    ),
)
INSTANCES = Formula(
    code="instances",
    title=_("Nombre d’instances entières"),
    formulas=("n = ⌈ {V | K} ⌉",),
    units=_("Tokens par mois ÷ tokens par mois, arrondi à l’instance supérieure ; toujours au moins une."),
    source=_("Les GPU se louent entiers : le coût monte en escalier avec le volume."),
    worked=(Worked("⌈300000000 ÷ 107827200⌉", Decimal(3), _("instances"), 0),),
    limits=_(
        "Suppose que le trafic se répartit sur toutes les instances. La pointe au sein du mois n’est couverte que par "
        "ce que u laisse libre."
    ),
)
BILL = Formula(
    code="bill",
    title=_("Facture mensuelle, toujours allumé"),
    formulas=("B = n × P", "B = n × h × P"),
    units=_("Instances × € HT par mois, ou instances × heures × € HT par heure = € HT par mois."),
    source=_(
        "Tarif public du vendeur. L’utilisation ne multiplie jamais la facture : un GPU qui attend se paie comme un "
        "autre."
    ),
    worked=(
        Worked("3 × 830.64", Decimal("2491.92"), _("€ HT, trois GPU-PRO au mois")),
        Worked("1 × 720 × 1.50", Decimal("1080.00"), _("€ HT, un GPU-PRO à l’heure, allumé tout le mois")),
    ),
    limits=_("Le prix au mois vaut pour une machine toujours allumée et ne dépend pas de h."),
)
PAID_HOURS = Formula(
    code="paid_hours",
    title=_("Heures utilisées"),
    formulas=("t = ⌈ {V × h | K} ⌉",),
    units=_("Heures par mois, toutes instances confondues."),
    source=_("Définition : le volume au rythme prévu, sans les heures d’attente."),
    worked=(
        Worked(
            "⌈100000000 × 720 ÷ (124 × 3600 × 720 × 0.65)⌉",
            Decimal(345),
            _("heures, GPU-TITAN pour 100 M de tokens"),
            0,
        ),
    ),
    limits=_(
        "Arrondi une seule fois, sur le total, à l’unité de facturation : l’heure entière, ou la seconde. Suppose une "
        "machine que l’on éteint entre deux lots."
    ),
)
BILL_HOURS_USED = Formula(
    code="bill_hours_used",
    title=_("Facture aux heures utilisées"),
    formulas=("B = t × P",),
    units=_("Heures × € HT par heure = € HT par mois."),
    source=_("Tarif public du vendeur, à l’heure."),
    worked=(Worked("345 × 5.40", Decimal("1863.00"), _("€ HT, GPU-TITAN pour 100 M de tokens")),),
    limits=_("N’existe pas au mois : un prix mensuel est toujours allumé."),
)
TOTAL = Formula(
    code="total",
    title=_("Total avec les autres coûts"),
    formulas=("C = B + F",),
    units=_("€ HT par mois ; F = exploitation + stockage + réseau."),
    source=_("Vos saisies, à 0 par défaut et toujours affichées."),
    worked=(Worked("830.64 + 100.00", Decimal("930.64"), _("€ HT, avec 100 € d’exploitation")),),
    limits=_("Ces coûts ne dépendent pas du volume. Le total TTC se calcule une seule fois, sur ce total."),
)
EUR_PER_MTOK = Formula(
    code="eur_per_mtok",
    title=_("Coût du million de tokens de sortie"),
    formulas=("c = {C | V ÷ 1000000}",),
    units=_("€ HT par million de tokens de sortie, au volume demandé."),
    source=_("Définition. C’est le chiffre annoncé en tête ; il dépend du volume, parce que les GPU sont entiers."),
    worked=(
        Worked("830.64 ÷ (100000000 ÷ 1000000)", Decimal("8.3064"), _("€ par million, au mois")),
        Worked("1 × 720 × 1.50 ÷ (100000000 ÷ 1000000)", Decimal("10.80"), _("€ par million, à l’heure")),
    ),
    limits=_("À ne pas multiplier par un autre volume : demandez plutôt cet autre volume."),
)
FULL_EUR_PER_MTOK = Formula(
    code="full_eur_per_mtok",
    title=_("Coût du million à pleine capacité prévue"),
    formulas=("c_K = {n × P + F | n × K ÷ 1000000}", "c_K = {n × h × P + F | n × K ÷ 1000000}"),
    units=_("€ HT par million de tokens de sortie, quand toute la capacité prévue sert ; au mois, puis à l’heure."),
    source=_(
        "Formule de l’offre publiée ; ses quatre chiffres horaires (16,51, 10,02, 18,70 et 18,61 €) s’en déduisent "
        "à 65 %."
    ),
    worked=(
        Worked("830.64 ÷ (64 × 3600 × 720 × 0.65 ÷ 1000000)", Decimal("7.7034"), _("€ par million, au mois")),
        Worked("1.50 ÷ (64 × 3600 × 0.65 ÷ 1000000)", Decimal("10.0160"), _("€ par million, à l’heure")),
    ),
    limits=_(
        "Un plancher, atteint seulement à un multiple entier de K. À l’heure il ne dépend pas de h ; au mois, il en "
        "dépend."
    ),
)
IMPLIED_UTILISATION = Formula(
    code="implied_utilisation",
    title=_("Utilisation réelle"),
    formulas=("u_r = {t_p | t}", "t_p = {V | d × 3600}"),
    units=_("Heures productives t_p ÷ heures payées t : la part dont le volume a vraiment besoin."),
    source=_("Définition : u est le plafond prévu, la valeur réelle découle du volume."),
    worked=(Worked("100000000 ÷ (64 × 3600) ÷ 720", Decimal("0.60282"), _("soit 60,3 % des heures payées"), 4),),
    limits=_("Moyenne du mois ; elle ne dit rien de l’heure la plus chargée."),
)
API_USD = Formula(
    code="api_usd",
    title=_("Facture de l’API en dollars"),
    formulas=("A = {V × p | 1000000}", "p = {i_u × a_in + i_c × a_read + i_w × a_write + o × a_out | o}"),
    units=_(
        "p en $ par million de tokens de sortie, prompts compris : par requête, tokens d’entrée hors cache (u), lus "
        "dans le cache (c), écrits dans le cache (w) et tokens de sortie o, chacun à son prix a. Résultat en $ par "
        "mois."
    ),
    source=_("Tarif public du fournisseur ; chaque prix porte sa source et la date de sa vérification."),
    worked=(
        Worked("100000000 × 15.00 ÷ 1000000", Decimal("1500.00"), _("$ par mois, 100 M de tokens de sortie à 15,00 $")),
        Worked(
            "((17903 − 17817) × 2.50 + 17817 × 0.25 + 500 × 15.00) ÷ 1000000",
            Decimal("0.01216925"),
            _("$, une requête de 17 903 tokens dont 17 817 en cache"),
            8,
        ),
    ),
    limits=_(
        "L’entrée comprend les tokens en cache, facturés une seule fois, au prix du cache ; le raisonnement compte "
        "comme sortie. Un palier de contexte s’applique à la requête entière dont l’entrée dépasse strictement le "
        "seuil : il se décide par requête, jamais sur le total du mois. Les modes (standard, batch, flex, priority) "
        "ne se mélangent pas. Le rapport de tokens r, saisi, multiplie chaque compte avant le choix du palier ; la "
        "majoration m, saisie, multiplie p par 1 + m. S’il manque un prix, la facture est inconnue et non plus petite."
    ),
)
API_EUR = Formula(
    code="api_eur",
    title=_("Facture de l’API en euros"),
    formulas=("A_eur = {A | x}",),
    units=_("$ ÷ ($ pour 1 €) = €."),
    source=_("Cours de référence de la Banque centrale européenne, ou cours saisi."),
    worked=(Worked("100 × 15.00 ÷ 1.1172", Decimal("1342.6423"), _("€ pour 1 500 $ au cours du 30/10/2026")),),
    limits=_(
        "Le cours est le dernier publié à la date demandée ou avant : un samedi prend celui du vendredi. Sans "
        "cours, pas de montant en euros. Un cours de référence est indicatif : une banque y ajoute sa marge."
    ),
)
BREAK_EVEN = Formula(
    code="break_even",
    title=_("Volume d’équivalence"),
    formulas=("V_min = {n × P + F | p ÷ x} × 1000000", "V_max = n × K"),
    units=_("Tokens de sortie par mois ; p en $ par million de tokens de sortie, prompts compris."),
    source=_("L’escalier des instances entières contre la droite de l’API, vérifié contre la capacité."),
    worked=(
        Worked("830.64 ÷ (15.00 ÷ 1.1172)", Decimal("61.866"), _("M de tokens, un GPU-PRO contre 15,00 $"), 3),
        Worked("2 × 830.64 ÷ (15.00 ÷ 1.1172)", Decimal("123.732"), _("M de tokens, deux GPU-PRO"), 3),
    ),
    limits=_(
        "La réponse est une liste d’intervalles de volume, ou « jamais », ou « toujours ». Une carte à 65 % "
        "s’arrête à 107,8 M de tokens : contre 15,00 $, le GPU coûte moins de 61,9 à 107,8 M, puis à partir de "
        "123,7 M, quand la deuxième carte est assez remplie. Si le coût à pleine capacité dépasse le prix de l’API, "
        "aucun volume ne suffit. Un cache de réponses qui sert la part q des requêtes divise le volume par 1 − q. Aux "
        "heures utilisées, n compte des heures entières au prix d’une heure, et K ÷ h est ce que l’une d’elles porte ; "
        "à la seconde, l’arrondi est négligé."
    ),
)
BREAK_EVEN_UTILISATION = Formula(
    code="break_even_utilisation",
    title=_("Utilisation d’équivalence"),
    formulas=("u_eq = {P + F | (p ÷ x) × (d × 3600 × h ÷ 1000000)}",),
    units=_("Part des heures payées ; au-delà de 1, aucune charge ne rend le GPU moins cher."),
    source=_("Le coût à pleine capacité, résolu en u."),
    worked=(
        Worked(
            "830.64 ÷ (15.00 ÷ 1.1172) ÷ (64 × 3600 × 720 ÷ 1000000)",
            Decimal("0.37294"),
            _("soit 37,3 % des heures payées"),
            4,
        ),
    ),
    limits=_("Pour une instance tenue exactement à cette charge."),
)
ECONOMICS = (
    INSTANCE_RATE,
    CAPACITY,
    CAPACITY_WITH_PROMPT,
    INSTANCES,
    BILL,
    PAID_HOURS,
    BILL_HOURS_USED,
    TOTAL,
    EUR_PER_MTOK,
    FULL_EUR_PER_MTOK,
    IMPLIED_UTILISATION,
    API_USD,
    API_EUR,
    BREAK_EVEN,
    BREAK_EVEN_UTILISATION,
)
