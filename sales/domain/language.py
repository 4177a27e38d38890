"""How many tokens a word of a language takes, by tokenizer: French costs more where the vocabulary is small.

Counted once on the two paragraphs below, which say the same; a test counts them again with the tokenizers we ship.
"""

import enum
from collections.abc import Mapping
from decimal import Decimal

from calculator.domain.tokens import TOKENIZER_OF_MODEL, TOKENIZER_OF_OPEN_MODEL
from calculator.domain.units import half_up


class Language(enum.StrEnum):
    """The language of prompts and answers; BOTH = half of the words in each."""

    FRENCH = "fr"
    ENGLISH = "en"
    BOTH = "both"


FRENCH_SAMPLE = (
    "Madame, Monsieur, nous avons bien reçu votre demande concernant la facture du mois dernier. Après vérification "
    "auprès de notre service comptable, le montant facturé correspond aux heures réellement consommées entre le "
    "premier et le trente. Vous trouverez en pièce jointe le détail des opérations, avec pour chaque journée le "
    "nombre de requêtes traitées, la durée moyenne de réponse et le coût correspondant. Si vous constatez un écart "
    "avec vos propres relevés, répondez simplement à ce message en indiquant la date concernée : un conseiller "
    "reprendra le calcul avec vous et, le cas échéant, un avoir sera émis sous dix jours ouvrés. Nous vous rappelons "
    "que les données échangées restent hébergées en Europe et ne servent à l’entraînement d’aucun modèle. Bien "
    "cordialement, l’équipe du support."
)
ENGLISH_SAMPLE = (
    "Dear customer, we have received your request about last month’s invoice. After checking with our accounting "
    "team, the amount billed matches the hours actually used between the first and the thirtieth. You will find "
    "attached the detail of every operation, with, for each day, the number of requests handled, the average response"
    " time and the corresponding cost. If you notice a difference with your own records, simply reply to this message"
    " with the date concerned: an adviser will go through the figures with you and, where needed, a credit note will "
    "be issued within ten working days. We remind you that the data exchanged stay hosted in Europe and are used to "
    "train no model. Kind regards, the support team."
)
WORDS: Mapping[Language, int] = {Language.FRENCH: 124, Language.ENGLISH: 120}
"""Words of each paragraph, cut at spaces."""
TOKENS: Mapping[Language, Mapping[str, int]] = {
    Language.FRENCH: {"cl100k_base": 208, "o200k_base": 170, "mistral-v1": 230, "mistral-v3": 230, "tekken": 172},
    Language.ENGLISH: {"cl100k_base": 141, "o200k_base": 140, "mistral-v1": 146, "mistral-v3": 146, "tekken": 141},
}
"""Tokens of each paragraph."""
USUAL_TOKENIZER = "cl100k_base"
"""Stands for the tokenizer of a model that is not among ours; whoever uses it says so."""
RATIO_DECIMALS = 2


def tokenizer_of(model: str) -> str | None:
    """The tokenizer of an open model or of an API; None where it is not published or not among ours."""
    return TOKENIZER_OF_OPEN_MODEL.get(model) or TOKENIZER_OF_MODEL.get(model)


def tokens_a_word(language: Language, tokenizer: str) -> Decimal:
    """Tokens of one word. Source: the paragraphs above.

    >>> round(tokens_a_word(Language.FRENCH, "mistral-v3"), 3), round(tokens_a_word(Language.ENGLISH, "mistral-v3"), 3)
    (Decimal('1.855'), Decimal('1.217'))
    """
    if language is Language.BOTH:
        return (tokens_a_word(Language.FRENCH, tokenizer) + tokens_a_word(Language.ENGLISH, tokenizer)) / 2
    return Decimal(TOKENS[language][tokenizer]) / WORDS[language]


def api_token_ratio(language: Language, model: str, api: str) -> Decimal:
    """Tokens that an API counts for one token of the open model, for the same text; 1 where either is not known.

    The French paragraph has 170 tokens for gpt-5.4 and 230 for Mistral 7B:

    >>> api_token_ratio(Language.FRENCH, "Mistral-7B-v0.3", "gpt-5.4")
    Decimal('0.74')
    """
    own, other = tokenizer_of(model), tokenizer_of(api)
    if own is None or other is None:
        return Decimal(1)
    return half_up(tokens_a_word(language, other) / tokens_a_word(language, own), RATIO_DECIMALS)
