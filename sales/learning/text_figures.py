"""Live figures of the explanation of tokens: a sentence counted by the tokenizers that the product ships."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from calculator import formats
from calculator.counting.encoders import encoder
from calculator.domain.provenance import Kind
from sales.learning.figures import Live, answered, marked, page_of

# The reference sentence of the offer, and what it says in English: tokens depend on the language of the text.
FRENCH = "Le cloud européen, bâti pour la production."
ENGLISH = "The European cloud, built for production."
OLDER, NEWER = "cl100k_base", "o200k_base"


def figures() -> Mapping[str, Live]:
    """The sentence in both languages under two tokenizers, and the size of the older vocabulary."""
    href = page_of("tokens", answered("tokens"))
    older, newer = encoder(OLDER), encoder(NEWER)
    counted = {
        "french": (older.count(FRENCH), _("tokens pour la phrase française, cl100k")),
        "english": (older.count(ENGLISH), _("tokens pour la même phrase en anglais, cl100k")),
        "newer": (newer.count(FRENCH), _("tokens pour la phrase française, o200k")),
        "vocabulary": (older.mergeable_count, _("entrées du vocabulaire cl100k")),
    }
    return {
        name: Live(formats.number(value), label, href, marked(Kind.MEASURED))
        for name, (value, label) in counted.items()
    }
