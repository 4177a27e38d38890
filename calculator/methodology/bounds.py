"""The textbook bounds as the page “Method” tells them: the data sheet at 100 %, a limit and not a forecast."""

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.methodology.formulas import Formula, Worked

PREFILL = Formula(
    code="prefill_bound",
    title=_("Temps de lecture du prompt"),
    formulas=("t_prefill = {2 × W × T + 4 × L × T² × e | F}",),
    units=_("W paramètres, T tokens de prompt, L couches, e = têtes × taille d’une tête, F FLOP/s denses ; secondes."),
    source=_(
        "Deux FLOP par paramètre et par token, plus la matrice d’attention entière (les noyaux causaux en font la "
        "moitié)."
    ),
    worked=(
        Worked(
            "(2 × 7241600000 × 2048 + 4 × 32 × 2048 × 2048 × 4096) ÷ 312000000000000 × 1000",
            Decimal("102.12"),
            _("ms, Mistral-7B sur A100, 2 048 tokens"),
        ),
    ),
    limits=_(
        "Calcul seul. Un serveur atteint 40 à 60 % du pic sur de longs prompts, moins sur les courts ; l’attente "
        "s’ajoute."
    ),
)
DECODE = Formula(
    code="decode_bound",
    title=_("Débit maximal d’un flux"),
    formulas=("r_max = {M | W × b + T × k}",),
    units=_("M octets/s de bande passante, W × b octets de poids, k octets de cache KV par token ; tok/s."),
    source=_("Chaque token d’un flux unique relit tous les poids."),
    worked=(
        Worked(
            "1008000000000 ÷ (7241600000 × 2)",
            Decimal("69.60"),
            _("tok/s, Mistral-7B en fp16 sur RTX 4090, contexte vide"),
        ),
    ),
    limits=_(
        "Les 64 tok/s publiés de GPU-PRO en sont 92 %. Avec plusieurs requêtes à la fois, les poids ne sont lus qu’une "
        "fois pour toutes, et le débit total est bien plus élevé."
    ),
)
KV_BYTES = Formula(
    code="kv_bytes",
    title=_("Cache KV par token"),
    formulas=("k = 2 × L × g × s × b",),
    units=_("L couches, g têtes clé-valeur, s taille d’une tête, b octets par élément ; octets par token."),
    source=_("Une clé et une valeur par couche et par tête clé-valeur (non par tête d’attention)."),
    worked=(Worked("2 × 32 × 8 × 128 × 2", Decimal(131072), _("octets, Mistral-7B en fp16"), 0),),
    limits=_(
        "Attention groupée. L’attention latente, les fenêtres glissantes et les couches hybrides ont leurs règles."
    ),
)
ALLREDUCE = Formula(
    code="allreduce_bound",
    title=_("Échange des gradients"),
    formulas=("t_ar = {2 × (G − 1) | G} × {W × b | l}",),
    units=_("G GPU, W × b octets de gradients, l octets/s du lien d’un GPU dans un sens ; secondes."),
    source=_("All-reduce en anneau : G − 1 échanges pour sommer les morceaux, G − 1 pour les redistribuer."),
    worked=(
        Worked(
            "2 × (8 − 1) ÷ 8 × 2700000000 × 2 ÷ 300000000000",
            Decimal("0.0315"),
            _("s, 2,7 Md de paramètres sur 8 A100"),
            4,
        ),
    ),
    limits=_("Sans la latence des sauts. Les fiches techniques donnent souvent la somme des deux sens."),
)
TRAINING = Formula(
    code="training_bound",
    title=_("Durée d’entraînement"),
    formulas=("t_train = {6 × W × D | F × m}",),
    units=_("W paramètres, D tokens, F FLOP/s denses, m rendement MFU ; secondes."),
    source=_("Deux FLOP à l’aller et quatre au retour par paramètre et par token."),
    worked=(
        Worked(
            "6 × 2700000000 × 40000000000 ÷ (312000000000000 × 0.2613) ÷ 86400",
            Decimal("92.0"),
            _("jours sur un A100, à un MFU de 26,1 %"),
            0,
        ),
    ),
    limits=_("4 × W × D si la base est gelée (LoRA, QLoRA) ; le recalcul ajoute 2 × W × D et ne compte pas dans m."),
)
BOUNDS = (PREFILL, DECODE, KV_BYTES, ALLREDUCE, TRAINING)
