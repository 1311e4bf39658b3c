"""A remote model behind a proxy and with a certificate authority of one's own, as in many companies."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_provider import FakeProvider, answer

from themisto_lab.errors import ModelUnavailableError
from themisto_lab.predict.remote import RemoteOptions, RemotePredictor

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")

HOST = "models.example.invalid"


class ConnectProxy:
    """An HTTP proxy that tunnels whatever it is asked for to one port of this machine."""

    def __init__(self, target_port: int) -> None:
        self.asked_for: list[str] = []
        self._target_port = target_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._tunnel, args=(client,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _tunnel(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target_port)) as target:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += client.recv(1)
            self.asked_for.append(head.split()[1].decode())
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_pump, args=(target, client), daemon=True)
            back.start()
            _pump(client, target)
            back.join()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for the host that no authority of this machine knows, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    paths = (folder / "cert.pem", folder / "key.pem")
    names = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    files = ["-out", str(paths[0]), "-keyout", str(paths[1])]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files],
        check=True,
        capture_output=True,
    )
    return paths


@pytest.fixture
def proxy(certificate, monkeypatch) -> Iterator[ConnectProxy]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    with FakeProvider(ssl_options=context) as provider:
        provider.behave(answer("behind the proxy"))
        proxy = ConnectProxy(provider.port)
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        yield proxy
        proxy.close()


async def test_proxy_and_certificates_reach_the_client(proxy, certificate, remote_thread, chat, monkeypatch):
    predictor = RemotePredictor(
        "openai/gpt-4o", remote_thread, RemoteOptions(api_key="sk-1", api_base=f"https://{HOST}/v1")
    )
    with pytest.raises(ModelUnavailableError):
        [chunk async for chunk in predictor.predict(chat())]
    assert proxy.asked_for[0] == f"{HOST}:443"

    # Another key, so that litellm does not use the client again that it made without the certificate.
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    predictor = RemotePredictor(
        "openai/gpt-4o", remote_thread, RemoteOptions(api_key="sk-2", api_base=f"https://{HOST}/v1")
    )
    chunks = [chunk async for chunk in predictor.predict(chat())]
    assert chunks[-1].raw_text == "behind the proxy"
