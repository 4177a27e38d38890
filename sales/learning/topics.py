"""The explanations: address, question, one-sentence answer, and the live figures that each one shows."""

from dataclasses import dataclass
from typing import cast

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from sales.learning import cost_figures, serving_figures, text_figures, training_figures
from sales.learning.figures import Figures


@dataclass(frozen=True, slots=True)
class Topic:
    """One explanation; its text is the template sales/learn/<slug>.html."""

    slug: str
    question: Promise
    answer: Promise
    figures: Figures

    @property
    def template(self) -> str:
        return f"sales/learn/{self.slug}.html"


def topic(slug: str, question: object, answer: object, figures: Figures) -> Topic:
    """A topic whose words are translated when they are shown."""
    return Topic(slug, cast(Promise, question), cast(Promise, answer), figures)


TOPICS: tuple[Topic, ...] = (
    topic(
        "tokens",
        _("Qu’est-ce qu’un token\u00a0?"),
        _(
            "Un morceau de texte que le modèle lit ou écrit d’un coup. Le même texte en compte plus ou moins selon "
            "sa langue et le tokenizer."
        ),
        text_figures.figures,
    ),
    topic(
        "prefill-decode",
        _("Pourquoi lire va-t-il tellement plus vite qu’écrire\u00a0?"),
        _(
            "Le prompt est lu d’un bloc et occupe les unités de calcul\u00a0; la réponse s’écrit token par token et "
            "attend la mémoire."
        ),
        serving_figures.phase_figures,
    ),
    topic(
        "load",
        _("Pourquoi le TTFT grandit-il avec la charge\u00a0?"),
        _("Les requêtes partagent la même carte\u00a0: chacune attend un peu plus, et toutes ensemble coûtent moins."),
        serving_figures.load_figures,
    ),
    topic(
        "precision",
        _("FP8 ou FP16\u00a0?"),
        _(
            "Deux fois moins d’octets par poids, donc plus de place et de débit là où la carte a des unités FP8\u00a0; "
            "la qualité se vérifie sur vos propres exemples."
        ),
        serving_figures.precision_figures,
    ),
    topic(
        "training-loop",
        _("Que fait une boucle d’entraînement\u00a0?"),
        _("Prédire, mesurer l’erreur, la remonter, corriger les poids\u00a0; puis recommencer avec le batch suivant."),
        training_figures.loop_figures,
    ),
    topic(
        "all-reduce",
        _("Pourquoi huit GPU ne vont-ils pas huit fois plus vite\u00a0?"),
        _("À chaque pas, tous s’échangent leurs gradients, et le batch ne se partage pas toujours bien."),
        training_figures.exchange_figures,
    ),
    topic(
        "fine-tuning",
        _("Affiner un modèle ou écrire un meilleur prompt\u00a0?"),
        _(
            "Le prompt d’abord. L’affinage quand le format doit être strict, le domaine étroit, ou le modèle petit "
            "et rapide."
        ),
        training_figures.payback_figures,
    ),
    topic(
        "price",
        _("Quand l’API est-elle moins chère\u00a0?"),
        _("Souvent\u00a0: tant que la carte attend plus qu’elle ne produit, ou face aux petits modèles d’API."),
        cost_figures.figures,
    ),
)
BY_SLUG = {item.slug: item for item in TOPICS}
