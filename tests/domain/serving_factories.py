"""Deployments, constants and calibrations for the tests of sizing: every value chosen by hand, none fitted."""

import datetime as dt
from dataclasses import replace

from calculator.domain.calibration import (
    Calibration,
    Factored,
    LinkConstants,
    MemoryConstants,
    ServingConstants,
    TrainingConstants,
)
from calculator.domain.hardware import Gpu
from calculator.domain.inference import Deployment
from calculator.domain.llm import LanguageModel
from calculator.domain.precision import PRECISIONS

A100_40 = Gpu(
    "A100-SXM-40GB",
    "NVIDIA",
    "Ampere",
    40,
    1555,
    driver_mib=40_960,
    fp16_tflops_dense_fp32acc=312,
    bf16_tflops_dense=312,
    bf16_native=True,
    link_gb_s_per_direction=300,
    pcie_gb_s_per_direction=32,
    tdp_w=400,
    mem_type="HBM2",
    nvlink_gen="NVLink3 + NVSwitch",
)
A100_80 = replace(A100_40, name="A100-SXM-80GB", vram_gb=80, mem_bw_gb_s=2039, driver_mib=81_920)
H100 = replace(
    A100_80,
    name="H100-SXM-80GB",
    architecture="Hopper",
    mem_bw_gb_s=3350,
    driver_mib=81_559,
    fp16_tflops_dense_fp32acc=989,
    fp8_tflops_dense=1979,
    fp8_native=True,
    link_gb_s_per_direction=450,
)
RTX_4090 = Gpu(
    "RTX 4090",
    "NVIDIA",
    "Ada",
    24,
    1008,
    driver_mib=24_564,
    fp16_tflops_dense_fp32acc=165.2,
    fp16_tflops_dense_fp16acc=330.3,
    fp8_tflops_dense=330.3,
    fp8_native=True,
    pcie_gb_s_per_direction=32,
    tdp_w=450,
    mem_type="GDDR6X",
)
T4 = Gpu("T4", "NVIDIA", "Turing", 16, 320, driver_mib=15_360, fp16_tflops_dense_fp32acc=65, pcie_gb_s_per_direction=16)

MISTRAL = LanguageModel(
    name="Mistral-7B-v0.3",
    params_total=7_248_023_552,
    params_active=7_248_023_552,
    params_non_embedding=6_979_588_096,
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate=14_336,
    vocab=32_768,
)
LLAMA_70B = LanguageModel(
    name="Llama-3.1-70B",
    params_total=70_553_706_496,
    params_active=70_553_706_496,
    params_non_embedding=68_452_360_192,
    layers=80,
    hidden=8192,
    heads=64,
    kv_heads=8,
    head_dim=128,
    intermediate=28_672,
    vocab=128_256,
)
MIXTRAL = LanguageModel(
    name="Mixtral-8x7B",
    params_total=46_702_792_704,
    params_active=12_879_925_248,
    params_non_embedding=46_440_648_704,
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate=14_336,
    vocab=32_000,
    n_experts=8,
    experts_top_k=2,
)
DEEPSEEK = LanguageModel(
    name="DeepSeek-V3",
    params_total=671_026_279_424,
    params_active=37_552_157_696,
    params_non_embedding=669_172_921_344,
    layers=61,
    hidden=7168,
    heads=128,
    kv_heads=128,
    head_dim=192,
    intermediate=18_432,
    vocab=129_280,
    attention="MLA",
    kv_lora_rank=512,
    qk_rope_head_dim=64,
    n_experts=256,
    experts_top_k=8,
)

IDEAL = ServingConstants(
    weight_bandwidth_ratio=1.0,
    norm=1.0,
    decode_compute_ratio=1.0,
    kv_bandwidth_ratio=1.0,
    kv_emulated_ratio=0.05,
    kv_eight_bit_ratio=1.0,
    kv_half_streams=0.0,
    decode_attention_ratio=1.0,
    prefill_compute_ratio=1.0,
    prefill_attention_ratio=1.0,
    score_bytes=0.0,
    power_flop_per_j=1e20,
    chunk_tokens=1e9,
    stage_s=0.0,
    stage_overlap_ratio=1.0,
    expert_bandwidth_ratio=1.0,
    expert_compute_ratio=1.0,
    small_matrix_columns=0.0,
    allreduce_latency_s=0.0,
    pcie_latency_factor=1.0,
    link_ratio=1.0,
    pcie_ratio=1.0,
    link_pipeline_s=0.0,
    step_s=0.0,
    layer_s=0.0,
    expert_layer_factor=0.0,
    latent_layer_factor=0.0,
    sequence_s=0.0,
    sampling_bytes=0.0,
    prompt_s=0.0,
    request_s=0.0,
    prompt_token_s=0.0,
    overlap_ratio=1.0,
    burst_ratio=0.0,
    arrival_ratio=0.0,
    inflight_steps=1.0,
    memory_ratio=0.9,
    runtime_bytes=0.0,
    live_output_ratio=0.5,
    max_sequences=256.0,
)
"""A server that reaches the data sheet and whose host costs nothing: the textbook."""

REAL = replace(
    IDEAL,
    weight_bandwidth_ratio=0.8,
    norm=1.5,
    decode_compute_ratio=0.6,
    kv_bandwidth_ratio=0.7,
    kv_eight_bit_ratio=0.9,
    kv_half_streams=2.0,
    decode_attention_ratio=0.5,
    prefill_compute_ratio=0.6,
    prefill_attention_ratio=0.5,
    small_matrix_columns=200.0,
    allreduce_latency_s=1e-5,
    pcie_latency_factor=4.0,
    link_ratio=0.5,
    pcie_ratio=0.5,
    link_pipeline_s=1e-5,
    step_s=1e-3,
    layer_s=5e-5,
    sequence_s=4e-5,
    sampling_bytes=0.0,
    prompt_s=3e-4,
    request_s=4e-3,
    burst_ratio=0.06,
    arrival_ratio=0.8,
    inflight_steps=3.0,
    runtime_bytes=3e9,
)
"""Plausible shares and host costs, for what must hold whatever they are."""

TRAINER = TrainingConstants(
    compute_ratio=0.5,
    attention_ratio=0.5,
    small_matrix_columns=0.0,
    small_pass_tokens=0.0,
    layer_s=0.0,
    step_s=0.0,
    expert_compute_ratio=1.0,
    dequantised_bytes=0.0,
    adapter_layer_factor=1.0,
    exposed_ratio=0.0,
    cluster_exponent=0.0,
)
LINK = LinkConstants(0.0, 0.0, 0.0, 1.0, 1.3, 0.0, 1.0)
PROCESS = MemoryConstants(0.0, 1.0, 34.0, 1.0, 8.0, 12.0, 8.0)


def deployment(
    model: LanguageModel = MISTRAL, gpu: Gpu = A100_80, precision: str = "fp16", kv: float = 2.0, **more: int
) -> Deployment:
    """A deployment on one GPU unless told otherwise."""
    return Deployment(model, gpu, PRECISIONS[precision], kv, **more)


def calibration(**groups: Factored) -> Calibration:
    """A calibration with empty groups but those given."""
    empty = Factored({}, {})
    chosen = {name: groups.get(name, empty) for name in ("serving", "training", "links", "memory")}
    return Calibration(**chosen, bands={}, data_hash="0", date=dt.date(2026, 11, 30))
