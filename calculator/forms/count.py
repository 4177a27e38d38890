"""The form of a count: text or files, how they are cut into documents, and the tokenizers to count with."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator.counting.readers import SUFFIXES, Split
from calculator.fields import UNPRINTABLE
from calculator.forms.base import choice_errors
from calculator.forms.tokens import NAMES_OF_TOKENIZERS

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

MAX_COLUMN_CHARACTERS = 200


class SeveralFiles(forms.ClearableFileInput):
    """A field for files that takes more than one."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Every file that was sent; empty files are let through, so that they are refused by name."""

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[Any]]":
        """The files of one field. The list may be empty."""
        del initial
        sent = data if isinstance(data, list | tuple) else [data]
        return [file for file in sent if file]


class CountForm(forms.Form):
    """What is counted and how. Nothing of it is kept."""

    text = forms.CharField(
        label=gettext_lazy("Texte"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("Collez un texte, jusqu’à 2,5\u00a0Mo\u00a0; au-delà, envoyez un fichier."),
    )
    uploads = FilesField(
        label=gettext_lazy("Fichiers"),
        required=False,
        widget=SeveralFiles(attrs={"accept": ",".join(SUFFIXES)}),
        help_text=gettext_lazy("TXT, MD, CSV, TSV, JSONL, DOCX, PDF\u00a0; 50\u00a0Mo en tout."),
    )
    split = forms.ChoiceField(
        label=gettext_lazy("Un document est"),
        choices=(
            (Split.WHOLE.value, gettext_lazy("chaque texte ou fichier entier")),
            (Split.PARAGRAPHS.value, gettext_lazy("chaque paragraphe (ligne vide entre deux)")),
            (Split.LINES.value, gettext_lazy("chaque ligne")),
        ),
        required=False,
        error_messages=choice_errors(),
        help_text=gettext_lazy("Pour le texte collé et les fichiers TXT et MD."),
    )
    column = forms.CharField(
        label=gettext_lazy("Colonne ou clé"),
        required=False,
        max_length=MAX_COLUMN_CHARACTERS,
        help_text=gettext_lazy("Pour CSV, TSV et JSONL\u00a0: le nom, ou le numéro de la colonne. Par exemple texte."),
    )
    tokenizers = forms.MultipleChoiceField(
        label=gettext_lazy("Tokenizers"),
        choices=tuple(NAMES_OF_TOKENIZERS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple(),
        error_messages=choice_errors(),
    )
    own = forms.FileField(
        label=gettext_lazy("Votre tokenizer.json"),
        required=False,
        allow_empty_file=True,
        help_text=gettext_lazy(
            "Celui de la bibliothèque tokenizers\u00a0: 20\u00a0Mo au plus, pour 2\u00a0M de caractères."
        ),
    )

    def clean_text(self) -> str:
        """The text with line feeds as they were before the browser sent them: browsers send CR LF."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")

    def clean_split(self) -> Split:
        """How a text is cut; a whole one where nothing was sent."""
        return Split(self.cleaned_data["split"] or Split.WHOLE.value)

    def clean_column(self) -> str:
        """The name as it was typed, without control characters."""
        return UNPRINTABLE.sub("", self.cleaned_data["column"]).strip()

    def clean(self) -> dict[str, Any]:
        """Something to count with, and something to count."""
        cleaned: dict[str, Any] = self.cleaned_data
        if not cleaned.get("tokenizers") and not cleaned.get("own") and "tokenizers" not in self.errors:
            self.add_error("tokenizers", _("Choisissez au moins un tokenizer, ou envoyez le vôtre."))
        if not (cleaned.get("text") or "").strip() and not cleaned.get("uploads"):
            self.add_error("text", _("Collez un texte ou envoyez un fichier."))
        return cleaned


def first_form() -> CountForm:
    """The form of a first visit: every tokenizer ticked."""
    return CountForm(initial={"tokenizers": list(NAMES_OF_TOKENIZERS), "split": Split.WHOLE.value})
