"""Builds the prompt for a reply: P = f(instructions, remembered entities, summary, passages, recent
exchanges, question), within a limit of words or tokens.

The instructions are always included in full, followed by the question. The remaining room is
divided among the sections by their shares; what one section does not need goes to the others in
proportion to their shares. A section is filled with its best items first (the newest exchanges and
summaries, the best passages, the entities remembered last), each as a whole. Only if not even the
first item fits, it is truncated: after a sentence, else between two words.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from anaphora.core.utterance import Entity
from anaphora.errors import AnaphoraError
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.prompt.draft import PromptDraft, item_content
from anaphora.ltm.prompt.rendering import Message, Renderer, template_renderer
from anaphora.ltm.prompt.sections import (
    PromptContext,
    PromptItem,
    PromptLayout,
    PromptSections,
    Section,
)
from anaphora.ltm.retrieval.search import Passage

__all__ = [
    "DroppedItem",
    "Message",
    "Prompt",
    "PromptContext",
    "PromptItem",
    "PromptLayout",
    "PromptSections",
    "Renderer",
    "build_prompt",
    "template_renderer",
]


@dataclass(frozen=True, slots=True)
class DroppedItem:
    """An item that did not fit into the prompt, or the part cut off from it: of a section, or the
    question. ``size`` is that of the missing text; ``shortened`` says whether the rest is there."""

    section: Section | Literal["question"]
    item: PromptItem | str
    size: int
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as one ``text`` and as ``messages``; ``size`` is that of the larger one in the
    requested measure. ``dropped`` lists what did not fit, section by section, in order of
    priority."""

    text: str
    messages: tuple[Message, ...]
    size: int
    dropped: tuple[DroppedItem, ...] = ()


_DEFAULT_LAYOUT = PromptLayout()
_Identity: TypeAlias = tuple[datetime, str, str]


def build_prompt(
    context: PromptContext,
    limit: int,
    *,
    measure: Measure = WORDS,
    layout: PromptLayout = _DEFAULT_LAYOUT,
    render: Renderer | None = None,
    per_message: int = 0,
) -> Prompt:
    """Build a prompt not larger than ``limit``, in the unit of ``measure``.

    ``render`` turns :class:`PromptSections` into a text or messages (see
    :func:`template_renderer`); without it, both built-in forms are made. ``per_message`` is the
    overhead of a message beside its content (about 4 tokens with most models). A passage that is
    among the recent exchanges is not repeated.

    Raises :class:`AnaphoraError` if the instructions alone do not fit, and whatever ``render``
    raises.
    """
    context = replace(context, recent=[one for one in context.recent if not one.is_silent])
    recent = {_identity(exchange) for exchange in context.recent}
    while True:
        given = replace(context, passages=tuple(_without_duplicates(context.passages, recent)))
        draft = PromptDraft(given, limit, measure, layout, render, per_message)
        if draft.size > limit:
            raise AnaphoraError(
                f"the instructions take {draft.size} of the {limit} {measure.name} that the "
                "prompt may have: shorten them or raise the limit"
            )
        draft.fill()
        taken = (one.item for one in draft.included["recent"])
        stay = {_identity(one) for one in taken if isinstance(one, Exchange)}
        if not any(_identity(one.exchange) in recent - stay for one in context.passages):
            text, messages = draft.render()
            return Prompt(text, messages, draft.size, tuple(_list_dropped(draft, measure)))
        recent &= stay  # exchanges without room must not suppress passages


def _without_duplicates(
    passages: Iterable[Passage], recent: Container[_Identity]
) -> Iterator[Passage]:
    """Yield the passages that are not among the recent exchanges, without neighbours that occur
    elsewhere."""
    left = [one for one in passages if _identity(one.exchange) not in recent]
    seen = {_identity(one.exchange) for one in left}

    def unseen(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
        for exchange in exchanges:
            identity = _identity(exchange)
            if identity not in seen and identity not in recent:
                seen.add(identity)
                yield exchange

    for one in left:
        yield replace(one, before=tuple(unseen(one.before)), after=tuple(unseen(one.after)))


def _identity(exchange: Exchange) -> _Identity:
    return exchange.at, exchange.question, exchange.answer


def _list_dropped(draft: PromptDraft, measure: Measure) -> Iterator[DroppedItem]:
    def size(item: PromptItem) -> int:
        inner = item_content(item)
        if isinstance(inner, Entity):
            return measure.count(inner.value_or_text)
        return measure.total(inner if isinstance(inner, tuple) else (inner,))

    for section in draft.layout.order:
        for taken in draft.included[section]:
            if taken.kept is not taken.item:
                lost = size(taken.item) - size(taken.kept)
                yield DroppedItem(section, taken.item, lost, shortened=True)
        for item in draft.remaining(section):
            yield DroppedItem(section, item, size(item))
    asked, kept = draft.context.question, draft.question
    if kept != asked:
        yield DroppedItem("question", asked, measure.count(asked) - measure.count(kept), bool(kept))
