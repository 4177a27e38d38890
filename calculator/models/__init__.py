"""The catalogue's tables: what is sold, at what price from when, and the figures that the calculators may use.

Prices, exchange rates, figures and the record of what people did to them are append-only: a change is a new row in a
new catalogue version. Constraints here and triggers (triggers.py) hold on SQLite and PostgreSQL alike. Nothing here
computes; catalog.py reads.
"""

from calculator.models.figures import Figure
from calculator.models.items import CatalogItem, ItemAlias
from calculator.models.latencies import ApiLatency
from calculator.models.prices import (
    AMOUNT_LIMIT,
    ANY_REGION,
    MODES_OF_API,
    MODES_OF_GPU,
    UNIT_OF_COMPONENT,
    FxRate,
    PriceRow,
)
from calculator.models.sheets import Gpu, LanguageModel
from calculator.models.snapshots import EstimateSnapshot
from calculator.models.uploads import ColumnMapping, PriceEvent, PriceUpload, PriceUploadLine, PriceWork
from calculator.models.versions import Audience, CatalogVersion

__all__ = [
    "AMOUNT_LIMIT",
    "ANY_REGION",
    "MODES_OF_API",
    "MODES_OF_GPU",
    "UNIT_OF_COMPONENT",
    "ApiLatency",
    "Audience",
    "CatalogItem",
    "CatalogVersion",
    "ColumnMapping",
    "EstimateSnapshot",
    "Figure",
    "FxRate",
    "Gpu",
    "ItemAlias",
    "LanguageModel",
    "PriceEvent",
    "PriceRow",
    "PriceUpload",
    "PriceUploadLine",
    "PriceWork",
]
