"""Addresses of the advisor."""

from django.urls import URLPattern, URLResolver, path, re_path

from sales.advising import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.advice, name="advice"),
    re_path(r"^advice\.(?P<suffix>csv|xlsx|json)$", views.advice_file, name="advice-file"),
]
