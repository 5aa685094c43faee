"""Who may talk to the lab, and about what."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.lab.packing import pack, unpack
from rosenblatt.lab.server import KEY_HEADER, listen, serve
from tests.lab.conftest import KEY, Running

XOR = {"X": np.array([0.0, 0, 0, 1, 1, 0, 1, 1]), "y": np.array([-1, 1, 1, -1], dtype=np.int8)}


def ask(lab: Running, method: str, path: str, body: Any = None, **changed: str | None) -> tuple[int, bytes, Any]:
    """One request, by default exactly as the page would make it."""
    own = f"127.0.0.1:{lab.port}"
    headers = {"host": own}
    if method == "POST":
        headers |= {"origin": f"http://{own}", KEY_HEADER: KEY}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}  # type: ignore[misc]
    connection = HTTPConnection("127.0.0.1", lab.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and not isinstance(body, list):
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(None if isinstance(body, list) else body)
        if isinstance(body, list):
            _send_chunks(connection, body)
        response = connection.getresponse()
        return response.status, response.read(), response.headers
    finally:
        connection.close()


def _send_chunks(connection: HTTPConnection, chunks: list[bytes]) -> None:
    try:
        for chunk in [*chunks, b""]:
            connection.send(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server has seen enough


def message(header: dict[str, Any] | None = None, **columns: Any) -> bytes:
    return pack({"n": 4, "p": 2, "settings": {}} | (header or {}), XOR | columns)


def test_the_page_is_served_and_holds_nothing_private(lab: Running) -> None:
    status, body, headers = ask(lab, "GET", "/")
    assert status == 200
    assert KEY.encode() not in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["server"] is None or "uvicorn" in headers["server"]
    status, body, headers = ask(lab, "GET", "/lab.js")
    assert status == 200
    assert headers["content-type"].startswith("text/javascript")


def test_points_are_answered(lab: Running) -> None:
    status, body, _ = ask(lab, "POST", "/trace", message())
    assert status == 200
    assert unpack(body)[0]["verdict"]["kind"] == "overlap"
    status, body, _ = ask(lab, "POST", "/begin", b"")
    assert status == 200
    assert len(json.loads(body)["presets"]) >= 10


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", "", None])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/lab.js"), ("POST", "/trace")])
def test_a_foreign_host_is_refused(lab: Running, host: str | None, method: str, path: str) -> None:
    # HTTP itself demands a Host: the server hangs up at the end of the headers, and what a client sends after them may
    # come back as a reset instead of the refusal. So nothing follows them here.
    body = message() if method == "POST" and host is not None else None
    status, _, _ = ask(lab, method, path, body, host=host.format(port=lab.port) if host else host)
    assert status == 400


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", None]
)
@pytest.mark.parametrize("path", ["/trace", "/report", "/begin", "/start"])
def test_a_foreign_or_missing_origin_is_refused(lab: Running, origin: str | None, path: str) -> None:
    status, _, _ = ask(lab, "POST", path, message(), origin=origin.format(port=lab.port) if origin else None)
    assert status == 403


@pytest.mark.parametrize("key", [None, "", "wrong", KEY + "x", KEY[:-1], "ключ".encode().decode("latin-1")])
@pytest.mark.parametrize("path", ["/trace", "/report", "/begin", "/start"])
def test_without_the_key_nothing_is_answered(lab: Running, key: str | None, path: str) -> None:
    status, body, _ = ask(lab, "POST", path, message(), x_rosenblatt_key=key)
    assert status == 403
    assert b"key" in body


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_other_methods_are_refused(lab: Running, method: str) -> None:
    assert ask(lab, method, "/trace")[0] in (403, 405)


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/..%2f..%2fetc/passwd", "/static/lab.js", "/lab.js/..", "//etc/passwd", "/%2e%2e/"]
)
def test_no_other_file_can_be_had(lab: Running, path: str) -> None:
    assert ask(lab, "GET", path)[0] == 404


def test_an_oversized_body_is_cut_off(lab: Running) -> None:
    megabyte = bytes(1_000_000)
    status, body, _ = ask(lab, "POST", "/trace", megabyte * 65)
    assert status == 413
    assert b"64 MB" in body


def test_a_body_that_does_not_say_its_length_is_counted(lab: Running) -> None:
    status, _, _ = ask(lab, "POST", "/trace", [bytes(1_000_000)] * 70, transfer_encoding="chunked")
    assert status == 413


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (message(X=np.array([np.nan, 0, 0, 1, 1, 0, 1, 1])), "point 1 has no finite value"),
        (message(X=np.array([0, np.inf, 0, 1, 1, 0, 1, 1])), "point 1 has no finite value"),
        (message(y=np.array([0, 1, 1, 2], dtype=np.int8)), "the class of point 1 must be −1 or +1"),
        (message({"n": 10**6}, X=np.zeros(2 * 10**6), y=np.ones(10**6, dtype=np.int8)), "too many for the lab"),
        (message({"settings": {"order": "sorted"}}), "order must be one of"),
        (message({"settings": {"learner": "adaline", "eta": 1e9}}), "eta=1e+09 is too large"),
        (b"", "cut short|header"),
        (b"\xff\xff\xff\xff", "cut short"),
        (b'\x05\x00\x00\x00{"a":', "no header"),
        (b"\x02\x00\x00\x00[]", "no header"),
    ],
)
def test_bad_points_are_refused_in_a_sentence(lab: Running, body: bytes, sentence: str) -> None:
    status, answer, _ = ask(lab, "POST", "/trace", body)
    assert status == 422
    assert any(part in answer.decode() for part in sentence.split("|"))


def test_it_listens_on_this_machine_only() -> None:
    listener = listen()
    try:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # sends nothing; says which address faces the network
            outside = probe.getsockname()[0]
        if not outside.startswith("127."):
            with socket.socket() as stranger, pytest.raises(OSError, match="refused"):
                stranger.connect((outside, port))
    finally:
        listener.close()


def test_a_port_that_is_taken_is_named() -> None:
    with listen() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port} cannot be used"):
            listen(port)


def test_every_start_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import uvicorn

    addresses: list[str] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    for _ in range(2):
        with listen() as listener:
            serve(listener, opened=addresses.append)
    keys = [address.split("#key=")[1] for address in addresses]
    assert keys[0] != keys[1]
    assert all(len(key) >= 32 for key in keys)
    for thread in threading.enumerate():
        if thread.name == "lab warm-up":
            thread.join()


def test_an_upgrade_to_a_websocket_prints_nothing(tmp_path: Path) -> None:
    ask = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    ask += b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-browser"]
    with open(tmp_path / "said", "w+") as said, subprocess.Popen(command, stdout=said, stderr=said) as lab:
        end, found = time.monotonic() + 60, None
        while found is None and time.monotonic() < end:
            time.sleep(0.1)
            found = re.search(r"127\.0\.0\.1:(\d+)/", (tmp_path / "said").read_text())
        assert found is not None
        port, before = int(found[1]), (tmp_path / "said").read_text()
        while time.monotonic() < end:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), 10) as stranger:
                stranger.sendall(ask % port)
                assert stranger.recv(100)
                break
        lab.send_signal(signal.SIGINT)
        lab.wait(30)
    after = (tmp_path / "said").read_text()
    assert "upgrade" not in after.lower()
    assert "websocket" not in after.lower()
    assert after.startswith(before)
