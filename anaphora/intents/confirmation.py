"""What a bot says by itself, and what answers it, by language: the offers of the bridge to the
long-term memory, and the question about what a sentence has left over.

A model may word both itself; ``languages/<code>/replies.yaml`` has a phrase for every language
that the package has other tables of. Those without a table of yes and no
(:mod:`anaphora.entities.builtin.boolean`) have the plain words for it there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from anaphora.core.utterance import Entity
from anaphora.entities.languages import languages_with, load_table
from anaphora.entities.words.normalization import base_code

if TYPE_CHECKING:
    from anaphora.entities.builtin.boolean import Confirmation

__all__ = [
    "display_name",
    "format_declined",
    "format_offer",
    "format_unused_question",
    "parse_answer",
    "parse_confirmation",
]

_ENGLISH = "en"  # where a language has no table
_MAX_NAME_WORDS = 2  # words
_MAX_ANSWER_LENGTH = 200  # characters of a yes or a no


@dataclass(frozen=True, slots=True)
class _LanguageTexts:
    """``still_about`` asks whether it is about ``{}``, ``declined`` answers a no, ``left_over``
    asks whether to go on without what ``{}`` means."""

    still_about: str
    declined: str
    left_over: str
    yes: frozenset[str]
    no: frozenset[str]
    comma: str


def format_offer(names: Iterable[str], language: str) -> str:
    """Asks whether the conversation is still about what bears these names."""
    wording = _texts_of(language)
    return wording.still_about.replace("{}", wording.comma.join(dict.fromkeys(names)))


def display_name(entity: Entity) -> str:
    """What to call an entity: its value, else what was said if that is short ("forecast"), else
    its element ("weather" for "what's the weather like")."""
    if entity.value is not None or len(entity.text.split()) <= _MAX_NAME_WORDS:
        return entity.value_or_text
    return entity.element.replace("_", " ")


def format_declined(language: str) -> str:
    """Answers somebody who does not want what was offered."""
    return _texts_of(language).declined


def format_unused_question(texts: Iterable[str], language: str) -> str:
    """Asks whether to go on without what these words mean."""
    wording = _texts_of(language)
    return wording.left_over.replace("{}", wording.comma.join(texts))


def parse_answer(text: str, languages: Iterable[str]) -> bool | None:
    """Whether the whole of ``text`` is a yes or a no in one of the languages, or in English if
    one of them has no words here; None if it is neither."""
    from anaphora.entities.builtin.boolean import parse_yes_no

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is None:
            answer = parse_yes_no(text, code)
        if answer is not None:
            return answer
    return None


def parse_confirmation(text: str, languages: Iterable[str]) -> Confirmation | None:
    """As :func:`parse_answer`, for an answer to the question whether to go on."""
    from anaphora.entities.builtin.boolean import Confirmation, parse_confirmation

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is not None:
            return Confirmation(answer)
        if confirmation := parse_confirmation(text, code):
            return confirmation
    return None


def _candidate_languages(text: str, languages: Iterable[str]) -> Iterable[str]:
    """The languages in which a text may be an answer; none for a long text, which says something
    else."""
    if len(text) > _MAX_ANSWER_LENGTH:
        return ()
    codes = [base_code(language) for language in languages]
    if any(code not in languages_with("replies") for code in codes):
        codes.append(_ENGLISH)
    return dict.fromkeys(codes)


def _parse_plain_answer(text: str, code: str) -> bool | None:
    """The answer by the plain words for yes and no of a language without a table of them."""
    wording = _texts_of(code)
    bare = text.strip(" \t\n.,!?。！？").casefold()
    return bare in wording.yes if bare in wording.yes or bare in wording.no else None


def _texts_of(language: str) -> _LanguageTexts:
    code = base_code(language)
    return _written_in(code if code in languages_with("replies") else _ENGLISH)


@lru_cache(maxsize=64)
def _written_in(code: str) -> _LanguageTexts:
    table = load_table(code, "replies", as_text=True)
    return _LanguageTexts(
        table["still_about"],
        table["declined"],
        table["left_over"],
        frozenset(table.get("yes", ())),
        frozenset(table.get("no", ())),
        table.get("comma", ", "),
    )
