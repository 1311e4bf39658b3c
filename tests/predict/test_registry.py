"""From a name to a predictor."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from themisto_lab.errors import UnknownModelError
from themisto_lab.predict.base import Predictor
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.remote import RemoteOptions


@pytest.mark.parametrize(
    ("name", "kind", "form"),
    [
        ("baseline/follower", "baseline", "none"),
        ("local/qwen2.5-coder-0.5b", "local", "transcript"),
        ("openai/gpt-4o", "remote", "chat"),
        ("openrouter/meta-llama/llama-3-8b", "remote", "chat"),
        ("echo", "test", "none"),
    ],
)
def test_a_name_has_one_predictor(name, kind, form):
    registry = Registry()
    predictor = registry.get(name)
    assert isinstance(predictor, Predictor)
    assert (predictor.name, predictor.kind, predictor.form) == (name, kind, form)
    assert registry.get(name) is predictor


@pytest.mark.parametrize(
    "name", ["", "gpt-4o", "openai/", "baseline/none", "local/gpt-4o", "nobody/model", "local/", "/"]
)
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(UnknownModelError, match=r"baseline/repeat.*local/qwen2\.5-coder-1\.5b.*openai/gpt-4o"):
        Registry().get(name)


def test_all_names_that_are_offered_exist():
    registry = Registry()
    names = registry.names()
    assert [registry.get(name).name for name in names] == names
    assert "echo" not in names


def test_predictors_of_one_model_share_its_engine():
    registry = Registry()
    local = registry.get("local/qwen2.5-coder-0.5b")
    assert local.engine is registry.engine("qwen2.5-coder-0.5b")
    assert local.engine is not registry.engine("local/qwen2.5-coder-1.5b")


def test_remote_options_go_by_model_and_then_by_provider():
    by_model, by_provider = RemoteOptions(context_tokens=1), RemoteOptions(context_tokens=2)
    registry = Registry(remote_options={"openai/gpt-4o": by_model, "openai": by_provider})
    assert registry.get("openai/gpt-4o").context_tokens == 1
    assert registry.get("openai/gpt-4o-mini").context_tokens == 2


def test_a_name_can_be_given_to_another_predictor():
    registry = Registry()
    echo = EchoPredictor("x", name="local/qwen2.5-coder-0.5b")
    registry.register(echo.name, lambda: echo)
    assert registry.get("local/qwen2.5-coder-0.5b") is echo


async def test_closing_what_was_never_used_is_quick():
    registry = Registry()
    registry.get("local/qwen2.5-coder-0.5b")
    registry.get("openai/gpt-4o")
    await registry.close()


def test_a_third_partys_predictor_is_found_and_a_broken_one_is_told(tmp_path, monkeypatch):
    info = tmp_path / "third-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[themisto_lab.predictors]\nthird/fine = third_party:make\nthird/broken = third_party:missing\n"
        "third/odd = third_party:odd\n"
    )
    (tmp_path / "third_party.py").write_text(
        "from themisto_lab.predict.echo import EchoPredictor\n"
        "def make():\n    return EchoPredictor('third', name='third/fine')\n"
        "def odd():\n    return object()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry()
    assert "third/fine" in registry.names()
    assert registry.get("third/fine").name == "third/fine"
    for name in ("third/broken", "third/odd"):
        with pytest.raises(UnknownModelError, match=name):
            registry.get(name)
    assert registry.get("baseline/repeat").name == "baseline/repeat"


def test_litellm_is_not_imported_before_a_remote_model_is_asked():
    code = """
    import asyncio, sys
    from themisto_lab.predict.registry import Registry
    registry = Registry()
    for name in [*registry.names(), "openai/gpt-4o"]:
        registry.get(name)
    asyncio.run(registry.close())
    print(sorted({"litellm", "openai", "xllamacpp"} & set(sys.modules)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
