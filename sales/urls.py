"""Addresses of the sales conversation, each room with its own."""

from django.urls import include, path

urlpatterns = [
    path("advice/", include("sales.advising.urls")),
    path("outlook/", include("sales.outlook.urls")),
    path("foresight/", include("sales.foresight.urls")),
    path("quotes/", include("sales.quoting.urls")),
    path("bills/", include("sales.bills.urls")),
    path("compare/", include("sales.comparing.urls")),
    path("learn/", include("sales.learning.urls")),
    path("api-docs/", include("sales.api.pageurls")),
]
