"""Similar earlier exchanges as a section of the system message."""

from __future__ import annotations

import json

from anaphora.agents.context.main_context import Section
from anaphora.agents.execution.services import AgentView
from anaphora.agents.memories.declarations import SemanticMemory
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.store import SearchFilter, UserKey

__all__ = ["find_similar", "format_exchange"]

_LONGEST = 1_000  # characters of each text of an exchange


def find_similar(
    memory: LongTermMemory, view: AgentView, declared: SemanticMemory, *, visible: frozenset[str]
) -> Section:
    """Return the exchanges that are most similar to what the user said, oldest first, without
    repetitions and those whose questions are ``visible`` anyway."""
    if not view.question.strip():
        return Section(declared.name, "")
    found = memory.recall(
        UserKey(view.key.user, view.key.tenant),
        view.question,
        filters=SearchFilter(model=view.key.model),
        size=declared.k + len(visible),
        neighbours=0,
        at=view.at,
    )
    different = {
        (one.exchange.question, one.exchange.answer): one.exchange
        for one in found.passages
        if one.exchange.question not in visible
    }
    chosen = sorted(list(different.values())[: declared.k], key=lambda one: one.at)
    return Section(declared.name, "\n".join([format_exchange(one) for one in chosen]))


def format_exchange(exchange: Exchange) -> str:
    """Return an exchange as one line of JSON: no text can pose as another."""
    fields = {
        "time": exchange.at.isoformat(sep=" ", timespec="minutes"),
        "user": exchange.question[:_LONGEST],
        "assistant": exchange.answer[:_LONGEST],
    }
    return json.dumps({name: text for name, text in fields.items() if text}, ensure_ascii=False)
