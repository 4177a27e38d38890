"""The multi-GPU answer: the published 92 → 14 days, speed-up, bill, where more GPUs stop paying, what is not valid."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.calibration import Band
from calculator.domain.collectives import Reduction
from calculator.domain.parallel_scenario import BatchBy, Plausibility, Sharing
from calculator.domain.provenance import Kind

from .parallel_factories import BRIDGE, NVLINK_4, PCIE_4, answer, calibrated, facts, sku
from .serving_factories import A100_80, LINK, LLAMA_70B, MISTRAL, T4, TRAINER


def test_golden_pretrain_flops_and_days_of_the_published_run() -> None:
    steps = {step.code: step for step in answer().steps}
    assert steps["parallel_flop"].result == pytest.approx(6.48e20, rel=5e-4)
    assert answer().one_gpu_days == pytest.approx(92.0, rel=2e-3)


def test_golden_allreduce_8_nvswitch() -> None:
    steps = {step.code: step for step in answer().steps}
    assert steps["parallel_allreduce_bound"].result == pytest.approx(0.0315, rel=5e-4)
    assert steps["parallel_allreduce"].result == pytest.approx(0.0315, rel=5e-4)


def test_the_published_speed_up_of_6_57_is_82_percent_at_730_tokens() -> None:
    chosen = answer(step_tokens=Decimal(730)).chosen
    assert chosen is not None
    assert chosen.speed_up == pytest.approx(6.57, abs=0.01)
    assert chosen.efficiency == pytest.approx(0.82, abs=0.005)


def test_pitfall_45_efficiency_depends_on_the_tokens_between_two_exchanges() -> None:
    wide, narrow = answer(step_tokens=Decimal(16_384)).chosen, answer(step_tokens=Decimal(730)).chosen
    assert wide is not None and narrow is not None
    assert wide.efficiency == pytest.approx(0.99, abs=0.005)
    assert narrow.efficiency == pytest.approx(0.82, abs=0.005)


def test_pitfall_45_at_25_gb_a_second_90_percent_is_left() -> None:
    slow = replace(PCIE_4, bytes_per_s=25e9)
    chosen = answer(facts(link=slow), step_tokens=Decimal(16_384)).chosen
    assert chosen is not None and chosen.efficiency == pytest.approx(0.90, abs=0.01)


def test_the_utilisation_of_the_published_run_is_a_claim_and_said() -> None:
    found = answer()
    assert found.mfu is not None
    assert (found.mfu.kind, round(found.mfu.value, 4)) == (Kind.CLAIM, 0.2613)
    assert "mfu_is_published" in {message.code for message in found.warnings}


def test_the_published_run_is_explained_without_being_asked() -> None:
    found = answer().explanation
    assert found is not None
    assert found.speed_up == pytest.approx(92 / 14, rel=1e-3)
    assert found.efficiency == pytest.approx(0.8214, abs=5e-4)


def test_the_published_run_on_other_links_is_another_run() -> None:
    assert answer(facts(offer=sku(1)), machine_gpus=1).explanation is None
    assert answer(facts(link=PCIE_4)).explanation is None


def test_another_run_is_explained_only_where_days_are_stated() -> None:
    assert answer(tokens_count=Decimal("20e9")).explanation is None
    stated = answer(tokens_count=Decimal("20e9"), observed_days=Decimal(7)).explanation
    assert stated is not None and stated.efficiency == pytest.approx(0.8214, abs=5e-4)


def test_730_tokens_explain_82_percent_and_are_less_than_a_sequence() -> None:
    found = answer().explanation
    assert found is not None
    textbook = found.causes[0]
    assert (textbook.code, textbook.plausibility) == ("tokens_textbook", Plausibility.UNLIKELY)
    assert textbook.value == pytest.approx(729, abs=1)


def test_no_overlap_explains_82_percent_at_16_k_tokens() -> None:
    found = answer().explanation
    assert found is not None
    overlap = next(cause for cause in found.causes if cause.code == "overlap")
    assert overlap.value is None and overlap.plausibility is Plausibility.IMPOSSIBLE


def test_the_link_that_explains_82_percent_gives_a_twentieth_of_nvswitch() -> None:
    found = answer().explanation
    assert found is not None
    link = next(cause for cause in found.causes if cause.code == "link")
    # 9.45 GB in 0.2174 × 3.2558 s of computing: 13.35 GB/s.
    assert link.value == pytest.approx(13.35e9, rel=2e-3)
    assert link.plausibility is Plausibility.UNLIKELY


def test_two_days_and_a_half_lost_outside_of_the_steps_explain_it_too() -> None:
    found = answer().explanation
    assert found is not None
    lost = next(cause for cause in found.causes if cause.code == "lost_time")
    # 14 days less 11.5 ÷ 0.9904 (31.5 ms of 3.287 s are visible).
    assert lost.value == pytest.approx(14 - 11.5 * (3.25583 + 0.0315) / 3.25583, abs=0.005)
    assert lost.plausibility is Plausibility.PLAUSIBLE


def test_a_run_quicker_than_ideal_needs_no_explanation() -> None:
    found = answer(observed_days=Decimal(11)).explanation
    assert found is not None and found.causes == () and found.efficiency > 1


def test_adding_gpus_brings_less_and_less_where_the_batch_is_fixed() -> None:
    rows = answer(batch_by=BatchBy.STEP, step_tokens=Decimal(16_384)).rows
    assert [row.gpu_count for row in rows] == [1, 2, 4, 8, 16, 32, 64]
    efficiencies = [row.efficiency for row in rows]
    assert efficiencies == sorted(efficiencies, reverse=True)
    assert efficiencies[0] == 1.0


def test_where_gpus_stop_paying_is_the_last_count_above_the_floor() -> None:
    found = answer(batch_by=BatchBy.STEP, step_tokens=Decimal(8192))
    rows = {row.gpu_count: row for row in found.rows}
    stop = found.stop
    assert stop.reason == "added_ratio" and stop.gpu_count is not None and stop.next_count is not None
    added = (rows[stop.next_count].speed_up - rows[stop.gpu_count].speed_up) / (stop.next_count - stop.gpu_count)
    assert added < 0.5
    before = [row for row in found.rows if row.gpu_count <= stop.gpu_count]
    assert all(row.added_ratio is None or row.added_ratio >= 0.5 for row in before)


def test_nothing_stops_paying_on_one_switch_with_16_k_tokens_each() -> None:
    assert answer().stop.gpu_count is None


def test_a_day_saved_may_be_worth_less_than_it_costs() -> None:
    known = facts(offer=sku(1, "5.40"))
    dear = answer(known, batch_by=BatchBy.STEP, step_tokens=Decimal(16_384), day_eur=Decimal(1))
    assert dear.stop.reason == "day_eur" and dear.stop.gpu_count == 1


def test_the_bill_is_whole_machines_times_hours() -> None:
    found = answer(facts(offer=sku(8, "40.00")))
    by_count = {row.gpu_count: row for row in found.rows}
    # 92.0 days × 24 h × 40 €: one GPU rents the whole machine.
    assert by_count[1].eur == pytest.approx(Decimal(88_320), rel=Decimal("0.001"))
    assert by_count[16].instances == 2
    assert found.cheapest is not None and found.cheapest.gpu_count >= 8


def test_a_saved_day_costs_the_difference_of_two_bills() -> None:
    found = answer(facts(offer=sku(1, "5.40")), step_tokens=Decimal(730))
    first, second = found.rows[:2]
    assert first.eur is not None and second.eur is not None and second.eur_per_saved_day is not None
    saved = Decimal(repr(first.days - second.days))
    assert second.eur_per_saved_day == pytest.approx((second.eur - first.eur) / saved)


def test_a_machine_on_request_has_no_bill_and_says_so() -> None:
    found = answer()
    assert found.price is None and found.chosen is not None and found.chosen.eur is None
    assert found.cheapest is None
    assert "price_on_request" in {message.code for message in found.warnings}


def test_a_typed_price_ranks_as_an_assumption() -> None:
    found = answer(price_eur=Decimal("43.20"))
    assert found.price is not None and found.price.rank_kind is Kind.ASSUMPTION
    assert found.chosen is not None and found.chosen.eur is not None
    # 11.5 days × 24 h × 43.20 € with the 1 % that stays visible.
    assert found.chosen.eur == pytest.approx(Decimal("12039"), rel=Decimal("0.002"))
    assert found.eur_ttc == pytest.approx(found.chosen.eur * Decimal("1.2"), rel=Decimal("1e-6"))


def test_the_published_topology_of_16_ranks_does_not_fit_8_h100() -> None:
    known = facts(model=LLAMA_70B)
    found = answer(known, tensor_parallel=8, pipeline_parallel=2)
    assert found.chosen is None
    assert [fault.code for fault in found.faults] == ["ranks"]
    assert found.faults[0].values["ranks"] == 16


def test_the_published_topology_fits_16_a100() -> None:
    found = answer(facts(model=LLAMA_70B), tensor_parallel=8, pipeline_parallel=2, gpu_count=16, micro_batches=8)
    assert found.faults == () and found.chosen is not None
    assert (found.chosen.data_parallel, found.chosen.machines) == (1, 2)


def test_pitfall_7_heads_that_do_not_divide_are_refused() -> None:
    found = answer(facts(model=MISTRAL), tensor_parallel=3, gpu_count=6)
    assert {fault.code for fault in found.faults} == {"parallel_heads", "parallel_kv_heads", "parallel_vocabulary"}


def test_sharing_layers_needs_a_shape() -> None:
    assert [fault.code for fault in answer(tensor_parallel=8).faults] == ["shape_unknown"]
    assert answer(tensor_parallel=8, layers_count=32, hidden_width=2560).faults == ()


def test_a_bridge_joins_two_cards_only() -> None:
    assert [fault.code for fault in answer(facts(link=BRIDGE)).faults] == ["link_too_small"]
    assert answer(facts(link=BRIDGE), gpu_count=2).faults == ()


def test_a_vendor_that_is_not_calibrated_gets_no_number() -> None:
    found = answer(facts(gpu=replace(A100_80, name="MI300X", vendor="AMD")))
    assert found.chosen is None and [fault.code for fault in found.faults] == ["vendor_not_modelled"]
    assert found.rows == () and found.trust is None


def test_a_gpu_without_a_stated_link_gets_no_number() -> None:
    bare = replace(T4, pcie_gb_s_per_direction=None)
    assert [fault.code for fault in answer(facts(gpu=bare)).faults] == ["unknown_link"]


def test_a_gpu_without_a_stated_peak_gets_no_number() -> None:
    bare = replace(T4, fp16_tflops_dense_fp32acc=None)
    assert [fault.code for fault in answer(facts(gpu=bare)).faults] == ["unknown_peak"]


def test_a_known_model_takes_its_speed_from_the_calibration() -> None:
    found = answer(facts(model=MISTRAL))
    assert found.mfu is not None and found.mfu.kind is Kind.ESTIMATE
    # Half of the peak for matrices and attention; recomputation takes 8 FLOP for 6 that count.
    assert found.mfu.value == pytest.approx(0.5 * 6 / 8, abs=0.03)


def test_a_typed_utilisation_wins_and_the_calibrated_one_is_told() -> None:
    found = answer(facts(model=MISTRAL), mfu_ratio=Decimal("0.30"))
    assert found.mfu is not None and (found.mfu.kind, found.mfu.value) == (Kind.INPUT, 0.3)
    assert "mfu_typed" in {message.code for message in found.warnings}
    assert found.trust is Kind.ASSUMPTION


def test_memory_is_known_for_a_known_shape_only() -> None:
    assert answer().memory is None
    found = answer(facts(model=MISTRAL))
    assert found.memory is not None and not found.memory.fits
    assert "does_not_fit" in {message.code for message in found.warnings}


def test_shards_divide_weights_gradients_and_states() -> None:
    whole, shards = (answer(facts(model=MISTRAL), sharing=way).memory for way in Sharing)
    assert whole is not None and shards is not None
    held, divided = dict(whole.lines), dict(shards.lines)
    for line in ("weights", "gradients", "optimizer"):
        assert divided[line] == pytest.approx(held[line] / 8)


def test_ways_of_sharing_are_compared_at_the_same_count() -> None:
    ways = {way.code: way for way in answer(facts(model=MISTRAL)).ways}
    assert set(ways) == {"data", "sharded", "tensor", "pipeline"}
    assert ways["data"].is_current and ways["data"].memory is not None
    # Ring of 8: 1.75 × 7.248 G parameters × 2 bytes.
    assert ways["data"].crossing_bytes == pytest.approx(1.75 * 7_248_023_552 * 2)


def test_pitfall_46_shards_move_half_as_much_again() -> None:
    ways = {way.code: way for way in answer(facts(model=MISTRAL)).ways}
    assert ways["sharded"].crossing_bytes == pytest.approx(1.5 * (ways["data"].crossing_bytes or 0))


def test_own_degrees_stand_beside_the_usual_ways() -> None:
    ways = answer(facts(model=MISTRAL), tensor_parallel=2).ways
    assert [way.code for way in ways if way.is_current] == ["own"]


def test_interconnects_are_listed_by_the_days_they_give() -> None:
    rows = answer().links
    days = [row.point.days for row in rows]
    assert days == sorted(days)
    by_code = {row.link.code: row for row in rows}
    assert by_code[""].is_current and not by_code["pcie4"].is_current
    assert by_code["pcie4"].allreduce_s == pytest.approx(0.295, rel=2e-3)


def test_pitfall_44_a_network_is_compared_as_one_card_a_gpu() -> None:
    by_code = {row.link.code: row for row in answer().links}
    assert by_code["ib-hdr"].textbook_s == pytest.approx(0.378, rel=2e-3)
    assert by_code["eth100"].textbook_s == pytest.approx(0.756, rel=2e-3)
    assert by_code["ib-hdr"].machines == 8


def test_pitfall_49_the_cards_of_a_machine_are_shared_by_its_gpus() -> None:
    one, eight = (answer(gpu_count=16, cards_count=cards).chosen for cards in (1, 8))
    assert one is not None and eight is not None
    # Two machines: each sends the 5.4 GB once, over one card or over eight.
    assert one.time.data_s == pytest.approx(5.4e9 / 25e9)
    assert eight.time.data_s == pytest.approx(max(5.4e9 / 200e9, 2 * 15 / 16 * 5.4e9 / 300e9))


def test_a_bridge_is_not_offered_for_eight_gpus() -> None:
    assert BRIDGE.code not in {row.link.code for row in answer().links}


def test_only_a_reducing_switch_offers_the_sum_in_the_switch() -> None:
    offered = {row.reduction: row.available for row in answer().reductions}
    assert offered == {Reduction.RING: True, Reduction.TREE: True, Reduction.SWITCH: False}
    on_h100 = {row.reduction: row for row in answer(facts(link=NVLINK_4)).reductions}
    assert on_h100[Reduction.SWITCH].available
    assert on_h100[Reduction.SWITCH].measured_s == pytest.approx(on_h100[Reduction.RING].measured_s / 1.3)


def test_a_switch_that_cannot_add_is_said() -> None:
    codes = {message.code for message in answer(reduction=Reduction.SWITCH).warnings}
    assert "switch_cannot_add" in codes


def test_overlap_hides_traffic_behind_the_backward_pass() -> None:
    # 31.5 ms of traffic; a tenth of two thirds of 3.256 s hides all of it.
    found = answer(overlap_ratio=Decimal("0.1")).chosen
    assert found is not None and found.time.exposed_s == 0
    assert [ratio for ratio, _ in answer().overlaps] == [0.0, 0.5, 1.0]


def test_accumulation_leaves_only_the_last_pass_to_hide_traffic() -> None:
    # At 730 tokens: two thirds of 145.1 ms, of which half in one pass (48.4 ms) or in eight (6.05 ms).
    one = answer(step_tokens=Decimal(730), overlap_ratio=Decimal("0.5")).chosen
    eight = answer(step_tokens=Decimal(730), overlap_ratio=Decimal("0.5"), micro_batches=8).chosen
    assert one is not None and eight is not None
    assert one.time.exposed_s == 0
    assert eight.time.exposed_s == pytest.approx(0.0315 - 0.00605, abs=2e-4)


def test_measured_jobs_never_hide_all_of_it() -> None:
    known = facts(known=calibrated(trainer=replace(TRAINER, exposed_ratio=0.04)))
    found = answer(known, overlap_ratio=Decimal(1)).chosen
    assert found is not None and found.time.exposed_s == pytest.approx(0.04 * 0.0315, rel=1e-3)


def test_many_machines_lose_what_was_fitted() -> None:
    known = facts(known=calibrated(trainer=replace(TRAINER, cluster_exponent=0.02)))
    eight, many = answer(known).chosen, answer(known, gpu_count=64).chosen
    assert eight is not None and many is not None
    assert eight.time.cluster_s == 0
    assert many.time.cluster_s / (many.time.step_s - many.time.cluster_s) == pytest.approx(8**0.02 - 1)


def test_a_band_of_the_fit_goes_with_a_fitted_speed_only() -> None:
    assert answer().mfu_band is None and answer().allreduce_band is None


def test_the_bands_are_those_of_the_gpus_chip() -> None:
    """Eight A100 behind NVSwitch: Ampere with HBM, the class "switch" of a link."""
    bands = {
        "busbw_GB_s||": Band(0.9, 1.2, 150),
        "busbw_GB_s|NCCL|switch|Ampere/HBM": Band(0.7, 1.1, 29),
        "tok_s_per_gpu||": Band(0.8, 1.2, 570),
        "tok_s_per_gpu|pretrain|fp16|Ampere/HBM": Band(0.95, 1.15, 104),
    }
    found = answer(facts(model=MISTRAL, known=replace(calibrated(), bands=bands)), mfu_ratio=None)
    assert found.allreduce_band == Band(0.7, 1.1, 29)
    assert found.mfu_band == Band(0.95, 1.15, 104)


def test_one_gpu_needs_no_exchange() -> None:
    found = answer(gpu_count=1)
    assert found.headline.code == "one_gpu" and found.links == () and found.reductions == ()
    assert found.chosen is not None and found.chosen.efficiency == 1.0
    assert "parallel_allreduce" not in {step.code for step in found.steps}


def test_waits_add_up_on_small_machines() -> None:
    waiting = replace(LINK, start_s=1e-3, hop_s=1e-3)
    found = answer(facts(known=calibrated(waiting))).chosen
    assert found is not None and found.time.data_s == pytest.approx(0.0315 + 1e-3 + 14e-3)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 24, 64])
def test_steps_end_in_the_figures_of_the_answer(count: int) -> None:
    found = answer(facts(offer=sku(8, "40.00")), gpu_count=count)
    results = {step.code: step.result for step in found.steps}
    assert found.chosen is not None
    assert results["parallel_days"] == found.chosen.days
    assert results["parallel_speed_up"] == found.chosen.speed_up
    assert results["parallel_bill"] == found.chosen.eur


@pytest.mark.parametrize("sharing", list(Sharing))
@pytest.mark.parametrize("degrees", [(1, 1), (2, 1), (1, 2), (2, 2), (8, 1), (1, 8)])
def test_the_parts_of_a_step_add_up(sharing: Sharing, degrees: tuple[int, int]) -> None:
    tensor, pipeline = degrees
    found = answer(
        facts(model=MISTRAL), sharing=sharing, tensor_parallel=tensor, pipeline_parallel=pipeline, gpu_count=16
    ).chosen
    assert found is not None
    time = found.time
    lost = time.exposed_s + time.tensor_s + time.pipeline_s + time.bubble_s + time.cluster_s
    assert time.step_s == pytest.approx(time.compute_s + lost)
    assert 0 < found.efficiency <= 1
    assert found.days * found.speed_up == pytest.approx(answer(facts(model=MISTRAL), sharing=sharing).one_gpu_days)
