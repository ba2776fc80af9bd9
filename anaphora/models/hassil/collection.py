"""A collection of sentence templates, as the matcher uses it: validated, frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from anaphora.frozen import FrozenDict
from anaphora.grammar.sentences.syntax import Expression

__all__ = [
    "REFERENCE",
    "ContextRule",
    "RangeList",
    "SentenceBlock",
    "SentenceCollection",
    "SlotList",
    "TextList",
    "TextValue",
    "WildcardList",
]

_FRACTIONS = {"": (0.0,), "halves": (0.0, 0.5), "tenths": tuple(i / 10 for i in range(10))}


class _Reference:
    """The value of a word that stands for what was said before."""

    def __repr__(self) -> str:
        return "REFERENCE"


REFERENCE: Final = _Reference()
"""The value of a word that stands for what was said before: "it", "there"."""


class TextValue(Struct, frozen=True, array_like=True):
    """A value of a list: what is said, and what it means.

    ``value`` fills the slot (None: the matched text). ``context`` is what the value tells about
    itself, such as the domain of a device; blocks of sentences may require it.
    """

    phrase: Expression
    value: Any = None
    context: FrozenDict = field(default_factory=FrozenDict)
    metadata: FrozenDict = field(default_factory=FrozenDict)


class TextList(Struct, frozen=True, array_like=True, tag=True):
    """A list of texts."""

    values: tuple[TextValue, ...]


class RangeList(Struct, frozen=True, array_like=True, tag=True):
    """Numbers from ``start`` to ``stop``, both included, in digits or words.

    What fills the slot is the number times ``multiplier``. ``language`` is that of the words, if it
    is another one than that of the collection.
    """

    start: int
    stop: int
    step: int = 1
    fractions: Literal["", "halves", "tenths"] = ""
    multiplier: float | None = None
    digits: bool = True
    words: bool = True
    language: str = ""

    def __iter__(self) -> Iterator[float]:
        """The numbers of the range."""
        for whole in range(self.start, self.stop + 1, self.step):
            for fraction in _FRACTIONS[self.fractions]:
                yield whole + fraction if fraction else whole

    def __contains__(self, number: float) -> bool:
        whole, fraction = divmod(number, 1)
        return (
            self.start <= whole <= self.stop
            and (self.step == 1 or (whole - self.start) % self.step == 0)
            and (not fraction or round(fraction, 6) in _FRACTIONS[self.fractions])
        )


class WildcardList(Struct, frozen=True, array_like=True, tag=True):
    """Any text."""


SlotList: TypeAlias = TextList | RangeList | WildcardList


class ContextRule(Struct, frozen=True, array_like=True):
    """A condition on one key of the context.

    ``values`` are those that satisfy it (None: any value). Where ``slot`` is named, the value of
    the context fills that slot.
    """

    values: tuple[Any, ...] | None = None
    slot: str = ""

    def accepts(self, value: Any) -> bool:
        """Whether a value of the context, not None, satisfies the condition."""
        return self.values is None or value in self.values

    def names(self, value: Any) -> bool:
        """Whether a value is one of those that satisfy the condition; never if any value does."""
        return self.values is not None and value in self.values


class SentenceBlock(Struct, frozen=True, array_like=True):
    """Templates of an intent that share slots, conditions and a response.

    ``slots`` are fixed: they are filled whatever is said. ``rules`` and ``lists`` are those of the
    block alone. ``offsets`` are the positions of the templates in the file.
    """

    intent: str
    sentences: tuple[Expression, ...]
    slots: FrozenDict = field(default_factory=FrozenDict)
    requires: Mapping[str, ContextRule] = field(default_factory=dict)
    excludes: Mapping[str, ContextRule] = field(default_factory=dict)
    rules: Mapping[str, Expression] = field(default_factory=dict)
    lists: Mapping[str, SlotList] = field(default_factory=dict)
    response: str = ""
    metadata: FrozenDict = field(default_factory=FrozenDict)
    keywords: frozenset[str] = frozenset()


class SentenceCollection(Struct, frozen=True, array_like=True):
    """The sentences of a language with their rules and lists.

    ``responses`` are templates by intent and key. With ``ignores_spaces`` white space between
    Chinese, Japanese and Korean characters does not count.
    """

    language: str
    blocks: tuple[SentenceBlock, ...]
    rules: Mapping[str, Expression] = field(default_factory=dict)
    lists: Mapping[str, SlotList] = field(default_factory=dict)
    skip_words: tuple[str, ...] = ()
    ignores_spaces: bool = False
    responses: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
