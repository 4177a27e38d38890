"""The sentence of the tokens page, and words that its parts share."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from calculator import formats
from calculator.domain.serving_scenario import Ranged
from calculator.domain.tokens_scenario import GpuReading, PaidReading, Spread, TokensEstimate, Work
from calculator.forms.tokens import NAMES_OF_TOKENIZERS
from calculator.language import gettext as _
from calculator.presenters import quantities, words
from calculator.presenters.headline import plain

ONE_DECIMAL_BELOW = 0.1

token_count = quantities.token_count


def tokenizer(code: str) -> str:
    """A tokenizer by name."""
    return NAMES_OF_TOKENIZERS.get(code) or _("un autre tokenizer")


def documents(count: int) -> str:
    """Documents with their number."""
    shown = {"count": formats.tokens(count)}
    if count >= quantities.MILLION:
        return _("%(count)s de documents") % shown
    return ngettext("%(count)s document", "%(count)s documents", count) % shown


def chunks(count: float) -> str:
    """Chunks with their number."""
    shown = {"count": formats.tokens(count)}
    if count >= quantities.MILLION:
        return _("%(count)s de morceaux") % shown
    return ngettext("%(count)s morceau", "%(count)s morceaux", round(count)) % shown


def margin(estimate: TokensEstimate) -> str:
    """± the half interval in per cent; empty where there is none."""
    ratio = estimate.margin_ratio
    if ratio is None:
        return ""
    return f"±{formats.NBSP}{formats.percent(ratio, 1 if ratio < ONE_DECIMAL_BELOW else 0)}"


def interval(spread: Spread) -> str:
    """Both ends of an interval."""
    if spread.low is None or spread.high is None:
        return ""
    return _("de %(low)s à %(high)s") % {"low": formats.tokens(spread.low, digits=3), "high": token_count(spread.high)}


def price(reading: PaidReading) -> str:
    """What reading costs in euros; in dollars where no exchange rate is known."""
    if reading.eur is None and reading.usd is not None:
        return formats.money(reading.usd, "USD")
    return formats.money(reading.eur)


def band(found: Ranged, shown: str, high: str, low: str) -> str:
    """A value with the ends of its band, where one is known."""
    if found.low is None or found.high is None:
        return shown
    return _("%(value)s (%(low)s à %(high)s)") % {"value": shown, "low": low, "high": high}


def duration(gpu: GpuReading) -> str:
    """How long a machine reads; the word for unknown otherwise."""
    return quantities.duration(gpu.time_s.value) if gpu.time_s else _("inconnue")


def duration_band(gpu: GpuReading) -> str:
    """The ends of that time."""
    time = gpu.time_s
    if time is None or time.low is None or time.high is None:
        return ""
    return _("de %(low)s à %(high)s") % {"low": quantities.duration(time.low), "high": quantities.duration(time.high)}


def lead(estimate: TokensEstimate) -> SafeString:
    """The sentence as markup, the answer in bold."""
    subject = documents(estimate.scenario.documents_count)
    total = format_html("<b>{}</b>", token_count(estimate.total.value))
    doubt = f" ({margin(estimate)})" if estimate.margin_ratio else ""
    if estimate.scenario.work is Work.INDEX:
        return indexed(estimate, format_html("{}{}", total, doubt))
    embedding = words.nowrap(estimate.embedding.model.label)
    cost = words.nowrap(price(estimate.embedding))
    if estimate.gpu.time_s is None:
        return format_html(
            _("{} font {}{}\u00a0: les indexer avec {} coûte {} HT."), subject, total, doubt, embedding, cost
        )
    return format_html(
        _("{} font {}{}\u00a0: les indexer avec {} coûte {} HT, les lire sur {} prend {}."),
        subject,
        total,
        doubt,
        embedding,
        cost,
        words.nowrap(estimate.gpu.offer.sku.code),
        words.nowrap(duration(estimate.gpu)),
    )


def indexed(estimate: TokensEstimate, total: SafeString) -> SafeString:
    """The sentence of an indexing on the chosen machine: documents, chunks, time and price."""
    gpu = estimate.gpu
    told = documents(estimate.scenario.documents_count), total, words.nowrap(chunks(estimate.chunks_count))
    sku = words.nowrap(gpu.offer.sku.code)
    if gpu.time_s is None:
        return format_html(_("{} font {} en {}\u00a0: la vitesse de {} n’est pas connue."), *told, sku)
    time = words.nowrap(duration(gpu))
    if gpu.eur is None:
        return format_html(_("{} font {} en {}\u00a0: les indexer sur {} prend {}, prix sur devis."), *told, sku, time)
    cost = words.nowrap(formats.money(gpu.eur))
    return format_html(_("{} font {} en {}\u00a0: les indexer sur {} coûte {} HT et prend {}."), *told, sku, cost, time)


def sentence(estimate: TokensEstimate) -> str:
    """The same sentence as plain text."""
    return plain(lead(estimate))


def short(estimate: TokensEstimate) -> str:
    """The total alone."""
    return token_count(estimate.total.value)


def eyebrow(estimate: TokensEstimate) -> str:
    """What the count rests on: a counted sample, or a mean that nobody has counted."""
    values = {
        "mean": formats.number(estimate.scenario.mean_tokens),
        "tokenizer": tokenizer(estimate.scenario.tokenizer),
    }
    if not estimate.scenario.sample_count:
        return _("À %(mean)s tokens par document en moyenne (hypothèse)") % values
    return _("À %(mean)s tokens par document en moyenne, comptés par %(tokenizer)s") % values
