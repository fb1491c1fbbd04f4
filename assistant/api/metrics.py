"""Figures for Prometheus: HTTP requests by route and status, open streams, and what pages watch."""

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The figures of one API; no registry is shared, so that tests can have many."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "assistant_http_requests",
            "HTTP requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._streams = Gauge("assistant_open_streams", "Streams being read now.", registry=self._registry)
        self._watches = Gauge("assistant_open_watches", "Pages that watch now.", registry=self._registry)
        self._carrying = Gauge(
            "assistant_carrying_watches", "Pages that are brought text now.", registry=self._registry
        )

    def answered(self, method: str, route: str, status: int) -> None:
        """Count one answer; `route` is the template, so ids make no series of their own."""
        self._requests.labels(method, route, str(status)).inc()

    @contextmanager
    def open_stream(self) -> Generator[None]:
        """Count a stream for as long as it is open."""
        with self._streams.track_inprogress():
            yield

    def watched(self, pages: int, carrying: int) -> None:
        """Say how many pages watch a session, and how many of them are brought text."""
        self._watches.set(pages)
        self._carrying.set(carrying)

    def as_text(self) -> bytes:
        """The figures in Prometheus' text format."""
        return generate_latest(self._registry)
