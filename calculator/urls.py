"""Addresses of the calculators; a file of the same scenario stands at the page's path with another suffix."""

from django.urls import path, re_path

from calculator import countpages, deploypage, modelupload, pages, registry, views

urlpatterns = [
    path("", pages.dashboard, name="home"),
    path("skus/", pages.sku_table, name="skus"),
    path("gpus/", pages.gpu_table, name="gpus"),
    path("prices/", pages.price_table, name="prices"),
    path("prices/<str:kind>/<path:code>/", pages.price_history, name="price-history"),
    path("methodology/", pages.method, name="methodology"),
    path("accuracy/", pages.accuracy, name="accuracy"),
    path("accuracy.csv", pages.accuracy_rows, name="accuracy-rows"),
    *(re_path(rf"^{name}/?$", views.calculator, {"name": name}, name=name) for name in registry.CALCULATORS),
    path("tokens/count", countpages.count, name="tokens-count"),
    path("inference/deploy", deploypage.deploy, name="inference-deploy"),
    path("inference/model", modelupload.model_config, name="inference-model"),
    path("<slug:name>/save", views.save, name="estimate-save"),
    re_path(r"^(?P<name>[a-z]+)\.(?P<suffix>csv|xlsx|json)$", views.export, name="export"),
    re_path(r"^estimates/(?P<slug>[-\w]+)\.(?P<suffix>csv|xlsx|json)$", views.estimate_file, name="estimate-file"),
    path("estimates/<slug:slug>", views.estimate_saved, name="estimate-saved"),
    path("coming/<slug:name>", views.coming, name="coming"),
]
