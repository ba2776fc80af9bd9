"""Dialog bots that answer incomplete questions from a short-term memory.

>>> from anaphora import Engine
>>> engine = Engine("weather")
>>> engine.ask("What is the weather in Tokyo today?").slots["city"].value
'Tokyo'
>>> reply = engine.ask("And in Kyoto?")
>>> reply.intent, reply.slots["city"].value, reply.slots["date"].text
('weather', 'Kyoto', 'today')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anaphora.gc_control import gc_paused
from anaphora.version import __version__

if TYPE_CHECKING:
    from anaphora.core.request import Company, Request, User
    from anaphora.core.utterance import Entity, Token, Utterance
    from anaphora.engine.batches import Question
    from anaphora.engine.callbacks.handlers import Reject, Skip
    from anaphora.engine.engine import Engine
    from anaphora.engine.reply import Reply
    from anaphora.entities.recognizers.recognizer import Mention
    from anaphora.errors import (
        AnaphoraError,
        Conflict,
        EvaluationError,
        GrammarError,
        HandlerError,
        ModelError,
        Problem,
        StoreError,
        SummaryError,
        UnknownModel,
    )
    from anaphora.grammar.context import QuestionContext
    from anaphora.intents.explanation import Explanation
    from anaphora.intents.match import Match, Slot
    from anaphora.intents.unused import UnusedPart
    from anaphora.ltm.async_memory import AsyncLongTermMemory
    from anaphora.ltm.exchange import Exchange, Summary
    from anaphora.ltm.history.working_history import History, HistorySettings
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.ltm.retrieval.store import SearchFilter, UserKey
    from anaphora.models.domain import Element, Model
    from anaphora.models.loader import load_model, parse_model
    from anaphora.stm.conversation import Conversation, ConversationKey
    from anaphora.stm.stores.memory import MemoryStore
    from anaphora.stm.stores.store import Store
    from anaphora.stm.stores.urls import store_at

__all__ = [
    "AnaphoraError",
    "AsyncLongTermMemory",
    "Company",
    "Conflict",
    "Conversation",
    "ConversationKey",
    "Element",
    "Engine",
    "Entity",
    "EvaluationError",
    "Exchange",
    "Explanation",
    "GrammarError",
    "HandlerError",
    "History",
    "HistorySettings",
    "LongTermMemory",
    "Match",
    "MemoryStore",
    "Mention",
    "Model",
    "ModelError",
    "Problem",
    "Question",
    "QuestionContext",
    "Reject",
    "Reply",
    "Request",
    "SearchFilter",
    "Skip",
    "Slot",
    "Store",
    "StoreError",
    "Summary",
    "SummaryError",
    "Token",
    "UnknownModel",
    "UnusedPart",
    "User",
    "UserKey",
    "Utterance",
    "__version__",
    "load_model",
    "parse_model",
    "store_at",
]

_HOMES = {
    "anaphora.entities.recognizers.recognizer": ("Mention",),
    "anaphora.errors": (
        "AnaphoraError",
        "Conflict",
        "EvaluationError",
        "GrammarError",
        "HandlerError",
        "ModelError",
        "Problem",
        "StoreError",
        "SummaryError",
        "UnknownModel",
    ),
    "anaphora.grammar.context": ("QuestionContext",),
    "anaphora.core.request": ("Company", "Request", "User"),
    "anaphora.engine.batches": ("Question",),
    "anaphora.engine.engine": ("Engine",),
    "anaphora.intents.explanation": ("Explanation",),
    "anaphora.engine.callbacks.handlers": ("Reject", "Skip"),
    "anaphora.intents.match": ("Match", "Slot"),
    "anaphora.engine.reply": ("Reply",),
    "anaphora.intents.unused": ("UnusedPart",),
    "anaphora.ltm.async_memory": ("AsyncLongTermMemory",),
    "anaphora.ltm.exchange": ("Exchange", "Summary"),
    "anaphora.ltm.history.working_history": ("History", "HistorySettings"),
    "anaphora.ltm.memory": ("LongTermMemory",),
    "anaphora.ltm.retrieval.store": ("SearchFilter", "UserKey"),
    "anaphora.models.domain": ("Element", "Model"),
    "anaphora.models.loader": ("load_model", "parse_model"),
    "anaphora.core.utterance": ("Entity", "Token", "Utterance"),
    "anaphora.stm.conversation": ("Conversation", "ConversationKey"),
    "anaphora.stm.stores.memory": ("MemoryStore",),
    "anaphora.stm.stores.store": ("Store",),
    "anaphora.stm.stores.urls": ("store_at",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import anaphora`` itself costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'anaphora' has no attribute {name!r}")
    with gc_paused():
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
