"""The tables of the multi-GPU answer: counts, added gains, cheapest and fastest, memory of each way."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import parallel_tables as tables
from calculator.domain.memory import Line
from calculator.domain.parallel_scenario import BatchBy, Point, Sharing, StepTime

from .parallel_factories import HDR, PCIE_4, answer, facts, settled, sku
from .serving_factories import LLAMA_70B, MISTRAL


def point(gpus: int, days: float, eur: str | None = None, **more: object) -> Point:
    time = StepTime(1.0, 0.0, 0.0)
    plain = Point(gpus, 1, gpus, 1.0, time, 92 / days, 1.0, days, gpus * days * 24, 1, Decimal(eur) if eur else None)
    return replace(plain, **more)  # type: ignore[arg-type]


def test_counts_are_each_gpu_of_a_machine_then_whole_machines() -> None:
    assert tables.counts(settled()) == (1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 40, 48, 56, 64)
    assert tables.counts(settled(facts(offer=sku(1)), machine_gpus=1, gpu_count=5)) == tuple(range(1, 65))


def test_a_count_between_machines_is_kept_when_it_is_asked_for() -> None:
    assert 11 in tables.counts(settled(gpu_count=11))
    assert 11 in tables.table_counts(settled(gpu_count=11))


def test_counts_hold_whole_copies_only() -> None:
    split = settled(facts(model=MISTRAL), tensor_parallel=4)
    assert tables.table_counts(split) == (4, 8, 16, 32, 64)


def test_a_row_says_what_the_added_gpus_bring() -> None:
    # From 4 GPUs at 4.0 times to 8 at 6.0: two of four ideal.
    before, here = point(4, 23.0), point(8, 92 / 6)
    assert tables.compared(here, before).added_ratio == pytest.approx(0.5)


def test_a_saved_day_costs_the_difference_of_the_bills() -> None:
    before, here = point(1, 20.0, "1000"), point(2, 12.0, "1400")
    assert tables.compared(here, before).eur_per_saved_day == Decimal(50)


def test_no_day_saved_has_no_price() -> None:
    before, here = point(1, 20.0, "1000"), point(2, 20.0, "1400")
    assert tables.compared(here, before).eur_per_saved_day is None


def test_the_run_that_gets_slower_stops_first() -> None:
    rows = (point(1, 20.0), replace(point(2, 21.0), added_ratio=0.9))
    assert tables.stop(rows, Decimal("0.5"), None).reason == "slower"


def test_a_gain_below_the_floor_stops() -> None:
    rows = (point(1, 20.0), replace(point(2, 14.0), added_ratio=0.43))
    found = tables.stop(rows, Decimal("0.5"), None)
    assert (found.gpu_count, found.next_count, found.reason) == (1, 2, "added_ratio")
    assert tables.stop(rows, Decimal("0.4"), None).gpu_count is None


def test_a_day_dearer_than_its_worth_stops() -> None:
    rows = (point(1, 20.0), replace(point(2, 11.0), added_ratio=0.8, eur_per_saved_day=Decimal(120)))
    assert tables.stop(rows, Decimal("0.5"), Decimal(100)).reason == "day_eur"
    assert tables.stop(rows, Decimal("0.5"), Decimal(200)).gpu_count is None
    assert tables.stop(rows, Decimal("0.5"), None).gpu_count is None


def test_of_equal_bills_the_quicker_is_the_cheapest() -> None:
    rows = (point(1, 20.0, "100"), point(2, 10.0, "100"), point(4, 6.0, "130"))
    found = tables.cheapest(rows)
    assert found is not None and found.gpu_count == 2


def test_what_does_not_fit_is_neither_cheapest_nor_fastest() -> None:
    rows = (point(1, 20.0, "100", fits=True), point(8, 3.0, "50", fits=False))
    cheapest, fastest = tables.cheapest(rows), tables.fastest(rows)
    assert cheapest is not None and fastest is not None
    assert cheapest.gpu_count == fastest.gpu_count == 1


def test_without_a_price_nothing_is_cheapest() -> None:
    assert tables.cheapest((point(1, 20.0), point(2, 10.0))) is None


def test_the_bill_counts_seconds_up_once() -> None:
    inputs = settled(facts(offer=sku(8, "36.00")))
    # 1.00001 s is billed as 2 s: 0.02 €.
    assert tables.cost_eur(inputs, 8, 1.00001 / 86_400) == Decimal("0.02")
    assert tables.cost_eur(inputs, 9, 1.0 / 24) == Decimal(72)


def test_pitfall_41_adamw_takes_16_bytes_a_parameter() -> None:
    inputs = settled(facts(model=MISTRAL))
    found = tables.memory(inputs, inputs.layout(1))
    assert found is not None
    lines = dict(found.lines)
    held = sum(lines[line] for line in (Line.WEIGHTS, Line.GRADIENTS, Line.OPTIMIZER))
    assert held == pytest.approx(16 * MISTRAL.params_total)


def test_tensor_and_pipeline_divide_weights_and_states() -> None:
    plain = settled(facts(model=LLAMA_70B))
    split = settled(facts(model=LLAMA_70B), tensor_parallel=8, pipeline_parallel=2)
    whole, part = tables.memory(plain, plain.layout(1)), tables.memory(split, split.layout(16))
    assert whole is not None and part is not None
    assert dict(part.lines)[Line.OPTIMIZER] == pytest.approx(dict(whole.lines)[Line.OPTIMIZER] / 16)


def test_a_pipeline_keeps_as_many_micro_batches_as_it_has_stages() -> None:
    flat = settled(facts(model=MISTRAL), micro_batches=8)
    deep = settled(facts(model=MISTRAL), micro_batches=8, pipeline_parallel=4)
    one, four = tables.memory(flat, flat.layout(4)), tables.memory(deep, deep.layout(4))
    assert one is not None and four is not None
    assert dict(four.lines)[Line.ACTIVATIONS] == pytest.approx(4 * dict(one.lines)[Line.ACTIVATIONS], rel=0.05)


def test_a_fixed_batch_leaves_each_gpu_less_to_do() -> None:
    found = answer(batch_by=BatchBy.STEP, step_tokens=Decimal(65_536), gpu_count=16)
    assert [row.tokens_a_gpu for row in found.rows] == [65_536 / row.gpu_count for row in found.rows]


def test_the_network_of_the_answer_is_not_listed_twice() -> None:
    # One card a machine: the network holds the exchange up and is the current row, once.
    rows = [row for row in answer(gpu_count=16, cards_count=1).links if row.link.code == HDR.code]
    assert [row.is_current for row in rows] == [True]
    # Eight cards: 27 ms against 33.75 ms inside, so NVLink is the current row.
    (current,) = [row for row in answer(gpu_count=16).links if row.is_current]
    assert current.link.code == ""


def test_between_machines_another_network_keeps_the_machines() -> None:
    rows = {row.link.code: row for row in answer(gpu_count=16, cards_count=2).links}
    assert rows["eth100"].machines == 2
    # Two cards of 12.5 GB/s carry the 5.4 GB once.
    assert rows["eth100"].allreduce_s == pytest.approx(5.4e9 / 25e9)


def test_a_link_of_another_name_and_the_same_rate_is_the_same_link() -> None:
    known = facts(link=replace(PCIE_4, code="mine", name="mine"))
    assert PCIE_4.code not in {row.link.code for row in answer(known).links}


def test_overlaps_hold_the_chosen_share() -> None:
    assert [ratio for ratio, _row in answer(overlap_ratio=Decimal("0.3")).overlaps] == [0.0, 0.3, 0.5, 1.0]


@pytest.mark.parametrize("sharing", list(Sharing))
def test_the_current_way_is_the_answer(sharing: Sharing) -> None:
    found = answer(facts(model=MISTRAL), sharing=sharing)
    current = next(row for row in found.ways if row.is_current)
    assert current.point is not None and found.chosen is not None
    assert current.point.days == found.chosen.days
