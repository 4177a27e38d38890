"""The formulas of the inference calculator as the page “Method” tells them, in the order of its answer."""

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.methodology.formulas import Formula, Worked

FORMULAS = (
    Formula(
        code="serve_weights",
        title=_("Poids du modèle"),
        formulas=("w = {W × b + E × b_e | 8}",),
        units=_("W paramètres des couches, b bits chacun, E paramètres des embeddings, b_e bits\u00a0; octets."),
        source=_("Échelles et zéros comptés dans les bits\u00a0; tous les experts sont gardés en mémoire."),
        worked=(
            Worked(
                "(6979588096 × 16 + 268435456 × 16) ÷ 8",
                Decimal(14496047104),
                _("octets, Mistral-7B-v0.3 en fp16"),
                0,
            ),
        ),
        limits=_("Par GPU, les poids se divisent par les GPU d’une réplique."),
    ),
    Formula(
        code="serve_latent",
        title=_("Cache KV par token, attention latente"),
        formulas=("k = L × (r + p) × b",),
        units=_("L couches, r rang latent, p dimension rotative, b octets par élément\u00a0; octets par token."),
        source=_("Le latent est gardé une seule fois, pour les clés et les valeurs, entier sur chaque GPU."),
        worked=(Worked("61 × (512 + 64) × 2", Decimal(70272), _("octets, DeepSeek-V3 sur 16\u00a0bits"), 0),),
        limits=_("Le parallélisme tensoriel ne divise pas ce cache."),
    ),
    Formula(
        code="serve_room",
        title=_("Séquences qui tiennent"),
        formulas=("N = {M − w − r | k} × n",),
        units=_(
            "M mémoire laissée au moteur, w poids, r moteur, k cache d’une séquence, n répliques\u00a0; séquences."
        ),
        source=_(
            "La part de mémoire de vLLM et SGLang est du total, celle de TensorRT-LLM de ce qui est libre après le "
            "chargement."
        ),
        worked=(
            Worked(
                "(38654705664 − 14496047104 − 3000000000) ÷ 150994944 × 1",
                Decimal("140.13"),
                _("séquences de 1\u202f152 tokens, Mistral-7B sur A100 40\u00a0Go"),
            ),
        ),
        limits=_("Sous une séquence, le modèle ne tient pas et aucune vitesse n’est donnée."),
    ),
    Formula(
        code="serve_decode_bound",
        title=_("Plafond d’un flux"),
        formulas=("r_max = {M | w + k}",),
        units=_("M octets/s, w octets de poids lus par token, k octets de cache lus\u00a0; tok/s."),
        source=_("Couches et tête de sortie, sans l’embedding d’entrée\u00a0; experts touchés seulement."),
        worked=(
            Worked("1008000000000 ÷ (14227611648 + 0)", Decimal("70.85"), _("tok/s, Mistral-7B sur RTX 4090, à vide")),
        ),
        limits=_("La mesure, sinon la fiche technique à 100\u00a0%\u00a0: un plafond, jamais une prévision."),
    ),
    Formula(
        code="serve_memory_roof",
        title=_("Mémoire recalée sur une mesure"),
        formulas=("a = {M | D × e}",),
        units=_(
            "M octets/s d’une copie mesurée, D octets/s de la fiche, e part lue par cette classe de puces\u00a0;"
            " sans unité."
        ),
        source=_(
            "Sonde publiée de l’offre même\u00a0: sa copie soutenue prend la place de fiche × part, pour les poids et"
            " le cache. Les autres GPU gardent l’étalonnage."
        ),
        worked=(Worked("1610000000000 ÷ (2039000000000 × 0.76774)", Decimal("1.0285"), _("sur un A100 80 Go")),),
        limits=_("Ce qu’un moteur ou un format perd à côté de la puce reste celui de l’étalonnage."),
    ),
    Formula(
        code="serve_compute_roof",
        title=_("Plafond de calcul mesuré"),
        formulas=("m = {F | D}",),
        units=_("F FLOP/s mesurés d’un grand produit, D pic dense de la fiche\u00a0; part du pic."),
        source=_("Sonde publiée de l’offre même, médiane de 30\u00a0s au moins à forme fixe."),
        worked=(Worked("250000000000000 ÷ 312000000000000", Decimal("0.8013"), _("sur un A100 80 Go")),),
        limits=_(
            "Borne les parts de calcul de l’étalonnage sans les relever\u00a0: un moteur perd plus qu’un produit seul."
        ),
    ),
    Formula(
        code="serve_link_roof",
        title=_("Lien recalé sur une mesure"),
        formulas=("a = {B | p}",),
        units=_("B octets/s de bus mesurés, p ceux que l’étalonnage prévoit à la même taille\u00a0; sans unité."),
        source=_("All-reduce de 1 Gio entre les GPU d’une instance\u00a0; 2(n − 1) ÷ n × octets ÷ temps."),
        worked=(Worked("230000000000 ÷ 235000000000", Decimal("0.9787"), _("sur huit A100")),),
        limits=_("Dans une machine seulement\u00a0; le réseau entre machines garde l’étalonnage."),
    ),
    Formula(
        code="serve_step",
        title=_("Une étape de décodage"),
        formulas=("s = p + k + f + l + h",),
        units=_("p lecture des poids, k cache et attention, f calcul, l liens, h hôte\u00a0; secondes."),
        source=_(
            "Lecture et calcul se recouvrent en partie\u00a0: leur durée commune est répartie selon leurs puissances "
            "n-ièmes. Les constantes viennent de l’étalonnage."
        ),
        worked=(Worked("0.0119 + 0.0026 + 0.0004 + 0 + 0.0014", Decimal("0.0163"), _("s, 16 flux"), 4),),
        limits=_("Contexte moyen\u00a0: prompt et moitié de la réponse."),
    ),
    Formula(
        code="serve_first_token",
        title=_("Temps jusqu’au premier token"),
        formulas=("t_1 = q + f + s",),
        units=_("q file d’attente et admission, f lecture du prompt, s étapes en cours\u00a0; secondes."),
        source=_("Boucle fermée\u00a0: chaque client envoie sa requête suivante quand la précédente est finie."),
        worked=(Worked("0.083 + 0.074 + 0.080", Decimal("0.237"), _("s, 16 flux sur A100 40\u00a0Go"), 3),),
        limits=_("Une moyenne\u00a0: des arrivées groupées attendent plus."),
    ),
    Formula(
        code="serve_output_rate",
        title=_("Débit total de sortie"),
        formulas=("d = {R × O | O × s + R × f} × n",),
        units=_("R séquences ensemble, O tokens de la réponse, s une étape, f un prompt, n répliques\u00a0; tok/s."),
        source=_("Tokens produits ÷ temps total\u00a0: prompts et étapes se partagent le GPU."),
        worked=(Worked("16 × 256 ÷ (256 × 0.0163 + 16 × 0.0718) × 1", Decimal("769.69"), _("tok/s")),),
        limits=_("R est le moindre des clients, de la limite du moteur et de la place du cache."),
    ),
    Formula(
        code="serve_anchored",
        title=_("Débit recalé sur une mesure"),
        formulas=("d_a = d × a",),
        units=_("d débit estimé, a = mesuré ÷ estimé dans les conditions de la mesure\u00a0; tok/s."),
        source=_(
            "Une mesure du même GPU, modèle, moteur et format, à un facteur 4 près en flux et en longueurs. Exactement "
            "le même cas donne la mesure elle-même."
        ),
        worked=(Worked("1000 × 0.75", Decimal(750), _("tok/s"), 0),),
        limits=_("Ce qui est recalé est une estimation, plus une mesure. Le premier token n’est pas recalé."),
    ),
    Formula(
        code="serve_requests",
        title=_("Requêtes par seconde"),
        formulas=("r = {d | O}",),
        units=_("tok/s ÷ tokens par réponse = requêtes/s."),
        source=_("Définition."),
        worked=(Worked("768 ÷ 256", Decimal(3), _("requêtes/s"), 0),),
        limits=_("Au point étudié\u00a0; la capacité est celle du serveur plein."),
    ),
    Formula(
        code="serve_little",
        title=_("Flux qu’entretient un débit"),
        formulas=("N = r × t",),
        units=_("requêtes/s × secondes par requête = requêtes en cours."),
        source=_("Loi de Little\u00a0; le point est la boucle fermée qui finit autant de requêtes qu’il en arrive."),
        worked=(Worked("2.5 × 4.87", Decimal("12.175"), _("flux"), 3),),
        limits=_("Au-delà de la capacité, la file s’allonge sans fin, et c’est dit."),
    ),
    Formula(
        code="goodput",
        title=_("Requêtes dans les objectifs"),
        formulas=("g = p_1 + p_2 − 1",),
        units=_(
            "p_1, p_2 parts des requêtes qui tiennent chaque objectif\u00a0; g la part qui tient les deux, au moins."
        ),
        source=_(
            "Au plus la plus petite des parts, au moins leur somme moins une (Fréchet)\u00a0: aucune hypothèse "
            "d’indépendance. Chaque part suit une loi log-normale dont p10 et p90 sont ceux des écarts mesurés de la "
            "classe."
        ),
        worked=(Worked("0.90 + 0.95 − 1", Decimal("0.85"), _("des requêtes, au moins")),),
        limits=_(
            "Les mesures publiées sont des moyennes d’essais\u00a0: les requêtes d’un essai se dispersent davantage. "
            "C’est une indication."
        ),
    ),
    Formula(
        code="serve_capacity",
        title=_("Tokens de sortie par mois"),
        formulas=("V = d × 3600 × h × u",),
        units=_("tok/s × s/h × h par mois × part des heures payées = tokens de sortie par mois."),
        source=_("L’utilisation fixe ce qui est produit\u00a0; elle ne réduit jamais la facture."),
        worked=(Worked("768 × 3600 × 720 × 0.65", Decimal(1293926400), _("tokens par mois"), 0),),
        limits=_("Au débit du point étudié."),
    ),
    Formula(
        code="serve_bill",
        title=_("Facture des instances"),
        formulas=("B = n × h × P",),
        units=_("instances × h par mois × €/h, ou instances × €/mois\u00a0; € HT par mois."),
        source=_("Instances entières\u00a0; un volume saisi qui dépasse la capacité loue un jeu de plus."),
        worked=(Worked("1 × 720 × 4.20", Decimal(3024), _("€ par mois, GPU-ENTERPRISE"), 0),),
        limits=_("Sans prix au mois, le prix à l’heure est compté sur les heures du mois."),
    ),
    Formula(
        code="serve_eur_output",
        title=_("Coût d’un million de tokens de sortie"),
        formulas=("c = {B | V}",),
        units=_("€ par mois ÷ tokens par mois × 1\u202f000\u202f000 = € par million."),
        source=_("Toute la facture sur la sortie\u00a0; la fourchette est celle du débit, inversée."),
        worked=(Worked("3024 ÷ 1293926400 × 1000000", Decimal("2.3371"), _("€ par million"), 4),),
        limits=_("Les prompts sont dans ce coût, puisqu’ils sont dans le débit."),
    ),
    Formula(
        code="serve_eur_input",
        title=_("Coût d’un million de tokens d’entrée"),
        formulas=("c_e = {B × y | V × T ÷ O}",),
        units=_("y part du temps GPU prise par les prompts, T tokens de prompt, O de réponse\u00a0; € par million."),
        source=_("La facture est partagée comme le temps du GPU\u00a0: R prompts et O étapes par cycle."),
        worked=(
            Worked("3024 × 0.21 ÷ (1293926400 × 1024 ÷ 256) × 1000000", Decimal("0.12270"), _("€ par million"), 4),
        ),
        limits=_("Le reste de la facture, 1 − y, paie la sortie."),
    ),
)
