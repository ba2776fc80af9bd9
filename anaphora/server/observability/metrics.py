"""Metrics in the Prometheus format.

With several workers, each worker writes its values to files in the folder that
``PROMETHEUS_MULTIPROC_DIR`` names. The worker that is asked adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector

from anaphora.version import __version__

__all__ = ["MULTIPROCESS_DIR_VARIABLE", "Metrics"]

MULTIPROCESS_DIR_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The metrics of one process.

    Labels must have few values: never pass an id or a path that a user sent.
    """

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._questions = Histogram(
            "anaphora_question_seconds",
            "What questions took from being read to being answered, and what became of them.",
            ("model", "status"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._failures = Counter(
            "anaphora_failures",
            "Questions and commands that failed, by the kind of problem.",
            ("kind",),
            registry=self._registry,
        )
        self._requests = Histogram(
            "anaphora_request_seconds",
            "What HTTP requests took, and how they were answered.",
            ("route", "method", "code"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._connections = Counter(
            "anaphora_connections_ended",
            "Connections that the server ended by itself, by reason.",
            ("reason",),
            registry=self._registry,
        )
        self._store = Histogram(
            "anaphora_store_seconds",
            "What the store of conversations took.",
            ("operation",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._waiting = Gauge(
            "anaphora_memory_waiting",
            "Exchanges that wait to be brought into the long-term memory.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._kept = Counter(
            "anaphora_memory_exchanges",
            "Exchanges that the long-term memory was given, and what became of them.",
            ("outcome",),
            registry=self._registry,
        )
        self._memory_failures = Counter(
            "anaphora_memory_failures",
            "What the long-term memory failed to do, and will try again.",
            ("work",),
            registry=self._registry,
        )
        self._memory_before: dict[str, int] = {}
        Gauge(
            "anaphora_info",
            "The version that runs.",
            ("version",),
            multiprocess_mode="max",
            registry=self._registry,
        ).labels(__version__).set(1)
        if MULTIPROCESS_DIR_VARIABLE not in os.environ:
            ProcessCollector(registry=self._registry)

    def observe_question(self, model: str, status: str, seconds: float) -> None:
        """Record a question that was answered."""
        self._questions.labels(model, status).observe(seconds)

    def count_failure(self, kind: str) -> None:
        """Count a question or a command that failed. ``kind`` is the slug of the problem."""
        self._failures.labels(kind).inc()

    def observe_request(self, route: str, method: str, code: int, seconds: float) -> None:
        """Record a request that was answered. ``route`` is the declared path."""
        self._requests.labels(route, method, code).observe(seconds)

    def connection_ended(self, reason: str) -> None:
        """Count a connection that the server closed on its own initiative."""
        self._connections.labels(reason).inc()

    def observe_store(self, operation: str, seconds: float) -> None:
        """Record an operation of the store."""
        self._store.labels(operation).observe(seconds)

    def update_memory(
        self, waiting: int, kept: int, dropped: int, failures: Mapping[str, int]
    ) -> None:
        """Update the metrics of the long-term memory. The numbers count from the start of the
        process."""
        self._waiting.set(waiting)
        for outcome, number in (("kept", kept), ("dropped", dropped)):
            self._kept.labels(outcome).inc(self._increase(outcome, number))
        for work, number in failures.items():
            self._memory_failures.labels(work).inc(self._increase(f"failed to {work}", number))

    def _increase(self, what: str, number: int) -> int:
        """Return the increase of a number since the last update."""
        before = self._memory_before.get(what, 0)
        self._memory_before[what] = max(before, number)
        return max(0, number - before)

    def render(self) -> bytes:
        """Render all metrics, including those of the other workers."""
        folder = os.environ.get(MULTIPROCESS_DIR_VARIABLE)
        if folder is None:
            return generate_latest(self._registry)
        gathered = CollectorRegistry()
        MultiProcessCollector(gathered, path=folder)  # type: ignore[no-untyped-call]
        return generate_latest(gathered)
