"""Data goes one way, and imports follow it: kernel messages -> capture -> ... -> report."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "themisto_lab"

ALLOWED = {
    "types": set(),
    "errors": set(),
    "capture": {"types", "errors"},
    "context": {"types", "errors", "capture"},
    "predict": {"types", "errors", "context"},
    "scoring": {"types", "errors"},
    "store": {"types", "errors", "scoring"},
    "report": {"types", "errors", "scoring", "store"},
    "live": {"types", "errors", "capture", "context", "predict", "scoring", "store"},
    "benchmark": {"types", "errors", "capture", "context", "predict", "scoring", "store", "report"},
    "services": {"types", "errors", "capture", "predict", "store", "report", "live", ""},
    "cli": {"types", "errors", "capture", "context", "predict", "scoring", "store", "report", "live", "benchmark", ""},
    "app": {"capture", "live", "predict", "services", "store"},
    "": {"app"},
}
"""What each part may import of ours, beside itself. The empty name is the package's own ``__init__``."""


def part_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE).with_suffix("")
    return "" if relative.name == "__init__" and len(relative.parts) == 1 else relative.parts[0]


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
            if node.module == "themisto_lab":
                names = [f"themisto_lab.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name == "themisto_lab" or name.startswith("themisto_lab."):
                part = [*name.split("."), ""][1]
                parts.add("" if part == "__version__" else part)
    return parts


FILES = sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_arrows(path):
    part = part_of(path)
    assert imported_parts(path) <= ALLOWED[part] | {part}


def test_only_remote_imports_litellm():
    importing = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names.append(node.module)
            if any(name.split(".")[0] == "litellm" for name in names):
                importing.add(path.name)
    assert len(importing) <= 1
    assert all(name.startswith("remote") for name in importing)


def test_no_python_file_has_grown_long():
    long = {path.name: n for path in FILES if (n := len(path.read_text(encoding="utf-8").splitlines())) > 400}
    assert long == {}
