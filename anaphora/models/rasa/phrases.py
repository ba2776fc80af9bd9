"""The phrases that stand for an intent: the words of its examples that tell it from others.

"I need to fly to [Paris](city) on [Friday](time)" is *fly*, "get me a ticket for [2](number)
people" is *get {me}? {a}? ticket {people}?*. Courtesies and the function words beside entities are
left out; stop words between others are optional, and so are the words behind an entity if those
before it say enough. An example whose shorter form could stand for another intent keeps all its
words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from anaphora.models.rasa.examples import IntentExample
from anaphora.models.rasa.language_words import LanguageWords
from anaphora.models.rasa.synonym_text import escape_synonym

__all__ = ["PhraseBuilder"]

_WORD = re.compile(r"\w+")
_MARKS = ".,;:!?"
_MAX_OPTIONAL = 4  # stop words in a phrase, each of which doubles its variants


class PhraseBuilder:
    """Builds the phrases of the intents of a project from their examples."""

    def __init__(
        self, examples: Mapping[str, Iterable[IntentExample]], words: LanguageWords
    ) -> None:
        self._words = words
        self._courtesies = words.courtesy_pattern()
        self._owners: list[str] = []  # the intent of each example
        self._examples_with: dict[str, set[int]] = defaultdict(set)  # by their words
        for intent, listed in examples.items():
            for example in listed:
                for word in _WORD.findall(example.words.casefold()):
                    self._examples_with[word].add(len(self._owners))
                self._owners.append(intent)

    def build(self, intent: str, example: IntentExample) -> str:
        """The phrase of an example of an intent, in the synonym language."""
        pieces = self._trim(example.pieces)
        for piece in pieces:
            if len(pieces) > 1 and self._stands_for(intent, piece):
                return " ".join(
                    self._write(one) if one is piece else _write_optional(one) for one in pieces
                )
        words = self._without_question([word for piece in pieces for word in piece])
        if self._stands_for(intent, words):
            return self._write(words)
        return escape_synonym(example.words)

    def _trim(self, pieces: Sequence[str]) -> list[list[str]]:
        """The words of the pieces between the entities, without courtesies and the function words
        at their edges; what ends the example stays ("log in")."""
        trimmed = []
        for at, piece in enumerate(pieces):
            bare = self._courtesies.sub(" ", piece) if self._courtesies else piece
            words = self._without_subject(self._split(bare))
            while words and at + 1 < len(pieces) and self._is_function_word(words[-1]):
                del words[-1]
            if words:
                trimmed.append(words)
        return trimmed

    def _split(self, text: str) -> list[str]:
        """The words of a text, without what is written as one with them: "what('s)"."""
        words = []
        for one in text.split():
            word = one.strip(_MARKS)
            head, mark, tail = word.replace("’", "'").partition("'")
            words.append(head if mark + tail in self._words.stop_words else word)
        return [word for word in words if word]

    def _without_subject(self, words: list[str]) -> list[str]:
        """The words without the function words that they begin with, and the stop words behind
        those: "I am", "this is"."""
        start = next((at for at, one in enumerate(words) if not self._is_function_word(one)), None)
        if not start:
            return [] if start is None else words
        rest = words[start:]
        while self._is_stop_word(rest[0].casefold()) and len(rest) > 1:
            del rest[0]
        return rest

    def _without_question(self, words: list[str]) -> list[str]:
        """The words without the stop words before at least two others that are none: "what is the
        status of my booking", but "when are you open"."""
        content = [at for at, one in enumerate(words) if not self._is_stop_word(one.casefold())]
        return words[content[0] :] if len(content) > 1 else words

    def _stands_for(self, intent: str, words: Iterable[str]) -> bool:
        """Whether words say something, and no example of another intent has all of them."""
        content = {
            word
            for one in words
            if not self._is_function_word(one)
            for word in _WORD.findall(one.casefold())
        }
        if all(self._is_stop_word(word) for word in content):
            return False
        having = set.intersection(*(self._examples_with[word] for word in content))
        return all(self._owners[number] == intent for number in having)

    def _write(self, words: Sequence[str]) -> str:
        """The words as a synonym; stop words between others are optional."""
        inner = [at for at in range(1, len(words) - 1) if self._is_stop_word(words[at].casefold())][
            :_MAX_OPTIONAL
        ]
        return " ".join(
            _write_optional([word]) if at in inner else escape_synonym(word)
            for at, word in enumerate(words)
        )

    def _is_stop_word(self, word: str) -> bool:
        return not {word, f"'{word}"}.isdisjoint(self._words.stop_words)

    def _is_function_word(self, word: str) -> bool:
        return word.casefold() in self._words.function_words


def _write_optional(words: Iterable[str]) -> str:
    return " ".join(f"{{{escape_synonym(word)}}}?" for word in words)
