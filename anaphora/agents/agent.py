"""Agents: language models whose context is managed like an operating system's memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import uuid4

from anaphora.agents.answer import AgentAnswer, AgentStep, ContextSize, collect_answer
from anaphora.agents.archive.archive import Archive
from anaphora.agents.archive.document import Document
from anaphora.agents.archive.loading import LoadProgress
from anaphora.agents.archive.pages import ArchivePage
from anaphora.agents.context.blocks import Block, CoreMemory
from anaphora.agents.context.instructions import INSTRUCTIONS
from anaphora.agents.execution.event_processor import EventProcessor, NewEvent
from anaphora.agents.execution.event_run import EventRun
from anaphora.agents.execution.graph_memory import GraphMemory
from anaphora.agents.execution.limits import AgentLimits, AgentTexts, TextKind
from anaphora.agents.execution.parts import AgentParts
from anaphora.agents.execution.services import AgentServices, Planner
from anaphora.agents.execution.session import AgentSession
from anaphora.agents.execution.summarizing import summarizer_factory
from anaphora.agents.execution.virtual_context import VirtualContext
from anaphora.agents.execution.window import check_core_room, measure_context
from anaphora.agents.functions.core import (
    archive_functions,
    core_functions,
    recall_functions,
)
from anaphora.agents.functions.function import AgentFunction, FunctionContext, FunctionSet
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.agents.opening import open_stores
from anaphora.agents.state.messages import EventKind
from anaphora.agents.state.records import BlockChanged, MemoryChanged
from anaphora.agents.state.state import AgentState, MemoryValue, UsageTotal
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.chat_model.chat_model import ChatModel
from anaphora.engine.callbacks.fallback_agent import RejectedQuestion
from anaphora.errors import AgentError
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.search import Page
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from anaphora.ltm.summarizers.summarizer import Summarizer
from anaphora.storage.logical_clock import utc_now

__all__ = ["Agent"]

_DEFAULT_LIMITS = AgentLimits()
_ENGINE_EXCHANGES = 10  # of an engine's conversation, that the agent is told of


class Agent:
    """A language model with a memory of its own, for any number of users.

    ``model`` is the endpoint. ``memory`` is the recall memory: a long-term memory or its URL.
    ``store`` keeps the state of the agent with each user, ``archive`` its archival memory: objects
    or URLs; by default they lie beside the recall memory. ``persona`` and ``human`` are the initial
    values of the two core blocks; ``blocks`` declares others. ``functions`` are Python functions
    (or :class:`AgentFunction`) that the model may call. ``summarizer`` summarizes what leaves the
    window (None: the model itself; if it fails, the extractive summarizer). ``planner`` builds
    what decides about prompts and functions instead: declared memories. ``graph`` is a knowledge
    graph or its URL ("beside" the recall memory; None: no graph), in which the model adds facts
    every ``graph_every`` turns. Memories are updated in the background after an answer, unless
    ``waits_for_updates``. ``secrets`` are replaced in everything that is stored. ``clock`` returns
    the time with a zone.

    One event of a user is processed at a time, those of different users side by side; all methods
    may be called from any thread. Raises :class:`AnaphoraError` for arguments that do not fit each
    other, and for a store that cannot be used.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        name: str = "agent",
        memory: LongTermMemory | str = "memory:",
        store: AgentStore | str | None = None,
        archive: Archive | str | None = None,
        persona: str = "You are a helpful assistant.",
        human: str = "",
        blocks: Iterable[Block] = (),
        instructions: str = INSTRUCTIONS,
        functions: Iterable[AgentFunction | Callable[..., object]] = (),
        summarizer: Summarizer | None = None,
        planner: Callable[[AgentParts], Planner] | None = None,
        graph: KnowledgeGraph | str | None = None,
        graph_every: int = 5,
        waits_for_updates: bool = False,
        limits: AgentLimits = _DEFAULT_LIMITS,
        texts: dict[TextKind, str] | None = None,
        secrets: Iterable[str] = (),
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.model, self._clock = name, model, clock
        _check_window(model)
        opened = open_stores(memory, store, archive, graph, clock)
        self._closing = opened.closing
        self.memory, self._store = opened.memory, opened.store
        self.archive, self.graph = opened.archive, opened.graph
        declared = (
            Block("persona", persona, "who you are"),
            Block("human", human, "what you know of the user"),
            *blocks,
        )
        _check_labels(declared)
        known = None if self.graph is None else GraphMemory(self.graph, self.memory, graph_every)
        parts = AgentParts(
            name,
            model.window,
            self.memory,
            known,
            tuple(core_functions()),
            tuple(recall_functions(self.memory, model=name)),
            tuple(archive_functions(self.archive, self._archive_owners)),
            FunctionSet.of(functions).functions,
        )
        plans = (
            planner(parts)
            if planner is not None
            else VirtualContext(instructions, parts.all_functions, known)
        )
        self._services = AgentServices(
            name,
            model,
            self._store,
            self.memory,
            plans,
            declared if plans.uses_core else (),
            summarizer_factory(summarizer, model, limits),
            limits,
            AgentTexts(texts or {}),
            self._count_passages,
            clock,
            monotonic,
            tuple(sorted({one for one in secrets if one}, key=len, reverse=True)),
        )
        self._processor = EventProcessor(self._services, waits_for_updates=waits_for_updates)
        self._closing.append(self._processor.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- events --------------------------------------------------------------------------------

    def send(
        self,
        text: str,
        *,
        user: str = "user",
        tenant: str = "",
        id: str | None = None,
        on_step: Callable[[AgentStep], object] | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> AgentAnswer:
        """Send a message of a user, and return the answer.

        ``id`` identifies the message: sent again, because the caller or this process died, it is
        answered once, and the second call returns that answer. ``on_step`` is called after each
        step of the model, ``on_text`` with pieces of its text as they arrive.

        Raises :class:`ChatModelError` if the model cannot be used (the message is kept, and is part
        of the next prompt), :class:`Conflict` if another event of the user takes too long, and
        :class:`StoreError`.
        """
        if not text.strip():
            raise AgentError("the message is empty")
        event = NewEvent("user_message", text, _event_id(id))
        return self._processor.process(AgentKey(user, self.name, tenant), event, on_step, on_text)

    def notify(
        self,
        kind: EventKind,
        text: str = "",
        *,
        user: str = "user",
        tenant: str = "",
        id: str | None = None,
        on_step: Callable[[AgentStep], object] | None = None,
    ) -> AgentAnswer | None:
        """Tell the agent of another event than a message: a ``login``, a timed ``heartbeat``, a
        ``system_alert``, a loaded ``document``. The agent may stay silent. Returns None for a
        heartbeat while the agent has paused them. Raises as :meth:`send`."""
        key = AgentKey(user, self.name, tenant)
        if kind == "heartbeat":
            paused = self._store.load(key).paused_until
            if paused is not None and self._clock() < paused:
                return None
        event = NewEvent(kind, text or kind.replace("_", " "), _event_id(id))
        return self._processor.process(key, event, on_step)

    def answer_rejected(self, question: RejectedQuestion) -> str:
        """Answer a question that no intent of an engine fits: see :class:`Engine` (``fallback``).
        The agent is told what the user and the engine have said since it was last asked, if they
        share the long-term memory."""
        key = AgentKey(question.user, self.name, question.tenant)
        since = self._store.load(key).clock
        said = self.memory.latest(key._replace(model=question.model), _ENGINE_EXCHANGES)
        news = [one for one in reversed(said) if one.clock > since and one.status != "rejected"]
        context = _describe_dialog(question.model, news) if news else ""
        event = NewEvent("user_message", question.text, uuid4().hex, context)
        return self._processor.process(key, event).text

    # -- reading and editing -------------------------------------------------------------------

    def state(self, user: str = "user", *, tenant: str = "") -> AgentState:
        """Return the state of the agent with a user: queue, summary, usage, memories."""
        return self._store.load(AgentKey(user, self.name, tenant))

    def core(self, user: str = "user", *, tenant: str = "") -> CoreMemory:
        """Return the core memory of the agent with a user."""
        return CoreMemory(self._services.blocks, self.state(user, tenant=tenant).blocks)

    def memories(self, user: str = "user", *, tenant: str = "") -> Mapping[str, MemoryValue]:
        """Return the values of the declared memories of the type ``state``."""
        values = self.state(user, tenant=tenant).memories
        return {name: value for name, value in values.items() if name in self.memory_names}

    @property
    def memory_names(self) -> Sequence[str]:
        """The names of the declared memories of the type ``state``."""
        return sorted(self._services.planner.shown_memories)

    def edit_block(self, label: str, value: str, *, user: str = "user", tenant: str = "") -> None:
        """Set the value of a core block, also of one that is read-only for the model. Raises
        :class:`AgentError` for an unknown block or a value over its limit."""
        key = AgentKey(user, self.name, tenant)
        with self._store.lock(key):
            self._processor.finish_earlier(key, self._store.load(key))
            state = self._store.load(key)
            core = CoreMemory(self._services.blocks, state.blocks)
            session = AgentSession(self._services, key, state)
            changed = core.set(label, self._services.mask(value))
            record = BlockChanged(label, changed, self._clock(), by="user")
            if problem := check_core_room(session, [record]):
                raise AgentError(problem)
            session.stage(record)
            session.commit()

    def edit_memory(
        self, name: str, value: Any = None, *, user: str = "user", tenant: str = ""
    ) -> None:
        """Set the value of a declared memory of the type ``state``, also of one that is written
        once; None resets it. Raises :class:`AgentError` for an unknown memory or a value that does
        not fit its schema."""
        key = AgentKey(user, self.name, tenant)
        checked = self._services.planner.check_value(name, value)
        with self._store.lock(key):
            self._processor.finish_earlier(key, self._store.load(key))
            state = self._store.load(key)
            session = AgentSession(self._services, key, state)
            session.stage(MemoryChanged(name, self._services.mask_data(checked), state.turn))
            session.commit()

    def interrupt(self, *, user: str = "user", tenant: str = "") -> None:
        """End the unfinished event of a user, which nobody is processing any more (Ctrl-C), as
        failed: its message stays, and the next call does not finish it."""
        key = AgentKey(user, self.name, tenant)
        with self._store.lock(key):
            state = self._store.load(key)
            if state.event is not None:
                EventRun(AgentSession(self._services, key, state)).interrupt()

    def answer(self, event: str, *, user: str = "user", tenant: str = "") -> AgentAnswer | None:
        """Return what the agent did with an event; None if it is unknown."""
        records = self._store.event_records(AgentKey(user, self.name, tenant), event)
        return collect_answer(event, records) if records else None

    def answers(
        self, user: str = "user", *, tenant: str = "", limit: int = 20
    ) -> Sequence[AgentAnswer]:
        """Return what the agent did with the last events of a user, oldest first."""
        key = AgentKey(user, self.name, tenant)
        events = self._store.latest_events(key, limit)
        return [collect_answer(one, self._store.event_records(key, one)) for one in events]

    def context_size(self, user: str = "user", *, tenant: str = "") -> ContextSize:
        """Return the size of the next prompt for a user, by part."""
        key = AgentKey(user, self.name, tenant)
        return measure_context(AgentSession(self._services, key, self._store.load(key)))

    def recall(
        self, query: str = "", *, user: str = "user", tenant: str = "", page: int = 1, size: int = 5
    ) -> Page:
        """Search the conversation of the agent with a user; without a query, list it."""
        return self.memory.recall(
            UserKey(user, tenant),
            query,
            filters=SearchFilter(model=self.name),
            page=page,
            size=size,
            at=self._clock(),
        )

    def search_archive(
        self, query: str, *, user: str = "user", tenant: str = "", page: int = 1, size: int = 5
    ) -> ArchivePage:
        """Search the documents of the agent and its notes for a user."""
        owners = (self._archive_owner(user, tenant), self.document_owner)
        return self.archive.search(owners, query, page=page, size=size)

    def load(
        self,
        documents: Iterable[Document],
        *,
        user: str | None = None,
        tenant: str = "",
        on_progress: Callable[[LoadProgress], object] | None = None,
    ) -> int:
        """Load documents into the archival memory, for all users or for one; return the number of
        new passages."""
        return self.archive.load(
            self._source_owner(user, tenant), documents, on_progress=on_progress
        )

    def sources(self, user: str | None = None, *, tenant: str = "") -> Mapping[str, int]:
        """Return the sources in the archival memory that all users share, or those of one user,
        with the number of passages of each."""
        return self.archive.sources(self._source_owner(user, tenant))

    def remove(self, source: str, *, user: str | None = None, tenant: str = "") -> int:
        """Remove a source from the archival memory that all users share, or from that of one user;
        return the number of its passages."""
        return self.archive.remove(self._source_owner(user, tenant), source)

    def usage(self, user: str = "user", *, tenant: str = "") -> UsageTotal:
        """Return what the model was used for a user in all."""
        return self.state(user, tenant=tenant).usage

    def erase(self, user: str, *, tenant: str = "") -> int:
        """Erase everything that the agent knows of a user: state and log, recall memory, archival
        memory. Returns the number of erased records, exchanges and passages.

        Raises :class:`Conflict` if an event of the user takes too long."""
        with self._store.lock(AgentKey(user, self.name, tenant)):  # no event goes on meanwhile
            erased = self._store.erase(user, tenant, agent=self.name)
            for model in (self.name, *self._services.planner.recall_models):
                erased += self.memory.erase(user, tenant=tenant, model=model)
            if self.graph is not None:
                erased += self.graph.erase(UserKey(user, tenant), model=self.name)
            return erased + self.archive.erase(self._archive_owner(user, tenant))

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all memories are updated, and everything said is in the recall memory (but for
        a last message that failed, which may be sent again); False if it takes longer than
        ``timeout`` seconds."""
        return self._processor.flush(timeout) and self.memory.flush(timeout)

    def close_with(self, close: Callable[[], object]) -> None:
        """Call ``close`` at the end of :meth:`close`."""
        self._closing.insert(0, close)

    def close(self) -> None:
        """Close what the agent has opened itself, and the connections of the model, which opens
        new ones if somebody else uses it."""
        while self._closing:
            self._closing.pop()()
        self.model.close()

    def ping(self) -> None:
        """Check that the store of the agent can be read and written."""
        self._store.ping()

    # -- parts ---------------------------------------------------------------------------------

    def _archive_owner(self, user: str, tenant: str) -> UserKey:
        return UserKey(json.dumps([self.name, user]), tenant)

    def _source_owner(self, user: str | None, tenant: str) -> UserKey:
        return self.document_owner if user is None else self._archive_owner(user, tenant)

    @property
    def blocks(self) -> Sequence[Block]:
        """The declared core blocks."""
        return self._services.blocks

    @property
    def document_owner(self) -> UserKey:
        """The owner, in archival memory, of documents that all users of the agent share."""
        return UserKey(json.dumps([self.name]))

    def _archive_owners(self, context: FunctionContext) -> Sequence[UserKey]:
        return self._archive_owner(context.user, context.tenant), self.document_owner

    def _count_passages(self, key: AgentKey) -> int:
        owner = self._archive_owner(key.user, key.tenant)
        return self.archive.count(owner) + self.archive.count(self.document_owner)


def _describe_dialog(model: str, exchanges: Iterable[Exchange]) -> str:
    """Describe what a user and an engine have said; as JSON, so that nothing in it can pose as
    something else."""
    said = [{"user": one.question, "bot": one.answer} for one in exchanges]
    return (
        f"Before the next message, the bot '{model}', which answers plain questions in your place, "
        f"has talked with the user: {json.dumps(said, ensure_ascii=False)}"
    )


def _event_id(id: str | None) -> str:
    """Return an id that every store can keep; a new one for None."""
    return (id or uuid4().hex).encode("utf-8", "backslashreplace").decode()


def _check_window(model: ChatModel) -> None:
    if model.max_tokens > model.window // 2:
        raise AgentError(
            f"an answer may take {model.max_tokens:,} (max_tokens) of the {model.window:,} tokens "
            "of the window: allow it at most half of them"
        )


def _check_labels(blocks: Iterable[Block]) -> None:
    labels = [block.label for block in blocks]
    for label in labels:
        if not label.isidentifier():
            raise AgentError(f"a core block is called '{label}': use a word like 'persona'")
        if labels.count(label) > 1:
            raise AgentError(f"two core blocks are called '{label}': rename one")
