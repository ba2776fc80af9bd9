"""The asynchronous engine, for code that runs in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from copy import copy
from datetime import datetime
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeAlias, TypeVar, cast

from anaphora.core.request import Request, User
from anaphora.engine.asynchronous.call_queue import CallQueue, Ticket
from anaphora.engine.asynchronous.loop_questions import (
    active_model_in_loop,
    ask_in_loop,
    store_for_loop,
)
from anaphora.engine.asynchronous.running_call import (
    RunningCall,
    current_call,
    to_plain_function,
)
from anaphora.engine.batches import Question
from anaphora.engine.callbacks.fallback_agent import FallbackAgent
from anaphora.engine.callbacks.hooks import HookName
from anaphora.engine.engine import Engine
from anaphora.engine.identity import conversation_key, tenant_id, to_user
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.engine.reply import Reply
from anaphora.engine.turn import MAX_INLINE_LENGTH
from anaphora.entities.pipeline import BATCH_SIZE
from anaphora.errors import AnaphoraError, Conflict
from anaphora.models.domain import Model
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store, async_store_of

__all__ = ["AsyncEngine"]

_NO_REQUEST = Request()
_END: Any = object()

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_AnyFuture: TypeAlias = Future[Any] | asyncio.Future[Any]


def _in_thread(
    method: Callable[Concatenate[Engine, _Parameters], _Result],
) -> Callable[Concatenate[AsyncEngine, _Parameters], Coroutine[Any, Any, _Result]]:
    """Build the asynchronous twin of a method, which calls it in a thread."""

    @wraps(method)
    async def call(
        engine: AsyncEngine, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> _Result:
        return await engine._run(partial(method, engine._engine, *args, **kwargs))

    return call


def _in_order(
    method: Callable[Concatenate[Engine, _Parameters], _Result],
) -> Callable[Concatenate[AsyncEngine, _Parameters], Coroutine[Any, Any, _Result]]:
    """Build the asynchronous twin of a method that changes the conversation of its keywords
    ``user`` and ``model``: such calls run in the order in which they are made."""

    @wraps(method)
    async def call(
        engine: AsyncEngine, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> _Result:
        keywords = cast(dict[str, Any], kwargs)
        user, model = to_user(keywords.get("user", "user")), keywords.get("model")
        ticket, id = await engine._join_conversation(user, model)
        work = partial(cast(Any, method), engine._engine, *args, **{**kwargs, "model": id})
        text = args[0] if args and isinstance(args[0], str) else None
        is_short = text is not None and len(text) <= MAX_INLINE_LENGTH
        key = conversation_key(user, id)
        start: Callable[[Any, RunningCall], Any] = engine._submit
        inline = is_short and not engine.may_block(id)
        if method is Engine.ask and text is not None and not inline:
            store = store_for_loop(engine._engine, id, text)
            if store is not None:
                asked = {**kwargs, "model": id}
                work = partial(cast(Any, ask_in_loop), engine._engine, store, text, **asked)
                start = engine._create_task
        result: _Result = await engine._run_in_turn(work, ticket, key, inline=inline, start=start)
        return result

    return call


def _documented_as(method: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Give a method the docstring of its twin."""

    def document(function: _Function) -> _Function:
        function.__doc__ = method.__doc__
        return function

    return document


class AsyncEngine:
    """An :class:`~anaphora.engine.engine.Engine` for code that runs in an event loop of asyncio.

    It has the same methods, which are awaited; ``ask_many`` is an asynchronous iterator. Only
    ``on``, ``hook``, ``on_fallback``, ``with_long_term``, ``with_fallback``, ``model``,
    ``has_handler`` and ``may_block``, which never block, are ordinary methods. Handlers, hooks and
    fallbacks may be ``async`` functions. What may block runs in at most ``threads`` threads; a
    short question to a bot that cannot block, or only for its store in SQLite or Redis, is answered
    in the loop.

    Calls that change a conversation run in the order in which they are made, those of different
    conversations side by side; one that waits needs no thread. If a task is cancelled while it
    waits for an answer, the conversation stays as it was before the question, unless the answer is
    being stored already; a plain handler that has begun runs to its end, an ``async`` one is
    cancelled. The next question of the conversation waits for it.

    Closing it, or leaving an ``async with``, waits for running calls and closes the engine.
    """

    def __init__(self, engine: Engine, *, threads: int = 32, wait: float = 60.0) -> None:
        """Raises ValueError for less than one thread.

        ``wait`` is how many seconds a question waits for the one before it, before it raises
        :class:`Conflict`: handlers that ask in each other's conversations would wait forever.
        """
        if not isinstance(engine, Engine):
            raise TypeError(f"write AsyncEngine(Engine({engine!r}))")
        if threads < 1:
            raise ValueError(f"an engine has at least one thread, not {threads}")
        self._engine = engine
        self._threads, self._wait = threads, wait
        self._is_local = isinstance(engine.store, MemoryStore)
        self._shared = _SharedState()
        self._owns_engine = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for running calls, and close the engine. No question can be asked afterwards."""
        if not self._owns_engine:
            return
        self._shared.is_closed = True
        self._shared.abandon_calls()
        while running := [asyncio.wrap_future(one) for one in tuple(self._shared.running)]:
            await asyncio.wait(running)
        for pool in self._shared.pools.values():
            pool.shutdown(wait=False)
        if (store := async_store_of(self._engine.store)) is not None:
            await store.close()
        await asyncio.to_thread(self._engine.close)

    @property
    def engine(self) -> Engine:
        """The engine itself."""
        return self._engine

    @property
    def store(self) -> Store:
        """The store of conversations."""
        return self._engine.store

    @property
    def long_term(self) -> LongTerm | None:
        """The long-term memory, if there is one."""
        return self._engine.long_term

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, the default first."""
        return self._engine.models

    @_documented_as(Engine.model)
    def model(self, id: str | None = None) -> Model:
        return self._engine.model(id)

    @_documented_as(Engine.may_block)
    def may_block(self, model: str) -> bool:
        return self._engine.may_block(model)

    @_documented_as(Engine.has_handler)
    def has_handler(self, intent: str, *, model: str | None = None) -> bool:
        return self._engine.has_handler(intent, model=model)

    @_documented_as(Engine.with_long_term)
    def with_long_term(self, long_term: LongTerm | None) -> AsyncEngine:
        return self._copy(self._engine.with_long_term(long_term))

    @_documented_as(Engine.with_fallback)
    def with_fallback(self, fallback: FallbackAgent | None) -> AsyncEngine:
        return self._copy(self._engine.with_fallback(fallback))

    @_documented_as(Engine.on)
    def on(self, intent: str, *, model: str | None = None) -> Callable[[_Function], _Function]:
        register = self._engine.on(intent, model=model)
        return partial(_register, register)

    @_documented_as(Engine.hook)
    def hook(self, name: HookName, *, model: str | None = None) -> Callable[[_Function], _Function]:
        register = self._engine.hook(name, model=model)
        return partial(_register, register)

    @_documented_as(Engine.on_fallback)
    def on_fallback(self, function: _Function, *, model: str | None = None) -> _Function:
        return _register(partial(self._engine.on_fallback, model=model), function)

    ask = _in_order(Engine.ask)
    say = _in_order(Engine.say)
    forget = _in_order(Engine.forget)
    explain = _in_thread(Engine.explain)
    prepare = _in_thread(Engine.prepare)
    reload = _in_thread(Engine.reload)
    erase = _in_thread(Engine.erase)
    conversation = _in_thread(Engine.conversation)
    memory = _in_thread(Engine.memory)

    async def ask_many(
        self,
        questions: Iterable[str | Question],
        *,
        user: str | User = "user",
        model: str | None = None,
        at: datetime | None = None,
        language: str | None = None,
        request: Request = _NO_REQUEST,
        explain: bool = False,
        batch_size: int = BATCH_SIZE,
    ) -> AsyncIterator[Reply]:
        """Answer many questions in order, as :meth:`Engine.ask_many` does. Each is answered when
        its reply is requested. The questions are taken from ``questions`` in another thread.

        An error of a question ends the iteration.
        """
        replies = self._engine.ask_many(
            questions,
            user=user,
            model=model,
            at=at,
            language=language,
            request=request,
            explain=explain,
            batch_size=batch_size,
        )
        while (reply := await self._run(partial(next, replies, _END))) is not _END:
            yield reply

    @_documented_as(Engine.active_model)
    async def active_model(self, *, user: str | User = "user") -> str:
        who = to_user(user)
        ticket = self._queue.join(_user_key(who))
        return await self._run_in_turn(
            partial(self._engine.active_model, user=who), ticket, inline=self._is_local
        )

    @_documented_as(Engine.switch)
    async def switch(self, model: str | None, *, user: str | User = "user") -> None:
        who = to_user(user)
        ticket = self._queue.join(_user_key(who))
        await self._run_in_turn(
            partial(self._engine.switch, model, user=who), ticket, inline=self._is_local
        )

    async def _join_conversation(self, user: User, model: str | None) -> tuple[Ticket, str]:
        """Join the queue of a conversation; return the place there and the id of the model.

        Which model is the active one may be known only to the store. The queue of the user keeps
        the order of the calls meanwhile.
        """
        models = self._engine.models
        if model is not None:
            self._engine.model(model)  # raises UnknownModel
        if len(models) == 1:
            return self._join(user, models[0].id)
        ticket = self._queue.join(_user_key(user))
        try:
            await ticket.wait(self._wait)
            if model is None and self._is_local:
                model = self._engine.active_model(user=user)
            elif model is None:
                model = await active_model_in_loop(self._engine, user)
            if model is None:
                model = await self._run(partial(self._engine.active_model, user=user))
            return self._join(user, model)
        finally:
            ticket.leave()

    def _join(self, user: User, model: str) -> tuple[Ticket, str]:
        key = conversation_key(user, model)
        running = current_call.get()
        if running is not None and running.holds(key):
            raise Conflict(
                f"the conversation of {user.id!r} with '{model}' is being answered: a handler "
                "cannot ask in its own conversation"
            )
        return self._queue.join(key), model

    @property
    def _queue(self) -> CallQueue:
        loop = asyncio.get_running_loop()
        queue = self._shared.queue
        if queue is None or queue.loop is not loop:
            self._shared.abandon_calls()
            queue = self._shared.queue = CallQueue(loop)
        return queue

    async def _run_in_turn(
        self,
        work: Callable[[], _Result],
        ticket: Ticket,
        key: Hashable = None,
        *,
        inline: bool = False,
        start: Callable[[Any, RunningCall], Any] | None = None,
    ) -> _Result:
        """Call ``work`` when the calls before it in its queue have ended, in a thread or as
        ``start`` does; the next one begins when it has really ended, even if nobody waits for it
        any more."""
        try:
            await ticket.wait(self._wait)
            if inline and not self._shared.is_closed:
                try:
                    return work()
                finally:
                    ticket.leave()
            call = RunningCall(asyncio.get_running_loop(), key)
            future = (start or self._submit)(work, call)
        except BaseException:
            ticket.leave()
            raise
        loop = asyncio.get_running_loop()

        def end(ended: _AnyFuture) -> None:
            call.end()
            if isinstance(ended, asyncio.Future):  # in the loop
                ticket.leave()
                return
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(ticket.leave)

        future.add_done_callback(end)
        return await _await(future, call)

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        """Call ``work`` in a thread, in no order."""
        call = RunningCall(asyncio.get_running_loop())
        return await _await(self._submit(work, call), call)

    def _submit(self, work: Callable[[], _Result], call: RunningCall) -> Future[_Result]:
        """Start ``work`` in a thread, in the context of the caller.

        Calls that handlers make have threads of their own, by their depth: those that wait for
        them could otherwise hold all threads. Raises :class:`AnaphoraError` if the engine is
        closed.
        """
        shared = self._shared
        if shared.is_closed and not call.depth:
            raise AnaphoraError("the engine is closed")
        pool = shared.pools.get(call.depth)
        if pool is None:
            pool = ThreadPoolExecutor(self._threads, thread_name_prefix="anaphora-engine")
            shared.pools[call.depth] = pool
        context = copy_context()
        context.run(call.enter)
        future = pool.submit(context.run, work)
        shared.running.add(future)
        future.add_done_callback(shared.running.discard)
        return future

    def _create_task(
        self, work: Callable[[], Coroutine[Any, Any, _Result]], call: RunningCall
    ) -> asyncio.Task[_Result]:
        """Start ``work`` in the loop, in the context of the caller. Raises :class:`AnaphoraError`
        if the engine is closed."""
        shared = self._shared
        if shared.is_closed and not call.depth:
            raise AnaphoraError("the engine is closed")
        context = copy_context()
        context.run(call.enter)
        task = asyncio.get_running_loop().create_task(work(), context=context)
        shared.running.add(task)
        task.add_done_callback(shared.running.discard)
        return task

    def _copy(self, engine: Engine) -> AsyncEngine:
        other = copy(self)
        other._engine, other._owns_engine = engine, False
        return other


class _SharedState:
    """What the copies of an asynchronous engine share: threads, queues, running calls."""

    def __init__(self) -> None:
        self.pools: dict[int, ThreadPoolExecutor] = {}
        self.queue: CallQueue | None = None
        self.running: set[_AnyFuture] = set()
        self.is_closed = False

    def abandon_calls(self) -> None:
        """End the calls of event loops that were closed before their calls had ended: these would
        hold their conversations for ever."""
        for call in tuple(self.running):
            if isinstance(call, asyncio.Task) and call.get_loop().is_closed():
                self.running.discard(call)
                coroutine: Any = call.get_coro()
                if coroutine is None:  # it has ended before it could be suspended
                    continue
                # Nobody waits for it any more, whatever it raises.
                with suppress(asyncio.CancelledError, Exception):
                    coroutine.throw(asyncio.CancelledError())
                    coroutine.close()  # it waits for something once more


async def _await(future: Future[_Result] | asyncio.Future[_Result], call: RunningCall) -> _Result:
    """Wait for a call. If the task is cancelled, the call goes on and commits nothing."""
    try:
        if isinstance(future, asyncio.Future):
            return await asyncio.shield(future)
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        call.cancel()
        raise


def _register(register: Callable[[Any], Any], function: _Function) -> _Function:
    register(to_plain_function(function))
    return function


def _user_key(user: User) -> Hashable:
    return tenant_id(user), user.id
