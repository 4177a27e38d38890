"""Addresses of the price lists."""

from django.urls import path

from calculator.pricing import pages, undoing, views

urlpatterns = [
    path("", pages.lists, name="lists"),
    path("new", views.upload, name="list-upload"),
    path("private", pages.private, name="private-prices"),
    path("record.csv", pages.audit, name="price-record"),
    path("template/<str:kind>.<str:suffix>", views.template, name="list-template"),
    path("current/<str:kind>.<str:suffix>", views.current, name="list-current"),
    path("price/<str:kind>", views.price, name="list-price"),
    path("item/<str:kind>", views.item, name="list-item"),
    path("versions/<int:number>/rollback", undoing.version, name="list-rollback"),
    path("planned/<int:pk>/cancel", undoing.cancel, name="planned-cancel"),
    path("discrepancies", undoing.discrepancies, name="discrepancies"),
    path("propose", undoing.propose, name="list-propose"),
    path("<int:pk>", views.one, name="list"),
    path("<int:pk>/columns", views.columns, name="list-columns"),
    path("<int:pk>/compare", views.compare, name="list-compare"),
    path("<int:pk>/effects", views.effects, name="list-effects"),
    path("<int:pk>/file", views.file, name="list-file"),
    path("<int:pk>/errors.csv", views.errors, name="list-errors"),
    path("<int:pk>/approve", views.approve, name="list-approve"),
    path("<int:pk>/reject", views.reject, name="list-reject"),
    path("<int:pk>/apply", views.apply, name="list-apply"),
]
