"""Who may know whom: what import-linter's contracts do not express."""

import ast
import sys
from pathlib import Path

import pytest

from tests.architecture import tree

DOMAIN = tree.files(".py", under=("calculator/domain",))
VIEWS = [
    path
    for path in tree.product_modules()
    if path.name.endswith("views.py") or path.name in {"pages.py", "countpages.py"}
]
MODELS = [path for path in tree.product_modules() if path.name == "models.py" or path.parent.name == "models"]
LINE_LIMIT = 450
ORM_READS = {"filter", "exclude", "annotate", "aggregate", "order_by", "select_related", "prefetch_related", "raw"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
FORMATTERS = {"round", "format", "Decimal"}


@pytest.mark.parametrize("path", DOMAIN, ids=tree.name)
def test_the_domain_imports_the_standard_library_and_itself_only(path: Path) -> None:
    foreign = {
        module
        for module in tree.imported_modules(path)
        if module.partition(".")[0] not in sys.stdlib_module_names and not module.startswith("calculator.domain")
    }
    assert foreign == set()


@pytest.mark.parametrize("path", DOMAIN, ids=tree.name)
def test_the_domain_reads_no_file_clock_or_environment(path: Path) -> None:
    calls = {ast.unparse(node.func) for node in ast.walk(tree.parse(path)) if isinstance(node, ast.Call)}
    assert not {name for name in calls if name in {"open", "print", "input"} or name.endswith((".now", ".today"))}
    assert not {"os", "pathlib", "time", "random", "socket"} & tree.imported_modules(path)


@pytest.mark.parametrize("path", VIEWS, ids=tree.name)
def test_a_view_reads_through_the_catalogue_not_the_orm(path: Path) -> None:
    used = {
        node.func.attr
        for node in ast.walk(tree.parse(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert used & ORM_READS == set()
    attributes = {node.attr for node in ast.walk(tree.parse(path)) if isinstance(node, ast.Attribute)}
    assert "objects" not in attributes


@pytest.mark.parametrize("path", VIEWS, ids=tree.name)
def test_a_view_computes_and_formats_nothing(path: Path) -> None:
    places = [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree.parse(path))
        if _computes(node) or _formats(node)
    ]
    assert places == []


def _computes(node: ast.AST) -> bool:
    """Arithmetic on anything but text: putting strings together is not a calculation."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ARITHMETIC):
        return False
    return not (_is_text(node.left) or _is_text(node.right))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _formats(node: ast.AST) -> bool:
    if isinstance(node, ast.FormattedValue):
        return node.format_spec is not None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORMATTERS


@pytest.mark.parametrize("path", VIEWS, ids=tree.name)
def test_views_are_functions(path: Path) -> None:
    assert [node.name for node in ast.walk(tree.parse(path)) if isinstance(node, ast.ClassDef)] == []


@pytest.mark.parametrize("path", MODELS, ids=tree.name)
def test_models_have_fields_and_a_name_but_compute_nothing(path: Path) -> None:
    methods = {
        f"{cls.name}.{node.name}"
        for cls in ast.walk(tree.parse(path))
        if isinstance(cls, ast.ClassDef)
        for node in cls.body
        if isinstance(node, ast.FunctionDef) and node.name not in {"__str__", "get_absolute_url"}
    }
    assert methods == set()


def test_nobody_connects_signals_of_the_framework() -> None:
    signals = "django.db.models.signals"
    assert [tree.name(path) for path in tree.product_modules() if signals in tree.imported_modules(path)] == []


def test_modules_stay_short() -> None:
    written = tree.files(".py", under=(*tree.PACKAGES, "scripts", "tests", "bench"))
    counted = {tree.name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in written}
    too_long = {name: lines for name, lines in counted.items() if lines > LINE_LIMIT and "/migrations/" not in name}
    assert too_long == {}


def test_no_module_is_called_utils() -> None:
    assert [tree.name(path) for path in tree.product_modules() if path.stem in {"utils", "helpers", "misc"}] == []
