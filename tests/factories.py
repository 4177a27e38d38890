"""Catalogue rows for tests: each builder fills in what the test does not name and returns the stored row."""

import datetime as dt
import hashlib
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import Max

from calculator import catalog
from calculator.models import (
    ApiLatency,
    CatalogItem,
    CatalogVersion,
    EstimateSnapshot,
    Figure,
    FxRate,
    Gpu,
    ItemAlias,
    LanguageModel,
    PriceEvent,
    PriceRow,
    PriceUpload,
)

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
CHECKED = dt.date(2026, 11, 30)


def make_version(**values: Any) -> CatalogVersion:
    """The next version of the catalogue."""
    catalog.forget()
    number = (CatalogVersion.objects.aggregate(latest=Max("number"))["latest"] or 0) + 1
    return CatalogVersion.objects.create(**{"number": number, "kind": "apply", **values})


def newest_version() -> CatalogVersion:
    """The newest version, made when there is none."""
    catalog.forget()
    return CatalogVersion.objects.order_by("-number").first() or make_version()


def make_gpu(name: str = "RTX 4090", **values: Any) -> Gpu:
    """A GPU's data sheet; the RTX 4090's where nothing else is said."""
    defaults = {
        "vendor": "NVIDIA",
        "architecture": "Ada",
        "vram_gb": 24,
        "mem_type": "GDDR6X",
        "mem_bw_gb_s": 1008,
        "bf16_tflops_dense": 165.2,
        "bf16_native": True,
        "source": "data sheet",
    }
    catalog.forget()
    return Gpu.objects.create(name=name, **{**defaults, **values})


def make_language_model(name: str = "Mistral-7B-v0.3", **values: Any) -> LanguageModel:
    """A language model with the dimensions of Mistral 7B v0.3."""
    defaults = {
        "params_total": 7_248_023_552,
        "params_active": 7_248_023_552,
        "params_non_embedding": 6_979_588_096,
        "layers": 32,
        "hidden": 4096,
        "heads": 32,
        "kv_heads": 8,
        "head_dim": 128,
        "intermediate": 14_336,
        "vocab": 32_768,
        "tied_embeddings": False,
        "gated_mlp": True,
        "max_context": 32_768,
        "attention": "GQA",
        "kv_bytes_per_token_16bit": 131_072,
        "source": "its configuration file",
    }
    catalog.forget()
    return LanguageModel.objects.create(name=name, **{**defaults, **values})


def make_sku(code: str = "GPU-PRO", **values: Any) -> CatalogItem:
    """A GPU configuration without a price."""
    defaults = {"provider": "VMCloud", "label_fr": code, "label_en": code, "gpu_count": 1, "vram_gb": 24}
    return make_item("gpu_sku", code, **{**defaults, **values})


def make_api(code: str = "gpt-5.4", **values: Any) -> CatalogItem:
    """A model sold by the token without a price."""
    return make_item("llm_model", code, **{"provider": "OpenAI", "label_fr": code, "label_en": code, **values})


def make_item(kind: str, code: str, **values: Any) -> CatalogItem:
    """A catalogue item of the newest version."""
    values.setdefault("catalog_version", newest_version())
    catalog.forget()
    return CatalogItem.objects.create(kind=kind, code=code, **values)


def make_alias(item: CatalogItem, alias: str, valid_from: dt.datetime = START, **values: Any) -> ItemAlias:
    """Another name of an item."""
    values.setdefault("catalog_version", newest_version())
    return ItemAlias.objects.create(item=item, alias=alias, valid_from=valid_from, **values)


def price_values(item: CatalogItem, component: str, amount: str | None, **values: Any) -> dict[str, Any]:
    """The columns of a price row: euros for a SKU, dollars per million tokens for an API model."""
    is_sku = item.kind == CatalogItem.Kind.GPU_SKU
    modes = {"instance_hour": "on_demand", "instance_month": "reserved"}
    return {
        "item": item,
        "component": component,
        "mode": modes.get(component, "standard"),
        "kind": "withdrawn" if amount is None else "price",
        "amount": None if amount is None else Decimal(amount),
        "currency": "EUR" if is_sku else "USD",
        "unit": component if is_sku else "mtok",
        "valid_from": START,
        "origin": "manual",
        "checked_on": CHECKED,
        **values,
    }


def make_price(item: CatalogItem, component: str, amount: str | None, **values: Any) -> PriceRow:
    """A price from START on in the newest version; amount None = withdrawn."""
    values.setdefault("catalog_version", newest_version())
    catalog.forget()
    return PriceRow.objects.create(**price_values(item, component, amount, **values))


def make_rates(item: CatalogItem, input: str, cache_read: str, output: str, **values: Any) -> list[PriceRow]:
    """The three usual rates of an API model in one mode and tier."""
    amounts = {"input": input, "cache_read": cache_read, "output": output}
    return [make_price(item, component, amount, **values) for component, amount in amounts.items()]


def make_fx(rate_date: dt.date, rate: str, **values: Any) -> FxRate:
    """Dollars for one euro on a day, from the ECB unless said otherwise."""
    values.setdefault("catalog_version", newest_version())
    catalog.forget()
    return FxRate.objects.create(
        **{"quote": "USD", "rate": Decimal(rate), "rate_date": rate_date, "source": "ECB", **values}
    )


def make_figure(sku: CatalogItem, value: float, **values: Any) -> Figure:
    """An output rate of one GPU, published at START: a vendor's claim where nothing else is said."""
    defaults = {
        "metric": Figure.Metric.OUTPUT,
        "unit": "tok/s",
        "scope": Figure.Scope.GPU,
        "kind": "claim",
        "as_of": CHECKED,
        "published_at": START,
    }
    return Figure.objects.create(sku=sku, value=value, **{**defaults, **values})


def make_latency(item: CatalogItem, **values: Any) -> ApiLatency:
    """A latency measured in Paris at noon, unless `values` make a claim of it."""
    measured = {
        "region": "eu-west-3",
        "measured_at": NOW,
        "ttft_p50_ms": 210.0,
        "ttft_p95_ms": 480.0,
        "run": "2026-0007",
    }
    known: dict[str, Any] = {"kind": "measured", **measured}
    if values.get("kind") == "claim":
        known = {}
    return ApiLatency.objects.create(item=item, **{"as_of": NOW.date(), "published_at": NOW, **known, **values})


def make_snapshot(**values: Any) -> EstimateSnapshot:
    """A saved estimate."""
    defaults = {
        "slug": "saved",
        "calculator": "economics",
        "query": "v=1",
        "catalog_version": newest_version(),
        "hours_per_month_h": Decimal(720),
        "rounding": "half-up on display",
        "results": {"bill_eur": "830.64"},
    }
    return EstimateSnapshot.objects.create(**{**defaults, **values})


def make_user(username: str = "alice", *rights: str, **values: Any) -> User:
    """A person with some rights of the calculator, by their code names."""
    user = User.objects.create_user(username, password="long-enough-4-tests", **values)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return User.objects.get(pk=user.pk)


def make_upload(content: bytes = b"sku,component,amount,currency,unit\n", **values: Any) -> PriceUpload:
    """A received price file, by somebody new unless said otherwise."""
    uploaded_by = values.pop("uploaded_by", None) or make_user(f"uploader{PriceUpload.objects.count()}")
    defaults = {
        "original_name": "prices.csv",
        "sha256": hashlib.sha256(content).hexdigest(),
        "size_bytes": len(content),
        "today": CHECKED,
    }
    return PriceUpload.objects.create(content=content, uploaded_by=uploaded_by, **{**defaults, **values})


def make_event(**values: Any) -> PriceEvent:
    """A line of the record of what people did to the prices."""
    return PriceEvent.objects.create(**{"action": PriceEvent.Action.RECEIVED, "subject": "prices.csv", **values})
