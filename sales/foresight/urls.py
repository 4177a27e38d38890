"""Addresses of foresight: one for each calculator that has something to foresee."""

from django.urls import re_path

from sales.foresight import views
from sales.foresight.page import PAGES

urlpatterns = [re_path(rf"^(?P<name>{'|'.join(PAGES)})/$", views.foresight, name="foresight")]
