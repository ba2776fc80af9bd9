"""A minimal service that keeps all promises: its traces have no violations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from benchmarks.faults.checker import Trace
from benchmarks.faults.operations import Exchange, Operation, Outcome, Reply

__all__ = ["Reference"]


@dataclass
class Reference:
    """One user and one conversation with sequential operations. Each method performs a client's
    operation and returns it as the client sees it. An operation of unknown outcome takes effect if
    ``happens``."""

    user: str = "u001"
    operations: list[Operation] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    offerable: list[tuple[str | None, str | None]] = field(default_factory=list)
    item: str | None = None
    color: str | None = None
    time: float = 0.0
    asked: int = 0

    def trace(self) -> Trace:
        """The trace of all operations so far."""
        kept = [Exchange(number, text) for number, text in enumerate(self.kept, 1)]
        return Trace(tuple(self.operations), {self.user: kept}, {})

    def ask(
        self,
        *,
        item: str | None = None,
        color: str | None = None,
        outcome: Outcome = "answered",
        happens: bool = True,
        serial: str = "",
    ) -> Operation:
        """Ask for an item in a color; without both it is a follow-up. With the ``serial`` of a
        refused question, retry it."""
        if not serial:
            serial = f"{self.user}n{self.asked:05}"
            self.asked += 1
        text = f"ask {item} {color} {serial}"
        asked = Operation(
            self.user,
            "ask",
            *self._times(),
            outcome,
            serial=serial,
            entry=serial,
            text=text,
            item=item,
            color=color,
            needs_item=item is None,
        )
        if outcome == "answered" or (outcome == "unknown" and happens):
            reply = self._answer(asked)
            self.kept.append(text)
            if outcome == "answered":
                asked = replace(asked, reply=reply)
        self.operations.append(asked)
        return asked

    def yes(self, offered: Operation) -> Operation:
        """Accept an offer."""
        assert offered.reply is not None
        item, color = (*offered.reply.offer, None)[:2]
        self.item, self.color = item, offered.color or color
        self.said.append(offered.serial)
        self.kept.append("yes")
        asked = Operation(
            self.user,
            "ask",
            *self._times(),
            entry=offered.serial,
            text="yes",
            item=self.item,
            color=self.color,
            reply=self._matched(),
        )
        self.operations.append(asked)
        return asked

    def pause(self) -> None:
        """Come back later than the timeout."""
        self._reset()
        self.operations.append(Operation(self.user, "pause", *self._times()))

    def forget(self, outcome: Outcome = "answered", *, happens: bool = True) -> None:
        """Forget the conversation."""
        if outcome == "answered" or (outcome == "unknown" and happens):
            self._reset()
            self.offerable.clear()
        self.operations.append(Operation(self.user, "forget", *self._times(), outcome))

    def erase(self, outcome: Outcome = "answered", *, happens: bool = True) -> None:
        """Erase the user."""
        if outcome == "answered" or (outcome == "unknown" and happens):
            self._reset()
            self.offerable.clear()
            self.kept.clear()
        self.operations.append(Operation(self.user, "erase", *self._times(), outcome))

    def read(self) -> None:
        """Read the history."""
        self.operations.append(Operation(self.user, "read", *self._times(), seen=tuple(self.kept)))

    def _answer(self, asked: Operation) -> Reply:
        if asked.item is None and self.item is None:
            if not self.offerable:
                return Reply("rejected")
            return Reply("incomplete", offer=tuple(filter(None, self.offerable[-1])))
        self.item, self.color = asked.item or self.item, asked.color or self.color
        self.said.append(asked.serial)
        self.offerable.append((self.item, self.color))
        return self._matched()

    def _matched(self) -> Reply:
        return Reply("matched", self.item, self.color, tuple(self.said), len(self.said))

    def _reset(self) -> None:
        self.item = self.color = None
        self.said.clear()

    def _times(self) -> tuple[float, float]:
        self.time += 1.0
        return self.time, self.time + 0.5
