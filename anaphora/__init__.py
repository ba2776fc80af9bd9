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

from typing import TYPE_CHECKING

from anaphora.version import __version__ as __version__

if TYPE_CHECKING:  # the public names for type checkers, the same as in _HOMES
    from anaphora.agents.agent import Agent as Agent
    from anaphora.agents.answer import AgentAnswer as AgentAnswer
    from anaphora.agents.context.blocks import Block as Block
    from anaphora.agents.execution.limits import AgentLimits as AgentLimits
    from anaphora.agents.files.loader import load_agent as load_agent
    from anaphora.agents.functions.function import AgentFunction as AgentFunction
    from anaphora.agents.functions.function import FunctionContext as FunctionContext
    from anaphora.agents.functions.intents import intent_functions as intent_functions
    from anaphora.chat_model.chat_model import ChatModel as ChatModel
    from anaphora.core.request import Company as Company
    from anaphora.core.request import Request as Request
    from anaphora.core.request import User as User
    from anaphora.core.utterance import Entity as Entity
    from anaphora.core.utterance import Token as Token
    from anaphora.core.utterance import Utterance as Utterance
    from anaphora.engine.asynchronous.async_engine import AsyncEngine as AsyncEngine
    from anaphora.engine.batches import Question as Question
    from anaphora.engine.callbacks.answer import Answer as Answer
    from anaphora.engine.callbacks.handlers import Reject as Reject
    from anaphora.engine.callbacks.handlers import Skip as Skip
    from anaphora.engine.engine import Engine as Engine
    from anaphora.engine.reply import Reply as Reply
    from anaphora.entities.recognizers.recognizer import Mention as Mention
    from anaphora.errors import AgentError as AgentError
    from anaphora.errors import AnaphoraError as AnaphoraError
    from anaphora.errors import ChatModelError as ChatModelError
    from anaphora.errors import ChatModelUnavailable as ChatModelUnavailable
    from anaphora.errors import Conflict as Conflict
    from anaphora.errors import ContextLengthError as ContextLengthError
    from anaphora.errors import EvaluationError as EvaluationError
    from anaphora.errors import GrammarError as GrammarError
    from anaphora.errors import HandlerError as HandlerError
    from anaphora.errors import ModelError as ModelError
    from anaphora.errors import Problem as Problem
    from anaphora.errors import StoreError as StoreError
    from anaphora.errors import SummaryError as SummaryError
    from anaphora.errors import UnconfirmedError as UnconfirmedError
    from anaphora.errors import UnknownModel as UnknownModel
    from anaphora.grammar.context import QuestionContext as QuestionContext
    from anaphora.intents.explanation import Explanation as Explanation
    from anaphora.intents.match import Match as Match
    from anaphora.intents.match import Slot as Slot
    from anaphora.intents.unused import UnusedPart as UnusedPart
    from anaphora.ltm.async_memory import AsyncLongTermMemory as AsyncLongTermMemory
    from anaphora.ltm.exchange import Exchange as Exchange
    from anaphora.ltm.exchange import Summary as Summary
    from anaphora.ltm.history.working_history import History as History
    from anaphora.ltm.history.working_history import HistorySettings as HistorySettings
    from anaphora.ltm.memory import LongTermMemory as LongTermMemory
    from anaphora.ltm.retrieval.store import SearchFilter as SearchFilter
    from anaphora.ltm.retrieval.store import UserKey as UserKey
    from anaphora.models.domain import Element as Element
    from anaphora.models.domain import Model as Model
    from anaphora.models.hassil.home import Area as Area
    from anaphora.models.hassil.home import Device as Device
    from anaphora.models.hassil.home import Floor as Floor
    from anaphora.models.hassil.home import Home as Home
    from anaphora.models.loader import load_model as load_model
    from anaphora.models.loader import parse_model as parse_model
    from anaphora.stm.conversation import Conversation as Conversation
    from anaphora.stm.conversation import ConversationKey as ConversationKey
    from anaphora.stm.stores.memory import MemoryStore as MemoryStore
    from anaphora.stm.stores.store import Store as Store
    from anaphora.stm.stores.urls import store_at as store_at
else:
    # At run time, a public name is imported when it is first used: ``import anaphora`` is light.
    from importlib import import_module

    from anaphora.gc_control import gc_paused

    _HOMES = {
        "anaphora.agents.agent": "Agent",
        "anaphora.agents.answer": "AgentAnswer",
        "anaphora.agents.context.blocks": "Block",
        "anaphora.agents.execution.limits": "AgentLimits",
        "anaphora.agents.files.loader": "load_agent",
        "anaphora.agents.functions.function": "AgentFunction FunctionContext",
        "anaphora.agents.functions.intents": "intent_functions",
        "anaphora.chat_model.chat_model": "ChatModel",
        "anaphora.core.request": "Company Request User",
        "anaphora.core.utterance": "Entity Token Utterance",
        "anaphora.engine.asynchronous.async_engine": "AsyncEngine",
        "anaphora.engine.batches": "Question",
        "anaphora.engine.callbacks.answer": "Answer",
        "anaphora.engine.callbacks.handlers": "Reject Skip",
        "anaphora.engine.engine": "Engine",
        "anaphora.engine.reply": "Reply",
        "anaphora.entities.recognizers.recognizer": "Mention",
        "anaphora.errors": (
            "AgentError AnaphoraError ChatModelError ChatModelUnavailable Conflict "
            "ContextLengthError EvaluationError GrammarError HandlerError ModelError Problem "
            "StoreError SummaryError UnconfirmedError UnknownModel"
        ),
        "anaphora.grammar.context": "QuestionContext",
        "anaphora.intents.explanation": "Explanation",
        "anaphora.intents.match": "Match Slot",
        "anaphora.intents.unused": "UnusedPart",
        "anaphora.ltm.async_memory": "AsyncLongTermMemory",
        "anaphora.ltm.exchange": "Exchange Summary",
        "anaphora.ltm.history.working_history": "History HistorySettings",
        "anaphora.ltm.memory": "LongTermMemory",
        "anaphora.ltm.retrieval.store": "SearchFilter UserKey",
        "anaphora.models.domain": "Element Model",
        "anaphora.models.hassil.home": "Area Device Floor Home",
        "anaphora.models.loader": "load_model parse_model",
        "anaphora.stm.conversation": "Conversation ConversationKey",
        "anaphora.stm.stores.memory": "MemoryStore",
        "anaphora.stm.stores.store": "Store",
        "anaphora.stm.stores.urls": "store_at",
    }
    _HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
    __all__ = sorted([*_HOME, "__version__"])

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module 'anaphora' has no attribute {name!r}")
        with gc_paused():
            value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value

    def __dir__():
        return __all__
