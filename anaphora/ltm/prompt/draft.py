"""A prompt while it is being filled."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.prompt.escaping import fence
from anaphora.ltm.prompt.rendering import (
    DATA_NOTE,
    Message,
    Renderer,
    format_item,
    quote_item,
    render_messages,
    render_text,
)
from anaphora.ltm.prompt.sections import (
    SECTIONS,
    PromptContext,
    PromptItem,
    PromptLayout,
    PromptSections,
    QuotedItem,
    Section,
)
from anaphora.ltm.prompt.truncation import item_variants, truncate_item
from anaphora.ltm.retrieval.search import Passage

__all__ = ["IncludedItem", "PromptDraft", "item_content"]


class IncludedItem(NamedTuple):
    """An item included in the prompt: the part of ``item`` that is ``kept`` (``item`` itself if it
    is complete), its quoted form, and its estimated size."""

    item: PromptItem
    kept: PromptItem
    quoted: QuotedItem
    cost: int


class PromptDraft:
    """The included and the remaining items of a prompt.

    The cost of an item is an estimate, because in tokens the whole is not the sum of its parts.
    Finally the whole prompt is measured.
    """

    def __init__(
        self,
        context: PromptContext,
        limit: int,
        measure: Measure,
        layout: PromptLayout,
        render: Renderer | None,
        per_message: int,
    ) -> None:
        self.context = context
        self.layout = layout
        self.question = ""
        self.included: dict[Section, list[IncludedItem]] = {part: [] for part in SECTIONS}
        self._limit = limit
        self._measure = measure
        self._render = render
        self._per_message = per_message
        self._queues: dict[Section, Sequence[PromptItem]] = {
            "remembered": context.remembered,
            "summary": context.summary[::-1],
            "passages": context.passages,
            "recent": context.recent[::-1],
        }
        self._order = [part for part in layout.order if layout.share(part) > 0]
        self._sequence: list[Section] = []
        self._costs = dict.fromkeys(SECTIONS, 0)
        self._candidates: dict[Section, tuple[int, tuple[IncludedItem, ...]]] = {}

    def fill(self) -> None:
        """Include the question, and as many items of the sections as fit."""
        self._add_question()
        room = self._limit - self.size
        if self._render is None and any(self._queues[part] for part in self._order):
            room -= self._measure.count(DATA_NOTE)
        most = room / sum(self.layout.share(part) for part in self._order)
        room -= self._fill_by_share(room, most=most)
        room -= self._add_first_items(room)
        self._fill_by_share(room)
        is_full = self._remove_until_fits()
        while not is_full and self._fill_by_share(self._limit - self.size):
            is_full = self._remove_until_fits()

    def remaining(self, section: Section) -> Sequence[PromptItem]:
        """Return the items of a section that are not included, in order of priority."""
        return self._queues[section][len(self.included[section]) :]

    # -- filling --------------------------------------------------------------------------------

    def _add_question(self) -> None:
        """Include the question, truncated if necessary."""

        def fits(question: str) -> bool:
            self.question = question
            return self.size <= self._limit

        question = self.context.question
        self.question = question if fits(question) else truncate_item(question, fits) or ""

    def _fill_by_share(self, room: int, *, most: float = inf) -> int:
        """Include items within ``room``, always in the section with the lowest cost relative to its
        share, and never beyond a ratio of ``most``. Returns the room used."""
        spent = 0
        while True:
            best: tuple[float, Section, IncludedItem] | None = None
            for part in self._order:
                for taken in self._next_candidates(part):
                    level = (self._costs[part] + taken.cost) / self.layout.share(part)
                    if taken.cost <= room - spent and level <= most:
                        if best is None or level < best[0]:
                            best = level, part, taken
                        break
            if best is None:
                return spent
            self._add(best[1], best[2])
            spent += best[2].cost

    def _add_first_items(self, room: int) -> int:
        """Include the first item of each empty section, truncated to the section's share of the
        ``room`` if necessary. Returns the room used."""
        spent = 0
        empty = [part for part in self._order if self._queues[part] and not self.included[part]]
        for index, part in enumerate(empty):
            rest = sum(self.layout.share(other) for other in empty[index:])
            share = (room - spent) * self.layout.share(part) / rest
            fitting = (taken for taken in self._next_candidates(part) if taken.cost <= room - spent)
            first = next(fitting, None) or self._truncate_next(part, share)
            if first is not None:
                self._add(part, first)
                spent += first.cost
        return spent

    def _truncate_next(self, section: Section, room: float) -> IncludedItem | None:
        """Truncate the next item to a cost of at most ``room``; None if nothing remains."""
        item = self.remaining(section)[0]

        def fits(version: PromptItem) -> bool:
            taken = self._include(section, item, version)
            if taken.cost > room:
                return False
            self._add(section, taken)
            is_small = self.size <= self._limit
            self._remove_last()
            return is_small

        version = truncate_item(item, fits)
        return None if version is None else self._include(section, item, version)

    def _next_candidates(self, section: Section) -> tuple[IncludedItem, ...]:
        """Return the variants of the next item of a section: complete, then reduced."""
        index = len(self.included[section])
        if index >= len(self._queues[section]):
            return ()
        known = self._candidates.get(section)
        if known is None or known[0] != index:
            item = self._queues[section][index]
            found = tuple(self._include(section, item, kept) for kept in item_variants(item))
            known = self._candidates[section] = index, found
        return known[1]

    def _include(self, section: Section, item: PromptItem, kept: PromptItem) -> IncludedItem:
        form = quote_item(item_content(kept))
        frame = "" if self.included[section] else f"<{section}>\n</{section}>"
        cost = self._measure.count(format_item(form)) + self._measure.count(frame)
        return IncludedItem(item, kept, form, cost)

    def _add(self, section: Section, taken: IncludedItem) -> None:
        self.included[section].append(taken)
        self._costs[section] += taken.cost
        self._sequence.append(section)

    def _remove_last(self) -> None:
        part = self._sequence.pop()
        self._costs[part] -= self.included[part].pop().cost

    def _remove_until_fits(self) -> bool:
        """Remove the items included last until the prompt fits; whether any was removed."""
        before = len(self._sequence)
        while self._sequence and self.size > self._limit:
            self._remove_last()
        return len(self._sequence) < before

    # -- rendering ------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The size of the prompt; of the larger form if both are made."""
        made = self._render_sections()
        if isinstance(made, str):
            return self._measure.count(made) + self._per_message
        contents = [self._measure.count(message["content"]) for message in made]
        of_messages = sum(contents) + self._per_message * len(contents)
        if self._render is not None:
            return of_messages
        return max(of_messages, self._measure.count(render_text(self._build_sections())))

    def render(self) -> tuple[str, tuple[Message, ...]]:
        """Render the prompt as a text and as messages."""
        made = self._render_sections()
        if isinstance(made, str):
            return made, ({"role": "user", "content": made},)
        if self._render is None:
            return render_text(self._build_sections()), tuple(made)
        return "\n\n".join(message["content"] for message in made), tuple(made)

    def _render_sections(self) -> str | Sequence[Message]:
        parts = self._build_sections()
        return render_messages(parts) if self._render is None else self._render(parts)

    def _build_sections(self) -> PromptSections:
        found: dict[Section, Any] = {
            part: tuple(taken.quoted for taken in self.included[part]) for part in SECTIONS
        }
        return PromptSections(
            instructions=self.context.instructions,
            question=fence(self.question),
            remembered=found["remembered"],
            summary=found["summary"][::-1],
            passages=found["passages"],
            recent=found["recent"][::-1],
            order=self.layout.order,
        )


def item_content(item: PromptItem) -> Entity | Summary | Exchange | tuple[Exchange, ...]:
    """Return what a prompt contains of an item: the exchanges of a passage, in order."""
    if isinstance(item, Passage):
        return (*item.before, item.exchange, *item.after)
    return item
