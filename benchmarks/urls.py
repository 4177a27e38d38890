"""Addresses of the runs."""

from django.urls import path

from benchmarks import latencyviews, probeviews, resultviews, views

urlpatterns = [
    path("", views.runs, name="runs"),
    path("new", views.run_new, name="run-new"),
    path("start", views.run_start, name="run-start"),
    path("compare", resultviews.compare, name="run-compare"),
    path("import", resultviews.run_import, name="run-import"),
    path("probe", probeviews.probe_new, name="probe-new"),
    path("probe/start", probeviews.probe_start, name="probe-start"),
    path("workers", views.workers, name="workers"),
    path("<slug:code>", views.run, name="run"),
    path("<slug:code>.csv", views.run_csv, name="run-csv"),
    path("<slug:code>.jsonl", views.run_jsonl, name="run-jsonl"),
    path("<slug:code>.json", views.run_json, name="run-json"),
    path("<slug:code>/cancel", views.run_cancel, name="run-cancel"),
    path("<slug:code>/publish", views.run_publish, name="run-publish"),
    path("<slug:code>/lines", probeviews.probe_lines, name="probe-lines"),
    path("<slug:code>/publish-roofs", probeviews.probe_publish, name="probe-publish"),
    path("<slug:code>/publish-latency", latencyviews.latency_publish, name="latency-publish"),
    path("<slug:code>/withdraw", views.run_withdraw, name="run-withdraw"),
]
