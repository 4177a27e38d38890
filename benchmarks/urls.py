"""Addresses of the runs."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
