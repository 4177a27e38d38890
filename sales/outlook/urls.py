"""Addresses of the outlook; a file of the same outlook stands beside the page."""

from django.urls import path, re_path

from sales.outlook import views

urlpatterns = [
    path("", views.outlook, name="outlook"),
    re_path(r"^outlook\.(?P<suffix>csv|xlsx|json)$", views.export, name="outlook-export"),
]
