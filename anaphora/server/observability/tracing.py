"""OpenTelemetry spans, if an endpoint is configured; otherwise tracing is off.

Spans contain neither users' texts nor messages of exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from anaphora.errors import AnaphoraError
from anaphora.server.settings.model import TracingSettings
from anaphora.version import __version__

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["NO_TRACING", "Span", "Tracing", "create_tracing"]

Attribute: TypeAlias = str | int | float | bool

_NO_ATTRIBUTES: Mapping[str, Attribute] = MappingProxyType({})
_EXPORT_TIMEOUT = 3  # seconds for a collector to answer: the shutdown waits for it
_PROPAGATION_HEADERS = (b"traceparent", b"tracestate")


class Span(Protocol):
    """A started span: the part of OpenTelemetry's that the service uses."""

    def set_attribute(self, key: str, value: Attribute, /) -> None: ...


class _NoSpan:
    def set_attribute(self, key: str, value: Attribute, /) -> None:
        pass


_NULL_SPAN: AbstractContextManager[Span] = nullcontext(_NoSpan())


class Tracing:
    """Creates spans with an OpenTelemetry provider; without one it does nothing, at no cost."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("anaphora", __version__) if provider else None

    @property
    def is_on(self) -> bool:
        """Whether spans are created."""
        return self._tracer is not None

    def span(
        self, name: str, attributes: Mapping[str, Attribute] = _NO_ATTRIBUTES
    ) -> AbstractContextManager[Span]:
        """Create a span for the block, as a child of the current span."""
        return _NULL_SPAN if self._tracer is None else self._open(name, attributes)

    def ask(self, model: str) -> AbstractContextManager[Span]:
        """Create a span for a question to a model."""
        return self.span("anaphora.ask", {"anaphora.model": model})

    def event(self, agent: str) -> AbstractContextManager[Span]:
        """Create a span for an event of an agent."""
        return self.span("anaphora.event", {"anaphora.agent": agent})

    def store(self, operation: str) -> AbstractContextManager[Span]:
        """Create a span for an operation of the store, as a child of the current span. Without one,
        create none: workers poll the store every few seconds, which needs no traces."""
        if self._tracer is None:
            return _NULL_SPAN
        from opentelemetry.trace import get_current_span

        if not get_current_span().get_span_context().is_valid:
            return _NULL_SPAN
        return self._open("anaphora.store", {"anaphora.operation": operation})

    def request(
        self, name: str, headers: Iterable[tuple[bytes, bytes]]
    ) -> AbstractContextManager[Span]:
        """Create a span for a request, as a child of the span in its W3C headers."""
        if self._tracer is None:
            return _NULL_SPAN
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier = {
            key.decode(): value.decode("latin-1")
            for key, value in headers
            if key in _PROPAGATION_HEADERS
        }
        above = TraceContextTextMapPropagator().extract(carrier)
        return self._open(name, _NO_ATTRIBUTES, kind=SpanKind.SERVER, context=above)

    def close(self) -> None:
        """Send the remaining spans."""
        if self._provider is not None:
            self._provider.shutdown()

    @contextmanager
    def _open(
        self,
        name: str,
        attributes: Mapping[str, Attribute],
        *,
        kind: Any = None,
        context: Context | None = None,
    ) -> Iterator[Span]:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        assert self._tracer is not None
        with self._tracer.start_as_current_span(
            name,
            context,
            kind or SpanKind.INTERNAL,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise


NO_TRACING = Tracing()


def create_tracing(settings: TracingSettings) -> Tracing:
    """Create the tracing that sends spans to the endpoint of the settings by OTLP over HTTP; off
    without an endpoint.

    Raises :class:`~anaphora.errors.AnaphoraError` if the exporter is not installed.
    """
    if settings.endpoint is None:
        return NO_TRACING
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise AnaphoraError("tracing needs OpenTelemetry: pip install 'anaphora[otel]'") from error
    resource = Resource.create({"service.name": settings.service, "service.version": __version__})
    provider = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(endpoint=settings.endpoint, timeout=_EXPORT_TIMEOUT)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Tracing(provider)
