"""Tell words that are a value from words that look like one: pronouns, articles, misspelt words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import chain

from anaphora.entities.languages import cached_table
from anaphora.entities.sentences.dialog_sentences import DIALOG_INTENTS, reference_words
from anaphora.entities.sentences.input_text import InputText
from anaphora.entities.sentences.matcher import SentenceMatch
from anaphora.entities.sentences.repairs import remove_accents
from anaphora.entities.words.function_words import load_qualifiers, load_stop_words
from anaphora.grammar.sentences.normalization import fold_case
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS

__all__ = ["NumberSenses"]

_WORD = re.compile(r"[^\W\d_]+|[%°]")
_VALUE_RULES = ("target", "amount")
_COUNTED = (1, 2)  # what "the one", "these two" stand for


class NumberSenses:
    """The senses of numbers in words in a ``language``. ``units`` are the words that follow the
    numbers of each slot."""

    def __init__(self, language: str, units: Mapping[str, frozenset[str]]) -> None:
        self._language = language
        self._units = units

    def accepts(self, match: SentenceMatch, form: InputText, text: str) -> bool:
        """Whether the numbers in words that a sentence has matched, in a ``form`` of the utterance
        ``text``, are values: neither misspelt words (*nein*) nor pronouns ("the bedroom one")."""
        if match.intent in DIALOG_INTENTS or match.intent in TIMER_INTENTS:
            return True
        said = [one for one in match.slots.values() if one.text]
        if not any(one.is_number for one in said):
            return True
        named = [(one.start, one.end) for one in said if isinstance(one.value, str)]
        return all(
            not (one.is_number and one.text.replace(" ", "").isalpha())
            or (
                not _is_misspelt(one.text, form.text)
                and not self.stands_for_things(
                    text, one.start, one.end, one.value, self._units.get(one.name, ()), named
                )
            )
            for one in said
        )

    def stands_for_things(
        self,
        text: str,
        start: int,
        end: int,
        number: float,
        units: Collection[str],
        named: Collection[tuple[int, int]] = (),
    ) -> bool:
        """Whether the number in words between two positions stands for one or two things rather
        than for a value: it has no unit, and follows a function word ("this one", *l'une des deux*)
        or one of the ``named`` things. "One" alone may be either."""
        following = _WORD.search(text, end)
        if number not in _COUNTED or (following and fold_case(following[0]) in units):
            return False
        before = [one for one in _WORD.finditer(text, 0, start) if one.end() <= start]
        if not before:
            return number == 1
        last = before[-1]
        word = fold_case(last[0])
        functional = _load_function_words(self._language) - _load_prepositions(self._language)
        if number != 1:
            if len(before) == 1 and word in _load_pronouns(self._language):
                return True  # *die zwei*
            return word in functional - _load_links(self._language)
        if any(begin <= last.start() < stop for begin, stop in named):
            return True
        return word in functional

    def follows_preposition(self, text: str, start: int) -> bool:
        """Whether the word before a position is one before values: "to one"."""
        before = [one[0] for one in _WORD.finditer(text, 0, start)]
        return bool(before) and fold_case(before[-1]) in _load_prepositions(self._language)

    def follows_amount_word(self, text: str, start: int) -> bool:
        """Whether the word before a position is one before amounts alone: "by 2"."""
        before = [one[0] for one in _WORD.finditer(text, 0, start)]
        words = _load_prepositions(self._language, "amount")
        words -= _load_prepositions(self._language, "target")
        return bool(before) and fold_case(before[-1]) in words


def _is_misspelt(said: str, form: str) -> bool:
    """Whether what was ``said`` is another word than a number in the ``form`` that a sentence has
    matched, not only without its accents."""
    form = remove_accents(form)
    if any(map(str.isdigit, form)):
        return False  # what stands for digits: "half"
    known = set(_WORD.findall(form))
    return any(remove_accents(word) not in known for word in _WORD.findall(fold_case(said)))


@lru_cache(maxsize=100)
def _load_function_words(language: str) -> frozenset[str]:
    """Stop words, those that negate or restrict others, and those that only link a command to what
    was said."""
    return _load_links(language).union(load_stop_words(language), load_qualifiers(language))


@lru_cache(maxsize=100)
def _load_links(language: str) -> frozenset[str]:
    """The words that link a command to what was said: "no, rather 2", "make it 2"."""
    table = cached_table(language, "home")
    lists = (table.get(key) or () for key in ("opening", "fillers", "additions", "again"))
    words = {fold_case(word) for phrase in chain.from_iterable(lists) for word in phrase.split()}
    return _load_pronouns(language).union(words)


@lru_cache(maxsize=100)
def _load_pronouns(language: str) -> frozenset[str]:
    phrases = reference_words(language, "thing")
    return frozenset(fold_case(word) for phrase in phrases for word in phrase.split())


@lru_cache(maxsize=100)
def _load_prepositions(language: str, *rules: str) -> frozenset[str]:
    """The words before the values of commands: "to 1", "by 1"; those of some ``rules``."""
    written = cached_table(language, "home").get("rules") or {}
    before = [str(written.get(one) or "").partition("<")[0] for one in rules or _VALUE_RULES]
    return frozenset(fold_case(word) for phrase in before for word in _WORD.findall(phrase))
