"""Write the front end's types (``src/api/generated.ts``) from what the routes take and give.

The views' JSON Schema goes through json-schema-to-typescript, which ``jlpm install`` brings. With ``--check``
nothing is written: the exit code says whether the file is what the views would give now.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from themisto_lab.services import views

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "api" / "generated.ts"
CONVERTER = ROOT / "node_modules" / "json-schema-to-typescript" / "dist" / "src" / "cli.js"
BANNER = "// Made by scripts/generate_types.py from themisto_lab/services/views.py: `jlpm generate:types` renews it."
REFERENCE_NOTE = re.compile(
    r"""
    /\*\* \n \ \*\ This\ interface\ was\ referenced [^/]* \*/ \n     # a comment of nothing else
    | \n \ \* \n \ \*\ This\ interface\ was\ referenced [^/]* (?=\n\ \*/)    # or the end of a comment
    """,
    re.VERBOSE,
)
"""What the converter adds to each type, which says nothing to a reader."""

REQUESTS: tuple[type[BaseModel], ...] = (
    views.AskRequest,
    views.FeedbackRequest,
    views.ForgetRequest,
    views.NotebookOptions,
    views.PullRequest,
)
"""What the browser sends: fields with a default may be left out. Everything else is sent whole."""

ANSWERS: tuple[type[BaseModel], ...] = (
    views.DeltaLine,
    views.ErrorView,
    views.ForgetView,
    views.KernelView,
    views.ModelsView,
    views.PullView,
    views.ScoresView,
    views.SentView,
    views.SettingsView,
    views.StateView,
    views.StatusView,
    views.StepsView,
    views.StoreView,
)


class WholeAnswers(GenerateJsonSchema):
    """A schema in which an answer has all its fields: a default only matters to who writes it."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Return whether a field is always there."""
        return self.mode == "serialization" or super().field_is_required(field, total)


def schema_of_views() -> dict[str, Any]:
    """Return one JSON Schema whose definitions are all the views."""
    inputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in REQUESTS]
    outputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in ANSWERS]
    _, schema = models_json_schema([*inputs, *outputs], schema_generator=WholeAnswers)
    for definition in schema["$defs"].values():
        _drop_field_titles(definition)
    return {"title": "WireTypes", "type": "object", "additionalProperties": False, **schema}


def _drop_field_titles(definition: dict[str, Any]) -> None:
    """Remove the fields' titles: the converter would make a named type of each."""
    for field in definition.get("properties", {}).values():
        field.pop("title", None)


def typescript_of(schema: dict[str, Any]) -> str:
    """Convert a JSON Schema to TypeScript.

    Raises
    ------
    FileNotFoundError
        The converter is not installed.
    """
    if not CONVERTER.exists():
        raise FileNotFoundError(f"{CONVERTER} is not there: run `jlpm install` first")
    done = subprocess.run(
        [
            "node",
            str(CONVERTER),
            "--unreachableDefinitions",
            "--no-additionalProperties",
            "--style.singleQuote",
            "--style.trailingComma=none",
            f"--bannerComment={BANNER}",
        ],
        input=json.dumps(schema),
        capture_output=True,
        text=True,
        check=True,
    )
    text = REFERENCE_NOTE.sub("", done.stdout)
    return text.replace("export interface WireTypes {}\n", "")


def main(argv: list[str] | None = None) -> int:
    """Write the types, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    arguments = parser.parse_args(argv)
    text = typescript_of(schema_of_views())
    if arguments.check:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            print(f"{TARGET.relative_to(ROOT)} is out of date: run `jlpm generate:types`", file=sys.stderr)
            return 1
        return 0
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
