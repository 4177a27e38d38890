"""The groups that the product knows and what each may do. Nothing is ever taken away from a group here."""

from typing import cast

from django.contrib.auth.models import Group, Permission
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# Group → the permissions that its work needs, as app.codename.
ROLES: dict[str, tuple[str, ...]] = {
    "sales": ("calculator.view_private_prices", "sales.make_quotes"),
    "pricing": (
        "calculator.upload_prices",
        "calculator.apply_prices",
        "calculator.rollback_prices",
        "sales.set_costs",
    ),
    # Letting a price begin in the past takes somebody of both groups: whoever applies, and may also answer for it.
    "approver": (
        "calculator.approve_prices",
        "calculator.backdate_prices",
        "benchmarks.approve_results",
        "sales.approve_quotes",
    ),
    "operator": ("benchmarks.operate_benchmarks",),
}
MEANINGS: dict[str, Promise] = {
    "sales": cast(Promise, _("Ventes : fait les devis, voit les prix privés et négociés.")),
    "pricing": cast(Promise, _("Tarifs : dépose et applique des listes de prix, tient les coûts de revient.")),
    "approver": cast(Promise, _("Approbation : donne le second accord.")),
    "operator": cast(Promise, _("Mesures : lance, annule et publie des mesures.")),
}


def meaning(name: str) -> str:
    """What a group is for; a group of the administrator's own has no words here."""
    return str(MEANINGS.get(name, ""))


def sync() -> list[str]:
    """Make the groups that are missing and give each what its role needs; returns one line for each thing done.

    Raises LookupError for a permission that no installed application defines: the tables are then not migrated.
    """
    done = []
    for name, wanted in ROLES.items():
        group, is_new = Group.objects.get_or_create(name=name)
        if is_new:
            done.append(f"group {name} made")
        held = set(group.permissions.values_list("content_type__app_label", "codename"))
        for right in wanted:
            label, _dot, codename = right.partition(".")
            if (label, codename) not in held:
                group.permissions.add(_permission(label, codename))
                done.append(f"{name} may {right}")
    return done


def _permission(label: str, codename: str) -> Permission:
    found = Permission.objects.filter(content_type__app_label=label, codename=codename).first()
    if found is None:
        raise LookupError(f"There is no permission {label}.{codename}: run `manage.py migrate` first.")
    return found
