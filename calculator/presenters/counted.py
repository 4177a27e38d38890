"""What a count counts, in words: GPUs, or whole instances where one instance holds several GPUs.

Prices, capacities and counts are those of an instance. With one GPU in it, people say GPU; with eight, “a GPU” would
be eight times too much.
"""

from decimal import Decimal

from calculator import formats
from calculator.domain.offers import Sku
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.presenters import words


def is_machine(sku: Sku) -> bool:
    """Several GPUs that are rented as one."""
    return sku.gpu_count > 1


def named(count: int, sku: Sku) -> str:
    """“GPU-PRO”, “3 × GPU-PRO”; of sets, all their instances."""
    every = count * sku.set_of
    return sku.code if every == 1 else f"{formats.number(every)}{formats.NBSP}× {sku.code}"


def instances(count: int, sku: Sku) -> str:
    """“3 GPU” or “3 instances”."""
    if is_machine(sku):
        text = ngettext("%(count)s instance", "%(count)s instances", count)
    else:
        text = ngettext("%(count)s GPU", "%(count)s GPU", count)
    return text % {"count": formats.number(count)}


def unit(sku: Sku) -> str:
    """The unit of a count in a table."""
    return _("instances") if is_machine(sku) else "GPU"


def ceiling(share: str, tokens: Decimal, sku: Sku) -> str:
    """The planned utilisation, and what one of them carries at it."""
    if is_machine(sku):
        text = _("plafond prévu\u00a0: %(ceiling)s, %(count)s tokens par instance")
    else:
        text = _("plafond prévu\u00a0: %(ceiling)s, %(count)s tokens par GPU")
    return text % {"ceiling": share, "count": formats.tokens_before(tokens)}


def use_of_one(share: str, sku: Sku) -> str:
    """The load at which one of them breaks even."""
    if is_machine(sku):
        return _("tokens par mois, %(use)s d’utilisation d’une instance") % {"use": share}
    return _("tokens par mois, %(use)s d’utilisation d’un GPU") % {"use": share}


def only_from(count: int | None, sku: Sku) -> str:
    """The count from which fixed costs are spread."""
    if is_machine(sku):
        return _("seulement à partir de %(count)s instances") % {"count": formats.number(count)}
    return _("seulement à partir de %(count)s GPU") % {"count": formats.number(count)}


def threshold(rank: int | None, sku: Sku) -> str:
    """The volume at which one more is needed; `rank` None where it is unknown which."""
    if rank is None:
        return _("seuil de l’instance suivante") if is_machine(sku) else _("seuil du GPU suivant")
    text = _("seuil de la %(rank)s instance") if is_machine(sku) else _("seuil du %(rank)s GPU")
    return text % {"rank": words.ordinal(rank)}


def riser(rank: int, sku: Sku) -> str:
    """A riser of the staircase."""
    text = _("au-delà\u00a0: %(rank)s instance") if is_machine(sku) else _("au-delà\u00a0: %(rank)s GPU")
    return text % {"rank": words.ordinal(rank)}


def reading_of_stairs(sku: Sku) -> str:
    """How to read the chart's staircase."""
    if is_machine(sku):
        return _(
            "Coût mensuel en € HT. Chaque marche est une instance de plus\u00a0; en bleu pâle, le GPU est moins cher."
        )
    return _("Coût mensuel en € HT. Chaque marche est un GPU de plus\u00a0; en bleu pâle, le GPU est moins cher.")


def capacity(sku: Sku) -> str:
    """The title of what one of them carries."""
    return _("Capacité prévue d’une instance") if is_machine(sku) else _("Capacité prévue d’un GPU")


def capacity_with_prompt(sku: Sku) -> str:
    """The same with the prompts it reads."""
    if is_machine(sku):
        return _("Capacité prévue d’une instance, prompts compris")
    return _("Capacité prévue d’un GPU, prompts compris")


def capacity_a_month(sku: Sku) -> str:
    """The same as the meaning of a symbol."""
    return _("capacité prévue d’une instance par mois") if is_machine(sku) else _("capacité prévue d’un GPU par mois")


def whole_count(sku: Sku) -> str:
    """The title of how many are needed."""
    return _("Nombre d’instances entières") if is_machine(sku) else _("Nombre de GPU entiers")


def whole(sku: Sku) -> str:
    """The same as the meaning of a symbol."""
    return _("instances entières") if is_machine(sku) else _("GPU entiers")
