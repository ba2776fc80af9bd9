"""The memories of an agent, as the chat shows them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from anaphora.cli.agents.step_view import (
    format_end,
    format_event,
    format_step,
    printable,
    shorten,
)
from anaphora.cli.dialog.chat_memory import print_exchange
from anaphora.core.plurals import pluralize

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent

__all__ = [
    "show_archive",
    "show_core",
    "show_graph",
    "show_queue",
    "show_recall",
    "show_steps",
    "show_usage",
]

_SHOWN_EVENTS = 3  # of /steps
_SHOWN_TEXT = 400  # characters of a text that /recall finds


def show_core(out: Console, agent: Agent, user: str, argument: str) -> None:
    """Show all blocks and declared memories, or one of them, or write one."""
    label, _, text = argument.partition(" ")
    is_memory = label in agent.memory_names
    if text.strip() and is_memory:
        agent.edit_memory(label, _parse_value(text.strip()), user=user)
    elif text.strip():
        agent.edit_block(label, text.strip(), user=user)
    core, memories = agent.core(user), agent.memories(user)
    if label and not is_memory:
        core.value(label)  # raises an error for an unknown label
    for block, value in core:
        if label in ("", block.label):
            fixed = ", read-only" if block.read_only else ""
            head = Text(block.label, style="bold")
            head.append(f"  {len(value):,}/{block.limit:,}{fixed}", style="not bold dim")
            out.print(head)
            _print_indented(out, value)
    for name in sorted(agent.memory_names):
        if label in ("", name):
            memory = memories.get(name)
            turn = f"  turn {memory.turn}" if memory else ""
            out.print(Text.assemble((name, "bold"), (turn, "dim")))
            _print_indented(out, _to_text(memory.value) if memory else "")


def show_queue(out: Console, agent: Agent, user: str, _: str) -> None:
    """Show the messages that the next prompt contains, and the sizes of its parts."""
    state, size = agent.state(user), agent.context_size(user)
    if state.hidden:
        hidden = f"{pluralize(state.hidden, 'earlier message')} hidden"
        summary = shorten(state.summary, None) or "no summary"
        out.print(Text(f"{hidden}: {summary}", style="cyan"))
    for message in state.queue:
        who = {"event": message.name, "assistant": agent.name, "result": message.name}[message.kind]
        calls = "".join(f" → {call.name}" for call in message.calls)
        line = Text(f"{message.tokens:6,}  ", style="dim")
        line.append(f"{who}  ", style="bold")
        line.append(f"{shorten(message.text)}{calls}")
        out.print(line)
    used = size.system + size.functions + size.summary + size.messages
    parts = (
        f"system {size.system:,}, functions {size.functions:,}, summary {size.summary:,}, "
        f"messages {size.messages:,}"
    )
    limit = size.window - size.reserved
    out.print(f"{used:,} of {limit:,} tokens ({parts}); {size.reserved:,} for the answer")


def show_recall(out: Console, agent: Agent, user: str, text: str) -> None:
    """Show the exchanges that a search in the conversation finds."""
    if not text:
        out.print("/recall TEXT searches this conversation")
        return
    agent.flush()
    passages = agent.recall(text, user=user).passages
    if not passages:
        out.print(Text("nothing was found", style="dim"))
    for passage in passages:
        found = passage.exchange
        question, answer = (shorten(one, _SHOWN_TEXT) for one in (found.question, found.answer))
        print_exchange(out, replace(found, question=question, answer=answer))


def show_archive(out: Console, agent: Agent, user: str, text: str) -> None:
    """Show the passages that a search in the archival memory finds, or its sources."""
    if not text:
        sources = [*agent.sources().items(), *agent.sources(user).items()]
        if not sources:
            out.print(Text("the archival memory is empty", style="dim"))
        for source, count in sources:
            out.print(Text.assemble(source, (f"  {pluralize(count, 'passage')}", "dim")))
        return
    page = agent.search_archive(text, user=user)
    if not page.passages:
        out.print(Text("nothing was found", style="dim"))
    for passage in page.passages:
        place = passage.heading or passage.source
        out.print(Text(place, style="bold"))
        _print_indented(out, passage.text)


def show_graph(out: Console, agent: Agent, user: str, entity: str) -> None:
    """Show the facts about an entity, or the entities that were mentioned most and last."""
    from anaphora.agents.graph.rendering import render_graph
    from anaphora.ltm.retrieval.store import UserKey

    if agent.graph is None:
        out.print("The agent has no knowledge graph; its file can declare one ('type: graph').")
        return
    agent.flush()
    owner = UserKey(user)
    if entity:
        facts = agent.graph.neighbourhood(owner, entity)
        out.print(Text(render_graph(facts) if facts else "no facts", style="" if facts else "dim"))
        return
    entities = agent.graph.entities(owner)
    if not entities:
        out.print(Text("the graph is empty", style="dim"))
    for one in entities:
        kind = f"{one.kind}, " if one.kind else ""
        out.print(Text.assemble(one.name, (f"  {kind}{pluralize(one.count, 'mention')}", "dim")))


def show_steps(out: Console, agent: Agent, user: str, _: str) -> None:
    """Show what the agent did with the last events, in full."""
    answers = agent.answers(user, limit=_SHOWN_EVENTS)
    if not answers:
        out.print(Text("there is no answer yet", style="dim"))
    for answer in answers:
        out.print(format_event(answer))
        for step in answer.steps:
            for line in format_step(step, answer.messages, length=None):
                out.print(Text(line, style="dim"))
        for message in answer.messages:
            out.print(Text(printable(message)))
        out.print(format_end(answer))


def show_usage(out: Console, agent: Agent, user: str, _: str) -> None:
    """Show what the model was used for, in all and on the last day."""
    state = agent.state(user)
    for name, used in (("in all", state.usage), (state.day or "today", state.day_usage)):
        out.print(
            f"  {name:10}  {pluralize(used.calls, 'call')}, {used.prompt_tokens:,} + "
            f"{used.completion_tokens:,} tokens, {used.seconds:,.1f} s"
        )


def _print_indented(out: Console, text: str) -> None:
    for line in printable(text).splitlines() or ["(empty)"]:
        out.print(Text(f"  {line}", style="" if text else "dim"))


def _parse_value(text: str) -> object:
    """Return the object that a text is, for a memory with a schema; else the text."""
    with suppress(ValueError):
        value = json.loads(text)
        return value if isinstance(value, dict) else text
    return text


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
