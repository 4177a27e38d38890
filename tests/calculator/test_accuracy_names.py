"""GPUs and models by the ways in which publications write them, each against the sheet that a reader would pick."""

import json
from pathlib import Path

import pytest

from calculator.accuracy import naming
from calculator.accuracy.names import GpuNames, gpu_words, model_key
from calculator.accuracy.sheets import SAME_SHAPE, load_sheets
from calculator.domain.calibration import Engine, Era
from calculator.domain.precision import PRECISIONS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SHEETS = load_sheets(FIXTURES)


@pytest.mark.parametrize(
    ("written", "sheet"),
    [
        ("NVIDIA A100-SXM4-80GB", "A100-SXM-80GB"),
        ("NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"),
        ("A100-PCIE-40GB", "A100-PCIe-40GB"),
        ("A100 40GB", "A100-SXM-40GB"),
        ("A100", "A100-SXM-80GB"),
        ("H100-SXM5-80GB", "H100-SXM-80GB"),
        ("NVIDIA H100 80GB HBM3", "H100-SXM-80GB"),
        ("h100", "H100-SXM-80GB"),
        ("8xH100", "H100-SXM-80GB"),
        ("NVIDIA H100 PCIe", "H100-PCIe-80GB"),
        ("NVIDIA H100 NVL", "H100-NVL-94GB"),
        ("H100 96GB", "H100-HBM2e-96GB (500W)"),
        ("NVIDIA H200", "H200-SXM"),
        ("H200 141GB", "H200-SXM"),
        ("NVIDIA B200", "B200-SXM"),
        ("B200 192GB", "B200-SXM"),
        ("GB200 NVL72", "GB200"),
        ("NVIDIA GH200 480GB", "GH200-96GB"),
        ("GH200 144GB HBM3e", "GH200-141GB"),
        ("RTX4090", "RTX 4090"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("RTX 4090 24GB", "RTX 4090"),
        ("GeForce RTX 3090 Ti", "RTX 3090 Ti"),
        ("RTX3090Ti", "RTX 3090 Ti"),
        ("RTX 3090", "RTX 3090"),
        ("NVIDIA RTX A6000", "RTX A6000"),
        ("A6000", "RTX A6000"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000"),
        ("NVIDIA L40S", "L40S"),
        ("Tesla T4", "T4"),
        ("A10G-24GB", "A10G"),
        ("Tesla V100-SXM2-32GB", "V100-SXM2-32GB"),
        ("AMD Instinct MI300X OAM", "MI300X"),
        ("NVIDIA RTX A5000", "RTX A5000"),
        ("NVIDIA GeForce RTX 4080 SUPER", "RTX 4080 SUPER"),
        ("NVIDIA H20", "H20"),
    ],
)
def test_a_gpu_is_found_however_it_is_written(written: str, sheet: str) -> None:
    found = SHEETS.gpu(written)
    assert found is not None
    assert found.name == sheet


@pytest.mark.parametrize(
    "written", ["", "not stated", "GTX 1080 Ti", "RTX 6000", "H100 40GB", "H9000", "80GB", "TPU v5e"]
)
def test_a_gpu_of_another_name_or_memory_is_unknown(written: str) -> None:
    assert SHEETS.gpu(written) is None


def test_every_sheet_and_alias_is_found_by_its_own_name() -> None:
    names = GpuNames(SHEETS.gpus)
    assert [name for name, gpu in SHEETS.gpus.items() if names.find(name) is not gpu] == []


def test_no_two_sheets_have_the_same_words() -> None:
    words = {gpu_words(gpu.name): gpu.name for gpu in SHEETS.gpus.values()}
    assert len(words) == len({gpu.name for gpu in SHEETS.gpus.values()})


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B"),
        ("Meta-Llama-3.1-70B-Instruct-FP8", "Llama-3.1-70B"),
        ("neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "Llama-3.1-8B"),
        ("Llama-3.1-8B-Instruct-Q4_K_M", "Llama-3.1-8B"),
        ("llama3.1:8b", "Llama-3.1-8B"),
        ("Llama3-8B", "Llama-3-8B"),
        ("llama-2-7b-chat-hf", "Llama-2-7B"),
        ("LLaMA-65B", "Llama-1-65B"),
        ("mistral_7b", "Mistral-7B"),
        ("mistralai/Mistral-7B-Instruct-v0.2", "Mistral-7B-v0.2"),
        ("Mistral-7B-Instruct-v0.1", "Mistral-7B"),
        ("mistralai/Mistral-Small-24B-Instruct-2501", "Mistral-Small-2501"),
        ("TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ", "Mixtral-8x7B"),
        ("Qwen-2.5-72B-Instruct-AWQ", "Qwen2.5-72B"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("Qwen-7B-Chat", "Qwen-7B"),
        ("Qwen3-235B-A22B-Instruct-2507-FP8", "Qwen3-235B-A22B"),
        ("Qwen3-Coder-30B-A3B-Instruct", "Qwen3-30B-A3B"),
        ("deepseek-ai/DeepSeek-R1-0528", "DeepSeek-R1"),
        ("nvidia/DeepSeek-R1-FP4", "DeepSeek-R1"),
        ("DeepSeek-R1-Distill-Qwen-32B", "Qwen2.5-32B"),
        ("google/gemma-3-27b-it", "Gemma-3-27B"),
        ("GPT-OSS-20B", "gpt-oss-20b"),
        ("Llama-4-Maverick-17B-128E-Instruct-FP8", "Llama-4-Maverick"),
        ("TinyLlama-1.1B-Chat-v1.0", "TinyLlama-1.1B"),
        ("Phi-3-mini-128k-instruct", "Phi-3-mini"),
        ("moonshotai/Kimi-K2-Instruct-0905", "Kimi-K2"),
        ("facebook/opt-13b", "OPT-13B"),
        ("01-ai/Yi-34B-Chat", "Yi-34B"),
        ("zai-org/GLM-4.5-Air-FP8", "GLM-4.5-Air"),
    ],
)
def test_a_model_is_found_however_it_is_written(written: str, model: str) -> None:
    found = SHEETS.model(written)
    assert found is not None
    assert found.name == model


@pytest.mark.parametrize("written", ["", "Llama-99B", "gpt-4", "Llama-3", "8B", "T0_3B (3B)", "Qwen-27B"])
def test_a_model_of_other_dimensions_is_unknown(written: str) -> None:
    assert SHEETS.model(written) is None


def test_every_model_and_publisher_name_leads_to_its_own_dimensions() -> None:
    models = SHEETS.models.values()
    assert [model.name for model in models if SHEETS.model(model.name) is not model] == []
    assert [model.hf_id for model in models if model.hf_id and SHEETS.model(model.hf_id) is not model] == []


def test_every_twin_names_a_model_that_is_there() -> None:
    assert [name for name in SAME_SHAPE.values() if name not in SHEETS.models] == []


def test_sizes_stay_apart_from_families() -> None:
    assert model_key("Qwen2-7B") != model_key("Qwen-27B")


def test_shapes_for_measurements_hold_the_parameters_that_their_publishers_state() -> None:
    # Billions, as on the publishers' pages.
    stated = {"Yi-34B": 34.4, "OPT-66B": 65.7, "BLOOM-176B": 176.2, "DBRX-132B": 131.6, "Qwen1.5-72B": 72.3}
    stated |= {"StarCoder2-15B": 16.0, "Mistral-Small-2501": 23.6, "GLM-4.5-Air": 106.9, "Command-R-35B": 35.0}
    for name, billions in stated.items():
        assert SHEETS.models[name].params_total / 1e9 == pytest.approx(billions, rel=5e-3), name


def test_every_shape_has_a_source() -> None:
    for file in ("measured_models.json", "measured_gpus.json"):
        rows = json.loads((FIXTURES / "measurements" / file).read_text(encoding="utf-8"))
        assert [row["name"] for row in rows if not row["source"]] == []


def test_sheets_beside_the_measurements_add_names_and_never_change_known_ones(tmp_path: Path) -> None:
    (tmp_path / "gpus.csv").write_text(
        "gpu,aliases,vendor,architecture,vram_gb,mem_bw_GB_s,fp8_native\n"
        "X1,X1-OAM;X-One,NVIDIA,Ada,24,900,yes\nL4,,NVIDIA,Ada,48,1,no\nbroken,,NVIDIA,Ada,much,1,no\n"
    )
    header = "model,params_total,params_active,params_non_embedding,layers,hidden,heads,kv_heads,head_dim,intermediate"
    (tmp_path / "models.csv").write_text(
        f"{header},vocab,tied_embeddings\nToy-1B,1e9,1e9,9e8,16,2048,16,4,128,8192,32000,True\n"
    )
    sheets = load_sheets(FIXTURES, tmp_path)
    found, model = sheets.gpu("X-One"), sheets.model("toy-1b-instruct")
    assert found is not None
    assert model is not None
    assert (found.name, found.mem_bw_gb_s, found.fp8_native) == ("X1", 900.0, True)
    assert (model.layers, model.tied_embeddings) == (16, True)
    assert sheets.gpus["L4"].vram_gb == 24
    assert "broken" not in sheets.gpus


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("TRT-LLM 0.12", Engine.TENSORRT_LLM),
        ("TensorRT LLM v1.0", Engine.TENSORRT_LLM),
        ("trtllm", Engine.TENSORRT_LLM),
        ("vllm==0.8.5", Engine.VLLM),
        ("llama-cpp b3000", Engine.LLAMA_CPP),
        ("sglang v0.4.1", Engine.SGLANG),
        ("TGI 2.0", None),
        ("NVIDIA NIM", None),
        ("ollama", None),
    ],
)
def test_engines_are_recognised_in_other_spellings(text: str, engine: Engine | None) -> None:
    assert naming.engine_class(text) == engine


@pytest.mark.parametrize(
    ("text", "engine", "era"),
    [
        ("vLLM v0.6.3", Engine.VLLM, Era.OLD),
        ("vllm==0.8.5", Engine.VLLM, Era.NEW),
        ("vLLM-0.5.1", Engine.VLLM, Era.OLD),
        ("TensorRT LLM v1.0", Engine.TENSORRT_LLM, Era.NEW),
        ("vLLM (2023)", Engine.VLLM, Era.OLD),
    ],
)
def test_a_version_is_read_in_other_spellings(text: str, engine: Engine, era: Era) -> None:
    gpu, model = SHEETS.gpus["H100-SXM-80GB"], SHEETS.models["Llama-3.1-70B"]
    assert naming.engine_era(text, engine, gpu, model, "bf16", "") is era


@pytest.mark.parametrize(
    ("text", "note", "source", "era"),
    [
        ("vLLM", "tested 2025-03", "", Era.NEW),
        ("vLLM", "benchmarked in 2026", "", Era.NEW),
        ("vLLM", "run 2024-05", "https://example.org/2025/03/again", Era.OLD),
        ("vLLM", "", "https://example.org/blog/2025/03/vllm-on-h100", Era.NEW),
        ("vLLM", "", "https://example.org/2023-11-02-vllm", Era.OLD),
        ("vLLM", "", "https://example.org/model-2501/2025", Era.OLD),
        ("vLLM V1", "", "", Era.NEW),
        ("SGLang v1", "", "", Era.OLD),
    ],
)
def test_the_age_comes_from_the_day_of_the_measurement_or_of_its_publication(
    text: str, note: str, source: str, era: Era
) -> None:
    gpu, model = SHEETS.gpus["H100-SXM-80GB"], SHEETS.models["Llama-3.1-70B"]
    engine = naming.engine_class(text)
    assert engine is not None
    assert naming.engine_era(text, engine, gpu, model, "bf16", naming.dated(note, source)) is era


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("FP8", "fp8"),
        ("bfloat16", "bf16"),
        ("float16", "fp16"),
        ("W4A16", "gptq-int4"),
        ("AWQ", "awq-int4"),
        ("Q4_K_M", "gguf-q4_k_m"),
        ("NVFP4", "nvfp4"),
        ("awq-int4", "awq-int4"),
    ],
)
def test_precisions_are_recognised_in_other_words(text: str, code: str) -> None:
    assert naming.precision_of(text) is PRECISIONS[code]


@pytest.mark.parametrize("text", ["", "int3", "auto", "mixed"])
def test_a_precision_that_is_not_modelled_is_none(text: str) -> None:
    assert naming.precision_of(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.5", 12.5),
        (" 7 ", 7.0),
        ("1,024", 1024.0),
        ("1,234,567.5", 1234567.5),
        ("1e3", 1000.0),
        ("0", 0.0),
        ("1,5", None),
        ("nan", None),
        ("inf", None),
        ("-3", None),
        ("about 5", None),
        ("", None),
        (None, None),
    ],
)
def test_figures_are_finite_numbers_of_nought_or_more(text: str | None, value: float | None) -> None:
    assert naming.number(text) == value


@pytest.mark.parametrize(("stated", "size"), [("FP8", 1.0), ("fp8_e4m3", 1.0), ("int8", 1.0), ("bfloat16", 2.0)])
def test_a_cache_precision_is_recognised_in_other_words(stated: str, size: float) -> None:
    assert naming.cache_bytes(stated, Engine.VLLM, PRECISIONS["fp16"], SHEETS.gpus["L4"]) == size
