"""Check the replies to clients against the stored data: nothing may be lost, doubled, resurrected
or out of order.

The checks use the order of operations in real time: an operation that ended before another began
precedes it. Overlapping operations may have any order, and an operation of unknown outcome may have
happened or not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from benchmarks.faults.operations import Exchange, Operation, Reply, serials_in

__all__ = ["KINDS", "Trace", "Violation", "ViolationKind", "check"]

ViolationKind = Literal[
    "lost",
    "doubled",
    "refused but kept",
    "altered",
    "out of order",
    "resurrected",
    "forgotten but offered",
    "half erased",
    "memory",
    "leaked",
]
KINDS: Mapping[ViolationKind, str] = {
    "lost": "an answered question is not in the history, or not in the conversation",
    "doubled": "a question is in the history or in the conversation more than once",
    "refused but kept": "a question that was answered with an error is kept",
    "altered": "the history has another text than was asked",
    "out of order": "a question comes before one that was answered before it was asked",
    "resurrected": "something of before an erasure is there after it",
    "forgotten but offered": "something of before a reset is remembered or offered after it",
    "half erased": "an erasure beside a question took it from one of the stores alone",
    "memory": "a reply takes from the conversation what the questions do not imply",
    "leaked": "a user sees what another one said",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise, with ``begin`` and ``end`` of the operations involved."""

    kind: ViolationKind
    user: str
    detail: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole run: all operations, the exchanges that each user's history has at the end, and the
    serials that the bytes of files hold at the end."""

    operations: Sequence[Operation]
    kept: Mapping[str, Sequence[Exchange]]
    residue: Mapping[str, Sequence[str]]


def check(trace: Trace) -> list[Violation]:
    """All violations of a run, in chronological order."""
    by_user: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in trace.operations:
        by_user[operation.user].append(operation)
    owners = {one.serial: one.user for one in trace.operations if one.serial}
    found: list[Violation] = []
    for user, operations in by_user.items():
        checker = _UserChecker(user, operations, owners)
        found += checker.check_replies()
        found += checker.check_reads()
        found += checker.check_kept(trace.kept.get(user, ()))
        for path, serials in trace.residue.items():
            found += checker.check_residue(path, serials)
    return sorted(found, key=lambda violation: violation.begin)


class _UserChecker:
    """The checks of one user, who has one conversation."""

    def __init__(self, user: str, operations: Iterable[Operation], owners: Mapping[str, str]):
        self._user = user
        self._owners = owners
        self._operations = sorted(operations, key=lambda one: one.begin)
        self._asked = [one for one in self._operations if one.kind == "ask"]
        self._erasures = [one for one in self._operations if one.kind == "erase"]
        self._resets = [one for one in self._operations if one.kind in ("forget", "erase", "pause")]
        self._attempts: defaultdict[str, list[Operation]] = defaultdict(list)
        self._entries: defaultdict[str, list[Operation]] = defaultdict(list)
        for one in self._asked:
            if one.serial:
                self._attempts[one.serial].append(one)
            if one.outcome == "unknown" or one.is_matched:
                self._entries[one.entry].append(one)

    # -- the conversation as shown by replies --------------------------------------------------

    def check_replies(self) -> list[Violation]:
        """Check that each reply agrees with the questions before it."""
        return [
            violation
            for one in self._asked
            if one.outcome == "answered" and one.reply is not None
            for violation in self._of_reply(one, one.reply)
        ]

    def _of_reply(self, asked: Operation, reply: Reply) -> Iterable[Violation]:
        yield from self._of_offer(asked, reply.offer)
        if not asked.is_matched:
            required = self._required(asked)
            if not asked.serial:  # the "yes" that comes at once after an offer
                yield self._violation("lost", asked, f"the offer of {asked.entry} is forgotten")
            if asked.needs_item and any(one.item for one in required):
                yield self._violation(
                    "lost", asked, f"{asked.serial} is {reply.status}: the item is not remembered"
                )
            return
        yield from self._of_said(asked, reply)

    def _of_said(self, asked: Operation, reply: Reply) -> Iterable[Violation]:
        said = reply.said
        places = {entry: place for place, entry in enumerate(said)}
        for entry, times in Counter(said).items():
            if times > 1:
                yield self._violation(
                    "doubled", asked, f"{entry} is {times} times in the conversation"
                )
        for entry in places:
            kind = self._forbidden(entry, asked)
            if kind is not None:
                yield self._violation(kind, asked, f"the conversation of {asked.entry} has {entry}")
        for one in self._required(asked):
            if one.entry not in places:
                yield self._violation(
                    "lost", one, f"{one.entry} is not in the conversation at {asked.entry}", asked
                )
        sequence = [self._entries[entry][-1] for entry in said if self._entries.get(entry)]
        yield from self._inversions(sequence, f"in the conversation at {asked.entry}")
        if reply.count != len(said):
            yield self._violation("memory", asked, f"{reply.count} counted, {len(said)} said")
        expected = _replay(sequence)
        if expected != (reply.item, reply.color):
            yield self._violation(
                "memory",
                asked,
                f"{asked.entry} took {reply.item}, {reply.color} for {expected[0]}, {expected[1]}",
            )

    def _of_offer(self, asked: Operation, offer: Sequence[str]) -> Iterable[Violation]:
        """Check that nothing from before a reset or an erasure is offered."""
        if not offer:
            return
        forgotten = [one for one in self._resets if one.kind != "pause" and _has_happened(one)]
        possible = {
            value
            for one in self._asked
            if one.begin < asked.end and not _is_undone(one, asked, forgotten)
            for value in (one.item, one.color)
        }
        unexpected = [value for value in offer if value not in possible]
        if unexpected:
            erasures = [one for one in self._erasures if _has_happened(one)]
            before = [one for one in self._asked if {one.item, one.color} & {*unexpected}]
            is_erased = bool(before) and all(_is_undone(one, asked, erasures) for one in before)
            kind: ViolationKind = "resurrected" if is_erased else "forgotten but offered"
            yield self._violation(kind, asked, f"{asked.serial} was offered {', '.join(offer)}")

    def _forbidden(self, entry: str, asked: Operation) -> ViolationKind | None:
        """Why an entry may not be in the conversation of a question, None if it may."""
        if self._owners.get(entry, self._user) != self._user:
            return "leaked"
        possible = [one for one in self._entries.get(entry, ()) if one.begin < asked.end]
        if not possible:
            return "refused but kept" if self._attempts.get(entry) else "memory"
        happened = [one for one in self._resets if _has_happened(one)]
        if not all(_is_undone(one, asked, happened) for one in possible):
            return None
        erasures = [one for one in happened if one.kind == "erase"]
        if all(_is_undone(one, asked, erasures) for one in possible):
            return "resurrected"
        return "forgotten but offered"

    def _required(self, asked: Operation) -> list[Operation]:
        """The questions that must be in the conversation when a question is answered."""
        return [
            one
            for one in self._asked
            if one.is_matched
            and one.precedes(asked)
            and not any(
                reset.outcome != "refused" and reset.end > one.begin and reset.begin < asked.end
                for reset in self._resets
            )
        ]

    # -- the long-term memory ---------------------------------------------------------------------

    def check_kept(self, kept: Sequence[Exchange]) -> list[Violation]:
        """Check that the history has each question once, in order, and nothing erased."""
        exchanges = sorted(kept, key=lambda exchange: exchange.number)
        found: list[Violation] = []
        times: Counter[str] = Counter()
        sequence: list[Operation] = []
        for exchange in exchanges:
            for serial in serials_in(exchange.question)[:1]:
                attempts = self._attempts.get(serial)
                times[serial] += 1
                if attempts is None:
                    found.append(self._violation("leaked", self._operations[-1], serial))
                    continue
                if times[serial] == 1:
                    sequence.append(attempts[-1])
                if not _is_text_of(exchange.question, attempts[-1]):
                    found.append(self._violation("altered", attempts[-1], serial))
        for serial, attempts in self._attempts.items():
            found += self._of_serial(serial, attempts, times[serial])
        found += self._inversions(sequence, "in the history")
        found += self._half_erased(times)
        return found

    def _of_serial(
        self, serial: str, attempts: Sequence[Operation], times: int
    ) -> Iterable[Violation]:
        last = attempts[-1]
        most = sum(1 for one in attempts if one.outcome != "refused")
        if times > 1 and times > most:
            yield self._violation("doubled", last, f"{serial} is {times} times in the history")
        if times and not most:
            yield self._violation("refused but kept", last, f"{serial} is in the history")
        erasures = [one for one in self._erasures if _has_happened(one)]
        if times and any(last.precedes(erasure) for erasure in erasures):
            yield self._violation("resurrected", last, f"{serial} is in the history")
        is_answered = any(one.outcome == "answered" for one in attempts)
        may_be_erased = any(
            one.outcome != "refused" and one.end > last.begin for one in self._erasures
        )
        if is_answered and not times and not may_be_erased:
            yield self._violation("lost", last, f"{serial} is not in the history")

    def _half_erased(self, times: Mapping[str, int]) -> Iterable[Violation]:
        """Check that a question that overlaps an erasure is erased in all stores or in none."""
        for erasure in self._erasures:
            if not _has_happened(erasure) or self._is_in_doubt(erasure):
                continue
            for one in self._asked:
                if one.precedes(erasure) or erasure.precedes(one) or not one.is_matched:
                    continue
                later = self._next_matched(one, erasure)
                if later is None or later.reply is None:
                    continue
                is_in_conversation = one.entry in later.reply.said
                if is_in_conversation != bool(times.get(one.serial)):
                    place = "conversation" if is_in_conversation else "history"
                    yield self._violation(
                        "half erased", one, f"{one.serial} is in the {place} alone", erasure
                    )

    def _is_in_doubt(self, erasure: Operation) -> bool:
        """Whether an earlier attempt of the same erasure may have erased a part."""
        tries = self._erasures[: self._erasures.index(erasure)]
        return bool(tries) and tries[-1].outcome == "unknown"

    def _next_matched(self, asked: Operation, erasure: Operation) -> Operation | None:
        """The next matched question after both, None if there is another reset in between."""
        for one in self._operations:
            if one.end <= asked.begin or one in (asked, erasure):
                continue
            if one in self._resets and one.outcome != "refused" and one.end > erasure.begin:
                return None
            if one.is_matched and asked.precedes(one) and erasure.precedes(one):
                later = [reset for reset in self._erasures if one.end < reset.end]
                return None if later else one
        return None

    # -- reads, and files ----------------------------------------------------------------------

    def check_reads(self) -> list[Violation]:
        """Check that no read shows anything from before an erasure or of another user."""
        found: list[Violation] = []
        erasures = [one for one in self._erasures if _has_happened(one)]
        for read in (one for one in self._operations if one.kind == "read"):
            for serial in {serial for text in read.seen for serial in serials_in(text)}:
                attempts = self._attempts.get(serial)
                if attempts is None:
                    found.append(self._violation("leaked", read, f"a read shows {serial}"))
                elif all(_is_undone(one, read, erasures) for one in attempts):
                    found.append(self._violation("resurrected", read, f"a read shows {serial}"))
        return found

    def check_residue(self, path: str, serials: Iterable[str]) -> Iterable[Violation]:
        """Check that no file contains erased text."""
        erasures = [one for one in self._erasures if _has_happened(one)]
        for serial in serials:
            attempts = self._attempts.get(serial)
            if attempts and any(attempts[-1].precedes(erasure) for erasure in erasures):
                yield self._violation("resurrected", attempts[-1], f"{serial} is still in {path}")

    # -- helpers -------------------------------------------------------------------------------

    def _inversions(self, sequence: Sequence[Operation], where: str) -> Iterable[Violation]:
        for earlier, later in pairwise(sequence):
            if later.precedes(earlier):
                yield self._violation(
                    "out of order", later, f"{later.entry} comes after {earlier.entry} {where}"
                )

    def _violation(
        self, kind: ViolationKind, first: Operation, detail: str, last: Operation | None = None
    ) -> Violation:
        last = last or first
        begin, end = min(first.begin, last.begin), max(first.end, last.end)
        return Violation(kind, self._user, detail, begin, end)


def _has_happened(operation: Operation) -> bool:
    return operation.outcome == "answered"


def _is_undone(one: Operation, at: Operation, resets: Iterable[Operation]) -> bool:
    """Whether a reset that ended before ``at`` came after an operation."""
    return any(one.precedes(reset) and reset.precedes(at) for reset in resets)


def _replay(sequence: Iterable[Operation]) -> tuple[str | None, str | None]:
    """The item and the color that a conversation of these questions remembers."""
    item = color = None
    for one in sequence:
        item, color = one.item or item, one.color or color
    return item, color


def _is_text_of(question: str, asked: Operation) -> bool:
    """Whether it is the text that was asked; of one that was rejected unread, or may have been, the
    begin will do."""
    may_be_unread = asked.reply is None or asked.reply.status == "rejected"
    if may_be_unread and len(asked.text) > 10_000:
        return asked.text.startswith(question[:100])
    return question == asked.text
