"""Steps and ends of answers as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from anaphora.core.plurals import pluralize
from anaphora.models.reading.source import replace_unprintable

if TYPE_CHECKING:
    from anaphora.agents.answer import AgentAnswer, AgentStep, CalledFunction

__all__ = ["format_end", "format_event", "format_step", "printable", "shorten"]

_MAX_LINE = 160  # characters
_TELLS_USER = "send_message"


def format_step(
    step: AgentStep, messages: Sequence[str] = (), *, length: int | None = _MAX_LINE
) -> Iterator[str]:
    """Yield the thought and the calls of a step, a line each, without ``messages``, which the user
    sees anyway. Texts are cut to ``length`` characters (None: shown in full)."""
    if step.thought and step.thought not in messages:
        yield f"  … {shorten(step.thought, length)}"
    for call in step.calls:
        if call.name != _TELLS_USER or call.failed:
            yield f"  → {shorten(_format_call(call), length)}"
            if call.result is not None and (call.failed or length is None):
                mark = "failed: " if call.failed else ""
                yield f"    {mark}{shorten(call.result, length)}"


def format_event(answer: AgentAnswer) -> Text:
    """Format what an answer answers: what the user said, or another event."""
    who = "you" if answer.kind == "user_message" else answer.kind
    return Text.assemble((who, "bold"), f"  {shorten(answer.event_text, None)}")


def format_end(answer: AgentAnswer) -> Text:
    """Format how an event ended, and what it took."""
    used = answer.usage
    line = Text("  ")
    line.append(answer.ended, style="green" if answer.ended == "done" else "yellow")
    if answer.ended != "done" and answer.detail:
        line.append(f" ({answer.detail})", style="yellow")
    line.append(
        f"  {pluralize(len(answer.steps), 'step')}, {used.prompt_tokens:,} + "
        f"{used.completion_tokens:,} tokens, {used.seconds:.1f} s",
        style="dim",
    )
    return line


def printable(text: str) -> str:
    """Return a text of a model or user without control characters, which could steer the
    terminal."""
    return "\n".join([replace_unprintable(line.expandtabs()) for line in text.splitlines()])


def shorten(text: str, length: int | None = _MAX_LINE) -> str:
    """Return a text in one line, cut to a length (None: all of it)."""
    line = replace_unprintable(" ".join(text.split()))
    return line if length is None or len(line) <= length else f"{line[: length - 1]}…"


def _format_call(call: CalledFunction) -> str:
    arguments = call.arguments.strip()
    is_object = arguments.startswith("{") and arguments.endswith("}")  # an answer may break off
    return f"{call.name}({arguments[1:-1] if is_object else arguments})"
