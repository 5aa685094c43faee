"""The lab's server: this machine only, one page, and a key that only whoever started it has.

The key is in the fragment of the address that opens the page, which browsers do not send; the page sends it back in a
header. A foreign site can neither read it nor set that header, and a foreign name for this machine is refused.
"""

import json
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rosenblatt.lab.asking import QUESTIONS
from rosenblatt.lab.page import index, module
from rosenblatt.lab.presets import presets
from rosenblatt.lab.settings import LabSettings
from rosenblatt.lab.simulation import LabPoints, simulate
from rosenblatt.lab.upload import Upload

__all__ = ["KEY_HEADER", "application", "listen", "serve"]

KEY_HEADER = "x-rosenblatt-key"

_MOST_BYTES = 24_000_000  # of a message or a table
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Who may talk to the lab: pages of this very server, with its key."""

    def __init__(self, app: ASGIApp, port: int, key: str) -> None:
        self.app, self.key = app, key
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the headers that every answer carries."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self._refuse(Headers(scope=scope), scope["method"])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in _ALWAYS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        answering: ASGIApp = self.app if refusal is None else _refusal(*refusal)
        await answering(scope, receive, send_with_headers)

    def _refuse(self, headers: Headers, method: str) -> tuple[int, str] | None:
        if headers.get("host") not in self.hosts:
            return 400, "The lab answers only to its own address on this machine."
        if method == "GET":
            return None
        if headers.get("origin") not in self.origins:
            return 403, "The lab takes requests only from its own page."
        if not secrets.compare_digest(headers.get(KEY_HEADER, "").encode(), self.key.encode()):
            return 403, "This page has no valid key: open the address that the lab printed when it started."
        return None


def application(port: int, key: str, start: Upload | None = None, target: str | None = None) -> ASGIApp:
    """The lab as an ASGI application; `start` is the table to open with."""

    async def page(request: Request) -> Response:
        return Response(index(), media_type="text/html")

    async def script(request: Request) -> Response:
        return Response(module(), media_type="text/javascript")

    async def begin(request: Request) -> Response:
        await _body(request)
        told = {"presets": presets(), "table": start is not None, "report": True}
        return Response(json.dumps(told), media_type="application/json")

    async def start_table(request: Request) -> Response:
        await _body(request)
        return _refusal(404, "The lab was started without a table.") if start is None else _bytes(start.packed(target))

    routes = [
        Route("/", page),
        Route("/lab.js", script),
        Route("/begin", begin, methods=["POST"]),
        Route("/start", start_table, methods=["POST"]),
        *(Route(f"/{name}", _answering(compute), methods=["POST"]) for name, compute in QUESTIONS.items()),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={TooLarge: _too_large}), port, key)


class TooLarge(Exception):
    """A body longer than the lab takes."""


async def _body(request: Request) -> bytes:
    """The body, counted while it comes: what Content-Length says may not be true."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MOST_BYTES:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)


def _answering(compute: Callable[[bytes], bytes]) -> Callable[[Request], Awaitable[Response]]:
    """What answers a question of the page."""

    async def answered(request: Request) -> Response:
        try:
            content = await _body(request)
            return _bytes(await run_in_threadpool(compute, content))
        except ClientDisconnect:
            return _refusal(400, "The page went away.")
        except ValueError as why:  # the user can correct this: send the sentence
            return _refusal(422, str(why))

    return answered


async def _too_large(request: Request, error: Exception) -> Response:
    return _refusal(413, f"That is more than {_MOST_BYTES // 1_000_000} MB, the most the lab takes.")


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")


def _refusal(status: int, sentence: str) -> Response:
    return Response(sentence, status_code=status, media_type="text/plain")


def listen(port: int = 0) -> socket.socket:
    """A socket on the loopback interface; port 0 takes a free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()  # connections that come before the server is ready wait
    except OSError as error:
        listener.close()
        raise ValueError(
            f"port {port} cannot be used ({error.strerror}); leave --port away to take a free one."
        ) from None
    return listener


def _warm_up() -> None:
    """Load the compiled loops while the browser is still opening: the first answer should not have to wait for them."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for y in ([-1, -1, -1, 1], [-1, 1, 1, -1]):
        simulate(LabPoints(X, np.array(y, dtype=np.int8)), LabSettings())


def serve(
    listener: socket.socket,
    start: Upload | None = None,
    target: str | None = None,
    opened: Callable[[str], Any] = print,
) -> None:
    """Serve until interrupted; `opened` is told the address, with the key in its fragment."""
    import uvicorn

    port, key = listener.getsockname()[1], secrets.token_urlsafe(24)
    config = uvicorn.Config(
        application(port, key, start, target), log_level="warning", server_header=False, ws="none", access_log=False
    )
    threading.Thread(target=_warm_up, name="lab warm-up", daemon=True).start()
    opened(f"http://127.0.0.1:{port}/#key={key}")
    uvicorn.Server(config).run(sockets=[listener])
