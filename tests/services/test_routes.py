"""The routes, on a real server with real kernels."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from openapi_spec_validator import validate
from tornado.httpclient import HTTPClientError
from waiting import until

MODEL = "local/qwen2.5-coder-0.5b"


async def run_and_wait(themisto, kernel_id, client, code, cell_id=None):
    before = len(themisto.driver.session(kernel_id).steps)
    reply = await client.run(code, cell_id)
    await until(lambda: len(themisto.driver.session(kernel_id).steps) == before + 1)
    await themisto.driver.settled(kernel_id)
    return reply


async def test_a_session_from_start_to_scores(api, start_kernel, themisto):
    kernel_id, client = await start_kernel("analysis.ipynb")
    status, view = await api("GET", "kernels", kernel_id)
    assert (status, view["n_steps"], view["notebook"]) == (200, 0, "analysis.ipynb")

    await run_and_wait(themisto, kernel_id, client, "a = 6", "c1")
    await run_and_wait(themisto, kernel_id, client, "print(a * 7)", "c2")
    await run_and_wait(themisto, kernel_id, client, "a = 6", "c1")

    _, view = await api("GET", "kernels", kernel_id)
    assert view["next_cell"]["text"] == "print(a * 7)"
    assert view["next_cell"]["status"] == "ready"
    _, lines = await api("GET", "predictions", view["next_cell"]["id"], "stream")
    assert lines[0]["type"] == lines[-1]["type"] == "state"
    assert lines[-1]["prediction"]["text"] == "print(a * 7)"

    _, lines = await api(
        "POST",
        "predictions",
        body={"task": "cell_output", "kernel_id": kernel_id, "cell_id": "c2", "code": "print(a * 7)"},
    )
    forecast = lines[-1]["prediction"]
    assert (forecast["text"], forecast["status"], forecast["shown"]) == ("42", "ready", True)

    await run_and_wait(themisto, kernel_id, client, "print(a * 7)", "c2")
    _, scored = await api("GET", "predictions", forecast["id"])
    assert (scored["status"], scored["truth"]) == ("scored", "42")
    assert {score["metric"]: score["value"] for score in scored["scores"]}["exact_match"] == 1
    _, view = await api("GET", "kernels", kernel_id)
    assert view["last_output"]["id"] == forecast["id"]

    _, scores = await api("GET", "scores", params={"kernel_id": kernel_id})
    assert scores["n_steps"] == 4
    rows = {(row["task"], row["predictor"]): row for row in scores["rows"]}
    assert rows["next_cell", "baseline/follower"]["exact_match"] > 0
    assert rows["cell_output", "baseline/last-output"]["exact_match"] == 1

    _, steps = await api("GET", "kernels", kernel_id, "steps", params={"after": "2"})
    assert (steps["total"], [step["index"] for step in steps["steps"]]) == (4, [2, 3])
    assert steps["steps"][1]["cell_id"] == "c2"
    _, state = await api("GET", "kernels", kernel_id, "state")
    assert [(v["name"], v["summary"]) for v in state["variables"]] == [("a", "6")]
    assert state["as_of_step"] == 3


@pytest.mark.model
async def test_feedback_and_what_was_sent(api, start_kernel, themisto):
    kernel_id, client = await start_kernel()
    await run_and_wait(themisto, kernel_id, client, "a = 1")
    await api("PUT", "settings", body={**themisto.driver.settings.model_dump(), "model": MODEL})
    _, lines = await api(
        "POST",
        "predictions",
        body={"task": "cell_output", "kernel_id": kernel_id, "cell_id": "c", "code": "print(hash(a))"},
    )
    prediction = lines[-1]["prediction"]
    assert (prediction["predictor"], prediction["arm"], prediction["status"]) == (MODEL, "runtime", "ready")
    _, sent = await api("GET", "predictions", prediction["id"], "sent")
    assert "# Variables: a (28 B) = 1" in sent["prompt"]
    assert sent["n_tokens"] > 0
    status, _ = await api("POST", "predictions", prediction["id"], "feedback", body={"action": "dismissed"})
    assert status == 204
    stored = await themisto.driver.store.get_prediction(prediction["id"])
    assert [one.action for one in stored.feedback] == ["dismissed"]
    assert (await api("GET", "predictions", "abc", "sent"))[0] == 404


async def test_errors_are_json_with_a_code_and_a_remedy(api, start_kernel, themisto):
    kernel_id, _ = await start_kernel()
    for method, path, body, expected in (
        ("GET", ("kernels", "no-such-kernel"), None, (404, "not_found")),
        ("POST", ("predictions",), {"task": "tea", "kernel_id": "k"}, (400, "bad_input")),
        ("POST", ("predictions",), {"task": "cell_output", "kernel_id": kernel_id, "code": " "}, (400, "bad_input")),
        ("PUT", ("settings",), {**themisto.driver.settings.model_dump(), "model": "gpt-9"}, (404, "model_unknown")),
        ("PUT", ("settings",), {"context_tokens": 1}, (400, "bad_input")),
        ("PUT", ("settings",), {"surprise": 1}, (400, "bad_input")),
        ("POST", ("store", "forget"), {}, (400, "bad_input")),
        ("POST", ("pulls",), {"name": "local/none"}, (404, "model_unknown")),
        ("GET", ("pulls", "none"), None, (404, "not_found")),
        ("GET", ("predictions", "abc"), None, (404, "not_found")),
        ("DELETE", ("predictions", "abc"), None, (404, "not_found")),
    ):
        status, view = await api(method, *path, body=body)
        assert (status, view["code"]) == expected, (path, view)
        assert len(view["message"]) > 10
        assert "Traceback" not in view["message"]
    status, view = await api("GET", "kernels", kernel_id, "steps", params={"after": "x"})
    assert (status, view["code"]) == (400, "bad_input")


async def test_status_models_and_store(api, themisto):
    status, view = await api("GET", "status")
    assert status == 200
    assert view["settings"]["model"] == "baseline/follower"
    assert view["trouble"] is None
    assert view["store"]["path"].endswith("store.sqlite")
    _, models = await api("GET", "models")
    by_name = {model["name"]: model for model in models["models"]}
    assert models["current"] == "baseline/follower"
    assert by_name["local/qwen2.5-coder-0.5b"]["size_bytes"] == 491_400_064
    assert by_name["local/qwen2.5-coder-0.5b"]["licence"] == "Apache-2.0"
    _, store = await api("GET", "store")
    assert (store["recording"], store["n_steps"]) == (True, 0)


async def test_what_the_user_did_not_choose_is_as_the_server_was_configured(api, themisto):
    _, view = await api("PUT", "settings", body={"context_tokens": 1024, "arms": ["no_runtime"]})
    assert (view["context_tokens"], view["arms"], view["model"]) == (1024, ["no_runtime"], "baseline/follower")
    assert (await api("GET", "settings"))[1] == view
    _, view = await api("PUT", "settings", body={})
    assert (view["context_tokens"], view["arms"], view["model"]) == (
        2048,
        ["runtime", "no_runtime"],
        "baseline/follower",
    )


async def test_forgetting_through_the_api(api, start_kernel, themisto):
    kernel_id, client = await start_kernel("old.ipynb")
    await run_and_wait(themisto, kernel_id, client, "a = 1")
    _, counted = await api("POST", "store", "forget", body={"notebook": "old.ipynb", "dry_run": True})
    assert counted["n_steps"] == 1
    _, erased = await api("POST", "store", "forget", body={"notebook": "old.ipynb"})
    assert erased == counted
    _, store = await api("GET", "store")
    assert store["n_steps"] == 0


@pytest.mark.model
async def test_a_notebook_is_turned_off_and_described(api, start_kernel, themisto):
    kernel_id, client = await start_kernel()
    _, view = await api(
        "PUT", "kernels", kernel_id, "notebook", body={"enabled": True, "task_description": "Count the birds."}
    )
    assert view["task_description"] == "Count the birds."
    await run_and_wait(themisto, kernel_id, client, "a = 1")
    await api("PUT", "settings", body={**themisto.driver.settings.model_dump(), "model": MODEL})
    _, lines = await api("POST", "predictions", body={"task": "next_cell", "kernel_id": kernel_id})
    _, sent = await api("GET", "predictions", lines[-1]["id"], "sent")
    assert sent["prompt"].startswith("# Task: Count the birds.\n")
    await api("PUT", "kernels", kernel_id, "notebook", body={"enabled": False})
    await client.run("private = 1")
    status, view = await api("POST", "predictions", body={"task": "next_cell", "kernel_id": kernel_id})
    assert (status, view["code"]) == (400, "bad_input")
    assert (await api("GET", "kernels", kernel_id))[1]["n_steps"] == 1


async def test_the_notebook_is_followed_through_a_rename_and_its_metadata_read(
    api, jp_fetch, jp_root_dir, start_kernel, themisto
):
    notebook = {
        "cells": [],
        "metadata": {"themisto": {"enabled": True, "task_description": "From the file."}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (jp_root_dir / "first.ipynb").write_text(json.dumps(notebook))
    kernel_id, client = await start_kernel("first.ipynb")
    await run_and_wait(themisto, kernel_id, client, "a = 1")
    _, view = await api("GET", "kernels", kernel_id)
    assert view["task_description"] == "From the file."
    sessions = json.loads((await jp_fetch("api", "sessions")).body)
    await jp_fetch("api", "contents", "first.ipynb", method="PATCH", body=json.dumps({"path": "second.ipynb"}))
    await jp_fetch(
        "api", "sessions", sessions[0]["id"], method="PATCH", body=json.dumps({"path": "second.ipynb", "name": "x"})
    )
    await run_and_wait(themisto, kernel_id, client, "b = 2")
    _, view = await api("GET", "kernels", kernel_id)
    assert view["notebook"] == "second.ipynb"
    (head,) = await themisto.driver.store.list_trajectories()
    assert head.notebook == "second.ipynb"


@pytest.mark.parametrize("jp_base_url", ["/user/x/"])
async def test_every_route_works_below_a_base_url(api, jp_base_url):
    assert (await api("GET", "status"))[0] == 200
    assert (await api("GET", "kernels", "none"))[0] == 404


async def test_a_cookie_session_needs_its_xsrf_token(jp_serverapp, http_server_client, jp_base_url):
    token = jp_serverapp.identity_provider.token
    login = await http_server_client.fetch(f"{jp_base_url}lab?token={token}", follow_redirects=False, raise_error=False)
    cookies = {
        part.split("=", 1)[0]: part.split(";", 1)[0].split("=", 1)[1] for part in login.headers.get_list("Set-Cookie")
    }
    assert any(name.startswith("username") for name in cookies)
    url = f"{jp_base_url}themisto/api/store/forget"
    header = "; ".join(f"{name}={value}" for name, value in cookies.items())
    body = json.dumps({"everything": True, "dry_run": True})
    refused = await http_server_client.fetch(
        url, method="POST", body=body, headers={"Cookie": header}, raise_error=False
    )
    assert refused.code == 403
    taken = await http_server_client.fetch(
        url, method="POST", body=body, headers={"Cookie": header, "X-XSRFToken": cookies["_xsrf"]}, raise_error=False
    )
    assert taken.code == 200


async def test_without_authentication_nothing_is_told(http_server_client, jp_base_url, jp_serverapp):
    for path in ("status", "store", "models", "scores", "settings"):
        response = await http_server_client.fetch(f"{jp_base_url}themisto/api/{path}", raise_error=False)
        assert response.code == 403


async def test_events_carry_ids_only_and_come_after_the_commit(jp_serverapp, start_kernel, themisto):
    heard = []

    async def listen(logger, schema_id, data):
        known = None
        if data.get("step_index") is not None:
            known = await themisto.driver.store.steps(data["trajectory_id"], data["step_index"])
        heard.append((schema_id.split("/")[-2], data, known))

    for event in ("run", "life", "prediction"):
        jp_serverapp.event_logger.add_listener(
            schema_id=f"https://themisto-lab.github.io/events/{event}/v1", listener=listen
        )
    kernel_id, client = await start_kernel()
    await run_and_wait(themisto, kernel_id, client, "password_free_code = 1")
    finished = await until(lambda: [e for e in heard if e[0] == "run" and e[1]["action"] == "finished"])
    assert [step.code for step in finished[0][2]] == ["password_free_code = 1"]
    await until(lambda: [e for e in heard if e[0] == "prediction"])
    assert "password_free_code" not in str([data for _, data, _ in heard])


async def test_the_closing_of_a_stream_gives_up_a_pause_forecast(themisto, start_kernel, api):
    kernel_id, client = await start_kernel()
    await run_and_wait(themisto, kernel_id, client, "a = 1")
    tracked = await themisto.driver.ask(kernel_id, "next_cell")
    assert tracked.done
    texts = [text async for text in tracked.follow()]
    assert texts == [tracked.text]


def test_litellm_is_not_loaded_with_the_extension(tmp_path):
    program = """
import sys
from jupyter_server.serverapp import ServerApp
import themisto_lab.cli.main

themisto_lab.cli.main.build_parser()
app = ServerApp()
app.initialize([
    "--ServerApp.jpserver_extensions={'themisto_lab': True}", "--ServerApp.port=0", "--ServerApp.allow_root=True",
    "--ThemistoApp.model=openai/gpt-4o", "--ThemistoApp.store=" + sys.argv[1],
])
assert "themisto" in app.web_app.settings, "the extension did not load"
heavy = sorted({"litellm", "xllamacpp"} & set(sys.modules))
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    environment = {**os.environ, "HOME": str(tmp_path), "JUPYTER_NO_CONFIG": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store.sqlite")],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_api_documentation_is_valid_and_up_to_date():
    sys.path.insert(0, "scripts")
    try:
        import generate_openapi
    finally:
        sys.path.pop(0)
    assert generate_openapi.TARGET.read_text(encoding="utf-8") == generate_openapi.text()
    document = generate_openapi.document()
    validate(document)
    n_routes = sum(len(methods) for methods in document["paths"].values())
    assert n_routes == len(generate_openapi.FORMS)


async def test_another_site_cannot_read_an_error_page_with_a_trace(jp_fetch, themisto, monkeypatch):
    def broken():
        raise RuntimeError("a value that must not leave the server")

    monkeypatch.setattr(themisto.owner.__class__, "current_trouble", lambda self: broken())
    with pytest.raises(HTTPClientError) as caught:
        await jp_fetch("themisto", "api", "status")
    view = json.loads(caught.value.response.body)
    assert view["code"] == "error"
    assert "must not leave" not in view["message"]
    await asyncio.sleep(0)
