"""The phrases of a model as words, made by the tokenizer that will read the utterances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, groupby, islice, product
from typing import TypeAlias

from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

from anaphora.entities.lexicon import Lexicon, Word, solid
from anaphora.entities.trie import Step
from anaphora.grammar.parts import Part
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import Phrase

__all__ = ["PhraseReader"]

_BATCH = 10_000  # phrases whose words are read together

_Chunk: TypeAlias = str | Pattern | Part


class PhraseReader:
    """Turns phrases into steps of a trie.

    Some words are split or not by their case (English takes "id" for "i'd", and "ID" for one
    word), so that a phrase is also read in lower case, in capitals and with a capital letter;
    what comes out the same is there once.
    """

    def __init__(self, tokenizer: Callable[[str], Doc], lexicon: Lexicon) -> None:
        self._tokenizer = tokenizer
        self._lexicon = lexicon
        self._rules = _rules_on_words(tokenizer)
        self._single: dict[str, Word | None] = {}

    def read(self, phrases: Iterable[tuple[int, Phrase]]) -> Iterator[tuple[int, tuple[Step, ...]]]:
        """The ways to read each of the numbered phrases, with its number."""
        rest = iter(phrases)
        while batch := [(number, _joined(phrase)) for number, phrase in islice(rest, _BATCH)]:
            texts = {chunk for _, chunks in batch for chunk in chunks if isinstance(chunk, str)}
            readings = self._readings(texts)
            for number, chunks in batch:
                for way in product(*(_ways(chunk, readings) for chunk in chunks)):
                    yield number, way[0] if len(way) == 1 else sum(way, ())

    def _readings(self, texts: set[str]) -> dict[str, list[tuple[Step, ...]]]:
        words = {text: text.split(" ") for text in texts} if self._rules is not None else {}
        self._learn({word for split in words.values() for word in split})
        readings: dict[str, list[tuple[Step, ...]]] = {}
        for text in texts:
            known = tuple([self._single[word] for word in words.get(text, ())])
            if known and None not in known:
                readings[text] = [tuple(word for word in known if word)]
            else:
                readings[text] = self._spelled(text)
        return readings

    def _learn(self, words: set[str]) -> None:
        """Finds which of the words are always one token, and remembers them.

        All go through the tokenizer as one text: it cuts a text at its blanks first and then
        looks at each piece by itself.
        """
        new = [word for word in words if word not in self._single]
        self._single.update(dict.fromkeys(new))
        asked = [word for word in new if word.isalpha() and self._is_regular(word)]
        found = {token.idx: token.text for token in self._tokenizer(" ".join(asked))}
        starts = accumulate((len(word) + 1 for word in asked), initial=0)
        whole = [word for word, start in zip(asked, starts, strict=False) if found[start] == word]
        self._single.update(zip(whole, self._lexicon.read(whole), strict=True))

    def _is_regular(self, word: str) -> bool:
        return self._rules is not None and self._rules.isdisjoint(_spellings(word))

    def _spelled(self, text: str) -> list[tuple[Step, ...]]:
        """The text through the tokenizer in each of its spellings."""
        ways = map(self._words, dict.fromkeys(_spellings(text)))
        distinct = {tuple([word.form for word in way]): way for way in ways if way}
        return list(distinct.values())

    def _words(self, text: str) -> tuple[Word, ...]:
        tokens = [(token.text, token.idx) for token in self._tokenizer(text)]
        words = self._lexicon.read([written for written, _ in tokens])
        starts = [start for _, start in tokens]
        ends = [start + len(written) for written, start in tokens]
        return tuple([words[index] for index in solid(words, starts, ends)])


def _ways(chunk: _Chunk, readings: dict[str, list[tuple[Step, ...]]]) -> list[tuple[Step, ...]]:
    return readings[chunk] if isinstance(chunk, str) else [(chunk,)]


def _spellings(text: str) -> tuple[str, ...]:
    return text, text.lower(), text.upper(), text.capitalize()


def _joined(phrase: Phrase) -> list[_Chunk]:
    """The phrase with neighbouring texts made one: a tokenizer looks across blanks."""
    if len(phrase) == 1:
        return list(phrase)
    chunks: list[_Chunk] = []
    for is_text, group in groupby(phrase, key=_is_text):
        members = list(group)
        chunks += [" ".join(map(str, members))] if is_text else members
    return chunks


def _is_text(chunk: _Chunk) -> bool:
    return isinstance(chunk, str)


def _rules_on_words(tokenizer: Callable[[str], Doc]) -> frozenset[str] | None:
    """The texts on which the tokenizer has rules of its own, or None where words of letters are
    not always cut alike: where another tokenizer than spaCy's is at work, or a rule is on
    several such words."""
    if not isinstance(tokenizer, Tokenizer) or type(tokenizer) is not Tokenizer:
        return None
    rules = frozenset(tokenizer.rules or ())
    spanning = (rule.split() for rule in rules if " " in rule)
    if any(len(words) > 1 and all(map(str.isalpha, words)) for words in spanning):
        return None
    return rules
