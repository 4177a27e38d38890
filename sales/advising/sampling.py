"""A sample prompt and answer, counted with the model's own tokenizer; only the two numbers go back into the need."""

from dataclasses import replace
from decimal import Decimal

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from calculator import answers, pagestate, permalinks
from calculator.counting.encoders import encoder
from calculator.fields import Text
from calculator.tool import Answer
from calculator.views import needs_catalogue
from sales.advising.tool import NAME, TOOL
from sales.domain.language import USUAL_TOKENIZER, tokenizer_of
from sales.domain.need import Need, Unit

MOST_CHARACTERS = 40_000
PAGE = "sales/advice_text.html"


def text_field(label: Text, hint: Text) -> forms.CharField:
    """A text as it is, blanks and all."""
    return forms.CharField(
        label=label,
        help_text=hint,
        required=False,
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        error_messages={"max_length": gettext_lazy("Ce texte est trop long\u00a0: 40\u202f000 caractères au plus.")},
    )


class SampleForm(forms.Form):
    """A typical prompt, with all that goes with it, and a typical answer."""

    prompt = text_field(gettext_lazy("Une demande typique"), gettext_lazy("Consignes et documents joints compris."))
    answer = text_field(gettext_lazy("Une réponse typique"), gettext_lazy("Telle que vous l’attendez."))

    def clean(self) -> dict[str, str]:
        """At least one of the two."""
        cleaned: dict[str, str] = self.cleaned_data
        if not self.errors and not any(text.strip() for text in cleaned.values()):
            raise forms.ValidationError(_("Collez une demande ou une réponse."))
        return cleaned


def counted(need: Need, prompt: str, answer: str) -> Need:
    """`need` with the lengths of the texts that are not blank, in tokens of its model (of cl100k where unknown)."""
    tokenizer = encoder(tokenizer_of(need.open_model) or USUAL_TOKENIZER)
    # Browsers send CR LF for every line feed.
    texts = (text.replace("\r\n", "\n") for text in (prompt, answer))
    lengths = [Decimal(tokenizer.count(text)) if text.strip() else None for text in texts]
    if need.unit is Unit.TOKENS:
        lengths = [found or kept for found, kept in zip(lengths, (need.prompt_length, need.output_length), strict=True)]
    return replace(need, unit=Unit.TOKENS, prompt_length=lengths[0], output_length=lengths[1])


def counter(need: Need) -> str:
    """Which tokenizer counts."""
    code = tokenizer_of(need.open_model)
    if code is None:
        return _("cl100k, faute de celui de %(model)s") % {"model": need.open_model}
    return _("celui de %(model)s") % {"model": need.open_model}


def answered(query: str) -> Answer | None:
    """The advice that the visitor came from."""
    return answers.from_link(TOOL, QueryDict(query)).answer


@require_http_methods(["GET", "HEAD", "POST"])
@needs_catalogue
def sample(request: HttpRequest) -> HttpResponse:
    """The two texts, or back to the advice with their lengths; nothing of them is kept or put into a link."""
    query = request.POST.get("need", "") if request.method == "POST" else request.GET.urlencode()
    found = answered(query)
    if found is None:
        return HttpResponseRedirect(pagestate.address(NAME, query), status=303)
    form = SampleForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        need = counted(found.scenario, form.cleaned_data["prompt"], form.cleaned_data["answer"])
        return HttpResponseRedirect(pagestate.address(NAME, permalinks.write(need)), status=303)
    context = {"form": form, "query": found.query, "counter": counter(found.scenario)}
    response = render(request, PAGE, context, status=422 if form.is_bound else 200)
    patch_cache_control(response, private=True, no_store=True)
    return response
