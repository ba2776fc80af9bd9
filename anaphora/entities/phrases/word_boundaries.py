"""Where phrases may start and end in scripts without blanks between words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from anaphora.entities.phrases.trie import PhraseMatch
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.entities.words.lexicon import Word
from anaphora.entities.words.segmentation import Segmentation
from anaphora.storage.forks import LazyProperty

__all__ = ["WordBoundaries"]


class WordBoundaries:
    """Checks where phrases may start and end among the ``words`` of a ``sentence``.
    ``token_indexes`` are their indexes in it, if they are not all of its words."""

    def __init__(
        self,
        segmentation: Segmentation,
        words: Sequence[Word],
        sentence: TokenizedText,
        token_indexes: Sequence[int] | None = None,
    ) -> None:
        self._segmentation = segmentation
        self._rules = segmentation.rules
        pieces: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        length = end = 0
        for word, index in zip(words, token_indexes or range(len(words)), strict=True):
            start = sentence.starts[index]
            if start > end:  # whitespace between tokens
                pieces.append(" ")
                length += 1
            self._starts.append(length)
            pieces.append(_to_dictionary_spelling(word.lower))
            length += len(pieces[-1])
            end = start + len(sentence.texts[index])
            self._ends.append(length)
        self._text = "".join(pieces)

    @LazyProperty  # only a text with matches needs it
    def _inside(self) -> Mapping[int, tuple[int, int]]:
        """The word around each position at which it must not be split."""
        inside: dict[int, tuple[int, int]] = {}
        for start, end in self._segmentation.spans(self._text):
            joints = self._segmentation.joints(self._text[start:end])
            inside |= {
                place: (start, end)
                for place in range(start + 1, end)
                if place - start not in joints
            }
        return inside

    def keep_whole_words(self, matches: list[PhraseMatch]) -> list[PhraseMatch]:
        """Keep the matches that consist of whole words."""
        if not matches or not (self._inside or self._rules.homographs):
            return matches
        spans = [list(self._spans(match)) for match in matches]
        tiled = self._find_composed_words({span for some in spans for span in some})
        return [
            match
            for match, own in zip(matches, spans, strict=True)
            if not any(self._cuts_word(*span, tiled) or self._is_homograph(*span) for span in own)
        ]

    def _spans(self, match: PhraseMatch) -> Iterator[tuple[int, int]]:
        """Yield the contiguous ranges of the text of a match."""
        tokens = match.tokens or range(match.start, match.end)
        start = tokens[0]
        for token, after in pairwise((*tokens, -1)):
            if after != token + 1:
                yield self._starts[start], self._ends[token]
                start = after

    def _cuts_word(self, start: int, end: int, tiled: frozenset[tuple[int, int]]) -> bool:
        return any(
            (word := self._inside.get(place)) is not None
            and end - start <= word[1] - word[0]  # a longer phrase of the model takes precedence
            and word not in tiled
            for place in (start, end)
        )

    def _find_composed_words(self, spans: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """Return the words that consist of two phrases of the model, one of at least two
        characters."""
        if not self._rules.phrases:
            return frozenset()
        words = set(self._inside.values())
        return frozenset(
            (start, end)
            for start, end in words
            if any(
                (start, place) in spans and (place, end) in spans
                for place in range(start + 1, end)
                if max(place - start, end - place) >= self._rules.phrases
            )
        )

    def _is_homograph(self, start: int, end: int) -> bool:
        """Whether the text behind makes it another word."""
        follow = self._rules.homographs.get(self._text[start:end])
        return follow is not None and self._text.startswith(follow, end)


def _to_dictionary_spelling(lower: str) -> str:
    """Spell a word as dictionaries do: NFKC splits the Thai vowel am into two characters."""
    return lower.replace("\u0e4d\u0e32", "\u0e33")
