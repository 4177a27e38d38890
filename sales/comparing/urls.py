"""Addresses of comparisons."""

from django.urls import path, re_path

from sales.comparing import views

urlpatterns = [
    path("", views.compare, name="compare"),
    re_path(r"^comparison\.(?P<suffix>csv|json)$", views.compare_file, name="compare-file"),
]
