"""Where the architecture tests look: the files of the product as they stand in the checkout."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("calculator", "benchmarks", "sales", "vmcloud")
LEFT_OUT = {".venv", ".git", "var", "node_modules", "__pycache__"}


def files(*suffixes: str, under: tuple[str, ...] = (".",)) -> list[Path]:
    """The files with one of the suffixes, without what is generated or installed."""
    found = (path for folder in under for path in (ROOT / folder).rglob("*"))
    return sorted(
        path
        for path in found
        if path.suffix in suffixes and path.is_file() and not LEFT_OUT & set(path.relative_to(ROOT).parts)
    )


def product_modules() -> list[Path]:
    return [path for path in files(".py", under=PACKAGES) if "migrations" not in path.parts]


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_modules(path: Path) -> set[str]:
    """The full names of the modules that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found
