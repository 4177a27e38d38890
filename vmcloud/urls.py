"""Language is in the path: /fr/… and /en/…; page paths are the English names in both."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from calculator import site

urlpatterns = [
    path("", site.root, name="root"),
    path("healthz", site.healthz, name="healthz"),
    path("api/v1/", include("sales.api.urls")),
    *i18n_patterns(
        path("", include("vmcloud.accounts.urls")),
        path("admin/", admin.site.urls),
        path("runs/", include("benchmarks.urls")),
        path("lists/", include("calculator.pricing.urls")),
        path("", include("sales.urls")),
        path("", include("calculator.urls")),
        prefix_default_language=True,
    ),
]
