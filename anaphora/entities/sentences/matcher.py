"""Match an utterance against the sentences of a collection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from anaphora.entities.sentences.automaton import Automaton
from anaphora.entities.sentences.capture import Capture, Captures, find_captures
from anaphora.entities.sentences.compilation import compile_paths
from anaphora.entities.sentences.input_text import InputText, SkipWords, normalize_input
from anaphora.entities.sentences.segments import (
    ListValue,
    Path,
    WildcardSlot,
    iter_texts,
    may_be_value,
)
from anaphora.frozen import EMPTY
from anaphora.grammar.sentences.syntax import Expression
from anaphora.models.hassil.collection import (
    REFERENCE,
    SentenceBlock,
    SentenceCollection,
    SlotList,
)
from anaphora.storage.cache import UNCACHED, CachedParts

__all__ = ["SentenceMatch", "SentenceMatcher", "SlotValue"]

_WORD = re.compile(r"[^\W\d_]{2,}")


class SlotValue(Struct, frozen=True, gc=False):
    """What fills a slot. ``start`` and ``end`` are the offsets of its words in the utterance
    (0, 0 if it has none): a slot may be fixed by the sentence, or come from the context."""

    name: str
    value: Any
    text: str = ""
    start: int = 0
    end: int = 0
    source: Literal["sentence", "fixed", "context"] = "sentence"
    is_wildcard: bool = False
    is_number: bool = False
    metadata: Mapping[str, Any] = EMPTY
    context: Mapping[str, Any] = EMPTY


class SentenceMatch(Struct, frozen=True, gc=False):
    """A sentence that an utterance satisfies. ``captures`` are for the response alone; ``missing``
    are slots that the sentence leaves to the context, which lacks them. What a slot with the value
    ``REFERENCE`` must satisfy is not checked."""

    block: SentenceBlock
    slots: Mapping[str, SlotValue]
    captures: Mapping[str, SlotValue]
    weight: int
    missing: tuple[str, ...]
    template: Expression

    @property
    def intent(self) -> str:
        return self.block.intent


class SentenceMatcher:
    """Matches utterances against the sentences of a collection.

    ``lists`` are further lists, or others for those of the collection: the names, areas and floors
    of a home. ``parts`` caches the compiled templates. ``accepts`` tells whether a match of a form
    of an utterance is one of its text.
    """

    def __init__(
        self,
        collection: SentenceCollection,
        lists: Mapping[str, SlotList] = EMPTY,
        parts: CachedParts = UNCACHED,
        accepts: Callable[[SentenceMatch, InputText, str], bool] | None = None,
    ) -> None:
        self._accepts_match = accepts
        self._collection = collection
        self._spaceless = collection.ignores_spaces
        self._skip_words = SkipWords(
            collection.skip_words, ignores_spaces=collection.ignores_spaces
        )
        paths = compile_paths(collection, lists, parts)
        self._blocks = tuple(block for block in collection.blocks for _ in block.sentences)
        self._sentences = tuple(one for block in collection.blocks for one in block.sentences)
        self._edges = tuple(_wildcard_edges(path) for path in paths)
        self._automaton = Automaton(paths)
        self._paths = paths
        self._paths_of: dict[int, list[Path]] = {}
        for sentence, path in zip(self._sentences, paths, strict=True):
            self._paths_of.setdefault(id(sentence), []).append(path)
        self._accepting_values: dict[tuple[int, str], bool] = {}
        self._accepts = {id(block): _Acceptance(block) for block in collection.blocks}

    def match(self, text: str, context: Mapping[str, Any] = EMPTY) -> tuple[SentenceMatch, ...]:
        """All matches of an utterance, best first.

        ``context`` has what is known besides the words, such as the ``area`` that they come from;
        its values may be mappings with ``value`` and ``text``. A match is better if the context
        lacks nothing; if it names a device, by the longest name; then with fewer wildcards, with
        more literal text, and with less text in wildcards.
        """
        return self.match_input(self.normalize(text), text, context)

    def normalize(self, text: str) -> InputText:
        """Normalize an utterance for :meth:`match_input`."""
        return normalize_input(text, ignores_spaces=self._spaceless)

    def remove_skip_words(self, text: InputText) -> InputText:
        """The text without the words that mean nothing: "please"."""
        return self._skip_words.remove(text)

    def match_input(
        self, whole: InputText, text: str, context: Mapping[str, Any] = EMPTY
    ) -> tuple[SentenceMatch, ...]:
        """Like :meth:`match`, for a normalized form of the utterance ``text``."""
        found: list[tuple[SentenceMatch, int]] = []
        if not whole.text:
            return ()
        for normalized, indexes in self._find(whole):
            for index in indexes:
                matches = self._match_template(index, text, normalized, context)
                found += [
                    (match, index)
                    for match in matches
                    if self._accepts_match is None or self._accepts_match(match, whole, text)
                ]
        if len(found) > 1:
            found.sort(key=_rank)
        return tuple(match for match, _ in found)

    @property
    def words(self) -> frozenset[str]:
        """The words of the sentences and of their lists."""
        return frozenset(word for text in iter_texts(self._paths) for word in _WORD.findall(text))

    def accepts_value(self, template: Expression, slot: str) -> bool:
        """Whether a template accepts texts that are a value of a slot and nothing else."""
        key = (id(template), slot)
        known = self._accepting_values.get(key)
        if known is None:
            known = any(may_be_value(path, slot) for path in self._paths_of[id(template)])
            self._accepting_values[key] = known
        return known

    def _find(self, whole: InputText) -> Iterator[tuple[InputText, list[int]]]:
        """The forms of a text with and without its skip words, each with the templates that it may
        satisfy. Around a wildcard skip words stay: they may be part of it."""
        accepted = self._automaton.accepted
        bare = self._skip_words.remove(whole)
        if bare is whole:
            yield whole, sorted(accepted(whole.text))
            return
        edges = self._edges
        at_start = self._skip_words.remove_at_start(whole)
        at_end = self._skip_words.remove_at_end(whole)
        full = sorted(accepted(whole.text))
        # Where nothing else is left out, a skip word may also be what a template says.
        with_all = {"", "whole"}
        with_all |= {"start"} if at_end.text == bare.text else set()
        with_all |= {"end"} if at_start.text == bare.text else set()
        yield whole, [i for i in full if edges[i] in with_all]
        yield bare, [i for i in sorted(accepted(bare.text)) if not edges[i]]
        yield at_end, [i for i in sorted(accepted(at_end.text)) if edges[i] == "start"]
        yield at_start, [i for i in sorted(accepted(at_start.text)) if edges[i] == "end"]

    def _match_template(
        self, index: int, text: str, normalized: InputText, context: Mapping[str, Any]
    ) -> Iterator[SentenceMatch]:
        block = self._blocks[index]
        if block.keywords and block.keywords.isdisjoint(normalized.text.split()):
            return
        acceptance = self._accepts[id(block)]
        if not acceptance.may_accept(context):
            return
        start = self._automaton.starts[index]
        template = self._sentences[index]
        for captures in find_captures(start, normalized.text, acceptance.accepts):
            match = _build_match(block, template, captures, text, normalized, context)
            if match is not None:
                yield match


def _wildcard_edges(path: Path) -> Literal["", "start", "end", "whole"]:
    """Where a template has a wildcard at its edge."""
    if isinstance(path[0], WildcardSlot):
        return "whole" if len(path) == 1 else "start"
    return "end" if isinstance(path[-1], WildcardSlot) else ""


class _Acceptance:
    """Which values a block of sentences may take, by the context that it requires."""

    __slots__ = ("_block", "_known")

    def __init__(self, block: SentenceBlock) -> None:
        self._block = block
        self._known: dict[int, bool] = {}

    def may_accept(self, context: Mapping[str, Any]) -> bool:
        """Whether a context leaves the conditions of the block open."""
        return not self._is_refused(context)

    def accepts(self, value: ListValue) -> bool:
        if not value.source.context:
            return True
        found = self._known.get(id(value))
        if found is None:
            found = self._known[id(value)] = not self._is_refused(value.source.context)
        return found

    def _is_refused(self, context: Mapping[str, Any]) -> bool:
        block = self._block
        for key, rule in block.requires.items():
            if (found := _value_of(context, key)) is not None and not rule.accepts(found):
                return True
        for key, rule in block.excludes.items():
            if (found := _value_of(context, key)) is not None and rule.names(found):
                return True
        return False


def _value_of(context: Mapping[str, Any], key: str) -> Any:
    found = context.get(key)
    return found.get("value") if isinstance(found, Mapping) else found


def _build_match(
    block: SentenceBlock,
    template: Expression,
    captures: Captures,
    text: str,
    normalized: InputText,
    context: Mapping[str, Any],
) -> SentenceMatch | None:
    """The match with all its slots; None if the context lacks what the block requires."""
    found: dict[str, SlotValue] = {}
    extra: dict[str, SlotValue] = {}
    for one in captures.captures:
        value = _slot_value(one, text, normalized)
        (extra if one.response_only else found)[one.slot] = value
        if value.context:
            context = {**context, **value.context}
    missing = []
    for key, rule in block.requires.items():
        known = _value_of(context, key)
        if rule.slot and isinstance(known, list | tuple | set | Mapping):
            known = None  # it cannot fill the slot
        if known is None and rule.slot and rule.values is None:
            if rule.slot not in found:
                missing.append(rule.slot)
            continue
        if known is None and any(one.value is REFERENCE for one in found.values()):
            continue  # what it refers to may satisfy the rule
        if known is None or not rule.accepts(known):
            return None
        if rule.slot and rule.slot not in found:
            written = context.get(key)
            words = written.get("text", "") if isinstance(written, Mapping) else ""
            found[rule.slot] = SlotValue(rule.slot, known, words, source="context")
    for key, rule in block.excludes.items():
        known = _value_of(context, key)
        if known is not None and rule.names(known):
            return None
    for name, fixed in block.slots.items():
        if name not in found:
            found[name] = SlotValue(name, fixed, source="fixed")
    return SentenceMatch(block, found, extra, captures.weight, tuple(missing), template)


def _slot_value(one: Capture, text: str, normalized: InputText) -> SlotValue:
    end = one.end
    while end > one.start and normalized.text[end - 1 : end] in ("", " "):
        end -= 1
    start = one.start
    while start < end and normalized.text[start] == " ":
        start += 1
    first, last = normalized.find(start, end, text)
    words = text[first:last]
    if one.listed is not None:
        source = one.listed.source
        value = normalized.spell(start, end, text) if source.value is None else source.value
        return SlotValue(
            one.slot, value, words, first, last, metadata=source.metadata, context=source.context
        )
    if one.number is not None:
        return SlotValue(one.slot, one.number, words, first, last, is_number=True)
    value = normalized.spell(start, end, text)
    return SlotValue(one.slot, value, words, first, last, is_wildcard=True)


def _rank(found: tuple[SentenceMatch, int]) -> tuple[object, ...]:
    """The order of matches, each with the index of its template; the best first."""
    match, index = found
    name = match.slots.get("name")
    length = len(name.text) if name is not None and not name.is_wildcard else -1
    wildcards = [one for one in match.slots.values() if one.is_wildcard]
    return (
        bool(match.missing),
        length < 0,
        -length,
        len(wildcards),
        -match.weight,
        sum(len(one.value) for one in wildcards),
        match.intent,
        index,
    )
