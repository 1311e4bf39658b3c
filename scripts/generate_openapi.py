"""Writes docs/openapi.json from the table of routes and the views, so that the documentation can't drift."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from themisto_lab.services import views
from themisto_lab.services.routes import PREFIX, ROUTES

TARGET = Path(__file__).parents[1] / "docs" / "openapi.json"

# method, path -> (body, answer, media type); what a route takes and gives is told by no handler's signature.
FORMS: dict[tuple[str, str], tuple[type[BaseModel] | None, type[BaseModel] | None, str]] = {
    ("get", "status"): (None, views.StatusView, "application/json"),
    ("get", "settings"): (None, views.SettingsView, "application/json"),
    ("put", "settings"): (views.SettingsView, views.SettingsView, "application/json"),
    ("get", "models"): (None, views.ModelsView, "application/json"),
    ("post", "pulls"): (views.PullRequest, views.PullView, "application/json"),
    ("get", "pulls/{name}"): (None, views.PullView, "application/json"),
    ("delete", "pulls/{name}"): (None, None, ""),
    ("get", "pulls/{name}/stream"): (None, views.PullView, "application/x-ndjson"),
    ("get", "kernels/{kernel_id}"): (None, views.KernelView, "application/json"),
    ("put", "kernels/{kernel_id}/notebook"): (views.NotebookOptions, views.KernelView, "application/json"),
    ("get", "kernels/{kernel_id}/steps"): (None, views.StepsView, "application/json"),
    ("get", "kernels/{kernel_id}/state"): (None, views.StateView, "application/json"),
    ("post", "predictions"): (views.AskRequest, views.DeltaLine, "application/x-ndjson"),
    ("get", "predictions/{prediction_id}"): (None, views.PredictionView, "application/json"),
    ("delete", "predictions/{prediction_id}"): (None, None, ""),
    ("get", "predictions/{prediction_id}/stream"): (None, views.DeltaLine, "application/x-ndjson"),
    ("get", "predictions/{prediction_id}/sent"): (None, views.SentView, "application/json"),
    ("post", "predictions/{prediction_id}/feedback"): (views.FeedbackRequest, None, ""),
    ("get", "scores"): (None, views.ScoresView, "application/json"),
    ("get", "store"): (None, views.StoreView, "application/json"),
    ("post", "store/forget"): (views.ForgetRequest, views.ForgetView, "application/json"),
}
QUERY = {
    "kernels/{kernel_id}/steps": [("after", "integer", "The index of the first step of the page.")],
    "scores": [
        ("kernel_id", "string", "Only this kernel's present life."),
        ("notebook", "string", "Only this notebook's path."),
    ],
}
REF = "#/components/schemas/{model}"


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REF.format(model=model.__name__)}


def _operation(method: str, path: str, handler: type[Any]) -> dict[str, Any]:
    body, answer, media = FORMS[method, path]
    operation: dict[str, Any] = {
        "summary": (getattr(handler, method).__doc__ or "").strip().split("\n")[0],
        "operationId": f"{method}_{re.sub(r'[^a-z]+', '_', path).strip('_')}",
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in re.findall(r"\{(\w+)\}", path)
        ]
        + [
            {"name": name, "in": "query", "description": text, "schema": {"type": kind}}
            for name, kind, text in QUERY.get(path, [])
        ],
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(body)}}}
    done = "202" if (method, path) == ("post", "pulls") else "200"
    operation["responses"] = (
        {done: {"description": answer.__doc__.split("\n")[0], "content": {media: {"schema": _ref(answer)}}}}
        if answer is not None and answer.__doc__
        else {"204": {"description": "Done."}}
    )
    operation["responses"]["default"] = {
        "description": "An error: a stable code, and one sentence with the remedy.",
        "content": {"application/json": {"schema": _ref(views.ErrorView)}},
    }
    return operation


def document() -> dict[str, Any]:
    """Build the OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for pattern, handler in ROUTES:
        path = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", pattern)
        for method in ("get", "put", "post", "delete"):
            if method in vars(handler):
                paths.setdefault(f"/{PREFIX}/{path}", {})[method] = _operation(method, path, handler)
    used = {model for body, answer, _ in FORMS.values() for model in (body, answer) if model} | {views.ErrorView}
    _, schemas = models_json_schema(
        [(model, "serialization") for model in sorted(used, key=lambda model: model.__name__)], ref_template=REF
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Themisto Lab",
            "version": "1",
            "description": "Routes of the server extension, below the Jupyter server's base URL. "
            "They take the server's own authentication (cookie with _xsrf, or token).",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "Authorization"}},
        },
        "security": [{"token": []}],
    }


def text() -> str:
    """Return the document as it stands in the file."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
