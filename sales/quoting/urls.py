"""Addresses of quotes."""

from django.urls import path, re_path

from sales.quoting import openviews, views

urlpatterns = [
    path("", views.quotes, name="quotes"),
    path("costs", views.costs, name="quote-costs"),
    path("new/<slug:name>", views.new, name="quote-new"),
    path("<int:pk>", views.quote, name="quote"),
    re_path(r"^(?P<pk>[0-9]{1,18})\.(?P<suffix>csv|json)$", views.quote_file, name="quote-file"),
    path("<int:pk>/edit", views.edit, name="quote-edit"),
    path("<int:pk>/send", views.send, name="quote-send"),
    path("<int:pk>/link", views.link, name="quote-link"),
    path("<int:pk>/revoke", views.revoke, name="quote-revoke"),
    path("<int:pk>/withdraw", views.withdraw, name="quote-withdraw"),
    path("<int:pk>/duplicate", views.duplicate, name="quote-duplicate"),
    path("<int:pk>/erase", views.erase, name="quote-erase"),
    path("<int:pk>/approve", views.approve, name="quote-approve"),
    path("open/<str:token>", openviews.opened, name="quote-open"),
    re_path(r"^open/(?P<token>[\w-]+)/quote\.(?P<suffix>csv|json)$", openviews.opened_file, name="quote-open-file"),
    path("open/<str:token>/change", openviews.changed, name="quote-change"),
    path("open/<str:token>/propose", openviews.propose, name="quote-propose"),
]
