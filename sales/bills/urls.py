"""Address of the visitor's own bill."""

from django.urls import path

from sales.bills import views

urlpatterns = [path("", views.bill, name="bill")]
