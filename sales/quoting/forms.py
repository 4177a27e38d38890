"""Forms of quotes: who it is for, until when, and the seller's own price with its reason."""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from calculator import fields
from calculator.fields import Limits, NumberField, Quantity
from sales.models import Quote, QuoteCustomer

LONGEST_VALIDITY_DAYS = 366
REASON_CHARACTERS = 500
UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f]")
DISCOUNT = Quantity(Limits(Decimal(0), Decimal("0.99")), ("%",), percent=True)
AGREED = Quantity(Limits(Decimal("0.0001"), Decimal(1_000_000)), fields.EURO)
COST = Quantity(Limits(Decimal("0.0001"), Decimal(100_000)), ("€ / h", "€/h", *fields.EURO))
LANGUAGES = (("fr", _("français")), ("en", _("anglais")))
DAY = "%Y-%m-%d"
RATIO_DECIMALS, PRICE_DECIMALS = 4, 6


def written(text: str, most: int = REASON_CHARACTERS) -> str:
    """Free text without control characters but line ends, cut to what is kept."""
    return UNPRINTABLE.sub("", text.replace("\r\n", "\n"))[:most].strip()


def usual_validity() -> dt.date:
    """The day that a quote made today is valid until, unless its maker types another."""
    return timezone.localdate() + dt.timedelta(days=settings.QUOTE_VALID_DAYS)


class QuoteForm(forms.Form):
    """Everything about a quote that does not come from its scenario."""

    name = forms.CharField(
        label=_("Client"), max_length=200, error_messages={"required": _("Indiquez le nom du client.")}
    )
    contact = forms.CharField(label=_("Contact du client"), max_length=300, required=False)
    reference = forms.CharField(label=_("Référence du client"), max_length=120, required=False)
    valid_until = forms.DateField(
        label=_("Valable jusqu’au"),
        widget=forms.DateInput(attrs={"type": "date"}, format=DAY),
        input_formats=[DAY, "%d/%m/%Y"],
        error_messages={
            "required": _("Indiquez jusqu’à quand le devis vaut."),
            "invalid": _("Une date est attendue, par exemple 31/12/2026."),
        },
    )
    language = forms.ChoiceField(label=_("Langue du devis"), choices=LANGUAGES)
    vat_ratio = NumberField(fields.VAT, label=_("TVA (en\u00a0%)"))
    discount_ratio = NumberField(DISCOUNT, label=_("Remise (en\u00a0%)"), required=False)
    agreed_eur = NumberField(AGREED, label=_("Prix convenu d’une instance (en\u00a0€ HT)"), required=False)
    is_negotiated = forms.BooleanField(label=_("Prix négocié du catalogue"), required=False)
    reason = forms.CharField(label=_("Raison de la remise ou du prix"), max_length=500, required=False)

    def __init__(self, *args: Any, negotiated: Decimal | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.negotiated = negotiated
        if negotiated is None:
            del self.fields["is_negotiated"]

    def clean_valid_until(self) -> dt.date:
        """Today or later, within a year."""
        day: dt.date = self.cleaned_data["valid_until"]
        today = timezone.localdate()
        if not today <= day <= today + dt.timedelta(days=LONGEST_VALIDITY_DAYS):
            raise forms.ValidationError(_("La date est entre aujourd’hui et dans un an."))
        return day

    def clean(self) -> dict[str, Any]:
        """A concession has a reason; two prices contradict each other."""
        found = super().clean() or self.cleaned_data
        if found.get("is_negotiated") and found.get("agreed_eur") is not None:
            self.add_error("agreed_eur", _("Choisissez le prix négocié ou un prix convenu, non les deux."))
        own = found.get("is_negotiated") or found.get("agreed_eur") is not None or found.get("discount_ratio")
        if own and not found.get("reason"):
            self.add_error("reason", _("Dites pourquoi ce prix n’est pas celui du tarif."))
        return found

    def customer(self) -> dict[str, str]:
        """Who the quote is for."""
        return {name: self.cleaned_data[name] for name in ("name", "contact", "reference")}

    def values(self) -> dict[str, Any]:
        """The quote's own columns."""
        found = self.cleaned_data
        negotiated = bool(found.get("is_negotiated"))
        agreed = self.negotiated if negotiated else found["agreed_eur"]
        discount = found["discount_ratio"] or Decimal(0)
        return {
            "valid_until": found["valid_until"],
            "language": found["language"],
            "vat_ratio": rounded(found["vat_ratio"], RATIO_DECIMALS),
            "discount_ratio": rounded(discount, RATIO_DECIMALS),
            "agreed_eur": None if agreed is None else rounded(agreed, PRICE_DECIMALS),
            "is_negotiated": negotiated,
            "reason": found["reason"] if agreed is not None or discount else "",
        }


def rounded(value: Decimal, decimals: int) -> Decimal:
    """What the column can hold."""
    return value.quantize(Decimal(1).scaleb(-decimals))


def initial_of(quote: Quote, customer: QuoteCustomer) -> Mapping[str, Any]:
    """A draft as the form shows it."""
    agreed = None if quote.is_negotiated else quote.agreed_eur
    return {
        "name": customer.name,
        "contact": customer.contact,
        "reference": customer.reference,
        "valid_until": quote.valid_until,
        "language": quote.language,
        "vat_ratio": quote.vat_ratio,
        "discount_ratio": quote.discount_ratio or None,
        "agreed_eur": agreed,
        "is_negotiated": quote.is_negotiated,
        "reason": quote.reason,
    }


class CostForm(forms.Form):
    """What an hour of one instance costs the seller."""

    sku = forms.ChoiceField(label=_("Configuration"))
    eur_per_h = NumberField(COST, label=_("Coût de revient d’une heure (en\u00a0€ HT)"))
    source = forms.CharField(
        label=_("D’où vient ce coût"),
        max_length=300,
        error_messages={"required": _("Dites d’où vient ce coût\u00a0: facture, contrat, calcul.")},
    )

    def __init__(self, *args: Any, skus: tuple[tuple[str, str], ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sku"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(skus)
