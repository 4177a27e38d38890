"""Forms of logging in and of people."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from vmcloud.accounts import people, roles, secondfactor

CODE_INPUT = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "spellcheck": "false"})


def code_field(label: Any, *, required: bool, hint: Any = "") -> forms.CharField:
    """Six digits; spaces that an application prints between them are taken away by `spaceless`."""
    return forms.CharField(label=label, required=required, max_length=12, help_text=hint, widget=CODE_INPUT)


def spaceless(code: str) -> str:
    return "".join(code.split())


class SignInForm(AuthenticationForm):
    """Name and password, and the code of those who turned the second factor on."""

    code = code_field(
        _("Code à six chiffres"), required=False, hint=_("Seulement si vous avez activé le second facteur.")
    )

    def name_typed(self) -> str:
        """The name that authentication will look for: spaces around it and wide letters make no other name of it."""
        name = self.fields["username"].to_python(self.data.get("username", ""))
        return str(name).replace("\x00", "")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        user = self.get_user()
        if user is not None and secondfactor.is_on(user):
            self._check_code(user, spaceless(cleaned.get("code", "")))
        return cleaned

    def _check_code(self, user: User, code: str) -> None:
        if not code:
            raise ValidationError({"code": _("Ce compte demande aussi le code de votre application.")})
        if not secondfactor.fits(user, code):
            # Counted like a wrong password: the lock-out holds for guessed codes too.
            user_login_failed.send(__name__, credentials={"username": user.get_username()}, request=self.request)
            raise ValidationError({"code": _("Ce code n’est pas, ou plus, le bon. Attendez le suivant.")})


class CodeForm(forms.Form):
    """One code, to turn the second factor on or off."""

    code = code_field(_("Code à six chiffres"), required=True)

    def clean_code(self) -> str:
        return spaceless(self.cleaned_data["code"])


class PersonForm(forms.Form):
    """What a superuser decides about a person."""

    email = forms.EmailField(label=_("Adresse électronique"), required=False, max_length=254)
    groups = forms.MultipleChoiceField(label=_("Groupes"), required=False, widget=forms.CheckboxSelectMultiple)
    is_superuser = forms.BooleanField(
        label=_("Superutilisateur"), required=False, help_text=_("A tous les droits et gère les personnes.")
    )
    is_active = forms.BooleanField(label=_("Compte actif"), required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["groups"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, f"{name} — {roles.meaning(name)}".rstrip(" —")) for name in people.group_names()]

    def wanted(self) -> people.Wanted:
        data = self.cleaned_data
        return people.Wanted(data["email"], tuple(data["groups"]), data["is_active"], data["is_superuser"])


class NewPersonForm(PersonForm):
    """The same with the name, which never changes afterwards."""

    field_order = ["username", "email", "groups", "is_superuser", "is_active"]
    username = forms.CharField(
        label=_("Nom d’utilisateur"),
        max_length=150,
        help_text=_("Lettres, chiffres et @ . + - _"),
        validators=[UnicodeUsernameValidator()],
    )

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if any(person.user.username.casefold() == name.casefold() for person in people.listed()):
            raise ValidationError(_("Ce nom est déjà pris."))
        return name


def filled(person: people.Person) -> dict[str, Any]:
    """A person as the form shows him."""
    user = person.user
    return {
        "email": user.email,
        "groups": list(person.groups),
        "is_superuser": user.is_superuser,
        "is_active": user.is_active,
    }


def role_lines() -> tuple[tuple[str, str], ...]:
    """Each group with what it is for."""
    return tuple((name, roles.meaning(name)) for name in people.group_names())
