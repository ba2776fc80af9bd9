"""The values of an element, and their packed form."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = [
    "ANY_LANGUAGE",
    "ElementValue",
    "PackedValues",
    "Phrase",
    "Phrases",
    "find_complex_values",
    "iter_phrases",
    "pack_values",
    "value_names",
]

Phrase: TypeAlias = tuple[str | Pattern | EntityPart, ...]
"""One expansion of a synonym: texts (of one or more words), patterns (each matches characters
without whitespace) and entity parts."""

Phrases: TypeAlias = Mapping[str, tuple[Phrase, ...]]
"""Phrases by language; the key :data:`ANY_LANGUAGE` applies to all languages."""

ANY_LANGUAGE = ""

_MIN_PACKED = 256  # values; fewer take little memory, and a tuple is faster

_Shape: TypeAlias = tuple[bool, tuple[tuple[str, int], ...]]
"""Whether the first phrase is the name of the value, and the number of phrases by language."""


@dataclass(frozen=True, slots=True)
class ElementValue:
    """A value of an element. Its name is one of its phrases."""

    name: str
    phrases: Phrases


def pack_values(values: Iterable[ElementValue]) -> Sequence[ElementValue]:
    """A tuple of the values, or a packed sequence if there are many."""
    if isinstance(values, PackedValues):
        return values
    listed = tuple(values)
    return listed if len(listed) < _MIN_PACKED else PackedValues(listed)


def value_names(values: Sequence[ElementValue]) -> list[str]:
    """The names of the values, in order."""
    return values.names() if isinstance(values, PackedValues) else [one.name for one in values]


def iter_phrases(
    values: Sequence[ElementValue], languages: Sequence[str]
) -> Iterator[tuple[int, Phrase]]:
    """The phrases of the values in these languages, each with the index of its value; for each
    value language by language."""
    if isinstance(values, PackedValues):
        yield from values.phrases(languages)
        return
    for index, value in enumerate(values):
        for code in languages:
            for phrase in value.phrases.get(code, ()):
                yield index, phrase


def find_complex_values(values: Sequence[ElementValue]) -> Iterable[ElementValue]:
    """The values whose phrases may contain patterns or entity parts."""
    return values.complex_values() if isinstance(values, PackedValues) else values


class PackedValues(Sequence[ElementValue]):
    """A memory-efficient sequence of values, which are built on access.

    Names and phrases are stored in shared buffers: a value with a name of two words takes some
    20 bytes instead of 400, and 1 µs to build. Values with patterns or entity parts are stored
    as they are. Equal to a tuple of the same values.
    """

    __slots__ = ("_complex", "_first", "_names", "_shape_of", "_shapes", "_texts")

    def __init__(self, values: Iterable[ElementValue] = ()) -> None:
        self._names = _PackedTexts()
        self._texts = _PackedTexts()  # the phrases, except those that are the names
        self._first = array("I")  # index of the first text of each value
        self._shape_of = array("I")
        self._shapes: list[_Shape] = []
        self._complex: dict[int, ElementValue] = {}
        shapes: dict[_Shape, int] = {}
        for value in values:
            self._first.append(len(self._texts))
            texts = _find_texts(value.phrases)
            if texts is None:
                self._complex[len(self._names)] = value
                texts = {}
            listed = [text for some in texts.values() for text in some]
            is_named = next(iter(texts.values()), [])[:1] == [value.name]
            shape = is_named, tuple([(code, len(some)) for code, some in texts.items()])
            self._shape_of.append(shapes.setdefault(shape, len(shapes)))
            self._texts.extend(listed[is_named:])
            self._names.extend((value.name,))
        self._shapes = list(shapes)

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> ElementValue: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ElementValue, ...]: ...
    def __getitem__(self, index: int | slice) -> ElementValue | tuple[ElementValue, ...]:
        if isinstance(index, slice):
            return tuple([self._build_value(one) for one in range(len(self))[index]])
        return self._build_value(range(len(self))[index])

    def __iter__(self) -> Iterator[ElementValue]:
        return map(self._build_value, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedValues | tuple):
            return NotImplemented
        if isinstance(other, PackedValues) and self._comparison_key() == other._comparison_key():
            return True
        return len(self) == len(other) and all(
            one == another for one, another in zip(self, other, strict=True)
        )

    def __repr__(self) -> str:
        return f"<{len(self)} values>"

    def _comparison_key(self) -> tuple[object, ...]:
        """A key that is equal only for equal values; not all equal values share it."""
        return (
            self._names.to_data(),
            self._texts.to_data(),
            self._first,
            self._shape_of,
            self._shapes,
            self._complex,
        )

    def phrases(self, languages: Sequence[str]) -> Iterator[tuple[int, Phrase]]:
        """Like :func:`iter_phrases`, without building the values."""
        plans = [_phrase_indexes(shape, languages) for shape in self._shapes]
        texts = self._texts
        for index, (name, shape) in enumerate(zip(self._names, self._shape_of, strict=True)):
            if index in self._complex:
                for _, phrase in iter_phrases((self._complex[index],), languages):
                    yield index, phrase
                continue
            for place in plans[shape]:
                yield index, (texts[self._first[index] + place] if place >= 0 else name,)

    def names(self) -> list[str]:
        """The names of the values, in order."""
        return list(self._names)

    def complex_values(self) -> Iterable[ElementValue]:
        """The values with patterns or entity parts."""
        return self._complex.values()

    def to_data(self) -> dict[str, Any] | None:
        """The buffers, for :meth:`from_data`; None if a value has patterns or entity parts."""
        if self._complex:
            return None
        return {
            "names": self._names.to_data(),
            "texts": self._texts.to_data(),
            "first": self._first.tobytes(),
            "shape_of": self._shape_of.tobytes(),
            "shapes": self._shapes,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> PackedValues:
        """Restore the values from :meth:`to_data`, on a machine with the same byte order."""
        values = cls()
        values._names = _PackedTexts.from_data(data["names"])
        values._texts = _PackedTexts.from_data(data["texts"])
        values._first = array("I", data["first"])
        values._shape_of = array("I", data["shape_of"])
        values._shapes = [
            (is_named, tuple([(code, count) for code, count in counts]))
            for is_named, counts in data["shapes"]
        ]
        return values

    def _build_value(self, index: int) -> ElementValue:
        if index in self._complex:
            return self._complex[index]
        name = self._names[index]
        is_named, counts = self._shapes[self._shape_of[index]]
        at, texts = self._first[index] - is_named, self._texts
        phrases: dict[str, tuple[Phrase, ...]] = {}
        for code, count in counts:
            if is_named and not phrases:
                own = [name, *(texts[place] for place in range(at + 1, at + count))]
            else:
                own = [texts[place] for place in range(at, at + count)]
            phrases[code] = tuple([(text,) for text in own])
            at += count
        return ElementValue(name, phrases)


class _PackedTexts:
    """Texts in one buffer."""

    __slots__ = ("_bytes", "_ends")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("I")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        start = self._ends[index - 1] if index else 0
        return self._bytes[start : self._ends[index]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        start, joined = 0, self._bytes
        for end in self._ends:
            yield joined[start:end].decode("utf-8", "surrogatepass")
            start = end

    def extend(self, texts: Iterable[str]) -> None:
        """Append texts."""
        for text in texts:
            self._bytes += text.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._bytes))

    def to_data(self) -> dict[str, bytes]:
        return {"bytes": bytes(self._bytes), "ends": self._ends.tobytes()}

    @classmethod
    def from_data(cls, data: Mapping[str, bytes]) -> _PackedTexts:
        texts = cls()
        texts._bytes = bytearray(data["bytes"])
        texts._ends = array("I", data["ends"])
        return texts


def _phrase_indexes(shape: _Shape, languages: Sequence[str]) -> list[int]:
    """The indexes of the phrases in these languages, relative to the first text of a value; -1
    for the name."""
    is_named, counts = shape
    places: dict[str, range] = {}
    at = -int(is_named)
    for code, count in counts:
        places[code] = range(at, at + count)
        at += count
    return [place for code in languages for place in places.get(code, ())]


def _find_texts(phrases: Phrases) -> dict[str, list[str]] | None:
    """The phrases as texts; None unless each is a single text."""
    texts: dict[str, list[str]] = {}
    for language, some in phrases.items():
        texts[language] = []
        for phrase in some:
            if len(phrase) != 1 or not isinstance(phrase[0], str):
                return None
            texts[language].append(phrase[0])
    return texts
