"""What a trace says against a run. A rule whose answer the hardware does not give raises nothing."""

from benchmarks.telemetry.samples import HOST
from benchmarks.telemetry.trace import Trace, known, throttled_ratio

THROTTLED_ABOVE = 0.05  # Of the samples: a burst of a second in a minute is no sustained limit.
MJ_PER_J = 1000


def flags(trace: Trace) -> dict[str, bool]:
    """Flag columns of a run, up where some GPU of it gives the reason."""
    places = [place for place in trace.samples if place != HOST]
    return {
        "flag_throttled": any(throttled(trace, place) for place in places),
        "flag_foreign_process": any(shared(trace, place) for place in places),
        "flag_ecc_errors": any(memory_failed(trace, place) for place in places),
        "flag_link_down_trained": any(link_is_low(trace, place) for place in places),
    }


def throttled(trace: Trace, place: int) -> bool:
    """Held below its clocks by power or heat in more than 5 % of the samples."""
    ratio = throttled_ratio(trace.samples[place])
    return ratio is not None and ratio > THROTTLED_ABOVE


def shared(trace: Trace, place: int) -> bool:
    """Somebody else computed on the GPU before, during or after."""
    there_before = bool(trace.before[place].get("processes"))
    during = any(known(trace.samples[place], "foreign_count"))
    return there_before or during or bool(trace.foreign.get(trace.uuid(place)))


def memory_failed(trace: Trace, place: int) -> bool:
    """An error that ECC could not correct came up, or rows of memory wait for or failed at their replacement."""
    before = trace.before[place]
    after = trace.after[place] if place < len(trace.after) else before
    first, last = before["ecc_uncorrected_count"], after["ecc_uncorrected_count"]
    risen = first is not None and last is not None and last > first
    return risen or bool(after["rows_remap_pending"]) or bool(after["rows_remap_failed"])


def link_is_low(trace: Trace, place: int) -> bool:
    """The PCIe link never reached its width or its generation, even under load."""
    for name in ("link_width", "link_gen"):
        seen, highest = known(trace.samples[place], name), trace.before[place][f"{name}_max"]
        if seen and highest is not None and max(seen) < highest:
            return True
    return False


def energy_j(trace: Trace, place: int) -> float | None:
    """What the GPU's counter says was used between the two states."""
    if place >= len(trace.after):
        return None
    first, last = trace.before[place]["energy_mj"], trace.after[place]["energy_mj"]
    return None if first is None or last is None or last < first else (last - first) / MJ_PER_J
