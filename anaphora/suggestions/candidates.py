"""Questions → what the model understands of them, and the runs of words that it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anaphora.core.utterance import Token, Utterance

__all__ = ["CandidatePhrase", "Occurrence", "ReadQuestion", "find_candidates", "find_unknown_words"]

_MOST_WORDS = 3  # of a candidate
_LONGEST = 40  # characters of a word that can be one
_MOST_PLACES = 8  # questions that are looked at for one candidate
_MOST_CANDIDATES = 5_000
_MOST_COUNTED = 200_000  # before the best of them are chosen
_MOST_UNKNOWN = 50  # words of one question, so that a long one does not fill the memory
_HYPHENS = frozenset("-‐‑‒–−")


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question as the model reads it, and how many times it was asked."""

    utterance: Utterance
    count: int
    understood: bool


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a candidate stands: the first and the last of its tokens."""

    question: ReadQuestion
    first: int
    last: int

    @property
    def span(self) -> tuple[int, int]:
        """The offsets in the text (half open)."""
        tokens = self.question.utterance.tokens
        return tokens[self.first].start, tokens[self.last].end

    @property
    def text(self) -> str:
        start, end = self.span
        return self.question.utterance.text[start:end]


@dataclass(slots=True)
class CandidatePhrase:
    """One to three words next to each other that no entity covers, wherever they stand.

    Words of the same stems are one candidate. ``asked`` counts the questions with it, repeated
    ones as often as they were asked.
    """

    stems: tuple[str, ...]
    occurrences: list[Occurrence] = field(default_factory=list)
    count: int = 0

    @property
    def phrase(self) -> str:
        """How it is written most often."""
        spellings: Counter[str] = Counter()
        for place in self.occurrences:
            spellings[place.text] += place.question.count
        return max(spellings, key=spellings.__getitem__)  # of equals the first

    @property
    def sample(self) -> Sequence[Occurrence]:
        """A few of its places, spread over the log."""
        step = -(-len(self.occurrences) // _MOST_PLACES)
        return self.occurrences[::step]


def find_unknown_words(utterance: Utterance) -> tuple[int, ...]:
    """The indexes of the words that mean something by themselves and that neither an entity
    nor a reset phrase covers."""
    covered = {index for entity in utterance.entities for index in entity.tokens}
    covered.update(index for reset in utterance.resets for index in reset)
    return tuple(
        token.index
        for token in utterance.tokens
        if token.is_content_word and token.index not in covered
    )


def find_candidates(questions: Iterable[ReadQuestion]) -> list[CandidatePhrase]:
    """The candidates of these questions, those that stand in most of them first; of very many
    the last ones are left out."""
    found: dict[tuple[str, ...], CandidatePhrase] = {}
    for question in questions:
        here = set()
        for first, last, stems in _iter_runs(question.utterance):
            if stems not in found and len(found) < _MOST_COUNTED:
                found[stems] = CandidatePhrase(stems)
            candidate = found.get(stems)
            if candidate and stems not in here:  # twice in one question is once
                candidate.occurrences.append(Occurrence(question, first, last))
                candidate.count += question.count
                here.add(stems)
    ordered = sorted(found.values(), key=lambda one: (-one.count, len(one.stems)))
    return ordered[:_MOST_CANDIDATES]


def _iter_runs(utterance: Utterance) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    tokens = utterance.tokens
    unknown = find_unknown_words(utterance)[:_MOST_UNKNOWN]
    words = [index for index in unknown if _is_word(tokens[index])]
    for position, first in enumerate(words):
        stems: tuple[str, ...] = ()
        last = first
        for index in words[position : position + _MOST_WORDS]:
            if index != first and not _are_adjacent(tokens, last, index):
                break
            last = index
            stems = (*stems, tokens[index].stem)
            yield first, last, stems


def _is_word(token: Token) -> bool:
    return len(token.lower) <= _LONGEST and any(map(str.isalpha, token.lower))


def _are_adjacent(tokens: Sequence[Token], one: int, other: int) -> bool:
    """Whether nothing stands between, or blanks, or a hyphen that joins the two."""
    between = tokens[one + 1 : other]
    return all(token.text.isspace() or token.text in _HYPHENS for token in between)
