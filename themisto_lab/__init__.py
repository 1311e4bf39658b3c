"""Themisto Lab: predicts the next cell and the output of a notebook, and scores what it predicted."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

__version__ = version("themisto_lab")


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "themisto-lab"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from themisto_lab.app import ThemistoApp

    return [{"module": "themisto_lab", "app": ThemistoApp}]
