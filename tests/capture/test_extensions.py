"""Summaries that other packages bring, found through a real entry point and run in a real kernel."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.capture.conftest import OpenLab
from themisto_lab.capture.bundle import install_code
from themisto_lab.capture.extensions import summary_plugins
from themisto_lab.capture.probe.plugins import Registry
from themisto_lab.capture.probe.values import Reader, Summary

Install = Callable[..., None]

GOOD = """
import sys
assert 'their_package' not in sys.modules
def register(registry):
    registry.add('__main__.Model', lambda value, write: {
        'text': 'model with ' + write(value.__dict__['n']) + ' layers, key ' + write(value.__dict__['api']),
        'shape': (3, 4), 'dtype': 'float32', 'size_bytes': 48})
    registry.add('__main__.Broken', lambda value, write: 1 / 0)
    registry.add('__main__.Leaves', lambda value, write: sys.exit())
    registry.add('__main__.Odd', lambda value, write: {'text': value})
    registry.add('builtins.complex', lambda value, write: 'a complex number')
"""

CLASSES = """
class Model:
    def __init__(self): self.n = 3; self.api = 'ghp_' + 'a1B2' * 9
class Broken: pass
class Leaves: pass
class Odd: pass
model, broken, leaves, odd, number = Model(), Broken(), Leaves(), Odd(), 1j
"""


@pytest.fixture
def install_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a package with an entry point on the path, as pip does."""

    def install(name: str, source: str, module: str = "summaries") -> None:
        package = tmp_path / name
        package.mkdir()
        (package / "__init__.py").write_text("raise AssertionError('the package was imported')")
        (package / "summaries.py").write_text(source)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[themisto_lab.summaries]\n{name} = {name}.{module}\n")

    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    install_code.cache_clear()
    yield install  # type: ignore[misc] # a fixture with an end
    install_code.cache_clear()


def test_a_modules_source_is_read_without_an_import(install_package: Install) -> None:
    install_package("their_package", GOOD)
    assert summary_plugins() == [("their_package.summaries", GOOD)]
    assert "their_package" not in sys.modules


def test_a_module_that_is_not_there_is_left_out_with_a_warning(
    install_package: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install_package("gone_package", GOOD, "elsewhere")
    with caplog.at_level(logging.WARNING):
        assert summary_plugins() == []
    assert "gone_package" in caplog.text


async def test_a_summary_of_a_third_party_is_told_and_its_faults_are_not(
    install_package: Install, open_lab: OpenLab
) -> None:
    install_package("their_package", GOOD)
    install_package("a_bad_package", "def register(registry:\n")
    install_package("b_bad_package", "raise SystemExit")
    install_package("c_bad_package", "def register(registry): raise KeyError")
    lab = await open_lab()
    step = await lab.run(CLASSES)
    assert step.status == "ok"
    assert step.outputs == ()
    shown = {v.name: (v.shape, v.dtype, v.size_bytes, v.summary) for v in step.variables}
    assert shown["model"] == ((3, 4), "float32", 48, "model with 3 layers, key '[redacted]'")
    assert shown["number"][3] == "a complex number"
    assert {name: shown[name][3] for name in ("broken", "leaves", "odd")} == {
        "broken": "<__main__.Broken>",
        "leaves": "<__main__.Leaves>",
        "odd": "<__main__.Odd>",
    }
    assert step.receipt is not None
    assert step.receipt.skipped == {"__main__.Broken": 1, "__main__.Leaves": 1, "__main__.Odd": 1}


def test_a_summary_that_fails_is_given_up_after_three_faults() -> None:
    calls: list[object] = []

    def fails(value: object, write: object) -> str:
        calls.append(value)
        raise RuntimeError

    registry = Registry()
    registry.add("builtins.complex", fails)
    assert [registry.summary(Reader(), "v", 1j) for _ in range(5)] == [None] * 5
    assert len(calls) == 3


def test_what_a_summary_returns_is_cut_and_blanked() -> None:
    registry = Registry()
    token = "ghp_" + "a1B2" * 9
    registry.add(
        "builtins.complex", lambda value, write: {"text": token + " at 0x7f00aa11bb22 " + "x" * 900, "dtype": 5}
    )
    registry.add("builtins.complex", lambda value, write: "the first one stays")
    found = registry.summary(Reader(), "v", 1j)
    assert found is not None
    assert found[:3] == Summary(None, None, None, "")[:3]
    assert found.text.startswith("[redacted] at 0x ")
    assert len(found.text) <= 400
