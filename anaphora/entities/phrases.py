"""The phrases of a model as words, made by the tokenizer that will read the utterances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, groupby, islice, product

from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

from anaphora.entities.lexicon import Lexicon, Word, solid
from anaphora.entities.trie import Step
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import Phrase

__all__ = ["PhraseReader"]

_BATCH = 10_000  # phrases whose words are read together


class PhraseReader:
    """Turns phrases into steps of a trie.

    Some words are split or not by their case (English takes "id" for "i'd", and "ID" for one
    word), so that a phrase is also read in lower case, in capitals and with a capital letter;
    what comes out the same is there once.
    """

    def __init__(self, tokenizer: Callable[[str], Doc], lexicon: Lexicon) -> None:
        self._tokenizer = tokenizer
        self._lexicon = lexicon
        self._by_words = _splits_by_words(tokenizer)

    def read(self, phrases: Iterable[tuple[int, Phrase]]) -> Iterator[tuple[int, tuple[Step, ...]]]:
        """The ways to read each of the numbered phrases, with its number."""
        rest = iter(phrases)
        while batch := list(islice(rest, _BATCH)):
            joined = [(number, _joined(phrase)) for number, phrase in batch]
            texts = {chunk for _, chunks in joined for chunk in chunks if isinstance(chunk, str)}
            readings = self._readings(texts)
            for number, chunks in joined:
                ways = [
                    readings[chunk] if isinstance(chunk, str) else [(chunk,)] for chunk in chunks
                ]
                for way in product(*ways):
                    yield number, tuple(step for steps in way for step in steps)

    def _readings(self, texts: Iterable[str]) -> dict[str, list[tuple[Word, ...]]]:
        plain, other = [], []
        for text in texts:
            (plain if self._by_words and _is_plain(text) else other).append(text)
        known = self._single_words({word for text in plain for word in text.split(" ")})
        readings: dict[str, list[tuple[Word, ...]]] = {}
        for text in plain:
            words = [known.get(word) for word in text.split(" ")]
            if None in words:
                other.append(text)
            else:
                readings[text] = [tuple(word for word in words if word is not None)]
        for text in other:
            ways = {
                tuple(word.form for word in way): way for way in map(self._words, _spellings(text))
            }
            readings[text] = [way for way in ways.values() if way]
        return readings

    def _single_words(self, words: Iterable[str]) -> dict[str, Word]:
        """Those of the words that are one token in whatever case, as words.

        All go through the tokenizer as one text: it cuts a text at its blanks first and then
        looks at each piece by itself.
        """
        spelled = {word: _spellings(word) for word in words}
        asked = [word for word, texts in spelled.items() if all(map(str.isalpha, texts))]
        texts = [text for word in asked for text in spelled[word]]
        found = {token.idx: token.text for token in self._tokenizer(" ".join(texts))}
        starts = accumulate((len(text) + 1 for text in texts), initial=0)
        split = {text for text, start in zip(texts, starts, strict=False) if found[start] != text}
        single = [word for word in asked if split.isdisjoint(spelled[word])]
        return dict(zip(single, self._lexicon.read(single), strict=True))

    def _words(self, text: str) -> tuple[Word, ...]:
        tokens = [(token.text, token.idx) for token in self._tokenizer(text)]
        words = self._lexicon.read([written for written, _ in tokens])
        starts = [start for _, start in tokens]
        ends = [start + len(written) for written, start in tokens]
        return tuple(words[index] for index in solid(words, starts, ends))


def _spellings(text: str) -> tuple[str, ...]:
    return text, text.lower(), text.upper(), text.capitalize()


def _joined(phrase: Phrase) -> list[str | Pattern]:
    """The phrase with neighbouring texts made one: a tokenizer looks across blanks."""
    chunks: list[str | Pattern] = []
    for is_text, group in groupby(phrase, key=lambda chunk: isinstance(chunk, str)):
        chunks += [" ".join(map(str, group))] if is_text else group
    return chunks


def _is_plain(text: str) -> bool:
    """Whether the text is words of letters with single blanks between."""
    return all(map(str.isalpha, text.split(" ")))


def _splits_by_words(tokenizer: object) -> bool:
    """Whether words of letters are always tokenized alike, whatever stands around them: so does
    spaCy's own tokenizer, unless one of its rules is on several such words."""
    return type(tokenizer) is Tokenizer and not any(
        " " in rule and rule.strip() and _is_plain(rule) for rule in tokenizer.rules
    )
