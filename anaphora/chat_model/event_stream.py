"""Server-sent events of a chat completion, assembled into one answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["StreamBrokenError", "read_stream"]

_END = "[DONE]"


class StreamBrokenError(Exception):
    """The connection ended before the answer did, or sent something else."""


def read_stream(pieces: Iterable[bytes], on_text: Callable[[str], object]) -> dict[str, Any]:
    """Assemble the events of a stream into the answer that would have come without streaming.

    Each piece of text is passed to ``on_text`` as it comes. Raises :class:`StreamBrokenError` if
    the stream ends without a reason to finish, or an event is not JSON.
    """
    text: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    usage, reason, ended = None, None, False
    for data in _read_events(pieces):
        if data == _END:
            ended = True
            break
        event = _parse_event(data)
        if event.get("error"):
            return {"error": event["error"]} if not text and not calls else _fail(event["error"])
        usage = event.get("usage") or usage
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            continue
        reason = choices[0].get("finish_reason") or reason
        delta = choices[0].get("delta")
        if not isinstance(delta, dict):
            continue
        piece = delta.get("content") or delta.get("refusal")
        if isinstance(piece, str) and piece:
            text.append(piece)
            on_text(piece)
        _add_calls(calls, delta.get("tool_calls"))
    if not ended and reason is None:
        raise StreamBrokenError("the connection ended before the answer did")
    message: dict[str, Any] = {"role": "assistant", "content": "".join(text)}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    choice = {"message": message, "finish_reason": reason}
    return {"choices": [choice], "usage": usage, "streamed": True}


def _read_events(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event. Endpoints write it on one line."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            name, _, value = line.decode("utf-8", "replace").strip().partition(":")
            if name == "data":
                yield value.strip()
            elif name == "error":  # llama.cpp
                yield json.dumps({"error": value.strip()})


def _parse_event(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise StreamBrokenError("its stream is not JSON") from error
    if not isinstance(event, dict):
        raise StreamBrokenError("its stream is not a chat completion")
    return event


def _add_calls(calls: dict[int, dict[str, Any]], deltas: Any) -> None:
    """Add pieces of function calls to those that came before."""
    for delta in deltas if isinstance(deltas, list) else ():
        if not isinstance(delta, dict):
            continue
        index = delta.get("index")
        # Some servers number no calls: one with a name begins a new one.
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        if not isinstance(index, int):
            index = len(calls) if function.get("name") else max(len(calls) - 1, 0)
        call = calls.setdefault(index, {"id": "", "function": {"name": "", "arguments": ""}})
        call["id"] = call["id"] or delta.get("id") or ""
        for part in ("name", "arguments"):
            piece = function.get(part)
            if isinstance(piece, dict):
                piece = json.dumps(piece)
            if isinstance(piece, str):
                call["function"][part] += piece


def _fail(error: Any) -> dict[str, Any]:
    message = error.get("message") if isinstance(error, dict) else error
    raise StreamBrokenError(f"the endpoint reported an error: {message}")
