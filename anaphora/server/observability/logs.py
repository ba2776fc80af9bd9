"""Logs: one line per event, from the service's loggers and the standard library, as JSON or for a
terminal. The serving command configures them once; the library never does."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from contextlib import suppress
from datetime import datetime
from typing import IO, Any

import structlog
from pydantic_core import to_json
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_logger_name
from structlog.typing import EventDict, Processor

from anaphora.models.reading.source import replace_unprintable
from anaphora.server.settings.model import LogSettings

__all__ = ["configure_logs"]

_COMMON_PROCESSORS: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
)
_MIN_LEVELS = {  # below these levels they report nothing relevant
    "uvicorn.error": logging.WARNING,
    "httpx": logging.WARNING,
    "httpcore": logging.WARNING,
    "opentelemetry.exporter": logging.ERROR,  # it warns about each attempt before it gives up
}


def configure_logs(settings: LogSettings, stream: IO[str] | None = None) -> None:
    """Send all logs to ``stream`` (default: standard error).

    The message of an exception may quote a user. Unless ``settings.texts`` is set, only its type
    and its stack are logged.
    """
    out = _FailSafeStream(sys.stderr if stream is None else stream)
    level = getattr(logging, settings.level.upper())
    last = _rendering_processors(settings, is_terminal=out.is_terminal)
    structlog.configure(
        processors=[*_COMMON_PROCESSORS, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Writing to the stream directly takes half as long as the standard library.
        logger_factory=structlog.WriteLoggerFactory(out),  # type: ignore[arg-type]  # it can write
        cache_logger_on_first_use=True,
    )
    handler: logging.StreamHandler[Any] = logging.StreamHandler(out)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=[*_COMMON_PROCESSORS, add_logger_name, ExtraAdder()],
            processors=[ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name, least in _MIN_LEVELS.items():
        quiet = logging.NOTSET if level < logging.INFO else max(level, least)
        logging.getLogger(name).setLevel(quiet)


def _rendering_processors(settings: LogSettings, *, is_terminal: bool) -> tuple[Processor, ...]:
    """Return the processors that format an event."""
    error = _format_error if settings.texts else _redact_error
    if settings.format == "json" or (settings.format == "auto" and not is_terminal):
        return error, _render_json
    console = structlog.dev.ConsoleRenderer(
        colors=is_terminal,
        timestamp_key="time",
        exception_formatter=structlog.dev.plain_traceback,
        pad_event_to=0,
        pad_level=False,
        sort_keys=False,
    )
    return error, _humanize_event, _escape_controls, console


def _format_error(_: Any, __: str, event: EventDict) -> EventDict:
    error = _pop_exception(event)
    if error is not None:
        event["error"] = type(error).__name__
        event["traceback"] = "".join(traceback.format_exception(error))
    return event


def _redact_error(_: Any, __: str, event: EventDict) -> EventDict:
    error = _pop_exception(event)
    if error is not None:
        event["error"] = " from ".join(type(one).__name__ for one in _exception_chain(error))
        event["raised"] = [
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for one in reversed(_exception_chain(error))
            for frame in traceback.extract_tb(one.__traceback__)
        ]
    return event


def _pop_exception(event: EventDict) -> BaseException | None:
    info = event.pop("exc_info", None)
    if isinstance(info, BaseException):
        return info
    if isinstance(info, tuple):
        return info[1]  # type: ignore[no-any-return]  # what sys.exc_info() gave
    return sys.exception() if info else None


def _exception_chain(error: BaseException) -> list[BaseException]:
    """Return the error and its chain of causes."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    return chain


def _render_json(_: Any, __: str, event: EventDict) -> str:
    ordered = {**{key: event.pop(key) for key in ("time", "level", "event")}, **event}
    try:
        return str(to_json(ordered, fallback=repr, inf_nan_mode="strings"), "utf-8")
    except (ValueError, UnicodeError):  # half of a surrogate pair
        return json.dumps(ordered, default=repr)


def _humanize_event(_: Any, __: str, event: EventDict) -> EventDict:
    """Format an event for people: local time, a compact request, and no unknown values."""
    time = datetime.fromisoformat(event.pop("time")).astimezone()
    if event["event"] == "request" and {"method", "route", "status", "seconds"} <= event.keys():
        event["event"] = " ".join(str(event.pop(key)) for key in ("method", "route", "status"))
        event["ms"] = round(event.pop("seconds") * 1_000, 1)
    if "traceback" in event:
        event["exception"] = event.pop("traceback").rstrip()  # printed on separate lines
    known = {key: value for key, value in event.items() if value is not None}
    # The id of a request is the least important field.
    id = {key: known.pop(key) for key in ("request_id",) if key in known}
    return {"time": f"{time:%H:%M:%S}", **known, **id}


def _escape_controls(_: Any, __: str, event: EventDict) -> EventDict:
    """Escape control characters for a terminal. All lines of a text but the first are indented, so
    that none of them looks like another event."""
    return {
        key: "\n    ".join(map(replace_unprintable, value.split("\n")))
        if isinstance(value, str)
        else value
        for key, value in event.items()
    }


class _FailSafeStream:
    """A stream that ignores write errors: a question must not fail if the disk is full or the
    reader of the logs is gone."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()
