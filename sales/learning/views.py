"""Pages of the explanations."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calculator.views import needs_catalogue
from sales.learning import topics


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """Every question with its short answer, and what customers ask about their data."""
    return render(request, "sales/learn.html", {"topics": topics.TOPICS})


@require_safe
@needs_catalogue
def learn_topic(request: HttpRequest, slug: str) -> HttpResponse:
    """One explanation with figures computed now."""
    found = topics.BY_SLUG.get(slug)
    if found is None:
        raise Http404(slug)
    others = [other for other in topics.TOPICS if other is not found]
    return render(request, "sales/learn_topic.html", {"topic": found, "live": found.figures(), "others": others})
