"""What goes over the wire: the examples that both sides' tests read, and the front end's types."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel

from themisto_lab.services import views

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "tests" / "fixtures" / "wire").glob("*.json"))


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_what_its_view_gives(path: Path) -> None:
    view: type[BaseModel] = getattr(views, path.stem.split(".")[0])
    text = path.read_text(encoding="utf-8")
    assert view.model_validate_json(text).model_dump(mode="json") == json.loads(text)


def test_every_answer_has_an_example() -> None:
    answers = {model.__name__ for model in load_script("generate_types").ANSWERS}
    assert answers <= {path.stem.split(".")[0] for path in EXAMPLES}


def test_the_examples_are_those_of_the_script() -> None:
    assert load_script("wire_fixtures").main(["--check"]) == 0


def test_the_front_ends_types_have_the_views_fields() -> None:
    source = (ROOT / "src" / "api" / "generated.ts").read_text(encoding="utf-8")
    interfaces = dict(re.findall(r"^export interface (\w+) \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL))
    definitions = load_script("generate_types").schema_of_views()["$defs"]
    expected = {
        name: [(field, field in schema.get("required", [])) for field in schema["properties"]]
        for name, schema in definitions.items()
        if "properties" in schema
    }
    found = {
        name: [(field, mark == "") for field, mark in re.findall(r"^  (\w+)(\??):", body, re.MULTILINE)]
        for name, body in interfaces.items()
    }
    assert found == expected
