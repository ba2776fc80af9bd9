"""One client: its events in turn, each answered before the next is read."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4

from wyoming.asr import Transcript
from wyoming.error import Error
from wyoming.event import Event, Eventable, async_write_event
from wyoming.handle import NotHandled
from wyoming.info import Describe, SelectProgram
from wyoming.intent import Intent, NotRecognized, Recognize
from wyoming.ping import Ping, Pong

from anaphora.core.name_hints import did_you_mean
from anaphora.engine.reply import Reply
from anaphora.errors import AnaphoraError
from anaphora.wyoming.answers import AnswerMode, to_recognize_answer, to_transcript_answer
from anaphora.wyoming.context import QuestionContext, parse_context
from anaphora.wyoming.event_reader import EventError, read_rest_of_event
from anaphora.wyoming.limits import Limits
from anaphora.wyoming.programs import build_info, name_programs
from anaphora.wyoming.question_runner import QuestionRunner

__all__ = ["Connection"]

_CHUNK = 65_536
_FAILED = "Something went wrong."

_log = logging.getLogger(__name__)


class Connection:
    """The connection of a client, which :meth:`run` serves to its end.

    A client may send questions without waiting: the answers come in the same order. ``on_idle`` and
    ``on_event`` are called before and after the server waits for an event.
    """

    def __init__(
        self,
        questions: QuestionRunner,
        mode: AnswerMode,
        limits: Limits,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        on_idle: Callable[[Connection], object],
        on_event: Callable[[Connection], object],
    ) -> None:
        self._questions, self._mode, self._limits = questions, mode, limits
        self._reader, self._writer = reader, writer
        self._on_idle, self._on_event = on_idle, on_event
        self._id = uuid4().hex
        self._model = questions.engine.model()
        peer = writer.get_extra_info("peername")
        self._address = str(peer[0]) if isinstance(peer, tuple) else ""
        self._name = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else "a local client"
        self._task: asyncio.Task[Any] | None = None
        self._is_reading = self._is_stopping = False

    async def run(self) -> None:
        """Answer events until the client or :meth:`stop` ends the connection."""
        self._task = asyncio.current_task()
        try:
            while not self._is_stopping and (event := await self._read()):
                if answer := await self._answer(event):
                    await self._write(answer)
        except EventError as error:
            _log.warning("%s: %s: connection closed", self._name, error)
            await self._refuse(str(error), "bad-event")
        except TimeoutError:
            _log.warning("%s: it does not read its answers: connection closed", self._name)
            self._writer.transport.abort()
        except ConnectionError:
            _log.debug("%s: gone before it read its answer", self._name)
        except asyncio.CancelledError:
            self._writer.transport.abort()
            raise
        finally:
            await self._close()

    async def refuse(self, message: str) -> None:
        """End the connection without reading any event, or a line in the log."""
        await self._refuse(message, "busy")
        await self._close()

    def stop(self) -> None:
        """End the connection after the answer in progress, if there is one."""
        self._is_stopping = True
        if self._is_reading and self._task is not None:
            self._task.cancel()

    async def _read(self) -> Event | None:
        """Read the next event; None at the end of the connection."""
        self._is_reading = True
        self._on_idle(self)
        try:
            first = await self._reader.read(1)
            self._on_event(self)
            return await read_rest_of_event(self._reader, first, self._limits) if first else None
        except asyncio.CancelledError:
            if self._is_stopping and self._task is not None and self._task.uncancel() == 0:
                return None
            raise
        finally:
            self._is_reading = False

    async def _answer(self, event: Event) -> Eventable | None:
        """Return the answer to an event; None if it asks for none."""
        match event.type:
            case kind if Transcript.is_type(kind):
                return await self._answer_transcript(event)
            case kind if Recognize.is_type(kind):
                return await self._answer_recognize(event)
            case kind if Describe.is_type(kind):
                return build_info(self._questions.engine.models, self._mode)
            case kind if SelectProgram.is_type(kind):
                self._select_program(_text(event, "name"))
            case kind if Ping.is_type(kind):
                text = event.data.get("text")
                return Pong(text if isinstance(text, str) else None)
            case kind if Intent.is_type(kind):
                return NotHandled("This server answers texts, not intents.")
            case kind:  # the protocol asks to ignore what a server does not know
                _log.debug("%s: ignored an event of the type %.40r", self._name, kind)
        return None

    async def _answer_transcript(self, event: Event) -> Eventable:
        text, context = _text(event, "text"), self._context(event)
        try:
            reply = await self._ask(text, context, event.data.get("language"))
            has_handler = reply.intent is not None and self._questions.engine.has_handler(
                reply.intent, model=self._model.id
            )
            described = context.describe(reply)
            return to_transcript_answer(reply, described, mode=self._mode, has_handler=has_handler)
        except AnaphoraError:
            return NotHandled(_FAILED, dict(context.returned))

    async def _answer_recognize(self, event: Event) -> Eventable:
        text, context = _text(event, "text"), self._context(event)
        try:
            reply = await self._ask(text, context, None)
            return to_recognize_answer(reply, context.describe(reply))
        except AnaphoraError:
            return NotRecognized(_FAILED, dict(context.returned))

    async def _ask(self, text: str, context: QuestionContext, language: object) -> Reply:
        """Ask the model. Speech-to-text may name a language that it lacks: then it is detected."""
        model, begin = self._model, time.perf_counter()
        known = model.find_language(language) if isinstance(language, str) else None
        reply = await self._questions.ask(text, model=model, language=known, context=context)
        took = 1_000 * (time.perf_counter() - begin)
        _log.info("%s: %s: %s in %.1f ms", self._name, model.id, reply.status, took)
        return reply

    def _context(self, event: Event) -> QuestionContext:
        context = event.data.get("context")
        return parse_context(context, connection_id=self._id, address=self._address)

    def _select_program(self, name: str) -> None:
        models = self._questions.engine.models
        programs = {**{model.id: model for model in models}, **name_programs(models)}
        if name not in programs:
            hint = did_you_mean(name, programs, label="there are")
            raise EventError(f"there is no program with this name; {hint}")
        self._model = programs[name]

    async def _write(self, answer: Eventable) -> None:
        async with asyncio.timeout(self._limits.write_timeout):
            await async_write_event(answer.event(), self._writer)

    async def _refuse(self, message: str, code: str) -> None:
        """Tell the client why the connection ends. Closing a connection with unread input would
        reset it, and the client could lose the message."""
        with suppress(OSError):
            async with asyncio.timeout(self._limits.linger):
                await self._write(Error(message, code))
                if self._writer.can_write_eof():
                    self._writer.write_eof()
                left = self._limits.max_ignored
                while left > 0 and (data := await self._reader.read(_CHUNK)):
                    left -= len(data)

    async def _close(self) -> None:
        """Close the connection when the client has read everything, or does not read it in time."""
        self._writer.close()
        try:
            with suppress(OSError):
                async with asyncio.timeout(self._limits.write_timeout):
                    await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()


def _text(event: Event, name: str) -> str:
    text = event.data.get(name)
    if not isinstance(text, str):
        raise EventError(f"the {event.type} event has no {name}")
    return text
