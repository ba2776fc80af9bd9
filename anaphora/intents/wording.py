"""What a bot says by itself, and what answers it, by language: the offers of the bridge to the
long-term memory, and the question about what a sentence has left over.

A model may word both itself; ``languages/<code>/replies.yaml`` has a phrase for every language
that the package has other tables of. Those without a table of yes and no
(:mod:`anaphora.entities.plain.boolean`) have the plain words for it there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from anaphora.entities.language_tables import languages_with, load_table
from anaphora.entities.languages import base
from anaphora.models.utterance import Entity

if TYPE_CHECKING:
    from anaphora.entities.plain.boolean import Confirmation

__all__ = ["answer_in", "confirmation_in", "declined", "left_over", "name_of", "still_about"]

_ENGLISH = "en"  # where a language has no table
_SHORT = 2  # words
_LONGEST = 200  # characters of a yes or a no


@dataclass(frozen=True, slots=True)
class _Wording:
    """``still_about`` asks whether it is about ``{}``, ``declined`` answers a no, ``left_over``
    asks whether to go on without what ``{}`` means."""

    still_about: str
    declined: str
    left_over: str
    yes: frozenset[str]
    no: frozenset[str]
    comma: str


def still_about(names: Iterable[str], language: str) -> str:
    """Asks whether the conversation is still about what bears these names."""
    wording = _wording(language)
    return wording.still_about.replace("{}", wording.comma.join(dict.fromkeys(names)))


def name_of(entity: Entity) -> str:
    """What to call an entity: its value, else what was said if that is short ("forecast"), else
    its element ("weather" for "what's the weather like")."""
    if entity.value is not None or len(entity.text.split()) <= _SHORT:
        return entity.said
    return entity.element.replace("_", " ")


def declined(language: str) -> str:
    """Answers somebody who does not want what was offered."""
    return _wording(language).declined


def left_over(texts: Iterable[str], language: str) -> str:
    """Asks whether to go on without what these words mean."""
    wording = _wording(language)
    return wording.left_over.replace("{}", wording.comma.join(texts))


def answer_in(text: str, languages: Iterable[str]) -> bool | None:
    """Whether the whole of ``text`` is a yes or a no in one of the languages, or in English if
    one of them has no words here; None if it is neither."""
    from anaphora.entities.plain.boolean import answer_of

    for code in _codes(text, languages):
        answer = _plain_answer(text, code)
        if answer is None:
            answer = answer_of(text, code)
        if answer is not None:
            return answer
    return None


def confirmation_in(text: str, languages: Iterable[str]) -> Confirmation | None:
    """As :func:`answer_in`, for an answer to the question whether to go on."""
    from anaphora.entities.plain.boolean import Confirmation, confirmation_of

    for code in _codes(text, languages):
        answer = _plain_answer(text, code)
        if answer is not None:
            return Confirmation(answer)
        if confirmation := confirmation_of(text, code):
            return confirmation
    return None


def _codes(text: str, languages: Iterable[str]) -> Iterable[str]:
    """The languages in which a text may be an answer; none for a long text, which says something
    else."""
    if len(text) > _LONGEST:
        return ()
    codes = [base(language) for language in languages]
    if any(code not in languages_with("replies") for code in codes):
        codes.append(_ENGLISH)
    return dict.fromkeys(codes)


def _plain_answer(text: str, code: str) -> bool | None:
    """The answer by the plain words for yes and no of a language without a table of them."""
    wording = _wording(code)
    bare = text.strip(" \t\n.,!?。！？").casefold()
    return bare in wording.yes if bare in wording.yes or bare in wording.no else None


def _wording(language: str) -> _Wording:
    code = base(language)
    return _written_in(code if code in languages_with("replies") else _ENGLISH)


@lru_cache(maxsize=64)
def _written_in(code: str) -> _Wording:
    table = load_table(code, "replies", as_text=True)
    return _Wording(
        table["still_about"],
        table["declined"],
        table["left_over"],
        frozenset(table.get("yes", ())),
        frozenset(table.get("no", ())),
        table.get("comma", ", "),
    )
