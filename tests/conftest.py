"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytest_jupyter.jupyter_server"]

DATA = Path(__file__).parent / "data"


@pytest.fixture
def data_path() -> Path:
    """The folder of small inputs."""
    return DATA
