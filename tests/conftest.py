"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from themisto_lab.predict.files import DIRECTORY_VARIABLE, file_state, models_dir
from themisto_lab.predict.models import find_spec

pytest_plugins = ["pytest_jupyter.jupyter_server", "postgres_fixtures"]

DATA = Path(__file__).parent / "data"

# The server fixtures move the home folder; the model's file stays where `make model` put it.
os.environ.setdefault(DIRECTORY_VARIABLE, str(models_dir()))


@pytest.fixture
def data_path() -> Path:
    """The folder of small inputs."""
    return DATA


@pytest.fixture(autouse=True)
def _model_is_here(request: pytest.FixtureRequest) -> None:
    """Say how to get the model's file, in place of many obscure failures."""
    spec = find_spec("qwen2.5-coder-0.5b")
    if request.node.get_closest_marker("model") and file_state(spec) != "ready":
        pytest.fail(f'The embedded model is not here. Run: {spec.pull_command}, or leave it out with -m "not model".')
