"""A router in front of a language model: ``uvicorn --factory tool_router:app``.

It speaks the chat-completions protocol. If Anaphora understands the last message of the user, every
word of it, the answer is a tool call that it fills, or its question for what is missing. Everything
else goes to the model behind it, unchanged.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from anaphora import AsyncEngine, Conversation, Engine, Reject, Reply, Slot, Utterance

FOLDER = Path(__file__).parent
FORWARDED = ("authorization", "content-type")
# Words that change nothing in a request, beside those that the engine knows ("could you", "and").
# Any other word may: "is", "why", "after".
SMALL_WORDS = {"a", "an", "the", "my", "our", "in", "at", "of", "to", "for", "also", "too", "now"}


def create_app(engine: Engine, *, upstream: str) -> FastAPI:
    """Create the application in front of the endpoint ``upstream`` ("http://host/v1")."""
    engine.hook("context")(reject_unless_all_is_understood)
    bot = AsyncEngine(engine)
    http = httpx.AsyncClient(base_url=upstream, timeout=120)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with bot, http:
            yield

    app = FastAPI(title="Tool router", lifespan=lifespan)

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        body = await request.body()
        try:
            asked = json.loads(body)
            message = asked["messages"][-1]
        except (ValueError, TypeError, LookupError):
            raise HTTPException(400, "the body needs 'messages'") from None
        text = message.get("content") if message.get("role") == "user" else None
        # Without the field "user", each request is a conversation of its own.
        user = str(asked.get("user") or uuid4())
        tools = asked.get("tools")
        if isinstance(text, str) and text:
            reply = await bot.ask(text, user=user) if tools else None
            if reply and (answer := to_message(reply, tools)) is not None:
                return to_response(answer, stream=bool(asked.get("stream")))
            # What comes next goes on with what the model says.
            await bot.forget(user=user)
        return await forward(body, request)

    async def forward(body: bytes, request: Request) -> Response:
        headers = {name: request.headers[name] for name in FORWARDED if name in request.headers}
        sent = http.build_request("POST", "/chat/completions", content=body, headers=headers)
        try:
            answer = await http.send(sent, stream=True)
        except httpx.TransportError as error:
            raise HTTPException(502, f"the model cannot be reached: {error}") from None
        kind = answer.headers.get("content-type", "application/json")

        async def parts() -> AsyncIterator[bytes]:
            try:
                async for part in answer.aiter_bytes():
                    yield part
            finally:
                await answer.aclose()

        return StreamingResponse(parts(), answer.status_code, media_type=kind)

    return app


def reject_unless_all_is_understood(utterance: Utterance, conversation: Conversation) -> None:
    """Leave to the model what says more than the elements of ``lights.yaml``, and questions."""
    entities = [entity for entity in utterance.entities if not entity.negated]
    known = utterance.understood.union(*(entity.tokens for entity in entities))
    for index, token in enumerate(utterance.tokens):
        if token.lower[0].isalnum() and index not in known and token.lower not in SMALL_WORDS:
            raise Reject(f"'{token.text}' is not understood")
    # "Could you …?" is a request, "and in the bedroom?" goes on with one; "lights on?" asks.
    if utterance.text.rstrip().endswith("?") and not utterance.understood:
        raise Reject("it is a question")


def to_message(reply: Reply, tools: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The message of an assistant: a tool call or a question; None if the model is to answer."""
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    function = functions.get(reply.intent or "")
    if function is None:
        return None
    if reply.status == "incomplete":
        return {"role": "assistant", "content": reply.text}
    names = (function.get("parameters") or {}).get("properties") or {}
    arguments = {name: to_argument(reply.slots[name]) for name in names if name in reply.slots}
    call = {"name": function["name"], "arguments": json.dumps(arguments, ensure_ascii=False)}
    made = {"id": f"call_{uuid4().hex}", "type": "function", "function": call}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def to_argument(slot: Slot) -> Any:
    """The value of a slot; the number of "40 percent" without its unit."""
    return slot.meta.get("value", slot.value)


def to_response(message: dict[str, Any], *, stream: bool) -> Response:
    """A completion with this message, as one object or as a stream of events."""
    reason = "tool_calls" if "tool_calls" in message else "stop"
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": "anaphora"}
    if not stream:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        done = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return JSONResponse(done)

    def events() -> Iterator[str]:
        calls = [{"index": 0, **call} for call in message.get("tool_calls", ())]
        whole = {**message, "tool_calls": calls} if calls else message
        for delta, ended in ((whole, None), ({}, reason)):
            choice = {"index": 0, "delta": delta, "finish_reason": ended}
            chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
            yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


def app() -> FastAPI:
    """The application in front of the model at ``$UPSTREAM``."""
    if not (upstream := os.environ.get("UPSTREAM")):
        raise SystemExit("Set UPSTREAM to the URL of the model, such as http://localhost:8080/v1.")
    return create_app(Engine(FOLDER / "lights.yaml"), upstream=upstream)
