"""Somebody else's site on another port of this machine: for a browser the same site, but another origin.

Cookies know no ports, so the owner's cookie rides along with whatever its pages ask of the app.
"""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

_PAGE = b"<!doctype html><title>Somebody else</title><p>Nothing to see here.</p>"


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class ForeignSite:
    """Serves one empty page, whose scripts are the test's."""

    def __enter__(self) -> "ForeignSite":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, host: str) -> str:
        """The page's address by one of the names of this machine."""
        return f"http://{host}:{self._server.server_port}/"
