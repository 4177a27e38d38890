"""Addresses of the price lists."""

from django.urls import path

from calculator.pricing import pages

urlpatterns = [
    path("", pages.lists, name="lists"),
    path("private", pages.private, name="private-prices"),
    path("record.csv", pages.audit, name="price-record"),
]
