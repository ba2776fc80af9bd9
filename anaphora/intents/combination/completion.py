"""Complete a remembered entity with words that are none by themselves: "quarter past" after "at
eight", "not this Friday but the *next*"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.dates.combining.durations import find_longest_unit
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS
from anaphora.entities.cues.clauses import COMMAS
from anaphora.entities.cues.cue import Cue
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.intents.combination.amount_changes import has_trailing_change
from anaphora.intents.combination.changes import Changes
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.combination.completed_entity import Completed, place_entity

__all__ = ["Completion", "is_number"]

_MAX_COMPLETING_WORDS = 3  # content words: "no, euros", "kilometers per hour"
# The cues whose words may be a part of what completes a date: the fifth, the next.
_PARTS = frozenset({"ordinal", "other"})
_NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Completion(NamedTuple):
    """Completes what a conversation holds with the words of an utterance. ``chosen`` are the cues
    that choose an offer; if things are listed, so may others."""

    utterance: Utterance
    combiners: Combiners
    at: datetime
    cues: Sequence[Cue]
    chosen: Sequence[Cue]
    is_listed: bool
    changes: Changes

    def complete(
        self, held: Sequence[Entity], said: Sequence[Entity], misread: Sequence[Entity]
    ) -> list[Completed]:
        """Find what is no entity, but completes one: in a short answer, or beside what the sentence
        negates."""
        if misread or any(cue.kind == "negate" for cue in self.cues):
            rest = [one for one in said if one not in misread]
            return self._complete_parts(held, rest, is_short=not misread)
        mentioned = {one.element for one in said}
        incomplete = [one for one in held if one.element in self.combiners.completing - mentioned]
        utterance = replace(self.utterance, understood=self._find_understood())
        if not incomplete or len(utterance.content_words) > _MAX_COMPLETING_WORDS:
            return []
        if has_trailing_change(utterance):  # "eine weniger": of people, and no hour
            return []
        tokens, first, content = _skip_yes_or_no(utterance)
        moved = self._move_again(held, tokens[first:], content)
        if moved is not None:
            return [moved]
        covered = {index for one in said if not is_number(one) for index in one.tokens}
        if not content:
            return []
        if not covered.isdisjoint(content):
            is_list = any(token.text in COMMAS for token in tokens[first:])
            corrects = any(cue.kind in ("correct", "decline") for cue in self.cues)
            return self._complete_parts(held, said, is_short=False) if is_list and corrects else []
        references = {i for cue in self.cues if cue.kind == "reference" for i in cue.tokens}
        for end in (len(tokens), content[-1] + 1):  # "quarter past", "eight then"
            if not references.isdisjoint(range(end, len(tokens))):
                continue  # half of THAT is no half past
            if self._says_of_what(tokens[end:]):
                continue
            part = tokens[first:end]
            meant = incomplete
            if _is_counted(part, said) and not self._is_date(part):
                meant = [one for one in incomplete if one.element not in self.combiners.dates]
            found = self._complete_part(part, content, meant)
            if found is not None:
                return [found]
        return []

    def _complete_parts(
        self, held: Sequence[Entity], said: Sequence[Entity], *, is_short: bool
    ) -> list[Completed]:
        """Complete each part of a sentence that has no entity: "not at 8 pm but at *nine*", "not
        this Friday but the *next*". If the sentence ``is_short``, no word may be left."""
        incomplete = [one for one in held if one.element in self.combiners.completing]
        understood = self._find_understood()
        utterance = replace(self.utterance, understood=understood)
        covered = {i: one for one in said if not is_number(one) for i in one.tokens}
        numbers = {i for one in said if is_number(one) for i in one.tokens}
        content = [i for i in utterance.content_words if i not in covered]
        if not incomplete or len(content) > _MAX_COMPLETING_WORDS:
            return []
        if any(is_number(one) and any(_are_same(one, old) for old in held) for one in said):
            return []  # "not two but three": of what is counted
        found: list[Completed] = []
        noun = ""
        for part in self._split(understood.difference(covered)):
            inside = [covered[token.index] for token in part if token.index in covered]
            if inside:
                if inside[-1].element in self.combiners.completing:
                    noun = part[-1].text
                continue
            own = [token.index for token in part if token.index in content]
            one = self._complete_part(part, own, incomplete, noun)
            if one is not None:
                found.append(one)
            elif own and is_short:
                return []
        is_certain = bool(noun) or any(
            one.entity.value == one.old.value or one.entity.tokens[0] not in numbers
            for one in found
        )
        return [one._replace(is_certain=is_certain) for one in found]

    def _says_of_what(self, rest: Sequence[Token]) -> bool:
        """Whether the words behind a number say of what it is: three *of us* is no hour."""
        # Not loaded by models without dates
        from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases

        links = load_number_phrases(self.utterance.language).links
        return len(rest) > 1 and rest[0].lower in links

    def _is_date(self, part: Sequence[Token]) -> bool:
        """Whether a part of the sentence is a date as a whole answer: "from 6"."""
        # Not loaded by models without dates
        from anaphora.entities.builtin.dates.combining.completion import find_date_answer

        text = self.utterance.text[part[0].start : part[-1].end]
        return find_date_answer(text, self.utterance.language) is not None

    def _split(self, separators: Collection[int]) -> list[list[Token]]:
        """The parts of the sentence between cues and commas."""
        parts: list[list[Token]] = [[]]
        for token in self.utterance.tokens:
            if token.index in separators or token.text in COMMAS:
                parts.append([])
            else:
                parts[-1].append(token)
        return [part for part in parts if any(token.text[0].isalnum() for token in part)]

    def _find_understood(self) -> frozenset[int]:
        """The words of the cues that cannot be parts of a date."""
        return frozenset(
            [
                index
                for cue in self.cues
                if cue.kind not in _PARTS
                or cue.value == "one"  # the second one is no day
                or self.is_listed
                or cue in self.chosen
                for index in cue.tokens
            ]
        )

    def _complete_part(
        self,
        part: Sequence[Token],
        content: Sequence[int],
        incomplete: Sequence[Entity],
        noun: str = "",
    ) -> Completed | None:
        """Complete an entity with a part of the sentence, with or without the stop words before
        its ``content``, and with the ``noun`` that it leaves out."""
        last = max((token.index for token in part if token.text[0].isalnum()), default=0)
        part = [token for token in part if token.index <= last]
        for at, token in enumerate(part):
            if content and token.index > content[0]:
                break
            place = part[at:]
            text = self.utterance.text[place[0].start : place[-1].end]
            readings = [text, *([f"{noun} {text}", f"{text} {noun}"] if noun else ())]
            for reading in readings:
                for old in _order_by_likelihood(incomplete):
                    combiner = self.combiners.by_element[old.element]
                    found = combiner.complete(old, reading, self.utterance.language, self.at)
                    if found is not None and found.end >= len(reading):
                        new = replace(old, value=found.value, meta=found.meta)
                        return Completed(place_entity(new, place, text), old)
        return None

    def _move_again(
        self, held: Sequence[Entity], part: Sequence[Token], content: Sequence[int]
    ) -> Completed | None:
        """Read a duration that corrects by how much the newest time has been moved: "no, two
        hours" after "an hour later", if no length was said since."""
        dates = self.combiners.dates
        newest = next((one for one in held if one.element in dates or "seconds" in one.meta), None)
        if not (content and newest and self.changes.may_move_again(newest)):
            return None
        for at, token in enumerate(part):
            if token.index > content[0]:
                break
            text = self.utterance.text[token.start : part[-1].end].rstrip(".!?")
            duration = self._read_whole("duration", text)
            said = duration.value if duration else self._count_units(text, newest)
            if said is not None:
                place = place_entity(newest, part[at:], text)
                moved = self.changes.move_by(newest, place, said)
                return moved and moved._replace(is_certain=duration is not None)
        return None

    def _count_units(self, text: str, moved: Entity) -> str | None:
        """A bare number of the units by which a date was ``moved``, in ISO 8601: "no, two" after
        "an hour later"."""
        number, unit = (
            self._read_whole("number", text),
            find_longest_unit(moved.meta.get("added", 0)),
        )
        if number is None or unit is None or "value" not in number.meta:
            return None
        return unit.form.format(number.meta["value"])

    def _read_whole(self, name: str, text: str) -> Mention | None:
        """What a whole text is as a built-in entity."""
        found = find_completion(name, self.utterance.language, _NO_OPTIONS, text, self.at)
        return found if found is not None and found.end >= len(text) else None


def _is_counted(part: Sequence[Token], said: Iterable[Entity]) -> bool:
    """Whether a number behind a word that belongs to no time is of something else: "for two"."""
    last = next((one for one in reversed(part) if one.text[0].isalnum()), None)
    return last is not None and any(
        is_number(one) and one.tokens == (last.index,) and part[0].index < last.index
        for one in said
    )


def _order_by_likelihood(incomplete: Iterable[Entity]) -> Sequence[Entity]:
    """The entities, the newest first, in the order in which a bare number may change them, the
    likeliest first: it changes an amount (three nights) rather than giving an hour to a day; beside
    a time, what was said last."""
    held = list(incomplete)
    if any(one.meta.get("grain") in CLOCK_GRAINS for one in held):
        return held
    return sorted(held, key=lambda one: "amount" not in one.meta)


def _skip_yes_or_no(utterance: Utterance) -> tuple[Sequence[Token], int, Sequence[int]]:
    """The tokens, the first one behind a yes, a no or another cue, and the content words from there
    on."""
    tokens = utterance.tokens
    content: Sequence[int] = utterance.content_words or [  # numerals may be stop words: "no, nine"
        one.index
        for one in tokens
        if one.text[0].isalnum() and one.index not in utterance.understood
    ]
    first = 0
    if content and parse_yes_no(tokens[content[0]].text, utterance.language) is not None:
        first, content = content[0] + 1, content[1:]
    understood = utterance.understood
    while content and first < content[0]:
        if _is_word(tokens[first].text) and first not in understood:
            break  # we'RE five
        first += 1
    return tokens, first, content


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def is_number(entity: Entity) -> bool:
    """Whether it is a number, or a range of numbers, which may count something else."""
    number = entity.meta.get("value", entity.meta.get("amount"))
    is_plain = not entity.is_from_phrase and "seconds" not in entity.meta
    is_range = "comparison" in entity.meta and "currency" not in entity.meta
    return is_plain and (is_range or isinstance(number, int | float))


def _are_same(number: Entity, old: Entity) -> bool:
    value = (number.value or "").removeprefix("!=")
    return number.element == old.element and value == old.value
