"""The catalogue to look at, for staff: rows are appended by seeding and price lists, never edited here."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest

from calculator.models import (
    ApiLatency,
    Audience,
    CatalogItem,
    CatalogVersion,
    ColumnMapping,
    EstimateSnapshot,
    Figure,
    FxRate,
    Gpu,
    ItemAlias,
    LanguageModel,
    PriceEvent,
    PriceRow,
    PriceUpload,
    PriceUploadLine,
    PriceWork,
)


class ReadOnlyAdmin[M: models.Model](admin.ModelAdmin):  # type: ignore[type-arg]
    """Staff may list and open, nobody may add, change or delete."""

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


class PrivateAdmin[M: models.Model](ReadOnlyAdmin[M]):
    """A table with private rows: only those with the right to see private prices find them, in `audience_field`."""

    audience_field = "audience"

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows: QuerySet[M] = super().get_queryset(request)
        if request.user.has_perm("calculator.view_private_prices"):
            return rows
        return rows.filter(**{self.audience_field: Audience.PUBLIC})


@admin.register(CatalogVersion)
class CatalogVersionAdmin(ReadOnlyAdmin[CatalogVersion]):
    list_display = ["number", "kind", "created_at", "created_by", "summary"]


@admin.register(CatalogItem)
class CatalogItemAdmin(ReadOnlyAdmin[CatalogItem]):
    list_display = ["code", "kind", "provider", "label_fr", "status", "retired_on", "is_test_host"]
    list_filter = ["kind", "status", "provider"]
    search_fields = ["code", "label_fr", "label_en"]
    list_select_related = ["gpu"]


@admin.register(ItemAlias)
class ItemAliasAdmin(ReadOnlyAdmin[ItemAlias]):
    list_display = ["alias", "item", "valid_from"]
    search_fields = ["alias", "item__code"]
    list_select_related = ["item"]


@admin.register(PriceRow)
class PriceRowAdmin(PrivateAdmin[PriceRow]):
    list_display = [
        "item",
        "component",
        "mode",
        "context_over",
        "amount",
        "currency",
        "unit",
        "valid_from",
        "checked_on",
        "audience",
        "catalog_version",
        "voided_in_version",
    ]
    list_filter = ["component", "mode", "kind", "origin"]
    search_fields = ["item__code"]
    list_select_related = ["item"]


@admin.register(FxRate)
class FxRateAdmin(ReadOnlyAdmin[FxRate]):
    list_display = ["rate_date", "quote", "rate", "source", "catalog_version", "voided_in_version"]
    list_filter = ["quote", "source"]
    date_hierarchy = "rate_date"


@admin.register(ApiLatency)
class ApiLatencyAdmin(ReadOnlyAdmin[ApiLatency]):
    list_display = ("item", "kind", "region", "ttft_p50_ms", "claimed_ms", "as_of", "run", "withdrawn_at")
    list_filter = ("kind",)
    list_select_related = ("item",)


@admin.register(Figure)
class FigureAdmin(ReadOnlyAdmin[Figure]):
    list_display = ["sku", "language_model", "metric", "value", "unit", "kind", "single_stream", "published_at"]
    list_filter = ["kind", "metric", "test_model"]
    list_select_related = ["sku", "language_model"]


@admin.register(Gpu)
class GpuAdmin(ReadOnlyAdmin[Gpu]):
    list_display = ["name", "vendor", "architecture", "vram_gb", "mem_bw_gb_s", "driver_mib"]
    search_fields = ["name", "aliases"]


@admin.register(LanguageModel)
class LanguageModelAdmin(ReadOnlyAdmin[LanguageModel]):
    list_display = ["name", "hf_id", "params_total", "layers", "attention", "is_test"]
    search_fields = ["name", "hf_id"]


@admin.register(EstimateSnapshot)
class EstimateSnapshotAdmin(ReadOnlyAdmin[EstimateSnapshot]):
    list_display = ["slug", "calculator", "catalog_version", "usd_per_eur", "rate_date", "created_at"]


@admin.register(PriceUpload)
class PriceUploadAdmin(PrivateAdmin[PriceUpload]):
    list_display = ["original_name", "kind", "status", "uploaded_by", "uploaded_at", "applied_by", "applied_version"]
    list_filter = ["status", "kind", "audience"]
    search_fields = ["original_name", "sha256"]
    list_select_related = ["uploaded_by", "applied_by", "applied_version"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[PriceUpload]:
        return super().get_queryset(request).defer("content")


@admin.register(PriceUploadLine)
class PriceUploadLineAdmin(PrivateAdmin[PriceUploadLine]):
    audience_field = "upload__audience"
    list_display = ["upload", "line_no", "verdict", "item", "component", "old_amount", "new_amount", "change_percent"]
    list_filter = ["verdict", "is_blocked"]
    list_select_related = ["upload"]


@admin.register(PriceWork)
class PriceWorkAdmin(PrivateAdmin[PriceWork]):
    audience_field = "upload__audience"
    list_display = ["upload", "step", "status", "by", "stage", "done_count", "all_count", "worker"]
    list_filter = ["step", "status"]
    list_select_related = ["upload", "by"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[PriceWork]:
        return super().get_queryset(request).defer("upload__content")


@admin.register(PriceEvent)
class PriceEventAdmin(PrivateAdmin[PriceEvent]):
    list_display = ["at", "actor", "action", "subject", "before", "after", "version", "reason"]
    list_filter = ["action"]
    search_fields = ["subject", "reason"]
    list_select_related = ["actor", "version"]


@admin.register(ColumnMapping)
class ColumnMappingAdmin(ReadOnlyAdmin[ColumnMapping]):
    list_display = ["user", "kind", "header", "column"]
    list_select_related = ["user"]
