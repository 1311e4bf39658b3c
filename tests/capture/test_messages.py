"""Messages of one run become outputs and a step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from themisto_lab.capture.messages import MAX_OUTPUT_CHARS, Run, bound_outputs, message_time, text_of_bundle
from themisto_lab.capture.redact import redact_code, redact_text
from themisto_lab.capture.streams import HEAD_CHARS, StreamText
from themisto_lab.types import CellOutput, Step

START = datetime(2026, 1, 1, tzinfo=UTC)


def message(kind: str, **content: Any) -> dict[str, Any]:
    return {"header": {"msg_type": kind, "date": START}, "content": content}


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return message("stream", name=name, text=text)


def display(kind: str = "display_data", display_id: str | None = None, **data: Any) -> dict[str, Any]:
    bundle = {key.replace("__", "/"): value for key, value in data.items()}
    return message(kind, data=bundle, transient={"display_id": display_id} if display_id else {})


def step_of(*messages: dict[str, Any], code: str = "x") -> Step:
    run = Run("id", START)
    run.add(message("execute_input", code=code, execution_count=3))
    for each in messages:
        run.add(each)
    return run.finish(
        index=0,
        kernel_id="k",
        redact_code=redact_code,
        redact_text=redact_text,
        ended_at=START + timedelta(seconds=1.5),
    )


def outputs(*messages: dict[str, Any]) -> list[tuple[str, str]]:
    return [(output.mime.rpartition(".")[2], output.text) for output in step_of(*messages).outputs]


def test_a_step_has_code_count_and_time() -> None:
    step = step_of(code="a = 1")
    assert (step.code, step.execution_count, step.execution_time_s, step.started_at) == ("a = 1", 3, 1.5, START)
    assert step.status == "ok"


def test_consecutive_text_of_a_stream_is_one_output() -> None:
    assert outputs(stream("a\n"), stream("b\n"), stream("e\n", "stderr"), stream("c\n")) == [
        ("stdout", "a\nb\n"),
        ("stderr", "e\n"),
        ("stdout", "c\n"),
    ]


@pytest.mark.parametrize(
    ("chunks", "shown"),
    [
        (["10%\r20%\r100%\n"], "100%\n"),
        (["10%", "\r20%", "\r", "99%"], "99%"),
        (["long line\rab"], "abng line"),
        (["a\r\nb\r", "\nc"], "a\nb\nc"),
        (["abc\b\bX"], "aX"),
        (["\x1b[31mred\x1b[0m"], "red"),
        (["a\x1b[", "31mb\x1b", "[0mc"], "abc"),
        (["x\x1b]8;;http://a\x07link\x1b]8;;\x07"], "xlink"),
        (["done\n", "50%\r", "100%\nend"], "done\n100%\nend"),
        (["\b\rok"], "ok"),
    ],
)
def test_a_stream_reads_as_a_terminal_shows_it(chunks: list[str], shown: str) -> None:
    assert outputs(*map(stream, chunks)) == [("stdout", shown)]


def test_results_displays_and_errors() -> None:
    assert outputs(
        display("execute_result", text__plain="42"),
        display(text__plain="   a\n0  1", text__html="<table>"),
        display(text__plain="<Figure size 640x480 with 1 Axes>", image__png="iVBORw0K"),
        display(text__plain="<IPython.core.display.HTML object>", text__html="<b>x</b>"),
        display(text__plain="<IPython.core.display.Markdown object>", text__markdown="# Hi"),
        display(text__plain=["a", "b"]),
        message("error", ename="NameError", evalue="name 'x' is \x1b[1mnot\x1b[0m defined", traceback=[]),
    ) == [
        ("text/plain", "42"),
        ("text/plain", "   a\n0  1"),
        ("image/png", "<Figure size 640x480 with 1 Axes>"),
        ("text/html", "<IPython.core.display.HTML object>"),
        ("text/markdown", "# Hi"),
        ("text/plain", "ab"),
        ("error", "NameError: name 'x' is not defined"),
    ]


def test_a_widget_is_no_text_output() -> None:
    data = {"text/plain": "IntSlider(value=0)", "application/vnd.jupyter.widget-view+json": {"model_id": "m"}}
    assert text_of_bundle(data) == ("application/vnd.jupyter.widget-view+json", "IntSlider(value=0)")
    assert text_of_bundle({}) == ("text/plain", "")


def test_errors_give_the_status() -> None:
    assert step_of(message("error", ename="ValueError", evalue="")).status == "error"
    assert step_of(message("error", ename="KeyboardInterrupt", evalue="")).status == "interrupted"
    assert outputs(message("error", ename="KeyboardInterrupt", evalue="")) == [("error", "KeyboardInterrupt")]


def test_clear_output() -> None:
    assert outputs(stream("a"), message("clear_output", wait=False), stream("b")) == [("stdout", "b")]
    assert outputs(stream("a"), message("clear_output", wait=True)) == [("stdout", "a")]
    assert outputs(stream("a"), message("clear_output", wait=True), stream("b"), stream("c")) == [("stdout", "bc")]
    assert outputs(stream("a"), message("clear_output", wait=True), display(text__plain="d")) == [("text/plain", "d")]


def test_a_display_is_updated_in_its_place() -> None:
    assert outputs(
        display(display_id="one", text__plain="0 %"),
        stream("between"),
        display("update_display_data", display_id="one", text__plain="100 %"),
        display("update_display_data", display_id="of another cell", text__plain="no"),
        display("update_display_data", text__plain="no id"),
    ) == [("text/plain", "100 %"), ("stdout", "between")]


def test_unknown_messages_and_streams_show_nothing() -> None:
    assert outputs(message("comm_msg", data={}), stream("x", "stdlog"), stream("")) == []


def test_long_output_keeps_head_and_tail() -> None:
    chunks = [stream(f"line {i}\n") for i in range(30_000)]
    step = step_of(*chunks)
    text = step.outputs[0].text
    assert step.outputs[0].truncated
    assert len(text) <= MAX_OUTPUT_CHARS
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 29998\nline 29999\n")
    assert "characters left out" in text


def test_a_long_line_stays_bounded_in_memory() -> None:
    text = StreamText()
    for _ in range(300):
        text.add("x" * 100_000)
    shown, cut, _ = text.finish(redact_text)
    assert cut
    assert len(shown) < MAX_OUTPUT_CHARS
    assert len(text._done.head) + sum(map(len, text._done._tail)) < 200_000


@pytest.mark.parametrize("offset", [-60, -30, -10, -1, 0, 10])
def test_a_token_across_the_cut_is_blanked(offset: int) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    before = "y" * (HEAD_CHARS + offset - 1) + " "
    step = step_of(stream(before + token + " " + "z" * 100_000))
    assert token[:8] not in step.outputs[0].text
    step = step_of(stream("z" * 200_000 + " " + token + " " + "y" * (20_000 + offset - 1)))
    assert token[-8:] not in step.outputs[0].text


def test_many_outputs_share_one_limit() -> None:
    many = [CellOutput(mime="text/plain", text=str(i) * 3000) for i in range(60)]
    kept = bound_outputs(many)
    assert sum(len(output.text) for output in kept) <= MAX_OUTPUT_CHARS
    assert kept[0] == many[0]
    assert kept[-1] == many[-1]
    assert any(output.truncated for output in kept)
    one = bound_outputs([CellOutput(mime="text/plain", text="h" + "x" * 100_000 + "t")])
    assert len(one) == 1
    assert (one[0].text[0], one[0].text[-1], one[0].truncated) == ("h", "t", True)
    assert len(one[0].text) <= MAX_OUTPUT_CHARS + 5
    short = [CellOutput(mime="text/plain", text="a")]
    assert bound_outputs(short) == tuple(short)


def test_secrets_in_code_and_outputs_are_blanked() -> None:
    step = step_of(stream("password: hunter2\n"), code="password = 'hunter2'")
    assert step.code == "password = '[redacted]'"
    assert step.outputs[0].text == "password: [redacted]\n"


def test_the_time_of_a_message_is_in_utc() -> None:
    assert message_time(message("status")) == START
    naive = {"header": {"date": START.replace(tzinfo=None)}}
    assert message_time(naive) == START
    assert message_time({"header": {}}).tzinfo is UTC
