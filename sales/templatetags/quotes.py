"""What a page needs to know before it offers a quote of its calculation."""

from typing import Any

from django import template

from sales.quoting import offers, words

register = template.Library()


@register.simple_tag
def quote_obstacle(name: str, estimate: Any) -> str:
    """Why the estimate of the calculator with that name leads to no quote, as a sentence; "" where it does."""
    code = offers.obstacle(name, estimate)
    return str(words.OBSTACLES[code]) if code else ""
