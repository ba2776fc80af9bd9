"""Metrics in the Prometheus format.

With several workers, each worker writes its values to files in the folder that
``PROMETHEUS_MULTIPROC_DIR`` names. The worker that is asked adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

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
_EVENT_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320)


class Metrics:
    """The metrics of one process.

    Labels must have few values: never pass an id or a path that a user sent.
    """

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        histogram = partial(Histogram, buckets=_SECONDS, registry=registry)
        counter = partial(Counter, registry=registry)
        self._questions = histogram(
            "anaphora_question_seconds",
            "Seconds from reading a question to its answer, by model and status.",
            ("model", "status"),
        )
        self._failures = counter(
            "anaphora_failures",
            "Questions and commands that failed, by the kind of problem.",
            ("kind",),
        )
        self._events = histogram(
            "anaphora_agent_event_seconds",
            "Seconds from an event to the answer of an agent, by how it ended.",
            ("agent", "ended"),
            buckets=_EVENT_SECONDS,
        )
        self._tokens = counter(
            "anaphora_agent_tokens",
            "Tokens that language models read (prompt) and wrote (completion) for events.",
            ("agent", "kind"),
        )
        self._requests = histogram(
            "anaphora_request_seconds",
            "Seconds that HTTP requests took, by route, method and status.",
            ("route", "method", "code"),
        )
        self._connections = counter(
            "anaphora_connections_ended",
            "Connections that the server closed on its own initiative, by reason.",
            ("reason",),
        )
        self._store = histogram(
            "anaphora_store_seconds",
            "Seconds that operations of the store of conversations took.",
            ("operation",),
        )
        self._waiting = Gauge(
            "anaphora_memory_waiting",
            "Exchanges that wait to be stored in the long-term memory.",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._exchanges = counter(
            "anaphora_memory_exchanges",
            "Exchanges that the long-term memory received, by outcome.",
            ("outcome",),
        )
        self._memory_failures = counter(
            "anaphora_memory_failures",
            "Failed tasks of the long-term memory, which are retried.",
            ("work",),
        )
        self._memory_before: dict[str, int] = {}
        Gauge(
            "anaphora_info",
            "The running version.",
            ("version",),
            multiprocess_mode="max",
            registry=registry,
        ).labels(__version__).set(1)
        if MULTIPROCESS_DIR_VARIABLE not in os.environ:
            ProcessCollector(registry=registry)

    def observe_question(self, model: str, status: str, seconds: float) -> None:
        """Record a question that was answered."""
        self._questions.labels(model, status).observe(seconds)

    def observe_event(
        self, agent: str, ended: str, seconds: float, *, prompt: int, completion: int
    ) -> None:
        """Record an event that an agent answered, and the tokens that it took."""
        self._events.labels(agent, ended).observe(seconds)
        self._tokens.labels(agent, "prompt").inc(prompt)
        self._tokens.labels(agent, "completion").inc(completion)

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
        self, waiting: int, stored: int, dropped: int, failures: Mapping[str, int]
    ) -> None:
        """Update the metrics of the long-term memory. The numbers count from the start of the
        process."""
        self._waiting.set(waiting)
        for outcome, number in (("kept", stored), ("dropped", dropped)):
            self._exchanges.labels(outcome).inc(self._increase(outcome, number))
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
