"""Addresses of the advisor."""

from django.urls import URLPattern, URLResolver, path, re_path

from sales.advising import sampling, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.advice, name="advice"),
    path("text", sampling.sample, name="advice-text"),
    re_path(r"^advice\.(?P<suffix>csv|xlsx|json)$", views.advice_file, name="advice-file"),
]
