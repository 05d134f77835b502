"""A server of one page, on this machine only."""

from __future__ import annotations

import atexit
import secrets
import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from ..errors import ResultError

__all__ = ["View"]

_HOST = "127.0.0.1"
_PATIENCE = 15.0  # s that the end of a program waits for the browser to fetch the page


class View:
    """Page that is served until it is closed.

    The address has a random part, so that other users of the machine do not find the page.  When
    the browser has fetched the page, it needs the server no more.

    Parameters
    ----------
    text : str
        The page.

    Attributes
    ----------
    url : str
        Where it is.
    """

    def __init__(self, text: str) -> None:
        self._fetched = threading.Event()
        self._path = f"/{secrets.token_urlsafe(12)}/"
        names: set[str] = set()  # of this machine, as a browser says them
        handler = _handler(text.encode(), self._path, names, self._fetched)
        try:
            self._server = ThreadingHTTPServer((_HOST, 0), handler)
        except OSError as error:
            raise ResultError(
                f"cannot open a port on {_HOST} ({error}); write the page with run.to_html(path)"
            ) from None
        self._server.daemon_threads = True
        port = self._server.server_port
        names |= {f"{_HOST}:{port}", f"localhost:{port}"}
        self.url = f"http://{_HOST}:{port}{self._path}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="lissom view", daemon=True
        )
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether it still answers."""
        return self._thread.is_alive()

    def open(self) -> None:
        """Show the page in the browser, and let the program not end before it is there."""
        if webbrowser.open(self.url):
            atexit.register(self._fetched.wait, _PATIENCE)
        else:
            print(f"no browser found; the page is at {self.url}")

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop serving; the page in the browser stays."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._fetched.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Where it is."""
        return f"view at {self.url}" if self.is_open else "view, closed"


def _handler(
    data: bytes, path: str, names: set[str], fetched: threading.Event
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers GET of the page, and nothing else."""

        server_version, sys_version = "lissom", ""

        def do_GET(self) -> None:
            """Send the page."""
            if self.headers.get("Host", "") not in names:
                self.send_error(HTTPStatus.FORBIDDEN)  # another name that leads to this machine
            elif self.path != path:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                self._send_page()

        def _send_page(self) -> None:
            self.send_response(HTTPStatus.OK)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(data))),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            fetched.set()

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    return Handler
