"""Forms of the price pages. A price typed in becomes a file of one line, and goes the way of every file."""

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from calculator.codes import is_code
from calculator.fields import Limits, NumberField, Quantity, Text, plain
from calculator.listing.history import MODE_NAMES
from calculator.models import Audience, CatalogItem
from calculator.presenters.labels import component_name
from calculator.presenters.pricelist import cell_sentence
from calculator.pricelist import mapping
from calculator.pricelist.columns import COLUMNS
from calculator.pricelist.contract import FileKind
from calculator.pricelist.limits import FILE_BYTES
from calculator.pricelist.priceline import COMPONENTS, MODES
from calculator.pricing.filing import file_of
from calculator.snapshots import PARIS

AMOUNT = Quantity(Limits(Decimal(0), Decimal("999999.999999999")), ("€", "$"))
TOKENS = Quantity(Limits(Decimal(0), Decimal(2**31 - 1)), ("tokens", "token"), whole=True)
COUNT = Quantity(Limits(Decimal(1), Decimal(32_768)), whole=True)
GIGABYTES = Quantity(Limits(Decimal(1), Decimal(10_000_000)), ("Go", "GB"))
ENCODINGS = (("", _("reconnu")), ("utf-8", "UTF-8"), ("windows-1252", "Windows-1252"))
MARKS = (("", _("déduit du fichier")), (",", _("virgule")), (".", _("point")))
KIND_NAMES: Mapping[str, Text] = {
    FileKind.GPU: _("prix des GPU"),
    FileKind.LLM: _("prix des API"),
    FileKind.FX: _("cours de change"),
    FileKind.GPU_SHEET: _("fiches des GPU"),
    FileKind.MODEL_SHEET: _("fiches des modèles"),
}
ITEM_KINDS = (
    (CatalogItem.Kind.LLM_MODEL, _("modèle de langage")),
    (CatalogItem.Kind.EMBEDDING, _("modèle d’embedding")),
)
MOVE = "move"
VARIABLE = ("variable", _("prix variable"))
PRICE_KINDS = (("price", _("prix")), ("free", _("gratuit")), VARIABLE, ("withdrawn", _("retiré de la vente")))
AUDIENCES = ((Audience.PUBLIC, _("publics")), (Audience.SALES, _("privés : vus du groupe « sales » seul")))
CURRENCIES = (("EUR", "€"), ("USD", "$"))
UNITS = {"instance_hour": "instance_hour", "instance_month": "instance_month", "image": "image", "request": "request"}
REASON_CHARACTERS = 500
LEFT_OUT, NOT_TOLD = "", "?"
TWICE = _("Deux en-têtes ne peuvent pas désigner la même colonne, ni une colonne que cette sorte de fichier n’a pas.")


def check_code(text: str) -> None:
    """Raise ValidationError for what no link could name."""
    if not is_code(text):
        raise ValidationError(cell_sentence("not_a_code", text=text))


class AudienceForm(forms.Form):
    """Whose prices these are; asked only of people who may see private ones."""

    audience = forms.ChoiceField(label=_("Prix"), choices=AUDIENCES, required=False, initial=Audience.PUBLIC)

    def __init__(self, *args: Any, may_be_private: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_be_private:
            del self.fields["audience"]

    def audience_of(self) -> str:
        """The audience chosen; public where nothing was asked."""
        return self.cleaned_data.get("audience") or Audience.PUBLIC


class UploadForm(AudienceForm):
    """One file, and what a reader cannot know by itself."""

    file = forms.FileField(
        label=_("Fichier"),
        help_text=_("CSV, XLSX ou JSON ; cours de la BCE en XML, CSV ou zip. 100 000 lignes et 20 Mo au plus."),
        error_messages={
            "required": _("Choisissez un fichier."),
            "empty": _("Le fichier est vide."),
            "missing": _("Choisissez un fichier."),
        },
    )
    field_order = ["file", "audience"]

    def clean_file(self) -> Any:
        """Refused by its size before a byte of it is read."""
        found = self.cleaned_data["file"]
        if found.size > FILE_BYTES:
            raise ValidationError(_("Le fichier dépasse 20 Mo."))
        return found


class ReadingForm(forms.Form):
    """How to read a file whose reading was not what its sender meant."""

    kind = forms.ChoiceField(label=_("Contenu"), required=False)
    encoding = forms.ChoiceField(label=_("Codage"), choices=ENCODINGS, required=False)
    decimal_mark = forms.ChoiceField(label=_("Séparateur décimal"), choices=MARKS, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.ChoiceField, self.fields["kind"])
        field.choices = [("", _("reconnu aux colonnes")), *KIND_NAMES.items()]


class ColumnsForm(ReadingForm):
    """What each foreign header means; remembered for the next file of the same person."""

    def __init__(self, *args: Any, headers: Iterable[str], kind: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.headers = tuple(headers)
        kinds = [FileKind(kind)] if kind else list(COLUMNS)
        known = list(dict.fromkeys(column for one in kinds for column in COLUMNS[one]))
        choices = [(NOT_TOLD, _("— à préciser —")), (LEFT_OUT, _("laisser de côté")), *((name, name) for name in known)]
        for place, header in enumerate(self.headers):
            start = header.strip().casefold()
            self.fields[f"column-{place}"] = forms.ChoiceField(
                label=header, choices=choices, required=False, initial=start if start in known else NOT_TOLD
            )
            # A remembered meaning that this kind of file has no column for is asked again.
            if self.initial.get(f"column-{place}", NOT_TOLD) not in (LEFT_OUT, NOT_TOLD, *known):
                del self.initial[f"column-{place}"]

    def kind_of_file(self) -> FileKind:
        """What the file holds: as chosen, else what its headers most probably name."""
        chosen = self.cleaned_data["kind"]
        return FileKind(chosen) if chosen else mapping.probable_kind(self.headers)

    def clean(self) -> dict[str, Any]:
        """No two headers mean the same column."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            for header in mapping.wrong(self.mapping(), self.headers, self.kind_of_file()):
                place = self.headers.index(header)
                self.add_error(f"column-{place}", TWICE)
        return cleaned

    def mapping(self) -> dict[str, str]:
        """Header → column, for those that were told."""
        told = ((header, self.cleaned_data[f"column-{place}"]) for place, header in enumerate(self.headers))
        return {header: column for header, column in told if column != NOT_TOLD}


class ReasonForm(forms.Form):
    """Why; kept for good."""

    reason = forms.CharField(
        label=_("Raison"),
        max_length=REASON_CHARACTERS,
        error_messages={"required": _("Dites pourquoi, en une phrase.")},
    )


class PlannedForm(ReasonForm):
    """A planned price is cancelled, or with `step` = move begins at another instant."""

    effective = forms.CharField(
        label=_("Nouvel instant, pour déplacer"),
        required=False,
        help_text=_("Jour ou jour et heure de Paris : 2026-12-01 ou 2026-12-01 08:00."),
    )
    step = forms.CharField(required=False)

    def clean(self) -> dict[str, Any]:
        data = cast("dict[str, Any]", super().clean())
        try:
            start = paris_instant(data.get("effective", ""))
        except ValidationError as error:
            self.add_error("effective", error)
            return data
        is_moved = data.get("step") == MOVE
        if is_moved and start is None:
            self.add_error("effective", _("Dites à partir de quand le prix vaudra."))
        if start is not None and not is_moved:
            self.add_error("effective", _("Pour annuler le prix, laissez l’instant vide."))
        return {**data, "start": start if is_moved else None}


class ApplyForm(forms.Form):
    """From when on the prices of a file that does not say it hold; empty: from the moment of application."""

    effective = forms.CharField(
        label=_("Effet"),
        required=False,
        help_text=_("Jour ou jour et heure de Paris : 2026-12-01 ou 2026-12-01 08:00. Vide : tout de suite."),
    )

    reason = forms.CharField(label=_("Raison"), required=False, max_length=REASON_CHARACTERS)
    old_rate = forms.BooleanField(
        label=_("Cours de change ancien"),
        error_messages={"required": _("Le cours a plus de dix jours ouvrés : cochez pour appliquer quand même.")},
    )

    def __init__(self, *args: Any, asks_rate: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks_rate:
            del self.fields["old_rate"]

    def clean_effective(self) -> dt.datetime | None:
        """The instant, in Paris; None for at once."""
        return paris_instant(self.cleaned_data["effective"])


def paris_instant(text: str) -> dt.datetime | None:
    """A day or a day and an hour as it is written in either language; None for nothing. ValidationError."""
    written = " ".join(text.replace("T", " ").split())
    if not written:
        return None
    for pattern in ("%Y-%m-%d %H:%M", "%Y-%m-%d", "%d/%m/%Y %H:%M", "%d/%m/%Y"):
        try:
            naive = dt.datetime.strptime(written, pattern)  # noqa: DTZ007  (made aware below)
        except ValueError:
            continue
        return _in_paris(naive)
    raise ValidationError(_("Écrivez un jour comme 2026-12-01, ou un jour et une heure comme 2026-12-01 08:00."))


def _in_paris(naive: dt.datetime) -> dt.datetime:
    """An hour that exists once in Paris: the night of a clock change has one that does not, and one that is twice."""
    found = naive.replace(tzinfo=PARIS)
    other = naive.replace(tzinfo=PARIS, fold=1)
    if found.utcoffset() != other.utcoffset() or found.astimezone(dt.UTC).astimezone(PARIS) != found:
        raise ValidationError(
            _("Cette heure n’existe pas, ou deux fois, ce jour-là à Paris : choisissez-en une autre.")
        )
    return found


class PriceForm(AudienceForm):
    """One price. `kind` of the file: GPU or API."""

    code = forms.CharField(label=_("Article"), max_length=120)
    component = forms.ChoiceField(label=_("Composante"))
    mode = forms.ChoiceField(label=_("Mode"))
    price_kind = forms.ChoiceField(label=_("Sorte"), choices=PRICE_KINDS)
    amount = NumberField(label=_("Montant HT"), quantity=AMOUNT, required=False)
    currency = forms.ChoiceField(label=_("Monnaie"), choices=CURRENCIES)
    context_over = NumberField(label=_("Palier : entrée au-delà de"), quantity=TOKENS, required=False)
    valid_from = forms.CharField(
        label=_("À partir du"),
        required=False,
        help_text=_("Jour ou jour et heure de Paris ; vide : à l’application."),
    )
    source_url = forms.URLField(label=_("Source"), required=False, max_length=500, assume_scheme="https")
    checked_on = forms.DateField(label=_("Vérifié le"), input_formats=["%Y-%m-%d", "%d/%m/%Y"])

    def __init__(self, *args: Any, kind: FileKind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        self.choices("component").choices = [(name, component_name(name)) for name in COMPONENTS[kind]]
        self.choices("mode").choices = [(name, MODE_NAMES.get(name, name)) for name in MODES[kind]]
        self.fields["checked_on"].initial = timezone.localdate().isoformat()
        self.fields["currency"].initial = "EUR" if kind is FileKind.GPU else "USD"
        if kind is FileKind.GPU:
            del self.fields["context_over"]
            self.choices("price_kind").choices = [one for one in PRICE_KINDS if one != VARIABLE]

    def choices(self, name: str) -> forms.ChoiceField:
        return cast(forms.ChoiceField, self.fields[name])

    def clean_valid_from(self) -> dt.datetime | None:
        return paris_instant(self.cleaned_data["valid_from"])

    def clean(self) -> dict[str, Any]:
        """A price has an amount; what is free, variable or withdrawn has none."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("price_kind") == "price" and cleaned.get("amount") is None and "amount" not in self.errors:
            self.add_error("amount", _("Donnez le montant, ou dites dans «\u00a0Sorte\u00a0» ce qu’il en est."))
        return cleaned

    def content(self) -> bytes:
        """The price as a file of one line."""
        data = self.cleaned_data
        component = data["component"]
        row = {
            "sku" if self.kind is FileKind.GPU else "model": data["code"],
            "component": component,
            "mode": data["mode"],
            "kind": data["price_kind"],
            "amount": "0" if data["price_kind"] == "free" else _number(data["amount"]),
            "currency": data["currency"],
            "unit": UNITS.get(component, "mtok"),
            "context_over": _number(data.get("context_over")),
            "valid_from": data["valid_from"].isoformat() if data["valid_from"] else "",
            "source_url": data["source_url"],
            "checked_on": data["checked_on"].isoformat(),
        }
        return file_of(self.kind, row)


class SkuForm(forms.Form):
    """A new GPU configuration, or changed words of a known one; its prices come as prices."""

    code = forms.CharField(
        label=_("Code"), max_length=60, help_text=_("Comme dans l’offre : GPU-PRO."), validators=[check_code]
    )
    provider = forms.CharField(label=_("Fournisseur"), max_length=60, initial="VMCloud")
    label_fr = forms.CharField(label=_("Nom en français"), max_length=120)
    label_en = forms.CharField(label=_("Nom en anglais"), max_length=120)
    gpu = forms.CharField(label=_("GPU"), max_length=40, help_text=_("Un nom des fiches, comme « RTX 4090 »."))
    gpu_count = NumberField(label=_("Nombre de GPU"), quantity=COUNT)
    vram_gb = NumberField(label=_("Mémoire en tout (Go)"), quantity=GIGABYTES)
    aliases = forms.CharField(label=_("Autres noms"), required=False, help_text=_("Séparés par des virgules."))

    def content(self) -> bytes:
        """The item as a file of one line without a price."""
        data = self.cleaned_data
        row = {"sku": data["code"], **{name: data[name] for name in ("provider", "label_fr", "label_en", "gpu")}}
        numbers = {name: _number(data[name]) for name in ("gpu_count", "vram_gb")}
        return file_of(FileKind.GPU, {**row, **numbers, "aliases": parted(data["aliases"])})


class ModelForm(forms.Form):
    """A new API model or embedding, another name of a known one, or its retirement."""

    code = forms.CharField(
        label=_("Code"), max_length=60, help_text=_("Comme chez le fournisseur : gpt-5.4."), validators=[check_code]
    )
    item_kind = forms.ChoiceField(label=_("Sorte"), choices=ITEM_KINDS)
    provider = forms.CharField(label=_("Fournisseur"), max_length=60)
    label_fr = forms.CharField(label=_("Nom en français"), max_length=120, required=False)
    label_en = forms.CharField(label=_("Nom en anglais"), max_length=120, required=False)
    context_window = NumberField(label=_("Fenêtre de contexte (tokens)"), quantity=TOKENS, required=False)
    aliases = forms.CharField(label=_("Autres noms"), required=False, help_text=_("Séparés par des virgules."))
    retired_on = forms.DateField(label=_("Retiré le"), required=False, input_formats=["%Y-%m-%d", "%d/%m/%Y"])

    def content(self) -> bytes:
        """The item as a file of one line without a price."""
        data = self.cleaned_data
        names = ("item_kind", "provider", "label_fr", "label_en")
        row = {
            "model": data["code"],
            **{name: data[name] for name in names},
            "context_window": _number(data["context_window"]),
            "aliases": parted(data["aliases"]),
            "retired_on": data["retired_on"].isoformat() if data["retired_on"] else "",
        }
        return file_of(FileKind.LLM, row)


def parted(text: str) -> str:
    """Names between commas as a file parts them."""
    return "|".join(name.strip() for name in text.split(",") if name.strip())


def _number(value: Decimal | None) -> str:
    return "" if value is None else plain(value)
