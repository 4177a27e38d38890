"""What the sales conversation keeps. Nothing here computes."""

from sales.models.apiuse import ApiUse
from sales.models.quotes import (
    Quote,
    QuoteCustomer,
    QuoteEvent,
    QuoteLine,
    QuoteLink,
    QuoteProposal,
    QuoteYear,
    SkuCost,
)

__all__ = [
    "ApiUse",
    "Quote",
    "QuoteCustomer",
    "QuoteEvent",
    "QuoteLine",
    "QuoteLink",
    "QuoteProposal",
    "QuoteYear",
    "SkuCost",
]
