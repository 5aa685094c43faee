"""The lab's server: this machine only, one page, and a key that only whoever started it has.

The key is in the fragment of the address that opens the page, which browsers do not send; the page sends it back in a
header. A foreign site can neither read it nor set that header, and a foreign name for this machine is refused.
"""

import json
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rosenblatt.lab.asking import QUESTIONS
from rosenblatt.lab.page import index, module
from rosenblatt.lab.presets import presets
from rosenblatt.lab.upload import Upload

__all__ = ["KEY_HEADER", "application", "listen", "serve"]

KEY_HEADER = "x-rosenblatt-key"

_MOST_BYTES = 64_000_000  # of a message or a table
_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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

    def __init__(self, app: ASGIApp, port: int, key: str, arrived: Callable[[], Any] = lambda: None) -> None:
        self.app, self.key, self.arrived = app, key, arrived
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

        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refuse(self, headers: Headers, method: str) -> Response | None:
        if headers.get("host") not in self.hosts:
            return PlainTextResponse("The lab answers only to its own address on this machine.", 400)
        if method == "GET":
            return None
        if headers.get("origin") not in self.origins:
            return PlainTextResponse("The lab takes requests only from its own page.", 403)
        if not secrets.compare_digest(headers.get(KEY_HEADER, "").encode(), self.key.encode()):
            sentence = "This page has no valid key: open the address that the lab printed when it started."
            return PlainTextResponse(sentence, 403)
        self.arrived()
        return None


def application(
    port: int,
    key: str,
    start: Upload | None = None,
    target: str | None = None,
    arrived: Callable[[], Any] = lambda: None,
) -> ASGIApp:
    """The lab as an ASGI application.

    `start` is the table to open with; `arrived` is called whenever a request has the key.
    """

    async def begin(request: Request) -> Response:
        await _body(request)
        told = {"presets": presets(), "table": start is not None, "report": True}
        return Response(json.dumps(told), media_type="application/json")

    async def start_table(request: Request) -> Response:
        await _body(request)
        if start is None:
            raise HTTPException(404, "The lab was started without a table.")
        return _bytes(start.packed(target))

    routes = [
        Route("/", lambda _: Response(index(), media_type="text/html")),
        Route("/lab.js", lambda _: Response(module(), media_type="text/javascript")),
        Route("/begin", begin, methods=["POST"]),
        Route("/start", start_table, methods=["POST"]),
        *(Route(f"/{name}", _answering(compute), methods=["POST"]) for name, compute in QUESTIONS.items()),
    ]
    return Guard(Starlette(routes=routes), port, key, arrived)


async def _body(request: Request) -> bytes:
    """The body, counted while it comes: what Content-Length says may not be true."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MOST_BYTES:
            raise HTTPException(413, f"That is more than {_MOST_BYTES // 1_000_000} MB, the most the lab takes.")
        parts.append(part)
    return b"".join(parts)


def _answering(compute: Callable[[bytes], bytes]) -> Callable[[Request], Awaitable[Response]]:
    """What answers a question of the page."""

    async def answered(request: Request) -> Response:
        try:
            content = await _body(request)
            return _bytes(await run_in_threadpool(compute, content))
        except ClientDisconnect:
            raise HTTPException(400, "The page went away.") from None
        except ValueError as why:  # the user can correct this: send the sentence
            raise HTTPException(422, str(why)) from None

    return answered


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")


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


def serve(
    listener: socket.socket,
    start: Upload | None = None,
    target: str | None = None,
    opened: Callable[[str], Any] = print,
    arrived: Callable[[], Any] = lambda: None,
) -> None:
    """Serve until interrupted.

    `opened` is told the address, with the key in its fragment; `arrived` is called whenever a request has the key.
    """
    import uvicorn

    port, key = listener.getsockname()[1], secrets.token_urlsafe(24)
    config = uvicorn.Config(
        application(port, key, start, target, arrived),
        log_level="error",  # warnings are about what strangers ask for, such as a WebSocket
        server_header=False,
        ws="none",
        access_log=False,
    )
    opened(f"http://127.0.0.1:{port}/#key={key}")
    uvicorn.Server(config).run(sockets=[listener])
