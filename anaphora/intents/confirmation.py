"""Built-in questions and acknowledgements in each language, the answers that a button may send, and
a parser for yes/no answers.

The questions serve the offers of the long-term memory and unused parts of a sentence. A model can
have its own texts instead. ``languages/<code>/replies.yaml`` has the texts of each
language, and the words for yes and no of languages without a table in
:mod:`anaphora.entities.builtin.boolean`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from anaphora.core.utterance import Entity
from anaphora.entities.languages import languages_with, load_table
from anaphora.entities.words.normalization import base_code
from anaphora.stm.conversation import Conversation

if TYPE_CHECKING:
    from anaphora.entities.builtin.boolean import Confirmation

__all__ = [
    "display_name",
    "format_accepted",
    "format_begin_anew",
    "format_choice",
    "format_declined",
    "format_needed",
    "format_offer",
    "format_quick_replies",
    "format_unused_question",
    "parse_answer",
    "parse_confirmation",
]

_ENGLISH = "en"  # for languages without a table
_MAX_NAME_WORDS = 2  # words
_MAX_ANSWER_LENGTH = 200  # characters of a yes or a no


@dataclass(frozen=True, slots=True)
class _LanguageTexts:
    """``still_about`` asks whether the conversation is about ``{}``, ``declined`` acknowledges a
    no and ``accepted`` a yes, ``left_over`` asks whether to go on without ``{}``, ``which_one``
    which of ``{}`` is meant, ``begin_anew`` whether a question begins afresh. ``option`` accepts
    the offer at the place ``{}`` of the list, ``needed`` says that the user must choose; both are
    empty in a language without cues. ``yes`` and ``no`` are answers, the usual one first."""

    still_about: str
    declined: str
    left_over: str
    accepted: str
    which_one: str
    begin_anew: str
    option: str
    yes: tuple[str, ...]
    no: tuple[str, ...]
    comma: str
    needed: str


def format_offer(names: Iterable[str], language: str) -> str:
    """Ask whether the conversation is still about ``names``."""
    texts = _texts_of(language)
    return texts.still_about.replace("{}", texts.comma.join(dict.fromkeys(names)))


def display_name(entity: Entity) -> str:
    """Return a name for an entity: its value, else its text if that is short ("forecast"), else
    its element ("weather" for "what's the weather like")."""
    if entity.value is not None or len(entity.text.split()) <= _MAX_NAME_WORDS:
        return entity.value_or_text
    return entity.element.replace("_", " ")


def format_declined(language: str) -> str:
    """Acknowledge that the user declined an offer."""
    return _texts_of(language).declined


def format_accepted(language: str) -> str:
    """Acknowledge that the user accepted an offer."""
    return _texts_of(language).accepted


def format_choice(names: Iterable[str], language: str) -> str:
    """Ask which of the offers with these ``names`` is meant, or whether the only one is."""
    texts, names = _texts_of(language), list(names)
    if len(names) == 1:
        return names[0] + texts.which_one[-1]
    separator = "; " if any(texts.comma in name for name in names) else texts.comma
    return texts.which_one.replace("{}", separator.join(names))


def format_begin_anew(language: str) -> str:
    """Ask whether a question begins afresh, rather than changes the last one."""
    return _texts_of(language).begin_anew


def format_needed(language: str) -> str:
    """Say that the user must choose what the bot asks for; '' in a language that cannot say that
    anything will do."""
    return _texts_of(language).needed


def format_unused_question(parts: Iterable[str], language: str) -> str:
    """Ask whether to go on without these parts of the sentence."""
    texts = _texts_of(language)
    return texts.left_over.replace("{}", texts.comma.join(parts))


def format_quick_replies(conversation: Conversation, language: str) -> tuple[str, ...]:
    """Return what the user may answer at the push of a button: a yes and a no to a question that
    waits for one, else for each of the offers a text that accepts it. Empty if there is nothing to
    answer."""
    pending, offers = conversation.pending, conversation.open_offers
    if pending is None and offers is None:
        return ()
    texts = _texts_of(language)
    if pending is not None and (pending.confirms or pending.afresh):
        return (texts.yes[0], texts.no[0])
    if offers is None:
        return ()
    if len(offers.bundles) == 1:
        is_asked_since = pending is not None and pending.at >= offers.at
        reads_yes = base_code(language) in languages_with("replies")
        return (texts.yes[0],) if reads_yes and not is_asked_since else ()
    if not texts.option or base_code(language) not in languages_with("cues"):
        return ()  # nothing reads places in a list
    places = range(1, len(offers.bundles) + 1)
    return tuple([texts.option.replace("{}", str(place)) for place in places])


def parse_answer(text: str, languages: Iterable[str]) -> bool | None:
    """Parse ``text`` as a yes or a no in one of the languages, or in English if one of them has no
    table. None if it says anything else."""
    from anaphora.entities.builtin.boolean import parse_yes_no

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is None:
            answer = parse_yes_no(text, code)
        if answer is not None:
            return answer
    return None


def parse_confirmation(text: str, languages: Iterable[str]) -> Confirmation | None:
    """Parse an answer to the question whether to go on, like :func:`parse_answer`."""
    from anaphora.entities.builtin.boolean import Confirmation, parse_confirmation

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is not None:
            return Confirmation(answer)
        if confirmation := parse_confirmation(text, code):
            return confirmation
    return None


def _candidate_languages(text: str, languages: Iterable[str]) -> Iterable[str]:
    """Return the languages in which a text may be an answer; none for a long text, which must be
    something else."""
    if len(text) > _MAX_ANSWER_LENGTH:
        return ()
    codes = [base_code(language) for language in languages]
    if any(code not in languages_with("replies") for code in codes):
        codes.append(_ENGLISH)
    return dict.fromkeys(codes)


def _parse_plain_answer(text: str, code: str) -> bool | None:
    """Parse an answer by the words for yes and no in ``replies.yaml``."""
    texts = _texts_of(code)
    bare = text.strip(" \t\n.,!?。！？").casefold()
    return bare in texts.yes if bare in texts.yes or bare in texts.no else None


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
        table["accepted"],
        table["which_one"],
        table["begin_anew"],
        table.get("option", ""),
        tuple(table.get("yes", ())),
        tuple(table.get("no", ())),
        table.get("comma", ", "),
        table.get("needed", ""),
    )
