"""Runs to look at, for staff. Nothing is added, changed or deleted here: that is what the services are for."""

from django.contrib import admin

from benchmarks.models import BenchmarkRun, BenchmarkStep
from calculator.admin import ReadOnlyAdmin


@admin.register(BenchmarkRun)
class BenchmarkRunAdmin(ReadOnlyAdmin[BenchmarkRun]):
    list_display = ("code", "status", "created_at", "created_by", "engine", "model_name", "published_at")
    list_filter = ("status", "engine")
    search_fields = ("code", "model_name")
    list_select_related = ("created_by",)


@admin.register(BenchmarkStep)
class BenchmarkStepAdmin(ReadOnlyAdmin[BenchmarkStep]):
    list_display = ("run", "concurrency", "ok_count", "error_count", "output_tok_per_s", "ttft_p50_ms", "tpot_p50_ms")
    list_select_related = ("run",)
