"""A prompt while it is being filled."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from anaphora.ltm.counting import Measure
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.prompt_parts import PARTS, Context, Item, Layout, Part, Parts, Shown
from anaphora.ltm.prompt_render import (
    NOTE,
    Message,
    Render,
    as_messages,
    as_text,
    shown,
    written,
)
from anaphora.ltm.prompt_shorter import forms, shorten
from anaphora.ltm.prompt_text import fence
from anaphora.ltm.recall.search import Passage
from anaphora.models.utterance import Entity

__all__ = ["Draft", "Taken", "content"]


class Taken(NamedTuple):
    """Something that is in the prompt: as much of ``item`` as is ``kept`` (the item itself if it
    is whole), how it looks, and about what it costs."""

    item: Item
    kept: Item
    form: Shown
    cost: int


class Draft:
    """What is in a prompt, and what waits to be.

    What an item costs is an estimate, for in tokens the whole is not the sum of its parts; it is
    the whole that is measured in the end.
    """

    def __init__(
        self,
        context: Context,
        limit: int,
        measure: Measure,
        layout: Layout,
        render: Render | None,
        per_message: int,
    ) -> None:
        self.context = context
        self.layout = layout
        self.question = ""
        self.taken: dict[Part, list[Taken]] = {part: [] for part in PARTS}
        self._limit = limit
        self._measure = measure
        self._render = render
        self._per_message = per_message
        self._queues: dict[Part, Sequence[Item]] = {
            "remembered": context.remembered,
            "summary": context.summary[::-1],
            "passages": context.passages,
            "recent": context.recent[::-1],
        }
        self._order = [part for part in layout.order if layout.share(part) > 0]
        self._sequence: list[Part] = []
        self._used = dict.fromkeys(PARTS, 0)
        self._heads: dict[Part, tuple[int, tuple[Taken, ...]]] = {}

    def fill(self) -> None:
        """Take the question, and of the parts as much as fits."""
        self._ask()
        room = self._limit - self.size
        if self._render is None and any(self._queues[part] for part in self._order):
            room -= self._measure.of(NOTE)
        most = room / sum(self.layout.share(part) for part in self._order)
        room -= self._take(room, most=most)  # to each its share
        room -= self._take_firsts(room)
        self._take(room)
        is_full = self._shrink()
        while not is_full and self._take(self._limit - self.size):
            is_full = self._shrink()

    def waiting(self, part: Part) -> Sequence[Item]:
        """What of a part is not in the prompt, the first to be taken first."""
        return self._queues[part][len(self.taken[part]) :]

    # -- taking ---------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Take the question, or as much of it as fits."""

        def fits(question: str) -> bool:
            self.question = question
            return self.size <= self._limit

        question = self.context.question
        self.question = question if fits(question) else shorten(question, fits) or ""

    def _take(self, room: int, *, most: float = inf) -> int:
        """Take what fits in ``room``: of the parts always that which then has the least for its
        share, and none that then has more than ``most`` for it. Returns what was spent."""
        spent = 0
        while True:
            best: tuple[float, Part, Taken] | None = None
            for part in self._order:
                for taken in self._head(part):
                    level = (self._used[part] + taken.cost) / self.layout.share(part)
                    if taken.cost <= room - spent and level <= most:
                        if best is None or level < best[0]:
                            best = level, part, taken
                        break
            if best is None:
                return spent
            self._add(best[1], best[2])
            spent += best[2].cost

    def _take_firsts(self, room: int) -> int:
        """Take the first item of each part that has none yet, shortened to its share of the
        ``room`` if need be. Returns what was spent."""
        spent = 0
        empty = [part for part in self._order if self._queues[part] and not self.taken[part]]
        for index, part in enumerate(empty):
            rest = sum(self.layout.share(other) for other in empty[index:])
            share = (room - spent) * self.layout.share(part) / rest
            fitting = (taken for taken in self._head(part) if taken.cost <= room - spent)
            first = next(fitting, None) or self._shortened(part, share)
            if first is not None:
                self._add(part, first)
                spent += first.cost
        return spent

    def _shortened(self, part: Part, room: float) -> Taken | None:
        """As much of the next item as costs no more than ``room``; None if that is nothing."""
        item = self.waiting(part)[0]

        def fits(version: Item) -> bool:
            taken = self._as_taken(part, item, version)
            if taken.cost > room:
                return False
            self._add(part, taken)
            is_small = self.size <= self._limit
            self._give_back()
            return is_small

        version = shorten(item, fits)
        return None if version is None else self._as_taken(part, item, version)

    def _head(self, part: Part) -> tuple[Taken, ...]:
        """The next item of a part: whole, and then without what can be left out of it."""
        index = len(self.taken[part])
        if index >= len(self._queues[part]):
            return ()
        known = self._heads.get(part)
        if known is None or known[0] != index:
            item = self._queues[part][index]
            found = tuple(self._as_taken(part, item, kept) for kept in forms(item))
            known = self._heads[part] = index, found
        return known[1]

    def _as_taken(self, part: Part, item: Item, kept: Item) -> Taken:
        form = shown(content(kept))
        frame = "" if self.taken[part] else f"<{part}>\n</{part}>"
        cost = self._measure.of(written(form)) + self._measure.of(frame)
        return Taken(item, kept, form, cost)

    def _add(self, part: Part, taken: Taken) -> None:
        self.taken[part].append(taken)
        self._used[part] += taken.cost
        self._sequence.append(part)

    def _give_back(self) -> None:
        """Undo the last :meth:`_add`."""
        part = self._sequence.pop()
        self._used[part] -= self.taken[part].pop().cost

    def _shrink(self) -> bool:
        """Give back what was taken last until the prompt fits; whether anything was."""
        before = len(self._sequence)
        while self._sequence and self.size > self._limit:
            self._give_back()
        return len(self._sequence) < before

    # -- what comes of it -----------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The size of the prompt: of the larger one, if it is written both ways."""
        made = self._made()
        if isinstance(made, str):
            return self._measure.of(made) + self._per_message
        contents = [self._measure.of(message["content"]) for message in made]
        of_messages = sum(contents) + self._per_message * len(contents)
        if self._render is not None:
            return of_messages
        return max(of_messages, self._measure.of(as_text(self._parts())))

    def rendered(self) -> tuple[str, tuple[Message, ...]]:
        """The prompt as a text, and as messages."""
        made = self._made()
        if isinstance(made, str):
            return made, ({"role": "user", "content": made},)
        if self._render is None:
            return as_text(self._parts()), tuple(made)
        return "\n\n".join(message["content"] for message in made), tuple(made)

    def _made(self) -> str | Sequence[Message]:
        parts = self._parts()
        return as_messages(parts) if self._render is None else self._render(parts)

    def _parts(self) -> Parts:
        found: dict[Part, Any] = {
            part: tuple(taken.form for taken in self.taken[part]) for part in PARTS
        }
        return Parts(
            instructions=self.context.instructions,
            question=fence(self.question),
            remembered=found["remembered"],
            summary=found["summary"][::-1],
            passages=found["passages"],
            recent=found["recent"][::-1],
            order=self.layout.order,
        )


def content(item: Item) -> Entity | Summary | Exchange | tuple[Exchange, ...]:
    """What of an item is said in a prompt: of a passage its exchanges, in their order."""
    if isinstance(item, Passage):
        return (*item.before, item.exchange, *item.after)
    return item
