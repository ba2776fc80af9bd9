"""Spans of OpenTelemetry: what a question was, below whose span; none without an endpoint."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from anaphora import Engine
from anaphora.errors import AnaphoraError
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.server.observability.metrics import Metrics
from anaphora.server.observability.tracing import NO_TRACING, Tracing, create_tracing
from anaphora.server.settings.model import TracingSettings
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.memory import MemoryStore

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Spans:
    """Tracing into memory, and the spans that have ended."""

    def __init__(self) -> None:
        self._kept = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self.tracing = Tracing(provider)

    @property
    def ended(self) -> tuple[ReadableSpan, ...]:
        return self._kept.get_finished_spans()


@pytest.fixture
def spans() -> Iterator[Spans]:
    spans = Spans()
    yield spans
    spans.tracing.close()


def test_a_span_is_below_the_one_that_is_open(spans: Spans) -> None:
    with spans.tracing.ask("weather") as question:
        question.set_attribute("anaphora.status", "matched")
        with spans.tracing.span("anaphora.store", {"anaphora.operation": "open"}):
            pass
    store, ask = spans.ended
    assert (ask.name, store.name) == ("anaphora.ask", "anaphora.store")
    assert store.parent is not None
    assert store.parent.span_id == ask.get_span_context().span_id
    assert dict(ask.attributes or {}) == {
        "anaphora.model": "weather",
        "anaphora.status": "matched",
    }


def test_a_request_goes_on_with_the_trace_of_its_headers(spans: Spans) -> None:
    headers = [(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode()), (b"x-other", b"\xff")]
    with spans.tracing.request("POST", headers), spans.tracing.ask("weather"):
        pass
    ask, request = spans.ended
    assert f"{request.get_span_context().trace_id:032x}" == TRACE
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == PARENT
    assert ask.get_span_context().trace_id == request.get_span_context().trace_id


@pytest.mark.parametrize("header", [b"", b"\xff\xfe", b"00-zz-zz-01", b"00-" + b"0" * 5_000])
def test_a_header_that_tells_of_no_trace_begins_a_new_one(header: bytes, spans: Spans) -> None:
    with spans.tracing.request("GET", [(b"traceparent", header)]):
        pass
    (request,) = spans.ended
    assert request.parent is None


def test_what_failed_is_marked_without_the_text_of_the_error(spans: Spans) -> None:
    with pytest.raises(ValueError, match="Ann"), spans.tracing.ask("weather"):
        raise ValueError("what Ann said")
    (ask,) = spans.ended
    assert ask.status.status_code is StatusCode.ERROR
    assert (ask.attributes or {})["error.type"] == "ValueError"
    assert "Ann" not in ask.to_json()


def test_what_the_store_does_for_a_question_is_measured_and_traced(spans: Spans) -> None:
    metrics, store = Metrics(), InstrumentedStore(MemoryStore())
    store.instrument(metrics, spans.tracing)
    engine = Engine("sales", store=store)
    with spans.tracing.ask("sales"):
        engine.ask("sales")
    *operations, ask = spans.ended
    names = [(one.attributes or {})["anaphora.operation"] for one in operations]
    assert {"open", "commit"} <= set(names)
    assert all(one.parent and one.parent.span_id == ask.context.span_id for one in operations)
    text = metrics.render().decode()
    for name in set(names):
        assert f'anaphora_store_seconds_count{{operation="{name}"}}' in text


def test_what_the_store_does_for_nobody_is_in_no_trace(spans: Spans) -> None:
    store = InstrumentedStore(MemoryStore())
    store.instrument(Metrics(), spans.tracing)
    store.list_notes("reloads")  # as each worker does every few seconds
    assert not spans.ended


def test_a_watched_store_does_what_the_store_does() -> None:
    inner = MemoryStore()
    store, key, minute = (
        InstrumentedStore(inner),
        ConversationKey("Ann", "sales"),
        timedelta(minutes=1),
    )
    with store.open(key, minute) as session:
        session.commit(session.conversation.empty(key))
    with pytest.raises(ZeroDivisionError), store.open(key, minute):
        _ = 1 / 0
    with store.open(key, minute):  # its turn was given back
        pass
    store.put_note("shelf", "name", "text", minute)
    assert (store.get_note("shelf", "name"), dict(store.list_notes("shelf"))) == (
        "text",
        {"name": "text"},
    )
    store.delete_note("shelf", "name")
    assert inner.get_note("shelf", "name") is None
    Engine("sales", store=store).ask("sales", user="Ann")
    assert list(store.keys()) == [key]
    assert store.peek(key) == inner.peek(key) is not None
    store.forget(key)
    assert inner.peek(key) is None
    store.ping()
    store.close()


def test_without_an_endpoint_nothing_is_made() -> None:
    assert create_tracing(TracingSettings()) is NO_TRACING
    assert not NO_TRACING.is_on
    with NO_TRACING.request("GET", []) as request, NO_TRACING.ask("weather") as ask:
        request.set_attribute("a", 1)
        ask.set_attribute("b", 2)
    NO_TRACING.close()


def test_what_sends_spans_is_asked_for_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[otel\]'"):
        create_tracing(TracingSettings(endpoint="http://localhost:4318/v1/traces"))


def test_a_collector_that_does_not_answer_does_not_keep_the_service_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from opentelemetry.exporter.otlp.proto.http import trace_exporter

    told: dict[str, Any] = {}

    class Exporter(trace_exporter.OTLPSpanExporter):
        def __init__(self, **settings: Any) -> None:
            told.update(settings)
            super().__init__(**settings)

    monkeypatch.setattr(trace_exporter, "OTLPSpanExporter", Exporter)
    create_tracing(TracingSettings(endpoint="http://127.0.0.1:1/v1/traces")).close()
    assert told["timeout"] < 5  # of its own it waits 10 s; whoever ends the service, fewer


def test_spans_reach_a_collector_when_the_service_ends() -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            received.append((self.headers["Content-Type"], self.rfile.read(size)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        tracing = create_tracing(
            TracingSettings(endpoint=f"http://127.0.0.1:{server.server_port}/v1/traces")
        )
        with tracing.ask("weather"):
            pass
        tracing.close()
        server.shutdown()
        thread.join()
    ((kind, body),) = received
    assert kind == "application/x-protobuf"
    assert b"anaphora.ask" in body
    assert b"service.name" in body
