"""Find the runs of unknown words in questions: the candidates for synonyms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anaphora.core.utterance import Token, Utterance

__all__ = ["CandidatePhrase", "Occurrence", "ReadQuestion", "find_candidates", "find_unknown_words"]

_MOST_WORDS = 3  # of a candidate
_LONGEST = 40  # characters of a word in a candidate
_MOST_PLACES = 8  # occurrences examined for one candidate
_MOST_CANDIDATES = 5_000
_MOST_COUNTED = 200_000  # before the best are selected
_MOST_UNKNOWN = 50  # words of one question, so that a long one does not fill the memory
_HYPHENS = frozenset("-‐‑‒–−")


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question parsed by the model, and how many times it was asked."""

    utterance: Utterance
    count: int
    understood: bool


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a candidate: the indexes of its first and last tokens in a question."""

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
    """One to three adjacent words that no entity covers, with all their occurrences.

    Words with the same stems are one candidate. ``count`` is the number of questions with it;
    repeated questions count each time.
    """

    stems: tuple[str, ...]
    occurrences: list[Occurrence] = field(default_factory=list)
    count: int = 0

    @property
    def phrase(self) -> str:
        """Its most frequent spelling."""
        spellings: Counter[str] = Counter()
        for occurrence in self.occurrences:
            spellings[occurrence.text] += occurrence.question.count
        return max(spellings, key=spellings.__getitem__)  # the first one of equals

    @property
    def sample(self) -> Sequence[Occurrence]:
        """A few of its occurrences, spread over the log."""
        step = -(-len(self.occurrences) // _MOST_PLACES)
        return self.occurrences[::step]


def find_unknown_words(utterance: Utterance) -> tuple[int, ...]:
    """Return the indexes of the content words that neither an entity nor a reset phrase covers."""
    covered = {index for entity in utterance.entities for index in entity.tokens}
    covered.update(index for reset in utterance.resets for index in reset)
    return tuple(
        token.index
        for token in utterance.tokens
        if token.is_content_word and token.index not in covered
    )


def find_candidates(questions: Iterable[ReadQuestion]) -> list[CandidatePhrase]:
    """Return the most frequent candidates of these questions, in descending order."""
    found: dict[tuple[str, ...], CandidatePhrase] = {}
    for question in questions:
        here = set()
        for first, last, stems in _iter_runs(question.utterance):
            if stems not in found and len(found) < _MOST_COUNTED:
                found[stems] = CandidatePhrase(stems)
            candidate = found.get(stems)
            if candidate and stems not in here:  # once per question
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
    """Whether there is nothing but whitespace or a hyphen between the tokens."""
    between = tokens[one + 1 : other]
    return all(token.text.isspace() or token.text in _HYPHENS for token in between)
