"""Local web server for a single page."""

from __future__ import annotations

import atexit
import re
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Never, Protocol, Self

from ...errors import CopyError, ResultError

_HOST = "127.0.0.1"
_PATIENCE = 15.0  # s to wait at exit until the browser has fetched the page
_ASKING = 5.0  # s allowed for sending a request
_SENDING = 60.0  # s allowed for sending the response
_MOST_OPEN = 32  # simultaneous connections; a browser uses six
_LAST_QUESTION = 3.0  # s to wait at the end of a run for the last request of an open page
_DATA = re.compile(r"frames\?from=([0-9]{1,9})")


class PageSource(Protocol):
    """Content served by a view."""

    def page(self) -> tuple[str, bool]:
        """Page, and whether it is complete."""

    def frames(self, first: int) -> tuple[str, bool] | None:
        """Frames from a number on as JSON, and whether they are the last; None if unavailable."""


class FixedPage:
    """Static page."""

    def __init__(self, text: str) -> None:
        self._text = text

    def page(self) -> tuple[str, bool]:
        """Page, which is complete."""
        return self._text, True

    def frames(self, first: int) -> None:
        """Nothing."""


class _Server(ThreadingHTTPServer):
    """Server with one thread per connection, up to a limit."""

    daemon_threads = True
    request_queue_size = _MOST_OPEN

    def __init__(self, *arguments: Any) -> None:
        self._room = threading.BoundedSemaphore(_MOST_OPEN)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or close the connection if all threads are busy."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, then release the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections, which are of no concern to the user."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class View:
    """Page that is served until it is closed.

    The address has a random part, so that other users of the machine cannot find the page.  Once
    the browser has fetched the page it no longer needs the server, unless the page follows a run.

    Parameters
    ----------
    source : Source
        Content to serve.

    Attributes
    ----------
    url : str
        Address of the page.
    """

    def __init__(self, source: PageSource) -> None:
        self._source = source
        self._asked, self._complete = threading.Event(), threading.Event()
        self._path = f"/{secrets.token_urlsafe(12)}/"
        self._names: set[str] = set()  # accepted host names of this machine
        try:
            self._server = _Server((_HOST, 0), self._handler())
        except OSError as error:
            raise ResultError(
                f"cannot open a port on {_HOST} ({error}); write the page with run.to_html(path)"
            ) from None
        port = self._server.server_port
        self._names |= {f"{_HOST}:{port}", f"localhost:{port}"}
        self.url = f"http://{_HOST}:{port}{self._path}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="lissom view", daemon=True
        )
        self._thread.start()
        self._expected = False

    def __reduce__(self) -> Never:
        """Refuse copies: the page has a server in this process."""
        raise CopyError(
            f"a {type(self).__name__} cannot be copied or pickled, because this process serves its "
            "page; copy the run, and open a view of it there, or write the page with run.to_html"
        )

    @property
    def is_open(self) -> bool:
        """Whether the server is running."""
        return self._thread.is_alive()

    def open(self) -> bool:
        """Open the page in the browser; the program does not exit before it is loaded.

        Returns
        -------
        bool
            Whether a browser was found.
        """
        self._expected = webbrowser.open(self.url)
        if self._expected:
            atexit.register(self._complete.wait, _PATIENCE)
        return self._expected

    def show(self) -> None:
        """Open the page in the browser; without one, print its address."""
        if not self.open():
            print(f"no browser found; the page is at {self.url}")

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            self.close()

    def finish(self) -> None:
        """Stop serving when the browser has everything, or after a few seconds."""
        if self._asked.is_set():
            self._complete.wait(_LAST_QUESTION)
        elif self._expected:
            self._complete.wait(_PATIENCE)
        self.close()

    def close(self) -> None:
        """Stop serving immediately; the page in the browser stays."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._complete.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Address, or that it is closed."""
        return f"view at {self.url}" if self.is_open else "view, closed"

    def _answer(self, path: str) -> tuple[str, str, bool] | None:
        """Content type, text and whether it is complete, for a path; None if unknown."""
        if path == self._path:
            return "text/html", *self._source.page()
        wanted = path.startswith(self._path) and _DATA.fullmatch(path.removeprefix(self._path))
        reply = self._source.frames(int(wanted[1])) if wanted else None
        return None if reply is None else ("application/json", *reply)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        view = self

        class Handler(BaseHTTPRequestHandler):
            """Handler of GET requests for the page and its frames only."""

            server_version, sys_version = "lissom", ""
            timeout = _SENDING

            def setup(self) -> None:
                """Limit the total time for receiving the request."""
                super().setup()
                self._patience = threading.Timer(_ASKING, _hang_up, (self.connection,))
                self._patience.daemon = True
                self._patience.start()

            def finish(self) -> None:
                """Close the connection."""
                self._patience.cancel()
                super().finish()

            def do_GET(self) -> None:
                """Send the requested content."""
                self._patience.cancel()
                if self.headers.get("Host", "") not in view._names:
                    self.send_error(
                        HTTPStatus.FORBIDDEN
                    )  # another host name that resolves to this machine
                elif (answer := view._answer(self.path)) is None:
                    self.send_error(HTTPStatus.NOT_FOUND)
                else:
                    self._send(*answer)

            def _send(self, kind: str, text: str, complete: bool) -> None:
                data = text.encode()
                self.send_response(HTTPStatus.OK)
                for name, value in (
                    ("Content-Type", f"{kind}; charset=utf-8"),
                    ("Content-Length", str(len(data))),
                    ("Cache-Control", "no-store"),
                    ("X-Content-Type-Options", "nosniff"),
                    ("Referrer-Policy", "no-referrer"),
                ):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
                view._asked.set()
                if complete:
                    view._complete.set()

            def log_message(self, format: str, *args: Any) -> None:
                """Print nothing."""

        return Handler
