"""Each formula carries one worked number in its docstring; all of them are run here."""

import ast
import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

import calculator.domain

MODULES = sorted(module.name for module in pkgutil.iter_modules(calculator.domain.__path__))
FORMULAS = ("units", "hardware", "llm", "apibill", "gpubill", "breakeven")
WITHOUT_A_NUMBER = {
    ("apibill", "billed_components"),
    ("apibill", "quote"),
    ("apibill", "month_usd"),
    ("apibill", "api_bill"),
    ("hardware", "bandwidth_bytes_per_s"),
    ("gpubill", "instance_speed"),
    ("gpubill", "plan"),
    ("gpubill", "gpu_bill"),
    ("llm", "local_layers"),
    ("llm", "kv_bytes_a_layer"),
}
"""Functions that only put others together; their results are checked in the tests of those."""


@pytest.mark.parametrize("name", MODULES)
def test_worked_numbers_hold(name: str) -> None:
    module = importlib.import_module(f"calculator.domain.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", FORMULAS)
def test_every_public_formula_has_a_worked_number(name: str) -> None:
    path = Path(calculator.domain.__path__[0]) / f"{name}.py"
    functions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    bare = {
        (name, function.name)
        for function in functions
        if not function.name.startswith("_") and ">>>" not in (ast.get_docstring(function) or "")
    }
    assert bare <= WITHOUT_A_NUMBER


def imported_by(name: str) -> set[str]:
    path = Path(calculator.domain.__path__[0]) / f"{name}.py"
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("name", MODULES)
def test_the_domain_knows_itself_and_the_standard_library_only(name: str) -> None:
    others = {module for module in imported_by(name) if not module.startswith("calculator.domain")}
    assert {module.split(".")[0] for module in others} <= sys.stdlib_module_names
