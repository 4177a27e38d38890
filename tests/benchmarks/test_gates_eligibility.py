"""One table says what each flag means for a run's number."""

from dataclasses import dataclass

import pytest

from benchmarks import eligibility
from benchmarks.eligibility import FLAGS, Weight
from benchmarks.models import BenchmarkRun


@dataclass
class Run:
    """A run as far as it is judged."""

    status: str = "succeeded"
    flag_noisy: bool = False
    flag_client_bound: bool = False
    flag_retried: bool = False
    flag_single_run: bool = True


def test_every_flag_of_a_run_is_in_the_table() -> None:
    columns = {field.name for field in BenchmarkRun._meta.get_fields() if field.name.startswith("flag_")}
    assert columns <= set(FLAGS)


def test_every_flag_of_the_table_is_one_of_a_run() -> None:
    columns = {field.name for field in BenchmarkRun._meta.get_fields()}
    assert set(FLAGS) <= columns


def test_remarks_leave_a_run_eligible() -> None:
    assert eligibility.eligible(Run(flag_retried=True))


@pytest.mark.parametrize("flag", ["flag_noisy", "flag_client_bound"])
def test_what_blocks_or_bars_makes_a_run_ineligible(flag: str) -> None:
    assert not eligibility.eligible(Run(**{flag: True}))


@pytest.mark.parametrize("status", ["queued", "running", "failed", "cancelled", "stalled"])
def test_only_what_succeeded_is_eligible(status: str) -> None:
    assert not eligibility.eligible(Run(status=status))


def test_raised_names_the_flags_of_the_weights_asked_for() -> None:
    run = Run(flag_noisy=True, flag_client_bound=True, flag_retried=True)
    assert eligibility.raised(run, Weight.BLOCKING) == ("noisy",)
    assert eligibility.raised(run, Weight.BARRING) == ("client_bound",)
    assert eligibility.raised(run, Weight.BLOCKING, Weight.BARRING) == ("noisy", "client_bound")
    assert eligibility.raised(run, Weight.REMARK) == ("single_run", "retried")


@pytest.mark.parametrize(
    "flag", ["client_bound", "prefix_cache_warm", "server_disagrees", "foreign_process", "ecc_errors"]
)
def test_what_measured_something_else_can_never_be_answered_for(flag: str) -> None:
    assert FLAGS[f"flag_{flag}"] is Weight.BARRING
