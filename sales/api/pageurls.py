"""Addresses of the pages about interfaces."""

from django.urls import path

from sales.api import pages

urlpatterns = [
    path("", pages.overview, name="api"),
    path("<str:kind>/<path:code>/", pages.example_request, name="api-request"),
]
