"""The judging page's server: one judge, this machine only, standard library only.

Any web page can send requests to 127.0.0.1, so the server answers only requests that name it as their host, and hands
out statements and takes verdicts only with the token that its own page carries. Nothing of a request is logged or used
as a path.
"""

from __future__ import annotations

import errno
import hmac
import json
import re
import signal
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from protorel.io import BadInput, WorkFailed, parse_json
from protorel.judging.desk import Desk
from protorel.judging.verdicts import Verdict, VerdictRefused, check_id

HOST = "127.0.0.1"
PORT = 8001
MOST_BYTES = 4096
"""The largest body of a request."""
TOKEN_HEADER = "X-Protorel-Token"
_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_NUMBER = re.compile(r"[0-9]{1,9}")


class JudgingServer(ThreadingHTTPServer):
    """Serves the page of one desk on 127.0.0.1.

    Args:
        desk: The desk.
        port: The port; 0 for any free one.

    Raises:
        BadInput: the port is in use or not allowed.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, desk: Desk, *, port: int = PORT) -> None:
        self.desk = desk
        self.token = desk.store.token(desk.judge)
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as problem:
            if problem.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise BadInput(
                f"--port: cannot use {port} ({problem.strerror}). Choose another one, or 0 for any free port."
            ) from problem

    def server_bind(self) -> None:
        """Bind without a look-up of this machine's name, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about a connection that broke: the page sends again what was not confirmed."""


def serve(server: JudgingServer) -> None:
    """Serve until Ctrl-C or SIGTERM; every verdict that was confirmed is on disk."""
    with server, _stopped_by_signals(server):
        server.serve_forever(poll_interval=0.2)


@contextmanager
def _stopped_by_signals(server: JudgingServer) -> Iterator[None]:
    def stop(*_: object) -> None:
        threading.Thread(target=server.shutdown, daemon=True).start()  # it waits for the loop, which this interrupts

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: JudgingServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "protorel", ""
    timeout = 60
    disable_nagle_algorithm = True  # or each answer waits 40 ms for the browser's acknowledgement of its head

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests hold other people's text."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer a request that could not be parsed, without its text."""
        self._send(HTTPStatus(code), {"error": HTTPStatus(code).phrase}, close=True)

    def _answer(self, work: Callable[[], None]) -> None:
        try:
            self._check_host()
            work()
        except _Refused as refused:
            self._send(refused.status, {"error": str(refused)}, close=True)
        except VerdictRefused as problem:
            self._send(HTTPStatus.BAD_REQUEST, {"error": str(problem)})
        except (BadInput, WorkFailed) as problem:  # of the disk: the page keeps the verdict and tries again
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(problem)})

    def _get(self) -> None:
        asked = urlsplit(self.path)
        desk = self.server.desk
        if asked.path in _FILES:
            name, kind = _FILES[asked.path]
            text = (files("protorel.judging") / "page" / name).read_text(encoding="utf-8")
            self._send(HTTPStatus.OK, text.replace("{{token}}", self.server.token), kind=kind)
        elif asked.path == "/view":
            self._check_token()
            query = parse_qs(asked.query, max_num_fields=4) if asked.query.count("&") < 4 else {}
            [back] = query.get("back", ["0"])[:1]
            if not _NUMBER.fullmatch(back):
                raise _Refused(HTTPStatus.BAD_REQUEST, "back: expected a whole number")
            self._send(HTTPStatus.OK, desk.view(back=int(back), opinion=query.get("opinion") == ["1"]))
        elif asked.path == "/estimate":
            self._check_token()
            self._send(HTTPStatus.OK, {"estimate": desk.estimate()})
        elif asked.path == "/relations":
            self._check_token()
            self._send(HTTPStatus.OK, {"relations": desk.known_relations()})
        else:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _post(self) -> None:
        self._check_token()
        content = self._body()
        opinion = content.pop("opinion", False) is True
        desk = self.server.desk
        if self.path == "/verdict":
            try:
                verdict = Verdict(**content)
            except TypeError:
                raise _Refused(HTTPStatus.BAD_REQUEST, "expected the fields of a verdict, got others") from None
            if verdict.relation is not None and verdict.relation not in desk.relations:
                raise _Refused(HTTPStatus.BAD_REQUEST, "relation: expected one of the audit's relations, got another")
            desk.add(verdict)
            self._send(HTTPStatus.OK, desk.view(opinion=opinion))
        elif self.path == "/undo":
            check_id(content.get("id"))
            self._send(HTTPStatus.OK, desk.view(at=desk.undo(content["id"]), opinion=opinion))
        else:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _check_host(self) -> None:
        """Refuse other host names: a page elsewhere can point its own name at this machine (DNS rebinding)."""
        port = self.server.server_port
        if self.headers.get_all("Host") not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
            raise _Refused(HTTPStatus.FORBIDDEN, "expected the address of this server as host, got another")

    def _check_token(self) -> None:
        """Refuse requests of other pages, which cannot know the token."""
        given = self.headers.get(TOKEN_HEADER, "").encode("utf-8", "backslashreplace")
        origin = self.headers.get("Origin")
        own = (None, f"http://{HOST}:{self.server.server_port}", f"http://localhost:{self.server.server_port}")
        if not hmac.compare_digest(given, self.server.token.encode()) or origin not in own:
            raise _Refused(HTTPStatus.FORBIDDEN, "expected a request of this server's own page, got another")

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected JSON")
        length = self.headers.get("Content-Length", "")
        if not _NUMBER.fullmatch(length) or self.headers.get("Transfer-Encoding") is not None:
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "expected a body with its length")
        if int(length) > MOST_BYTES:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_BYTES} bytes")
        try:
            content = parse_json(self.rfile.read(int(length)).decode("utf-8"))
        except ValueError:
            raise _Refused(HTTPStatus.BAD_REQUEST, "expected JSON in UTF-8") from None
        if not isinstance(content, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return content

    def _send(self, status: HTTPStatus, content: Any, *, kind: str = "application/json", close: bool = False) -> None:
        body = (content if isinstance(content, str) else json.dumps(content)).encode("utf-8")
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if close:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)
