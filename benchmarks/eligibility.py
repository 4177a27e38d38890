"""What each flag of a run means for the number it found: one table, and whether a run may be believed."""

import enum
from collections.abc import Mapping
from typing import Protocol

PREFIX = "flag_"


class Weight(enum.StrEnum):
    """REMARK is only told. BLOCKING bars a run until somebody answers for it by name and reason. BARRING bars it for
    good: what was measured is not what the number would say."""

    REMARK = "remark"
    BLOCKING = "blocking"
    BARRING = "barring"


FLAGS: Mapping[str, Weight] = {
    "flag_single_run": Weight.REMARK,  # the number of repeats has a gate of its own
    "flag_random_weights": Weight.REMARK,  # the test model, whose figures enter no comparison
    "flag_saturated": Weight.REMARK,  # said of an asked pace, which is never a figure
    "flag_censored": Weight.REMARK,  # latencies miss their longest; tokens a second do not
    "flag_retried": Weight.REMARK,
    "flag_partial": Weight.BLOCKING,
    "flag_shared_core": Weight.BLOCKING,
    "flag_tokens_estimated": Weight.BLOCKING,
    "flag_outputs_short": Weight.BLOCKING,
    "flag_noisy": Weight.BLOCKING,
    "flag_dummy_weights": Weight.BLOCKING,
    "flag_throttled": Weight.BLOCKING,
    "flag_link_down_trained": Weight.BLOCKING,
    "flag_client_bound": Weight.BARRING,
    "flag_prefix_cache_warm": Weight.BARRING,
    "flag_server_disagrees": Weight.BARRING,
    "flag_foreign_process": Weight.BARRING,
    "flag_ecc_errors": Weight.BARRING,
}


PROBE_REMARKS = frozenset({"throttled"})


class Judged(Protocol):
    """A run as far as it is judged here; flags that it does not have are down."""

    status: str


def raised(run: Judged, *weights: Weight) -> tuple[str, ...]:
    """The flags of these weights that are up, in the order of the table, without their prefix."""
    return tuple(
        name.removeprefix(PREFIX) for name, weight in FLAGS.items() if weight in weights and getattr(run, name, False)
    )


def eligible(run: Judged) -> bool:
    """Succeeded and without a flag that bars or blocks it; a probe's roof is sustained with clocks held down too."""
    against = set(raised(run, Weight.BLOCKING, Weight.BARRING))
    if getattr(run, "kind", "") == "probe":
        against -= PROBE_REMARKS
    return run.status == "succeeded" and not against
