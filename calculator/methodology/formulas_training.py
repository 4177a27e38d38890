"""The formulas of the training calculator as the page “Method” tells them, in the order of its answer."""

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from calculator.methodology.formulas import Formula, Worked

FORMULAS = (
    Formula(
        code="train_tokens",
        title=_("Tokens du travail"),
        formulas=("D = b × T × a × r × s",),
        units=_("b séquences par GPU et passe, T tokens, a passes, r copies, s pas\u00a0; tokens."),
        source=_(
            "Définition. Le batch global b × a × r est affiché, car «\u00a0batch\u00a0» et «\u00a0accumulation\u00a0» "
            "se lisent de deux façons."
        ),
        worked=(
            Worked(
                "2 × 512 × 4 × 1 × 750", Decimal("3072000"), _("tokens, essai publié lu avec un batch global de 8"), 0
            ),
        ),
        limits=_("Séquences supposées pleines\u00a0: le remplissage compte comme des tokens."),
    ),
    Formula(
        code="train_tokens_data",
        title=_("Tokens des données"),
        formulas=("D = z × T_m × e",),
        units=_("z exemples, T_m tokens en moyenne, e époques\u00a0; tokens."),
        source=_("Définition, exemples groupés en séquences pleines (packing)."),
        worked=(Worked("20000 × 700 × 3", Decimal("42000000"), _("tokens"), 0),),
        limits=_("Un exemple plus long qu’une séquence est coupé à sa longueur."),
    ),
    Formula(
        code="lora_params",
        title=_("Paramètres des adaptateurs"),
        formulas=("N_t = k × l × c",),
        units=_(
            "k rang, l couches, c somme des entrées et sorties des matrices adaptées d’une couche\u00a0; paramètres."
        ),
        source=_("Deux matrices de rang k par matrice adaptée."),
        worked=(
            Worked(
                "16 × 32 × 81920",
                Decimal("41943040"),
                _("paramètres, Mistral-7B de rang 16 sur q, k, v, o, gate, up, down"),
                0,
            ),
        ),
        limits=_("Ni experts ni attention latente\u00a0: leurs matrices ont d’autres formes."),
    ),
    Formula(
        code="train_flop_token",
        title=_("FLOP par token"),
        formulas=("C = f × N + A",),
        units=_(
            "f FLOP par paramètre, N paramètres actifs, A attention causale\u00a0; FLOP par token. Avec recalcul "
            "s’ajoutent 2 × N et une attention."
        ),
        source=_(
            "Deux FLOP par paramètre en avant, deux pour le gradient des entrées, deux pour celui des poids\u00a0: "
            "6, ou 4 sur une base gelée."
        ),
        worked=(
            Worked(
                "4 × 7241732096 + 3 × 2 × 32 × 512 × 4096",
                Decimal("29369581568"),
                _("FLOP par token, QLoRA de Mistral-7B à 512 tokens"),
                0,
            ),
        ),
        limits=_("L’attention causale est comptée pour moitié\u00a0; un encodeur la fait entière."),
    ),
    Formula(
        code="train_flop",
        title=_("FLOP du travail"),
        formulas=("C_D = C × D",),
        units=_("FLOP par token × tokens\u00a0; FLOP."),
        source=_("Définition\u00a0; sans attention, 6 × N × D."),
        worked=(
            Worked(
                "6 × 2700000000 × 40000000000",
                Decimal("648000000000000000000"),
                _("FLOP, encodeur de 2,7\u00a0Md sur 40\u00a0Md de tokens, sans attention"),
                0,
            ),
        ),
        limits=_("Évaluations et redémarrages non comptés."),
    ),
    Formula(
        code="train_rate_mfu",
        title=_("Débit que donne un MFU"),
        formulas=("v = {m × F | C_m}",),
        units=_(
            "m part du pic, F FLOP/s denses de la carte, C_m FLOP par token que le MFU compte\u00a0; tok/s par GPU."
        ),
        source=_("Définition du MFU, convention dite\u00a0: 6N ou selon la méthode."),
        worked=(
            Worked(
                "0.2613 × 312000000000000 ÷ (6 × 2700000000)", Decimal("5032.4"), _("tok/s, A100, MFU 26,13\u00a0%"), 1
            ),
        ),
        limits=_("Un MFU mesuré ailleurs ne vaut que pour le même modèle, batch et logiciel."),
    ),
    Formula(
        code="train_mfu",
        title=_("MFU d’un débit"),
        formulas=("m = {v × f × N | F}",),
        units=_("tok/s × FLOP par token ÷ FLOP/s\u00a0; part du pic."),
        source=_("Le recalcul n’entre pas dans le MFU, il entre dans le HFU."),
        worked=(
            Worked(
                "1350 × 4 × 7241732096 ÷ 165200000000000",
                Decimal("0.23671"),
                _("part du pic\u00a0: 23,7\u00a0% à 4N, 35,5\u00a0% à 6N"),
                5,
            ),
        ),
        limits=_("Pic dense avec accumulation sur 32 bits, sans parcimonie."),
    ),
    Formula(
        code="train_time",
        title=_("Durée du travail"),
        formulas=("t = {D | v × g × 3600} × (1 + q)",),
        units=_("tokens ÷ (tok/s par GPU × GPU × s/h) × marge\u00a0; heures."),
        source=_("Vitesse par GPU\u00a0: calibrée sur des mesures publiées, annoncée, ou saisie."),
        worked=(Worked("3072000 ÷ (1350 × 1 × 3600)", Decimal("0.6321"), _("heures, soit 37,9 min"), 4),),
        limits=_("Réseau entre instances non compté\u00a0; sans chargement ni évaluation."),
    ),
    Formula(
        code="train_bill",
        title=_("Coût à l’heure"),
        formulas=("B = t_p × P × n",),
        units=_("heures payées × €/h par instance × instances\u00a0; € HT."),
        source=_("Durée arrondie une fois à l’unité de facturation, la seconde par défaut."),
        worked=(Worked("0.63211 × 1.50 × 1", Decimal("0.94817"), _("€ HT, essai publié"), 4),),
        limits=_("Le stockage des sauvegardes est compté à part."),
    ),
    Formula(
        code="train_bill_month",
        title=_("Coût au mois"),
        formulas=("B = j × P × n",),
        units=_("mois entiers × €/mois × instances\u00a0; € HT."),
        source=_("Un prix au mois est toujours allumé\u00a0: le mois entamé est dû."),
        worked=(Worked("1 × 830.64 × 1", Decimal("830.64"), _("€ HT"), 2),),
        limits=_("Le reste du mois est libre pour d’autres travaux."),
    ),
    Formula(
        code="train_energy",
        title=_("Énergie des cartes"),
        formulas=("E_w = w ÷ 1000 × g × t",),
        units=_("W ÷ 1\u202f000 × GPU × heures\u00a0; kWh."),
        source=_("Puissance de fiche (TDP) pendant toute la durée."),
        worked=(Worked("450 ÷ 1000 × 1 × 0.6321", Decimal("0.28444"), _("kWh"), 5),),
        limits=_("Majorant pour les cartes\u00a0; ni hôte, ni réseau, ni refroidissement."),
    ),
    Formula(
        code="train_states",
        title=_("Poids et états d’un GPU"),
        formulas=("Z = W + W_a + G + O",),
        units=_("poids, adaptateurs, gradients, états de l’optimiseur\u00a0; Gio."),
        source=_(
            "AdamW en précision mixte\u00a0: 2 + 2 + 4 + 4 + 4 octets par paramètre entraîné\u00a0; 10 avec des "
            "moments sur 8 bits."
        ),
        worked=(
            Worked("(2 + 2 + 4 + 4 + 4) × 7241732096 ÷ 1073741824", Decimal("107.91"), _("Gio pour un 7B complet"), 2),
        ),
        limits=_("TP et PP divisent poids et états\u00a0; ZeRO les partage entre copies à partir de son étage."),
    ),
    Formula(
        code="train_memory",
        title=_("Mémoire d’un GPU"),
        formulas=("M = Z + K + L + X",),
        units=_("poids et états, activations, logits, contexte CUDA\u00a0; Gio."),
        source=_("Activations, logits et contexte calibrés sur des mesures publiées."),
        worked=(Worked("4.77 + 11.02 + 0.22 + 2.91", Decimal("18.92"), _("Gio, essai publié sans recalcul"), 2),),
        limits=_("Comparée à la mémoire que le pilote annonce. Déchargement non modélisé."),
    ),
    Formula(
        code="checkpoint_size",
        title=_("Taille d’une sauvegarde"),
        formulas=("S = N_t × o",),
        units=_("paramètres entraînés × octets gardés\u00a0; octets."),
        source=_("2 octets pour servir, 14 pour reprendre avec AdamW\u00a0: poids, copie maîtresse, deux moments."),
        worked=(Worked("41943040 × 2", Decimal("83886080"), _("octets, adaptateurs"), 0),),
        limits=_("Une base gelée n’est pas sauvegardée à nouveau."),
    ),
    Formula(
        code="checkpoint_storage",
        title=_("Stockage des sauvegardes"),
        formulas=("B_s = S ÷ 1000000000 × h × y × P_s",),
        units=_("octets ÷ 10⁹ × sauvegardes × mois × €/Go·mois\u00a0; € HT."),
        source=_("Prix saisi\u00a0: l’offre n’en publie pas."),
        worked=(
            Worked(
                "14483464192 ÷ 1000000000 × 3 × 6 × 0.05",
                Decimal("13.035"),
                _("€ HT, trois sauvegardes d’un 7B pendant six mois à 0,05\u00a0€"),
                2,
            ),
        ),
        limits=_("Sans prix, le coût est inconnu et non nul."),
    ),
    Formula(
        code="saved_on_api",
        title=_("Économie par requête sur une API"),
        formulas=("E = u × p ÷ 1000000 ÷ x",),
        units=_("tokens × $/M ÷ 10⁶ ÷ $ par €\u00a0; € HT."),
        source=_("Tarif standard de l’entrée."),
        worked=(Worked("1500 × 0.75 ÷ 1000000 ÷ 1.1172", Decimal("0.0010070"), _("€ HT par requête"), 7),),
        limits=_("Sans cache de préfixes, qui réduirait l’économie."),
    ),
    Formula(
        code="saved_on_gpu",
        title=_("Économie par requête sur un GPU"),
        formulas=("E = {u | f_p × 3600} × P",),
        units=_("tokens ÷ (tok/s × s/h) × €/h d’un GPU\u00a0; € HT."),
        source=_("Temps de lecture gagné sur un serveur occupé."),
        worked=(Worked("1500 ÷ (5000 × 3600) × 1.50", Decimal("0.000125"), _("€ HT par requête"), 7),),
        limits=_(
            "Vaut de l’argent seulement si les heures sont rendues\u00a0: une carte toujours allumée coûte autant."
        ),
    ),
    Formula(
        code="prompt_payback",
        title=_("Requêtes pour rembourser l’entraînement"),
        formulas=("n_r = {B | E}",),
        units=_("€ ÷ € par requête\u00a0; requêtes."),
        source=_("Définition."),
        worked=(Worked("0.94817 ÷ 0.0010070", Decimal("941.6"), _("requêtes"), 0),),
        limits=_("Le temps d’ingénierie et d’évaluation n’est pas compté."),
    ),
)
