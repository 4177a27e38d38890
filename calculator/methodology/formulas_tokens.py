"""The formulas of the tokens calculator as the page “Method” tells them, in the order of its answer."""

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.methodology.formulas import Formula, Worked

FORMULAS = (
    Formula(
        code="tokens_total",
        title=_("Tokens d’un corpus"),
        formulas=("T = N × m",),
        units=_("N documents, m tokens par document en moyenne\u00a0; tokens."),
        source=_("Définition. Un token n’est pas la même unité d’un tokenizer à l’autre."),
        worked=(Worked("2000000 × 4000", Decimal(8_000_000_000), _("tokens"), 0),),
        limits=_("Vaut pour le tokenizer qui a compté la moyenne."),
    ),
    Formula(
        code="tokens_margin",
        title=_("Demi-intervalle du total"),
        formulas=("e = N × t × {s | √ n} × √ (1 − {n | N})",),
        units=_("t quantile de Student à n − 1 degrés, s écart-type, n documents comptés\u00a0; tokens."),
        source=_("Intervalle de Student de la moyenne, avec la correction d’un corpus fini."),
        worked=(
            Worked(
                "2000000 × 1.984217 × 2000 ÷ 10",
                Decimal(793_686_800),
                _("tokens, à 95\u00a0%, pour 100 documents comptés (√100 = 10)"),
                0,
            ),
        ),
        limits=_(
            "Demande deux documents au moins, une trentaine pour être sûr\u00a0: les longueurs sont dissymétriques."
        ),
    ),
    Formula(
        code="tokens_chunks",
        title=_("Morceaux à indexer"),
        formulas=("K = N × k", "k = 1 + ⌈{m − C | C − o}⌉"),
        units=_("C tokens d’un morceau, o repris du précédent\u00a0; morceaux."),
        source=_(
            "Définition. Si l’écart-type est connu, k est la moyenne de ce compte sur des longueurs "
            "log-normales\u00a0: le "
            "compte du document moyen n’est pas la moyenne des comptes."
        ),
        worked=(Worked("2000000 × (1 + ⌈(4000 − 512) ÷ (512 − 64)⌉)", Decimal(18_000_000), _("morceaux"), 0),),
        limits=_("Un document plus court qu’un morceau en fait un."),
    ),
    Formula(
        code="tokens_embedded",
        title=_("Tokens lus pour indexer"),
        formulas=("E = T + N × (k − 1) × o",),
        units=_("Tokens du corpus et recouvrements lus deux fois\u00a0; tokens."),
        source=_("Définition\u00a0: chaque morceau après le premier reprend o tokens."),
        worked=(Worked("8000000000 + 2000000 × (9 − 1) × 64", Decimal(9_024_000_000), _("tokens"), 0),),
        limits=_("Sans les tokens spéciaux qu’un modèle ajoute autour de chaque morceau."),
    ),
    Formula(
        code="tokens_embed_bill",
        title=_("Coût de l’indexation"),
        formulas=("A = {E × p | x}",),
        units=_("p dollars par million de tokens lus, x dollars pour un euro\u00a0; € HT."),
        source=_("Prix public d’entrée du modèle d’embeddings."),
        worked=(
            Worked(
                "9024 × 0.02 ÷ 1.1172", Decimal("161.5467"), _("€ HT, 9\u202f024 millions de tokens à 0,02\u00a0$"), 2
            ),
        ),
        limits=_("Au tarif standard, sans remise\u00a0; stockage des vecteurs non compté."),
    ),
    Formula(
        code="tokens_read_bill",
        title=_("Coût d’une lecture par une API"),
        formulas=("B = {T × p | x}",),
        units=_("p dollars par million de tokens d’entrée au palier d’un document\u00a0; € HT."),
        source=_("Prix public d’entrée de l’API dans le mode choisi."),
        worked=(
            Worked(
                "8000 × 2.50 ÷ 1.1172", Decimal("17901.8976"), _("€ HT, 8\u202f000 millions de tokens à 2,50\u00a0$"), 2
            ),
        ),
        limits=_("Une lecture sans réponse\u00a0; l’API compte avec son propre tokenizer."),
    ),
    Formula(
        code="tokens_gpu_time",
        title=_("Durée d’une lecture sur GPU"),
        formulas=("t_g = {T | f}",),
        units=_("f tokens de prompt lus par seconde par toutes les machines\u00a0; secondes."),
        source=_(
            "Notre mesure du modèle sur cette machine, sinon le temps calé d’un prompt de la longueur moyenne, un à la "
            "fois sur chaque copie."
        ),
        worked=(Worked("8000000000 ÷ 20000 ÷ 86400", Decimal("4.6296"), _("jours à 20\u202f000\u00a0tok/s"), 2),),
        limits=_("Sans réponse. Plusieurs prompts courts lus ensemble iraient un peu plus vite."),
    ),
    Formula(
        code="tokens_gpu_bill",
        title=_("Coût d’une lecture sur GPU"),
        formulas=("G = t × c × P", "G = ⌈ t × c ⌉ × P"),
        units=_(
            "t heures, c machines, P prix d’une heure\u00a0; € HT. Heures entières, ou à la seconde si on le choisit."
        ),
        source=_("Heures utilisées, arrondies une seule fois, sur le total."),
        worked=(Worked("⌈8000000000 ÷ 20000 ÷ 3600 × 1⌉ × 1.50", Decimal("168.00"), _("€ HT à 1,50\u00a0€/h"), 2),),
        limits=_("Ni démarrage, ni stockage, ni réseau."),
    ),
    Formula(
        code="tokens_typed_time",
        title=_("Durée au débit saisi"),
        formulas=("t_s = {T | f}",),
        units=_("f le débit de votre installation\u00a0; secondes."),
        source=_("Définition."),
        worked=(Worked("8000000000 ÷ 100000 ÷ 3600", Decimal("22.2222"), _("heures à 100\u202f000\u00a0tok/s"), 2),),
        limits=_("Le débit saisi est une hypothèse tant qu’il n’est pas mesuré."),
    ),
)
