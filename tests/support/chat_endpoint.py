"""A chat-completions endpoint on loopback that plays a script: a real HTTP server for tests.

    with ScriptedEndpoint([call("lookup", {"city": "Kyoto"}), say("It is sunny.")]) as endpoint:
        model = ChatModel(endpoint.url)
        ...
    endpoint.requests[0]["messages"]

A script is a list of replies, one for each request, or a function of the request's body. A
request after the last reply is answered 500: "the script is over".
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["Reply", "ScriptedEndpoint", "call", "calls", "count_words", "fault", "say"]

FAULTS = (
    "hang",  # no answer at all
    "status 500",  # or any other status
    "half-stream",  # the connection ends in the middle of the answer
    "not-json",
    "empty-choices",
    "html",
    "close",  # the connection ends before the answer
)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the model: text, calls as (name, arguments), or a fault of the endpoint."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    finish_reason: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "The script says so."  # of an error status
    error: Mapping[str, Any] = field(default_factory=dict)  # more fields of an error status

    def __add__(self, other: Reply) -> Reply:
        """The text, the calls and the fault of both, as one answer."""
        text = "\n".join(filter(None, (self.text, other.text))) or None
        kind = self.fault or other.fault
        return replace(self, text=text, calls=self.calls + other.calls, fault=kind)


def say(text: str, *, finish_reason: str = "") -> Reply:
    """The model writes text."""
    return Reply(text, finish_reason=finish_reason)


def call(name: str, arguments: Mapping[str, Any] | str, *, thought: str | None = None) -> Reply:
    """The model calls a function; arguments that are a string are sent as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Reply(thought, ((name, text),))


def calls(*replies: Reply) -> Reply:
    """The model calls several functions in one answer."""
    first, *others = replies
    return sum(others, first)


def fault(
    kind: str,
    message: str = "The script says so.",
    *,
    headers: Mapping[str, str] | None = None,
    error: Mapping[str, Any] | None = None,
) -> Reply:
    """The endpoint fails: one of FAULTS, or a status such as "429" or "status 503"."""
    kind = kind.removeprefix("status ")
    if not kind.isdigit() and kind not in FAULTS:
        raise ValueError(f"{kind!r} is none of {FAULTS}")
    return Reply(fault=kind, message=message, headers=headers or {}, error=error or {})


def count_words(text: str) -> list[int]:
    """The tokens of a text: words and signs, numbered by nothing but their length."""
    return [len(token) for token in re.findall(r"\w+|[^\w\s]", text)]


class ScriptedEndpoint:
    """Plays ``script``, and records the bodies of chat requests in ``requests``.

    ``tools`` and ``json_schema`` tell whether it accepts such requests; where it does not take
    tools, calls of the script are written as JSON text. ``tokenizer`` is what ``/tokenize`` counts
    by ("llama", "vllm" or "" for none); a prompt of more than ``window`` tokens (by words, 4 more
    for each message) is refused. ``template`` is what ``/apply-template`` writes for each message,
    such as "<{role}>{content}"; it drops tools. ``reports_usage`` tells whether answers count
    tokens.
    """

    def __init__(
        self,
        script: Iterable[Reply] | Callable[[dict[str, Any]], Reply] = (),
        *,
        window: int = 0,
        tools: bool = True,
        json_schema: bool = True,
        tokenizer: str = "",
        template: str = "",
        reports_usage: bool = True,
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []  # of the requests
        self.tokenized: list[str] = []  # the texts that /tokenize was asked for
        self.window, self.tokenizer, self.reports_usage = window, tokenizer, reports_usage
        self.loading = False  # /tokenize answers 503
        self.accepts_tools, self.accepts_json_schema = tools, json_schema
        self.template = template
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._numbers = 0
        self.play(script)

    def play(self, script: Iterable[Reply] | Callable[[dict[str, Any]], Reply]) -> None:
        """Go on with another script."""
        if callable(script):
            self._next = script
        else:
            left = iter(script)
            over = fault("status 500", "the script is over")
            self._next = lambda body: next(left, over)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.root}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        """Record a request and return the reply to it."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            refused = self._refuse(body)
            return self._next(body) if refused is None else refused

    def new_id(self) -> str:
        with self._lock:
            self._numbers += 1
            return f"call_{self._numbers}"

    def _refuse(self, body: Mapping[str, Any]) -> Reply | None:
        if "tools" in body and not self.accepts_tools:
            return fault("400", "this model does not support tools")
        if "response_format" in body and not self.accepts_json_schema:
            return fault("400", "response_format is not supported")
        length = count_prompt(body)
        if self.window and length > self.window:
            return fault(
                "400",
                "the request exceeds the available context size, try increasing it",
                error={
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": length,
                    "n_ctx": self.window,
                },
            )
        return None


def count_prompt(body: Mapping[str, Any]) -> int:
    """The tokens of a request. Letters are counted as templates write them, not as they are
    escaped in JSON: that makes two tokens of each letter that is not ASCII."""

    def count_json(value: Any) -> int:
        return len(count_words(json.dumps(value, ensure_ascii=False)))

    declared = count_json(body["tools"]) if "tools" in body else 0
    return declared + sum(
        4
        + len(count_words(message.get("content") or ""))
        + count_json(message.get("tool_calls", ""))
        for message in body["messages"]
    )


def _handler_of(endpoint: ScriptedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        here = endpoint

    return Handler


class _Handler(BaseHTTPRequestHandler):
    here: ScriptedEndpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            if self.path.endswith("/chat/completions"):
                self._answer(body, self.here.take(body, dict(self.headers)))
            elif self.path == "/tokenize":
                self._tokenize(body)
            elif self.path == "/apply-template" and self.here.template:
                written = (self.here.template.format(**message) for message in body["messages"])
                self._send(200, {"prompt": "".join(written)})
            else:
                self._send(404, {"error": {"message": "File Not Found"}})
        except OSError:  # the client had enough
            self.close_connection = True

    def _answer(self, body: Mapping[str, Any], reply: Reply) -> None:
        if reply.fault == "hang":
            self.here.ended.wait()
            self.close_connection = True
        elif reply.fault == "close":
            self.close_connection = True
        elif reply.fault.isdigit():
            error = {"message": reply.message, "code": int(reply.fault), **reply.error}
            self._send(int(reply.fault), {"error": error}, reply.headers)
        elif reply.fault == "html":
            self._send(200, b"<!doctype html><title>Welcome</title>", kind="text/html")
        elif reply.fault == "not-json":
            self._send(200, b'{"choices": [')
        elif reply.fault == "empty-choices":
            self._send(200, {"choices": []})
        elif body.get("stream"):
            self._stream(body, reply)
        elif reply.fault == "half-stream":
            self._begin(200, {"Content-Length": "1000"})
            self.wfile.write(b'{"choices": [')
            self.close_connection = True
        else:
            choice = {"index": 0, **self._choice(body, reply)}
            answer = {"object": "chat.completion", "choices": [choice]}
            self._send(200, answer | self._usage(body, reply))

    def _choice(self, body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if not reply.calls:
            reason = "stop"
        elif "tools" in body:
            reason = "tool_calls"
            message["tool_calls"] = [
                {
                    "id": self.here.new_id(),
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for name, arguments in reply.calls
            ]
        if "tools" not in body and (reply.calls or "response_format" in body):
            reason = "stop"
            message["content"] = _as_json(reply)
        return {"message": message, "finish_reason": reply.finish_reason or reason}

    def _usage(self, body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
        if not self.here.reports_usage:
            return {}
        written = len(count_words(_as_json(reply) if reply.calls else reply.text or ""))
        read = count_prompt(body)
        return {
            "usage": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
            }
        }

    def _stream(self, body: Mapping[str, Any], reply: Reply) -> None:
        self._begin(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        self.close_connection = True
        if reply.fault == "half-stream":
            self._event({"choices": [{"delta": {"role": "assistant", "content": None}}]})
            if reply.text:
                self._event({"choices": [{"delta": {"content": reply.text}}]})
            return
        choice = self._choice(body, reply)
        message = choice["message"]
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", message["content"] or ""):
            self._event({"choices": [{"index": 0, "delta": {"content": word}}]})
        for delta in _call_deltas(message.get("tool_calls", ())):
            self._event({"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]})
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        self._event({"choices": [end]})
        if body.get("stream_options", {}).get("include_usage"):
            self._event({"choices": [], **self._usage(body, reply)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, data: Mapping[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def _tokenize(self, body: Mapping[str, Any]) -> None:
        if self.here.loading:
            self._send(503, {"error": {"message": "Loading model"}})
            return
        text = body.get({"llama": "content", "vllm": "prompt"}.get(self.here.tokenizer, ""))
        if text is None:
            self._send(404, {"error": {"message": "File Not Found"}})
            return
        self.here.tokenized.append(text)
        tokens = count_words(text)
        counted = {"count": len(tokens)} if self.here.tokenizer == "vllm" else {}
        self._send(200, {"tokens": tokens, **counted})

    def _send(
        self,
        status: int,
        body: Mapping[str, Any] | bytes,
        headers: Mapping[str, str] | None = None,
        *,
        kind: str = "application/json",
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        length = {"Content-Type": kind, "Content-Length": str(len(data))}
        self._begin(status, {**length, **(headers or {})})
        self.wfile.write(data)

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing on the console."""


def _as_json(reply: Reply) -> str:
    """What a model writes that calls functions by JSON."""
    listed = [{"name": name, "arguments": _parse(text)} for name, text in reply.calls]
    return json.dumps({"thought": reply.text or "", "calls": listed}, ensure_ascii=False)


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _call_deltas(listed: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """The pieces in which calls are streamed: first the name, then the arguments by and by."""
    for index, one in enumerate(listed):
        function = one["function"]
        begun = {"name": function["name"], "arguments": ""}
        yield {"index": index, "id": one["id"], "type": "function", "function": begun}
        for start in range(0, len(function["arguments"]), 7):
            yield {
                "index": index,
                "function": {"arguments": function["arguments"][start : start + 7]},
            }
