"""Who gets through to a page."""

from django.utils.translation import gettext_lazy

from calculator import guards

SUPERUSERS = gettext_lazy("Les comptes sont réservés aux superutilisateurs.")

signed_in = guards.needs(lambda request: True, "account", SUPERUSERS)
"""Visitors are asked to log in; whoever has an account gets through."""
superusers_only = guards.needs(lambda request: request.user.is_superuser, "people", SUPERUSERS)
