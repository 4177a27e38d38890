"""The formulas of the multi-GPU calculator as the page “Method” tells them, in the order of its answer."""

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.methodology.formulas import Formula, Worked

FORMULAS = (
    Formula(
        code="parallel_flop",
        title=_("Calculs d’un pré-entraînement"),
        formulas=("C = 6 × P × D",),
        units=_("P paramètres actifs, D tokens\u00a0; FLOP."),
        source=_("Deux FLOP par paramètre à l’aller, quatre au retour."),
        worked=(Worked("6 × 2700000000 × 40000000000", Decimal("648000000000000000000"), _("FLOP, l’offre"), 0),),
        limits=_("Sans attention ni recalcul\u00a0: la MFU les exclut aussi."),
    ),
    Formula(
        code="parallel_one_gpu",
        title=_("Durée sur un seul GPU"),
        formulas=("J_1 = {C | F × e × 86400}",),
        units=_("F pic en FLOP/s, e MFU\u00a0; jours."),
        source=_(
            "e est votre saisie, sinon la valeur calée pour ce modèle et ce GPU, sinon celle que les 92 jours annoncés "
            "supposent (26,1\u00a0%, une annonce)."
        ),
        worked=(
            Worked(
                "648000000000000000000 ÷ (312000000000000 × 0.2613) ÷ 86400",
                Decimal("92.0"),
                _("jours, un A100\u00a0: le chiffre publié"),
                1,
            ),
        ),
        limits=_("Un seul GPU peut ne pas tenir le modèle\u00a0: c’est alors une référence, pas un plan."),
    ),
    Formula(
        code="parallel_compute",
        title=_("Calcul d’un pas sur chaque GPU"),
        formulas=("c = {6 × P × T | F × e}",),
        units=_("T tokens par GPU et par pas\u00a0; secondes."),
        source=_("Chaque GPU calcule à la vitesse d’un GPU seul."),
        worked=(
            Worked(
                "6 × 2700000000 × 16384 ÷ (312000000000000 × 0.2613)",
                Decimal("3.2557"),
                _("secondes, 16 384 tokens par GPU"),
                2,
            ),
        ),
        limits=_("Des matrices divisées (tenseurs) sont moins efficaces\u00a0: cette perte n’est pas comptée."),
    ),
    Formula(
        code="parallel_allreduce_bound",
        title=_("Échange des gradients, à 100\u00a0% de la fiche"),
        formulas=("t_0 = r × {P_g × g | B}",),
        units=_(
            "r part envoyée (anneau\u00a0: 2(N−1)/N, arbres\u00a0: 2, commutateur\u00a0: 1), P_g paramètres portés, g "
            "octets par gradient, B octets par seconde dans un sens\u00a0; secondes."
        ),
        source=_("Chaque GPU passe sa part au suivant\u00a0; N−1 tours pour sommer, N−1 pour diffuser."),
        worked=(
            Worked("1.75 × 2700000000 × 2 ÷ 300000000000", Decimal("0.0315"), _("secondes, huit A100 et NVSwitch"), 4),
        ),
        limits=_(
            "Entre machines, chacune envoie 2(M−1)/M du message par ses cartes réseau, que tous ses GPU se partagent, "
            "au plus ce que leurs emplacements PCIe laissent passer. B et r sont ceux du chemin le plus lent. C’est un "
            "plancher."
        ),
    ),
    Formula(
        code="parallel_allreduce",
        title=_("Échange des gradients, rendement mesuré"),
        formulas=("t_a = {t_0 | k}", "t_a = a + h × 2 × (N − 1) + x + √(x × p)"),
        units=_(
            "a démarrage, h un saut, x le message à la part mesurée du débit, p les morceaux en vol\u00a0; k ce que "
            "tout cela laisse de la fiche."
        ),
        source=_("Constantes ajustées sur des nccl-tests publiés, par classe de lien."),
        worked=(Worked("0.0315 ÷ 0.7823", Decimal("0.040266"), _("secondes, le même échange"), 4),),
        limits=_("Des messages d’au moins 1 Mio\u00a0; une bande dit où tombent huit mesures sur dix."),
    ),
    Formula(
        code="parallel_shards",
        title=_("Échange des états partagés"),
        formulas=("t_d = m × (t_w + {t_a | 2})",),
        units=_("m micro-batchs, t_w somme des poids, t_a somme des gradients\u00a0; secondes."),
        source=_(
            "ZeRO-3 et FSDP rassemblent les poids à l’aller et au retour et répartissent les gradients\u00a0: trois "
            "demi-échanges."
        ),
        worked=(Worked("1 × (0.0315 + 0.0315 ÷ 2)", Decimal("0.04725"), _("secondes, moitié plus qu’un échange"), 4),),
        limits=_("Sans garder les poids d’un micro-batch à l’autre."),
    ),
    Formula(
        code="parallel_exposed",
        title=_("Échange que le calcul ne masque pas"),
        formulas=("x = max(t_a − o × b ; v × t_a)",),
        units=_(
            "o recouvrement, b calcul qui peut masquer (deux tiers du dernier micro-batch\u00a0; tout le pas s’il est "
            "partagé), v part toujours visible\u00a0; secondes."
        ),
        source=_("o est une hypothèse visible\u00a0; v est ajusté sur des entraînements publiés."),
        worked=(
            Worked("0.0403 − 0.2 × 0.0967", Decimal("0.02096"), _("secondes, 730 tokens et 20\u00a0% masqués"), 4),
        ),
        limits=_("Les sommes du parallélisme tensoriel sont sur le chemin du calcul et ne se masquent pas."),
    ),
    Formula(
        code="parallel_efficiency",
        title=_("Part de l’idéal"),
        formulas=("E = {c | c + x + t_t + t_p + t_b + t_m}",),
        units=_(
            "t_t tenseurs, t_p étages, t_b bulle (p−1)/m, t_m perte au-delà de huit GPU\u00a0; sans unité, de 0 à 1."
        ),
        source=_("Définition\u00a0; la perte (GPU ÷ 8)^x est ajustée sur des entraînements publiés."),
        worked=(Worked("0.1451 ÷ (0.1451 + 0.0315)", Decimal("0.8216"), _("730 tokens par GPU, rien de masqué"), 4),),
        limits=_("Hors sauvegardes, arrêts et attente des données."),
    ),
    Formula(
        code="parallel_speed_up",
        title=_("Accélération"),
        formulas=("S = N × E",),
        units=_("Fois plus vite qu’un GPU seul."),
        source=_("Définition."),
        worked=(Worked("8 × 0.8216", Decimal("6.5728"), _("fois, le 6,57 publié"), 2),),
        limits=_("À tokens par GPU constants, le batch grandit avec N."),
    ),
    Formula(
        code="parallel_days",
        title=_("Durée sur tous les GPU"),
        formulas=("J = {J_1 | N × E}",),
        units=_("Jours."),
        source=_("Définition."),
        worked=(Worked("92 ÷ (8 × 0.8214)", Decimal("14.0005"), _("jours, l’offre publie 14"), 1),),
        limits=_("Suppose un flux de données qui suit."),
    ),
    Formula(
        code="parallel_bill",
        title=_("Coût de l’entraînement"),
        formulas=("K = n × J × 24 × p",),
        units=_("n instances entières, p € HT par heure\u00a0; € HT."),
        source=_("Tarif du catalogue ou votre saisie\u00a0; facturé à la seconde."),
        worked=(Worked("1 × 14 × 24 × 43.20", Decimal("14515.20"), _("€ HT, un prix supposé de 43,20 € par heure")),),
        limits=_("Stockage et sauvegardes non comptés. Un GPU d’une machine de huit loue la machine entière."),
    ),
)
